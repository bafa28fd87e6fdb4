"""The values of the memory room: what a memory is, and what each request asks and answers."""

from enum import Enum, StrEnum
from typing import Final

from attrs import frozen

from vademecum.evidence.verdicts import Verdict
from vademecum.memory.settings import ProjectPlace


class Category(StrEnum):
    """How a memory is to be used."""

    KNOWLEDGE = "Knowledge"
    RULE = "Rule"
    EXPERIENCE = "Experience"


class Type(StrEnum):
    """What a memory is about. A file may hold a label of its own; these four are the usual ones."""

    USER = "user"
    FEEDBACK = "feedback"
    PROJECT = "project"
    REFERENCE = "reference"


class Scope(StrEnum):
    """Where a memory holds: everywhere, or in one project."""

    USER = "user"
    PROJECT = "project"


class Span(StrEnum):
    """Which memories a sweeping command means."""

    USER = "user"
    PROJECT = "project"
    ALL = "all"


class Provenance(StrEnum):
    """Whether somebody asked for the memory or it was captured. Set by the system, never by a caller."""

    MANUAL = "manual"
    AUTO = "auto"


class Origin(StrEnum):
    """Who wrote a memory: this user on this machine, or whoever made the repository."""

    USER = "user"
    REPOSITORY = "repository"


class Decision(StrEnum):
    """The user's word on a pending memory."""

    ACCEPT = "accept"
    REJECT = "reject"


class MemoryStatus(StrEnum):
    """`pending` and `superseded` are written in the file; `stale` is computed for this working tree."""

    ACTIVE = "active"
    PENDING = "pending"
    STALE = "stale"
    SUPERSEDED = "superseded"


class StoreKind(StrEnum):
    """Which of the three places a memory lies in."""

    USER = "user"
    PRIVATE = "private"
    SHARED = "shared"


@frozen
class Evidence:
    """A reference `path:start-end@hash` that a memory rests on, and whether it still holds in this working tree."""

    reference: str
    verdict: Verdict | None = None
    """Left out where nobody can tell: for a memory of user scope, and for what is no reference."""
    relocated_to: str | None = None
    """The reference to the same bytes where they are now."""


@frozen
class Memory:
    """One memory, as every face shows it. Times are ISO 8601 in UTC; `revision` names these very bytes."""

    id: str
    title: str
    content: str
    description: str
    category: Category
    type: str
    keywords: tuple[str, ...]
    scope: Scope
    pinned: bool
    provenance: Provenance
    origin: Origin
    status: MemoryStatus
    created: str
    updated: str
    revision: str
    evidence: tuple[Evidence, ...]
    place: StoreKind
    """`shared` when it lies in the repository."""
    uri: str
    recall_count: int
    last_recalled_at: str | None


@frozen
class Head:
    """A memory without its body: a line of the manifest."""

    id: str
    title: str
    description: str
    category: Category
    type: str
    keywords: tuple[str, ...]
    scope: Scope
    pinned: bool
    provenance: Provenance
    origin: Origin
    status: MemoryStatus
    created: str
    updated: str
    revision: str
    evidence: tuple[Evidence, ...]
    place: StoreKind
    uri: str


class Unset(Enum):
    """The value of a field that a change leaves alone."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET


@frozen
class NewMemory:
    """What a caller gives to add a memory. `type` None: after the scope."""

    title: str
    content: str
    category: Category
    scope: Scope
    type: str | None = None
    description: str = ""
    keywords: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    pinned: bool = False
    supersedes: str | None = None


@frozen
class MemoryChange:
    """What a caller wants changed; `UNSET` fields stay. `revision`: refuse with `conflict` when it is not current."""

    title: str | Unset = UNSET
    content: str | Unset = UNSET
    category: Category | Unset = UNSET
    scope: Scope | Unset = UNSET
    type: str | Unset = UNSET
    description: str | Unset = UNSET
    keywords: tuple[str, ...] | Unset = UNSET
    evidence: tuple[str, ...] | Unset = UNSET
    pinned: bool | Unset = UNSET
    place: ProjectPlace | Unset = UNSET
    revision: str | None = None


@frozen
class Added:
    """A stored memory, the ids of others that come close to it, and of those that it contradicts."""

    memory: Memory
    similar: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()


@frozen
class Remembered:
    """What a note became. `known`: it was there already, and nothing was written."""

    memory: Memory
    known: bool
    similar: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()


@frozen
class HeadPage:
    """One page of the manifest; `total` counts all that match."""

    items: tuple[Head, ...]
    total: int
    notices: tuple[str, ...] | None = None
    """What its user should look at, where there is anything: that the charters are too long to be told in full."""


@frozen
class Found:
    """A memory that answers a query; `score` is in [0, 1], 0 when there was no query."""

    memory: Memory
    score: float


@frozen
class FoundPage:
    """The best answers to a query; `total` counts all that match."""

    items: tuple[Found, ...]
    total: int


@frozen
class RecallReason:
    """Why a memory was recalled."""

    words: tuple[str, ...]
    """Stems of words that it has in common with the prompt, or with what the prompt's terms are called in English."""
    meaning: float | None = None
    """How near it is in meaning, 1 being the same; left out where that says little, or there is no model."""
    picked: bool | None = None
    """True when the lent language model chose it; words, meaning and score stay those of the ranking."""


@frozen
class Recalled:
    """A memory that fits a prompt; `score` is in [0, 1]."""

    memory: Memory
    score: float
    why: RecallReason
    contradicted_by: str | None = None
    """The id of the one of these that contradicts it and holds, as the text says; left out otherwise."""


class RecallNoticeKind(StrEnum):
    """Why the lent model did not choose what is recalled."""

    NO_MODEL = "noModel"
    """The client lends none for this, or its user does not want that."""
    BUSY = "busy"
    """It is answering another question, a capture's or another recall's, and that is not waited for."""
    MODEL_FAILED = "modelFailed"
    """It failed or took too long, now or less than a minute ago."""
    UNUSABLE = "unusable"
    """Its answer does not keep to the form."""


@frozen
class RecallNotice:
    """Something that whoever recalls may want to know; the ranking chose."""

    kind: RecallNoticeKind
    message: str


@frozen
class Recall:
    """What fits a prompt, best first, and the same as text to give a model; empty when nothing does."""

    items: tuple[Recalled, ...]
    text: str
    notices: tuple[RecallNotice, ...] | None = None
    """Why the lent model did not choose, where it was to; left out otherwise."""


class VersionReason(StrEnum):
    """What ended a version."""

    UPDATED = "updated"
    MOVED = "moved"
    DELETED = "deleted"
    SUPERSEDED = "superseded"
    RESTORED = "restored"


@frozen
class Version:
    """A prior version of a memory; `replaced` says when (ISO 8601, UTC) it ceased to be the current one."""

    revision: str
    title: str
    content: str
    reason: VersionReason
    replaced: str


@frozen
class Purged:
    """What is gone for good: the ids, and how many prior versions went with them."""

    ids: tuple[str, ...]
    versions: int


class TrustSource(StrEnum):
    """Whose word a workspace's trust rests on."""

    EDITOR = "editor"
    USER = "user"
    UNSAID = "unsaid"


@frozen
class Trust:
    """Whether memory that came with the repository may be used here."""

    trusted: bool
    source: TrustSource


@frozen
class Reindexed:
    """How many memories the files hold, and how many files could not be read."""

    memories: int
    unreadable: int


@frozen
class Unreadable:
    """A file (relative to its store) or an item in it that was left alone, and why."""

    store: StoreKind
    scope: Scope
    path: str
    reason: str


@frozen
class StoreStatus:
    """One place that memories are read from. `writes`: new memories of this scope go here."""

    kind: StoreKind
    scope: Scope
    path: str
    exists: bool
    memories: int
    writes: bool


@frozen
class Status:
    """How memory is: `counts` by status; `withheld` memories came with a repository that is not trusted."""

    enabled: bool
    message: str
    stores: tuple[StoreStatus, ...] = ()
    counts: tuple[tuple[MemoryStatus, int], ...] = ()
    withheld: int = 0
    trust: Trust | None = None
    unreadable: tuple[Unreadable, ...] = ()
    health: tuple[str, ...] = ()
