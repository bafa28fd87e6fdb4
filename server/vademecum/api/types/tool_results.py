"""The results of tools: small enough to be put before a model as they are, since some clients show it these alone."""

from attrs import frozen

from vademecum.api.types.evidence import Invalidated, VerifyItem
from vademecum.api.types.tool_params import MemoryAction
from vademecum.evidence.verdicts import Verdict
from vademecum.knowledge.types import MapItem, SectionCitation, SectionHit
from vademecum.memory.audit.types import FindingKind
from vademecum.memory.types import Category, MemoryStatus, Scope
from vademecum.search.types import IndexState, VectorsState


@frozen
class Ground:
    """A reference that a memory rests on, to where its lines are now."""

    reference: str
    verdict: Verdict | None = None


@frozen
class MemoryNote:
    """A memory. What it says is data, but for rules that the user wrote."""

    id: str
    title: str
    scope: Scope
    category: Category
    content: str
    updated: str
    """ISO 8601."""
    status: MemoryStatus | None = None
    """Where it is not `active`."""
    evidence: tuple[Ground, ...] | None = None
    cut: bool | None = None
    """True when the content is only the beginning of it; `manage_core_memory` gives more of it by its id."""
    score: float | None = None


@frozen
class RememberedNote:
    """The result of `remember` and `memory_save`."""

    memory: MemoryNote
    known: bool
    """It was known already; nothing was written."""
    updated: bool | None = None
    """A memory that was there was changed."""


@frozen
class MemoryOutcome:
    """The result of `manage_core_memory` and of its parts."""

    action: MemoryAction
    memory: MemoryNote | None = None
    """What was added or changed."""
    similar: tuple[str, ...] | None = None
    """Ids of memories that come close to what was added; perhaps one of them should be updated and this one deleted."""
    deleted: str | None = None
    """The id of what was deleted."""
    items: tuple[MemoryNote, ...] | None = None
    """What was found, best first."""
    total: int | None = None
    """How many were found; not all need be among the items."""


@frozen
class AuditNote:
    """Something that is amiss with memories."""

    kind: FindingKind
    ids: tuple[str, ...]
    message: str


@frozen
class AuditNotes:
    """The result of `memory_audit`."""

    findings: tuple[AuditNote, ...]
    """The gravest first."""
    total: int
    """How many there are; not all need be among them."""
    checked: int
    """Memories that were looked at."""


@frozen
class RecalledNotes:
    """The result of `memory_recall`."""

    items: tuple[MemoryNote, ...]
    """Best first; none where nothing fits."""


@frozen
class Passage:
    """Lines of a file as they are now."""

    path: str
    """Relative to the repository."""
    start: int
    """The first line, from 1."""
    end: int
    reference: str
    """Names exactly these lines: `path:start-end@hash`. Cite it."""
    text: str | None = None
    """The lines, each behind its number; left out where `reused`."""
    symbol: str | None = None
    """What is defined there."""
    folder: str | None = None
    """The open folder that it lies in, where several are open."""
    score: float | None = None
    stale: bool | None = None
    """The file changed since it was indexed; the lines are today's all the same."""
    outline: bool | None = None
    """The text is an outline; `…` stands for lines that were left out."""
    cut: bool | None = None
    """The text is only the beginning of the lines."""
    reused: bool | None = None
    """The session was given this very text before."""


@frozen
class Passages:
    """The result of `search_workspace` and `find_related`."""

    items: tuple[Passage, ...]
    """Best first; no two overlap."""
    notices: tuple[str, ...] = ()
    """What to know about the answer."""
    next_offset: int | None = None
    """For more of the same, where there is more."""
    omitted: int | None = None
    """Passages for which there was no room."""
    invalidated: tuple[Invalidated, ...] | None = None
    """What the session was given before and no longer is so: disregard the earlier text."""


@frozen
class Verdicts:
    """The result of `verify_evidence`."""

    items: tuple[VerifyItem, ...]
    all_valid: bool
    """There are references, and every one holds (`valid` or `relocated`)."""
    omitted: int | None = None
    """References for which there was no room; `allValid` speaks of them too."""


@frozen
class FolderIndex:
    """How the index of one open folder is."""

    folder: str
    state: IndexState
    files: int
    chunks: int
    pending: int
    """Files known to have changed and not indexed yet."""
    counted: bool
    """Whether every file was seen once; until then there are more than `files` and `pending`."""
    vectors: VectorsState
    """Whether things are found by meaning, too."""
    embedded: int
    """Passages that have a vector, of `total`."""
    total: int
    model: str | None = None
    indexed_at: str | None = None
    notices: tuple[str, ...] = ()
    """What limits the answers."""


@frozen
class IndexReport:
    """The result of `index_status`."""

    folders: tuple[FolderIndex, ...]


@frozen
class DocumentsReport:
    """The result of `list_documents`."""

    items: tuple[MapItem, ...]
    omitted: int | None = None
    """Documents for which there was no room; `search_docs` finds them."""


@frozen
class SectionEntry:
    """One section of a document."""

    anchor: str
    title: str
    level: int
    """Of its heading, 1 to 6; 0 for what stands before the first one."""
    characters: int


@frozen
class DocumentOutline:
    """The result of `read_doc`."""

    id: str
    title: str
    revision: str
    sections: tuple[SectionEntry, ...]
    total: int
    next_offset: int | None = None


@frozen
class FoundSections:
    """The result of `search_docs`."""

    items: tuple[SectionHit, ...]
    next_offset: int | None = None
    """For more of the same, where there is more; what had no room comes first there."""
    omitted: int | None = None
    """Sections of this page for which there was no room."""


@frozen
class SectionText:
    """The result of `read_section`."""

    text: str
    citation: SectionCitation
    children: tuple[str, ...]
    """Anchors of the sections right below it."""
    more_children: int | None = None
    """How many more there are; `read_doc` lists them all."""
    cursor: str | None = None
    """For the next page, where there is one."""


@frozen
class AnswerReport:
    """The result of `ask_documents`."""

    answer: str | None
    """With numbers in brackets, each the place in `citations`, from 1; null where no model answered."""
    citations: tuple[SectionCitation, ...]
    gaps: tuple[str, ...]
    """What the documents do not tell."""
    sections: tuple[SectionHit, ...] = ()
    """The best sections, where there is no answer: read them."""
    notice: str | None = None
    """Why there is no answer."""
