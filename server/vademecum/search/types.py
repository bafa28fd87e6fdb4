"""What code search is asked, and what it answers."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path

from attrs import field, frozen

from vademecum.errors import InvalidField
from vademecum.files.watch import WatcherState, WatcherStatus

MAX_QUERY = 1_000
"""Longest query, in characters."""

MAX_LIMIT = 50
"""Most hits of one answer."""

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
    if value is not None and not 1 <= value <= 1_000_000:
        raise InvalidField("tokenBudget", "must be from 1 to 1000000")


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
    """At most so many tokens of snippets, counted as a quarter of their characters; the first hit is always given."""
    explain: bool = False


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


NOT_WATCHED = WatcherStatus(WatcherState.FAILED, "the indexer has not started yet")


@frozen(kw_only=True)
class Status:
    """The state of one folder's index."""

    state: IndexState
    files: int = 0
    chunks: int = 0
    pending: int = 0
    """Files known to be changed and not indexed yet; during the first walk a lower bound."""
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
    """Files whose bytes were read since the writer started."""
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
