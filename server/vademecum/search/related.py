"""Code like some other code: what the chunk at a place says and means, asked of the index."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log1p

from attrs import field, frozen

from vademecum.files.content import Content
from vademecum.lexical.index import Snapshot
from vademecum.lexical.tokens import code_tokens
from vademecum.search.asking import Ask
from vademecum.search.bodies import chunks_of
from vademecum.search.candidates import Candidate
from vademecum.search.entry import vector_text
from vademecum.search.freshness import Freshness, Rereader, Shown
from vademecum.search.types import Query

AROUND = 20
"""Lines taken on each side of a place in a file that is not indexed, or was changed there."""

TELLING = 24
"""Words of a text that are looked up: those that say most."""


@frozen
class Place:
    """Where similar code is wanted for: a line of a file as it is now, one-based."""

    path: str
    line: int


@frozen(kw_only=True)
class Wanted:
    """Which of the code like it is wanted. Raises `InvalidField` for values it cannot use."""

    limit: int = 10
    offset: int = 0
    """A `next_offset` of an earlier answer of the same generation, as in a query."""
    explain: bool = False
    paging: Query = field(init=False)
    """The same as a query's: what cuts pages asks it alone, and never its text."""

    @paging.default
    def _paging(self) -> Query:
        return Query(text="code like other code", limit=self.limit, offset=self.offset, explain=self.explain)


@frozen
class Sample:
    """The text at a place.

    :param start: its first line now, one-based.
    :param end: its last.
    :param symbol: what it is or is part of, where that is known.
    :param lines: with secrets redacted.
    """

    path: str
    start: int
    end: int
    symbol: str | None
    lines: Sequence[str]

    @property
    def text(self) -> str:
        """What its vector is made of."""
        return vector_text(self.symbol, self.lines)

    def holds(self, candidate: Candidate) -> bool:
        """Whether a candidate is this very text, or part of it."""
        return candidate.path == self.path and candidate.start <= self.end and self.start <= candidate.end


def sample(snapshot: Snapshot, content: Content, place: Place, rereader: Rereader, shown: Shown) -> Sample:
    """The indexed chunk that stands at a place now, or the lines around it where there is none.

    :param content: the file as it is now; it has at least one line.
    """
    line = min(max(1, place.line), len(content.lines))
    for chunk in chunks_of(snapshot, place.path):
        current = rereader.current(Candidate(*chunk))
        if current is not None and current.freshness is not Freshness.CHANGED and current.start <= line <= current.end:
            lines = shown.lines(current.content, current.start, current.end, chunk.clean)
            return Sample(place.path, current.start, current.end, chunk.symbol, lines)
    start, end = max(1, line - AROUND), min(len(content.lines), line + AROUND)
    return Sample(place.path, start, end, None, shown.lines(content, start, end, b""))


def ask_of(snapshot: Snapshot, text: str) -> Ask:
    """A text as a query: its words by how often they stand in it and how seldom elsewhere."""
    counts: Mapping[str, int] = Counter(code_tokens(text))
    total = snapshot.count
    worth = {
        token: count**0.5 * log1p(total / (1 + snapshot.frequency("body", token)))
        for token, count in counts.items()
        if len(token) > 1
    }
    telling = sorted(worth, key=lambda token: (-worth[token], token))[:TELLING]
    most = max((worth[token] for token in telling), default=1.0)
    return Ask(
        text=text,
        tokens={token: worth[token] / most for token in telling},
        words=(),
        named=frozenset(),
        capitals=frozenset(),
        phrases=frozenset(),
        qualified=(),
        wants_tests=False,
        wants_docs=False,
        wants_examples=False,
    )
