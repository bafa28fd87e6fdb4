"""Candidates: chunks that may answer a query, from whichever side found them, and how each side finds them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import tantivy
from attrs import frozen

from vademecum.embedding.keys import number_of
from vademecum.errors import InvalidField
from vademecum.lexical.index import Snapshot
from vademecum.search.asking import Ask
from vademecum.search.globs import path_filter
from vademecum.search.languages import named
from vademecum.search.stored import unpack
from vademecum.search.types import ContentClass, Query

NAMES_WEIGHT = 0.45
"""Weight of a token in a chunk's path and symbol, beside 1 in its text: short fields score high by themselves."""

SYMBOL_WEIGHT = 0.9
"""Weight of defining a symbol that the query names, in finding candidates; the ranking has its own rule for it."""

COPIES = 4
"""Chunks looked at for each vector: the same text may stand in several files."""

POOL = 60
"""Candidates that each side gives to the ranking; the benchmark does not gain from more: 50 to 150 are within 0.002."""


class Candidate(NamedTuple):
    """A chunk that may answer: what is stored of it (see `vademecum.search.stored.Stored`), and what is thought of it.

    A tuple rather than an attrs class, since a query makes some hundreds of them.

    :param score: what the stages so far make of it; comparable only within one answer.
    :param signals: what each stage contributed, in the order of the stages.
    """

    path: str
    start: int
    end: int
    digest: bytes
    symbol: str | None
    kind: str | None
    language: str
    content: str
    defines: frozenset[str]
    clean: bytes
    vector: bytes
    words: bytes
    score: float = 0.0
    signals: Mapping[str, float] = MappingProxyType({})

    @property
    def key(self) -> tuple[str, int]:
        """What tells it from every other chunk of one snapshot."""
        return self.path, self.start

    @property
    def number(self) -> int:
        """The number of its vector; chunks of equal text have the same."""
        return number_of(self.vector)

    def with_signal(self, name: str, value: float, score: float) -> "Candidate":
        """The same with a new score, and what a stage made of it noted."""
        return self.scored(score, {**self.signals, name: value})

    def scored(self, score: float, signals: Mapping[str, float]) -> "Candidate":
        """The same with a new score and other signals."""
        return tuple.__new__(Candidate, (*self[:12], score, signals))


@frozen
class Filters:
    """What a query restricts itself to, as clauses of the index."""

    require: tuple[tantivy.Query, ...]
    exclude: tuple[tantivy.Query, ...]

    @property
    def any(self) -> bool:
        """Whether they leave anything out."""
        return bool(self.require or self.exclude)


def filters(snapshot: Snapshot, query: Query) -> Filters:
    """The clauses of a query's filters.

    :raises InvalidField: for patterns or languages that cannot be understood.
    """
    require: list[tantivy.Query] = []
    exclude: list[tantivy.Query] = []
    if query.content is not ContentClass.ALL:
        require.append(snapshot.one_of("content", [str(query.content)]))
    if query.languages:
        require.append(snapshot.one_of("language", {named(each).name for each in query.languages}))
    if query.paths:
        paths = path_filter(query.paths)
        if paths.include:
            require.append(snapshot.either(_matching(snapshot, paths.include)))
        exclude += _matching(snapshot, paths.exclude)
    return Filters(tuple(require), tuple(exclude))


def _matching(snapshot: Snapshot, expressions: Mapping[str, str]) -> list[tantivy.Query]:
    clauses: list[tantivy.Query] = []
    for pattern, expression in expressions.items():
        try:
            clauses.append(snapshot.matching("path", expression))
        except ValueError as error:
            raise InvalidField("paths", f"{pattern[:60]!r} is too long for the index; give less of it") from error
    return clauses


def lexical(snapshot: Snapshot, ask: Ask, kept: Filters, limit: int, offset: int = 0) -> list[Candidate]:
    """The best chunks by BM25 over their text, their paths and symbols, and what they define."""
    if not ask.tokens:
        return []
    found = snapshot.search(snapshot.filtered(_words(snapshot, ask), kept.require, kept.exclude), limit, offset)
    return [Candidate(*unpack(each.blob("stored")), each.score) for each in found]


def with_numbers(snapshot: Snapshot, ask: Ask, kept: Filters, numbers: Sequence[int]) -> list[Candidate]:
    """The chunks whose vectors have these numbers, with the scores that `lexical` would give them, 0 for no word."""
    if not numbers:
        return []
    these = snapshot.one_of("vector", numbers)
    query = snapshot.filtered(snapshot.all(), [these, *kept.require], kept.exclude)
    query = snapshot.also(query, _words(snapshot, ask))
    found = snapshot.search(query, COPIES * len(numbers))
    return [Candidate(*unpack(each.blob("stored")), each.score) for each in found]


def _words(snapshot: Snapshot, ask: Ask) -> tantivy.Query:
    """Chunks that hold any token of a query: in their text, in their paths and symbols, or in what they define."""
    symbols = dict.fromkeys(ask.named, SYMBOL_WEIGHT) | {
        name: SYMBOL_WEIGHT / 3 for name in ask.phrases if name not in ask.named
    }
    return snapshot.any_term(
        {
            "body": ask.tokens,
            "names": {token: weight * NAMES_WEIGHT for token, weight in ask.tokens.items()},
            "symbol": symbols,
        }
    )
