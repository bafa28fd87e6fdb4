"""What code search is asked, and what it answers."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path

from attrs import field, frozen

from vademecum.embedding.types import Kind
from vademecum.errors import InvalidField
from vademecum.files.watch import WatcherState, WatcherStatus

MAX_QUERY = 1_000
"""Longest query, in characters."""

MAX_LIMIT = 50
"""Most hits of one answer."""

EXPLAIN_TOKENS = 2_200
"""Budget of an explaining answer that has none of its own, in tokens: what codebase-index gives one, too."""

MAX_BUDGET = 1_000_000
"""Largest budget, in tokens: more than any answer takes."""

MAX_OFFSET = 10_000
"""Deepest position an answer can start at."""


class Mode(StrEnum):
    """Which side finds candidates."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    SEMANTIC = "semantic"


class Purpose(StrEnum):
    """What the answer is for: finding a place, or reading whole bodies with their surroundings."""

    FIND = "find"
    EXPLAIN = "explain"


class Form(StrEnum):
    """How much of its lines a hit's snippet shows."""

    WHOLE = "whole"
    """All of them."""
    SKELETON = "skeleton"
    """Those that define something or answer the query, with the rest left out and counted."""


class ContentClass(StrEnum):
    """What kind of text is searched. `code` holds everything that is not prose, settings and data included."""

    CODE = "code"
    DOCS = "docs"
    ALL = "all"


class IndexState(StrEnum):
    """How far the lexical index is."""

    STARTING = "starting"
    INDEXING = "indexing"
    READY = "ready"


class VectorsState(StrEnum):
    """How far the vectors are, without which nothing is found by meaning."""

    WAITING = "waiting"
    """What there is answers; more follows when the words are indexed."""
    EMBEDDING = "embedding"
    READY = "ready"
    NONE = "none"
    """There is no model, or none is wanted."""


class SymbolKind(StrEnum):
    """What a chunk's symbol names."""

    CLASS = "class"
    CONSTANT = "constant"
    CONSTRUCTOR = "constructor"
    ENUM = "enum"
    FUNCTION = "function"
    HEADING = "heading"
    INTERFACE = "interface"
    MACRO = "macro"
    METHOD = "method"
    MODULE = "module"
    PROPERTY = "property"
    STRUCT = "struct"
    TYPE = "type"


class NoticeKind(StrEnum):
    """Why an answer may lack something."""

    PARTIAL = "partial"
    NO_MODEL = "noModel"
    MODEL_CHANGED = "modelChanged"
    VECTORS_PENDING = "vectorsPending"
    WATCHER_FAILED = "watcherFailed"
    INDEXER_FAILED = "indexerFailed"
    TRUNCATED = "truncated"
    DISABLED = "disabled"


def _checked_text(query: object, attribute: object, value: str) -> None:
    if not value.strip():
        raise InvalidField("query", "must hold something to look for")
    if len(value) > MAX_QUERY:
        raise InvalidField("query", f"may hold at most {MAX_QUERY} characters")


def _between(name: str, low: int, high: int) -> Callable[[object, object, int], None]:
    def check(query: object, attribute: object, value: int) -> None:
        if not low <= value <= high:
            raise InvalidField(name, f"must be from {low} to {high}")

    return check


def _checked_budget(query: object, attribute: object, value: int | None) -> None:
    if value is not None and not 1 <= value <= MAX_BUDGET:
        raise InvalidField("tokenBudget", f"must be from 1 to {MAX_BUDGET}")


@frozen(kw_only=True)
class Query:
    """One question to the index. Raises `InvalidField` for values it cannot use."""

    text: str = field(validator=_checked_text)
    limit: int = field(default=10, validator=_between("limit", 1, MAX_LIMIT))
    offset: int = field(default=0, validator=_between("offset", 0, MAX_OFFSET))
    """A `next_offset` of an earlier answer of the same generation; it counts places in the ranking, not hits."""
    mode: Mode = Mode.HYBRID
    purpose: Purpose = Purpose.FIND
    content: ContentClass = ContentClass.ALL
    paths: tuple[str, ...] = ()
    """Globs; a file is searched when one matches it and none beginning with `!` does. See `vademecum.search.globs`."""
    languages: tuple[str, ...] = ()
    """Names, aliases or extensions of languages (`python`, `ts`, `.rs`)."""
    token_budget: int | None = field(default=None, validator=_checked_budget)
    """At most so many tokens of snippets, counted as a quarter of their characters. What is too long for the rest is
    given as a skeleton; the first hit is always given. Explaining has a budget of `EXPLAIN_TOKENS` by itself."""
    explain: bool = False

    @property
    def budget(self) -> int | None:
        """The budget that holds, None for none."""
        return EXPLAIN_TOKENS if self.token_budget is None and self.purpose is Purpose.EXPLAIN else self.token_budget


@frozen
class Match:
    """The best matching word of a hit: one-based line of the file, and where it lies there in code points."""

    line: int
    start: int
    end: int


@frozen(kw_only=True)
class Hit:
    """A place that was found, as it is on the disk (or in the editor) now."""

    path: str
    absolute: Path
    start: int
    """First line, one-based."""
    end: int
    """Last line, included."""
    match: Match | None
    symbol: str | None
    kind: SymbolKind | None
    language: str
    score: float
    signals: Mapping[str, float] | None
    """What each stage of the ranking contributed, when the query asked to explain."""
    reference: str
    """Evidence reference of the lines as they are now."""
    snippet: str
    """The lines, joined by newlines, secrets redacted."""
    stale: bool
    """True when the lines are not those that were indexed: they are what stands there now."""
    form: Form = Form.WHOLE


@frozen
class Notice:
    """Why an answer may lack something, for a program and for a person."""

    kind: NoticeKind
    message: str


@frozen(kw_only=True)
class Answer:
    """Hits, best first; no two overlap."""

    hits: tuple[Hit, ...]
    next_offset: int | None
    """Where to go on, None at the end."""
    partial: bool
    """Whether the lexical index has not yet seen every file once."""
    notices: tuple[Notice, ...]
    generation: int
    """Which state of the index was searched; offsets hold within one generation."""
    state: IndexState
    strength: float = 1.0
    """How much of what the query says the best hit holds, to weigh answers of several indexes against each other."""


@frozen(kw_only=True)
class VectorsStatus:
    """The vectors of one folder's chunks, as whoever makes them last said. Field names are those in the file."""

    state: VectorsState = VectorsState.WAITING
    name: str | None = None
    """Of the model (`vademecum.embedding.types.Facts`); None until one is chosen, and when there is none."""
    id: str | None = None
    """Of the model: only vectors of this id may be compared with a query's."""
    kind: Kind | None = None
    dimensions: int = 0
    embedded: int = 0
    """Of `total`, those that have a vector."""
    total: int = 0
    """Different texts among the chunks: equal ones have one vector."""
    failed: int = 0
    """Texts that the model did not manage; they are tried again later and later."""
    generation: int = 0
    """Raised whenever vectors were added or another model was chosen; never falls for one folder."""
    graph: str | None = None
    """Name of the file in the index's folder that holds a graph of them (`vademecum.embedding.graph`)."""
    former: str | None = None
    """The model that was used before, while the vectors of this one are being made."""
    reason: str | None = None
    """Why there is no model, or no vector can be made now; a sentence for a person."""


NOT_WATCHED = WatcherStatus(WatcherState.FAILED, "the indexer has not started yet")


@frozen(kw_only=True)
class Status:
    """The state of one folder's index."""

    state: IndexState
    files: int = 0
    chunks: int = 0
    pending: int = 0
    """Files known to be changed and not indexed yet."""
    counted: bool = False
    """Whether every file has been seen: until the first walk has ended, `files` and `pending` are not the whole."""
    generation: int = 0
    writer: bool = False
    """Whether this server's indexer writes the index; otherwise another server's does."""
    watcher: WatcherStatus = NOT_WATCHED
    indexed_at: str | None = None
    """When the index last agreed with the whole tree, ISO 8601 in UTC; None before the first time."""
    complete: bool = False
    """Whether every file has been indexed at least once."""
    bytes: int = 0
    """Size on the disk."""
    files_read: int = 0
    """Files whose bytes were read since the writer started, for words and for vectors."""
    vectors: VectorsStatus = field(factory=VectorsStatus)
    silent: tuple[str, ...] = ()
    """Folders that are passed over since the disks that are mounted there do not answer; named as hits name files."""
    refusal: str | None = None
    """Why nothing is indexed, or why the index cannot be written now; None when all is well."""


@frozen
class SkippedFile:
    """A file or folder that is not indexed, and why (a value of `vademecum.files.gate.Reason`)."""

    path: str
    reason: str


@frozen
class SkippedPage:
    """Some of the files that are not indexed, by path."""

    items: tuple[SkippedFile, ...]
    total: int


@frozen
class Reindexed:
    """What a re-index went through."""

    files: int
    chunks: int
    seconds: float
