"""`search/*`: params and results."""

from collections.abc import Mapping

from attrs import frozen

from vademecum.api.types.common import Notice, Position, Range
from vademecum.api.types.evidence import SessionNews
from vademecum.files.watch import WatcherState
from vademecum.search.types import ContentClass, IndexState, Mode, Purpose, VectorsState


@frozen
class QueryParams:
    """`search/query`: find code and documentation in the workspace."""

    query: str
    """Words, a symbol or a question; at most 1,000 characters. There is no query syntax, so nothing in it can fail."""
    limit: int = 10
    """1 to 50."""
    offset: int = 0
    """`nextOffset` of an answer of the same `index.generation`, for the next page."""
    mode: Mode = Mode.HYBRID
    purpose: Purpose = Purpose.FIND
    content: ContentClass = ContentClass.ALL
    paths: tuple[str, ...] = ()
    """Globs as in a `.gitignore` file; a hit must match one of them, and none that begins with `!`. There is no other
    filter for tests: `!**/test*/**` leaves out what lies in folders such as `tests`."""
    languages: tuple[str, ...] = ()
    """Such as `python`; a hit must be in one of them."""
    session: str | None = None
    """A word for one conversation, whose context still holds what was given under it: 200 characters at most."""
    token_budget: int | None = None
    """At most so many tokens of snippets, at four characters a token: what is too long comes as a skeleton, and hits
    that no skeleton fits are left for the next page. `purpose: "explain"` has 2,200 when none is given."""
    explain: bool = False
    """Give the signals behind each score."""
    workspace: str | None = None


@frozen
class Item:
    """One hit; its lines were read from the file when the answer was made."""

    uri: str
    path: str
    """Relative to the repository's root, `/` everywhere."""
    range: Range
    language: str
    score: float
    reference: str
    """Names exactly these lines: `path:start-end@hash`, one-based."""
    snippet: str | None
    """Null, with `reused`, when the session holds this very text already."""
    match: Range | None = None
    """The word that matched best: where an editor should put the cursor."""
    symbol: str | None = None
    kind: str | None = None
    signals: Mapping[str, float] | None = None
    stale: bool | None = None
    """True when the file has changed since it was indexed; the lines are today's all the same."""
    reused: bool | None = None
    skeleton: bool | None = None
    """True when the snippet is an outline of its lines, with what is left out counted in lines beginning with `…`."""


@frozen
class RelatedParams:
    """`search/related`: code like the code at a place."""

    uri: str
    """A file of an open folder; unsaved text counts."""
    position: Position
    limit: int = 10
    """1 to 50."""
    offset: int = 0
    """`nextOffset` of an answer of the same `index.generation`, for the next page. There are some hundred places."""
    session: str | None = None
    explain: bool = False
    """Give the signals behind each score."""
    workspace: str | None = None


@frozen
class Index:
    """Which index an answer came from."""

    generation: int
    state: IndexState


@frozen
class Items:
    """An answer to a query; no two items overlap."""

    items: tuple[Item, ...]
    partial: bool
    """True when the index is not complete yet."""
    notices: tuple[Notice, ...]
    index: Index
    next_offset: int | None = None
    memory: SessionNews | None = None
    """What the session holds and has changed since it was given."""


@frozen
class WatcherReport:
    """How changes of files are noticed."""

    state: WatcherState
    reason: str | None = None


@frozen
class ModelReport:
    """The model that finds by meaning, and how many passages have their vectors."""

    name: str | None
    """Such as `minilm`; null when there is none, or none is chosen yet."""
    dimensions: int
    state: VectorsState
    """`waiting` while words are indexed, `embedding`, `ready`, or `none`: then `reason` says why."""
    embedded: int
    """Texts that have a vector, of `total`; equal passages are one text."""
    total: int
    failed: int = 0
    """Texts that the model did not manage; they are tried again."""
    former: str | None = None
    """The model before, after a change, while the vectors of this one are being made."""
    reason: str | None = None
    """Why there is no model, or no vector can be made at present."""


@frozen
class EvidenceReport:
    """How much is remembered of what sessions were given."""

    sessions: int
    deliveries: int
    bytes: int
    """Size of the ledger on disk."""


@frozen
class SearchStatusResult:
    """`search/status`: the state of a workspace's index."""

    state: IndexState
    files: int
    chunks: int
    pending: int
    """Files known to have changed and not indexed yet."""
    counted: bool
    """Whether every file was seen once: until the first walk of the folder ends, `files` and `pending` are not all."""
    generation: int
    writer: bool
    """Whether this server writes the index; else another one does and this one reads along."""
    watcher: WatcherReport
    bytes: int
    """Size of the index on disk."""
    model: ModelReport
    workspace: str | None
    indexed_at: str | None = None
    notice: str | None = None
    """What limits the answers here: git that cannot be asked for its ignore rules, a disk that does not answer."""
    refusal: str | None = None
    """Why nothing is indexed here, when that is so, and what to do."""
    evidence: EvidenceReport | None = None
    """Left out where evidence is switched off or its ledger cannot be read, and in `search/didChangeStatus`."""


@frozen
class SkippedParams:
    """`search/skipped`: which files are not searched, and why."""

    offset: int = 0
    limit: int = 200
    """At most 2,000."""
    workspace: str | None = None


@frozen
class SkippedItem:
    """A file or a whole folder that is not searched."""

    path: str
    reason: str


@frozen
class Skipped:
    """A page of what is not searched."""

    items: tuple[SkippedItem, ...]
    total: int


@frozen
class Reindex:
    """`search/reindex`: bring the index up to date now; with `force`, from nothing."""

    force: bool = False
    workspace: str | None = None


@frozen
class ReindexedResult:
    """What the index holds afterwards."""

    files: int
    chunks: int
    seconds: float
