"""From a query to hits: candidates, ranking, reading again, paging. No state but what it is given."""

import math
from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from vademecum.files.gate import Gate
from vademecum.search.asking import Ask, understand
from vademecum.search.candidates import POOL, Candidate, Filters, filters, lexical, normalised
from vademecum.search.freshness import Current, Freshness, Rereader, Shown
from vademecum.search.matching import Matcher
from vademecum.search.reader import View
from vademecum.search.rules import Weights, in_place, ranked
from vademecum.search.types import Hit, Query, SymbolKind
from vademecum.work import Cancel

TAIL_STEP = 50
"""Candidates fetched at once past the ranked pool, in the order of BM25 alone."""

BM25_MOST = 2.2
"""What BM25 gives a token of idf 1 that a text holds any number of times: k1 + 1."""

CHARACTERS_A_TOKEN = 4
"""How a token budget counts text."""


@frozen
class Page:
    """Some hits.

    :param next_offset: the place in the ranking after the last one looked at; None at the end.
    :param cut: whether the token budget ended it.
    :param behind: files of which the index is known to be behind.
    :param strength: how much of what the query says the best candidate holds, about from 0 to 1. Scores of two indexes
        are shares of the best in each; this makes them comparable.
    """

    hits: tuple[Hit, ...]
    next_offset: int | None
    cut: bool
    behind: frozenset[str]
    strength: float = 1.0


def answer(view: View, query: Query, gate: Gate, weights: Weights, per_file: int, shown: Shown, cancel: Cancel) -> Page:
    """The hits of a query.

    An offset counts places in the ranking, which depends on the snapshot and the query alone: candidates that turn out
    to be gone take their place with them, so that going on from `next_offset` neither repeats nor misses any.

    :raises InvalidField: for filters that cannot be understood.
    :raises Cancelled: when told to stop.
    """
    ask = understand(query.text)
    kept = filters(view.snapshot, query)
    rarity = _rarity(view, ask)
    matcher = Matcher(ask, rarity)
    rereader = Rereader(gate)
    hits: list[Hit] = []
    taken: dict[str, list[tuple[int, int]]] = {}
    place = query.offset
    spent = 0
    cut = False
    pool = lexical(view.snapshot, ask, kept, POOL) if query.offset < POOL else []
    strength = _strength(pool, ask, rarity)
    places = _places(view, ask, kept, pool, weights, per_file, query, rereader)
    for candidate in places:
        cancel.check()
        if len(hits) >= query.limit:
            return Page(tuple(hits), place, cut, frozenset(rereader.behind), strength)
        current = rereader.current(candidate)
        if current is not None and not _overlaps(taken.get(current.content.path, ()), current):
            hit = _hit(candidate, current, matcher, gate, shown, query)
            tokens = cost(hit.snippet)
            if query.token_budget is not None and hits and spent + tokens > query.token_budget:
                return Page(tuple(hits), place, True, frozenset(rereader.behind), strength)
            spent += tokens
            taken.setdefault(current.content.path, []).append((current.start, current.end))
            hits.append(hit)
        place += 1
    return Page(tuple(hits), None, cut, frozenset(rereader.behind), strength)


def cost(snippet: str) -> int:
    """How many tokens of a budget a snippet takes."""
    return math.ceil(len(snippet) / CHARACTERS_A_TOKEN)


def _places(
    view: View,
    ask: Ask,
    kept: Filters,
    found: Sequence[Candidate],
    weights: Weights,
    per_file: int,
    query: Query,
    rereader: Rereader,
) -> Iterator[Candidate]:
    """The whole ranking from a place on: the pool `found` by all rules, then what is left by BM25 alone."""
    offset = query.offset
    if offset < POOL:
        pool = in_place(ranked(normalised(found, "lexical"), ask, weights), per_file)
        rereader.read(each.path for each in pool[offset : offset + query.limit])
        yield from pool[offset:]
        if len(pool) < POOL:
            return
    place = max(offset, POOL)
    while True:
        more = lexical(view.snapshot, ask, kept, TAIL_STEP, place)
        yield from normalised(more, "lexical")
        place += len(more)
        if len(more) < TAIL_STEP:
            return


def _strength(pool: Sequence[Candidate], ask: Ask, rarity: Mapping[str, float]) -> float:
    possible = BM25_MOST * sum(weight * rarity[token] for token, weight in ask.tokens.items())
    return min(1.0, pool[0].score / possible) if pool and possible > 0 else 0.0


def _overlaps(ranges: Sequence[tuple[int, int]], current: Current) -> bool:
    return any(start <= current.end and current.start <= end for start, end in ranges)


def _rarity(view: View, ask: Ask) -> Mapping[str, float]:
    """How much each token says: its idf."""
    total = view.snapshot.count
    return {
        token: math.log1p(total / (1 + view.snapshot.frequency("body", token))) for token in {*ask.tokens, *ask.words}
    }


def _hit(
    candidate: Candidate,
    current: Current,
    matcher: Matcher,
    gate: Gate,
    shown: Shown,
    query: Query,
) -> Hit:
    lines = shown.lines(current.content, current.start, current.end, candidate.clean)
    return Hit(
        path=candidate.path,
        absolute=gate.absolute(candidate.path),
        start=current.start,
        end=current.end,
        match=matcher.best(lines, current.start),
        symbol=candidate.symbol,
        kind=None if candidate.kind is None else SymbolKind(candidate.kind),
        language=candidate.language,
        score=round(candidate.score, 6),
        signals={name: round(value, 6) for name, value in candidate.signals.items()} if query.explain else None,
        reference=str(current.reference),
        snippet="\n".join(lines),
        stale=current.freshness is Freshness.CHANGED,
    )
