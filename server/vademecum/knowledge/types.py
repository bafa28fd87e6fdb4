"""The values of the knowledge base: documents, their sections, and what is told of them."""

from enum import StrEnum

from attrs import field, frozen

LARGEST_DOCUMENT = 16 * 1024 * 1024
"""Bytes (UTF-8) of the largest document. A book of a thousand pages has three million."""

MOST_LINES = 500_000
"""Lines of the largest Markdown document. Finding headings takes some hundred bytes a line while it lasts; books have
less than a tenth of this.
"""

TITLE_CHARACTERS = 200
"""Longest title of a document; a longer heading is cut."""

SUMMARY_CHARACTERS = 2_000
"""Longest summary."""

PAGE_CHARACTERS = 4_000
"""Longest page of a section, in characters."""

QUERY_CHARACTERS = 1_000
"""Longest query or question."""

TASK_CHARACTERS = 200
"""Longest name of a task."""

DEFAULT_TASK = "default"
"""The task when none is named."""

MOST_DOCUMENTS = 10_000
"""Documents that one import of a folder takes; past it the folder is refused whole, so that nothing is half there."""


class Owner(StrEnum):
    """Whose a document is: this user's, or the team's that shares a folder."""

    PERSONAL = "personal"
    SYSTEM = "system"


class DocumentStatus(StrEnum):
    """Whether a document is served to tasks. Only its owner, or whoever may write the shared folder, publishes."""

    PENDING = "pending"
    READY = "ready"


class DocumentForm(StrEnum):
    """How a document's structure is read: `markdown` has headings, `text` is one section."""

    MARKDOWN = "markdown"
    TEXT = "text"


class SourceState(StrEnum):
    """How the source is, as far as it was looked at: as it was imported, changed since, or gone, or on a disk that does
    not answer."""

    CURRENT = "current"
    CHANGED = "changed"
    MISSING = "missing"
    UNREACHABLE = "unreachable"


@frozen(kw_only=True)
class Document:
    """A document, without its text."""

    id: str
    title: str
    owner: Owner
    source: str
    """Where it came from: the URI of a file, the path within the imported folder for a system document, or `text`."""
    form: DocumentForm
    status: DocumentStatus
    revision: str
    """The first 16 hex digits of the SHA-256 of the text that is served, or would be."""
    sections: int
    characters: int
    tokens: int
    """An estimate; see docs/knowledge.md."""
    updated: str
    """When this revision was imported, ISO 8601."""
    uri: str
    """The file that keeps it: for review."""
    writable: bool
    """Whether this user may publish, withdraw and remove it."""
    redacted: int
    """Secrets in the text; they are left out of everything that is told of it."""
    summary: str | None = None
    pending_revision: str | None = None
    """A newer revision that waits for review while this one is served."""
    pending_uri: str | None = None
    """The file that keeps the newer revision."""
    source_state: SourceState | None = None
    """How the source is, where it is followed."""


@frozen
class DocumentPage:
    """A page of the list of documents."""

    items: tuple[Document, ...]
    total: int
    notice: str | None = None
    """Which folder of documents cannot be read, and why: what lies there is not among them. Also which followed folder
    could not be looked at, since its disk does not answer."""


@frozen
class SkippedSource:
    """A file of a folder that was not imported."""

    path: str
    """Relative to the folder."""
    reason: str


@frozen(kw_only=True)
class ImportedFolder:
    """What an import of a folder did."""

    documents: tuple[Document, ...]
    """Those that are new or have a new revision."""
    unchanged: int
    """Documents whose source is as it was."""
    skipped: tuple[SkippedSource, ...]
    """Markdown and text that could not be imported; at most 200 are told."""
    ignored: int
    """Files that are no documents at all, such as pictures and code, or that ignore rules leave out."""
    followed: bool
    """Whether changes in the folder are noticed from now on."""


@frozen(kw_only=True)
class Refreshed:
    """What was found when followed folders were looked at."""

    documents: tuple[Document, ...]
    """Those that are new, have a new revision that waits for review, or whose source is gone."""
    folders: int
    """How many folders are followed."""
    skipped: tuple[SkippedSource, ...]
    unreachable: tuple[str, ...] = ()
    """Names of followed folders whose disk does not answer; they are among the skipped, too."""


@frozen
class Lines:
    """Lines of a document, from 1, both included."""

    start: int
    end: int


@frozen
class SectionCitation:
    """Where a text stands: enough to find it again, and to tell whether it is still what was read."""

    id: str
    """The document's."""
    document: str
    """The document's title."""
    path: tuple[str, ...]
    """The headings from the top down to the section's own."""
    anchor: str
    revision: str
    lines: Lines
    reference: str | None = None
    """An evidence reference to the same lines of the source, where that lies in an open folder."""


@frozen
class MapItem:
    """A document that a task sees."""

    id: str
    title: str
    owner: Owner
    sections: int
    characters: int
    tokens: int
    revision: str
    summary: str | None = None


@frozen
class DocumentMap:
    """A page of the documents that a task sees, by title."""

    task: str
    items: tuple[MapItem, ...]
    """One whose text cannot be read just now is not among them."""
    total: int
    """How many documents the task sees."""
    next_offset: int | None = None
    """Where the next page begins, where there is one."""


@frozen
class OutlineSection:
    """One section in an outline. Its size is that of its own text, without that of the sections in it."""

    anchor: str
    title: str
    level: int
    """Of its heading, 1 to 6; 0 for what stands before the first one."""
    lines: Lines
    characters: int
    tokens: int


@frozen
class OutlinePage:
    """The sections of a document in the order of its text."""

    id: str
    title: str
    revision: str
    sections: tuple[OutlineSection, ...]
    total: int
    next_offset: int | None = None


@frozen
class ChildSection:
    """A section right below another."""

    anchor: str
    title: str


@frozen
class SectionPage:
    """A page of a section's own text."""

    text: str
    citation: SectionCitation
    children: tuple[ChildSection, ...]
    cursor: str | None = None
    """For the next page, where there is one."""


@frozen
class SectionHit:
    """A section that a query found."""

    id: str
    anchor: str
    title: str
    """Of the section."""
    path: tuple[str, ...]
    """The headings above it."""
    line: int
    """The line that matches best, from 1."""
    excerpt: str
    """That line, or the piece of it around the match."""
    score: float
    """As a share of the best hit's."""
    citation: SectionCitation


@frozen
class SectionHits:
    """The best sections, each once."""

    items: tuple[SectionHit, ...]
    next_offset: int | None = None


@frozen(kw_only=True)
class Answer:
    """What the reader found out."""

    answer: str | None
    """With numbers in brackets, each the place in `citations`, from 1; None where no model answered."""
    citations: tuple[SectionCitation, ...]
    """Sections that were read and that the answer names; each was visible when the answer was given."""
    gaps: tuple[str, ...]
    """What the documents do not tell."""
    items: tuple[SectionHit, ...] = field(default=())
    """The best sections, where there is no answer."""
    notice: str | None = None
    """Why there is no answer."""


@frozen
class Attached:
    """What is attached to a task."""

    task: str
    attached: tuple[str, ...]
