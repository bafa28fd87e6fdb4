"""From a query to hits: gathering, ordering, reading again, paging. No state but what it is given."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log1p
from types import MappingProxyType

from attrs import evolve, frozen

from vademecum.evidence.reference import mint
from vademecum.files.content import Content
from vademecum.files.gate import Gate
from vademecum.search.asking import Ask, asks_for_the_whole, introduced, understand
from vademecum.search.bodies import body
from vademecum.search.candidates import POOL, Candidate, Filters, filters, lexical
from vademecum.search.freshness import Current, Freshness, Rereader, Shown
from vademecum.search.matching import Matcher
from vademecum.search.reader import View
from vademecum.search.skeleton import CHARACTERS_A_TOKEN, cost, skeleton
from vademecum.search.stored import CLEAN_BYTES
from vademecum.search.types import Form, Hit, Mode, Purpose, Query, SymbolKind
from vademecum.work import Cancel

TAIL_STEP = 50
"""Candidates fetched at once past the ranked pool, in the order of BM25 alone."""

BM25_MOST = 2.2
"""What BM25 gives a token of idf 1 that a text holds any number of times: k1 + 1."""

LEAST_SKELETON = 60
"""Tokens below which no skeleton is begun: it would say nothing."""

SKELETON_SHARE = 0.5
"""Share of what is left of a budget that one skeleton may take, so that one long body does not take it all."""


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


NO_PAGE = Page((), None, False, frozenset())
"""Nothing was found."""


@frozen
class Pool:
    """The ranked candidates of a query; kept while somebody pages through them, so that no place changes meanwhile."""

    candidates: tuple[Candidate, ...]
    strength: float


@frozen
class Reading:
    """Where the lines of hits come from."""

    view: View
    gate: Gate
    shown: Shown

    def is_indexed(self, content: Content, candidate: Candidate) -> bool:
        """Whether a file is, byte for byte, the one that a candidate was indexed from, as far as that is known.

        Of one with secrets it is not known; what is said of its other lines is then of the chunk alone.
        """
        return content.digest[:CLEAN_BYTES] == candidate.clean


def answer(
    reading: Reading,
    query: Query,
    rank: Callable[[Ask, Filters, Mapping[str, float], Rereader], Pool],
    cancel: Cancel,
) -> Page:
    """The hits of a query.

    An offset counts places in the ranking, which depends on the snapshot and the query alone: candidates that turn out
    to be gone take their place with them, so that going on from `next_offset` neither repeats nor misses any.

    :param rank: gives the ranked pool; is told how much each token of the query says.
    :raises InvalidField: for filters that cannot be understood.
    :raises Cancelled: when told to stop.
    """
    ask = understand(query.text)
    kept = filters(reading.view.snapshot, query)
    if asks_for_the_whole(query.text) and not lexical(reading.view.snapshot, ask, kept, 1):
        ask = introduced(ask)  # the code seldom holds the words of such a question; its README answers it
    known = rarity(reading.view, ask)
    rereader = Rereader(reading.gate)
    pool = rank(ask, kept, known, rereader)
    # What an explaining page may hold depends on the bodies of the pages before it, so it goes through them again.
    first = 0 if query.purpose is Purpose.EXPLAIN else query.offset
    places = _places(reading, ask, kept, pool, query, first, rereader)
    return page(reading, ask, known, query, places, pool.strength, rereader, cancel, first)


def page(
    reading: Reading,
    ask: Ask,
    rarity: Mapping[str, float],
    query: Query,
    places: Iterator[Candidate | None],
    strength: float,
    rereader: Rereader,
    cancel: Cancel,
    first: int = 0,
    given: Mapping[str, Sequence[tuple[int, int]]] = MappingProxyType({}),
) -> Page:
    """Hits of the candidates at the places from the query's offset on, as they are now, until the page is full.

    :param rarity: how much each token of the query says.
    :param places: in their order; None for one that holds nothing.
    :param first: the place that the first of them has. Those before the query's offset were on earlier pages, and none
        of their lines is given again.
    :param given: first and last lines of files that no hit may touch.
    """
    matcher = Matcher(ask, rarity)
    hits: list[Hit] = []
    taken: dict[str, list[tuple[int, int]]] = {path: list(ranges) for path, ranges in given.items()}
    place = first
    left = query.budget

    def done(more: int | None, cut: bool = False) -> Page:
        return Page(tuple(hits), more, cut, frozenset(rereader.behind), strength)

    for candidate in places:
        cancel.check()
        if len(hits) >= query.limit:
            return done(place)
        current = None if candidate is None else rereader.current(candidate)
        if candidate is None or current is None:
            place += 1
            continue
        if query.purpose is Purpose.EXPLAIN:
            whole = _widened(reading, candidate, current)
            # Its surroundings may have been given with another body; what is its own is given all the same.
            current = current if _overlaps(taken.get(candidate.path, ()), whole) else whole
        if _overlaps(taken.get(candidate.path, ()), current):
            pass
        elif place < query.offset:
            taken.setdefault(candidate.path, []).append((current.start, current.end))
        else:
            hit = _hit(candidate, current, matcher, reading, query)
            if left is not None:
                fitting = within(hit, matcher, left, first=not hits)
                if fitting is None:
                    return done(place, cut=True)
                hit, left = fitting, left - cost(fitting.snippet)
            taken.setdefault(candidate.path, []).append((current.start, current.end))
            hits.append(hit)
        place += 1
    return done(None)


def _places(
    reading: Reading, ask: Ask, kept: Filters, pool: Pool, query: Query, first: int, rereader: Rereader
) -> Iterator[Candidate | None]:
    """The whole ranking from a place on: the pool, then what words find beyond it, by BM25 alone.

    One of these that meaning has brought into the pool has had its place; where it comes again, nothing is. Scores
    go on falling from that of the last one in the pool, by BM25 as a share of the best there is.
    """
    ranked, offset = pool.candidates, first
    rereader.read(each.path for each in ranked[offset : query.offset + query.limit])
    yield from ranked[offset:]
    if query.mode is Mode.SEMANTIC:
        return
    met = {each.key for each in ranked}
    rank = POOL + max(0, offset - len(ranked))
    best = max((each.score for each in lexical(reading.view.snapshot, ask, kept, 1)), default=0.0)
    least = max(0.0, ranked[-1].score) if ranked else 1.0
    while True:
        more = lexical(reading.view.snapshot, ask, kept, TAIL_STEP, rank)
        for each in more:
            share = each.score / best if best > 0 else 0.0
            yield None if each.key in met else each.with_signal("lexical", share, least * share)
        rank += len(more)
        if len(more) < TAIL_STEP:
            return


def strength(scores: Sequence[float], ask: Ask, rarity: Mapping[str, float]) -> float:
    """How much of what the query says the best of some BM25 scores holds, 0 to 1."""
    possible = BM25_MOST * sum(weight * rarity[token] for token, weight in ask.tokens.items())
    return min(1.0, max(scores, default=0.0) / possible) if possible > 0 else 0.0


def rarity(view: View, ask: Ask) -> Mapping[str, float]:
    """How much each token says: its idf."""
    total = view.snapshot.count
    return {token: log1p(total / (1 + view.snapshot.frequency("body", token))) for token in {*ask.tokens, *ask.words}}


def within(hit: Hit, matcher: Matcher, left: int, *, first: bool) -> Hit | None:
    """A hit that takes no more tokens than are left: whole, or as a skeleton; None when neither fits.

    :param first: the first hit of an answer is given in any case, as short as its skeleton can be.
    """
    if cost(hit.snippet) <= left:
        return hit
    if left < LEAST_SKELETON and not first:
        return None
    lines = hit.snippet.split("\n")
    share = min(left, max(LEAST_SKELETON, round(SKELETON_SHARE * left)))
    short = skeleton(lines, matcher.rows(lines), share)
    if short is None:
        if not first:
            return None
        short = lines[0][: left * CHARACTERS_A_TOKEN] or " "
    return evolve(hit, snippet=short, form=Form.SKELETON, stale=False)


def _widened(reading: Reading, candidate: Candidate, current: Current) -> Current:
    """The whole body of a chunk with its surroundings, where its file is as it was indexed."""
    if current.freshness is not Freshness.FRESH or not reading.is_indexed(current.content, candidate):
        return current
    start, end = body(reading.view.snapshot, candidate)
    end = min(end, len(current.content.lines))
    if (start, end) == (current.start, current.end) or start > end:
        return current
    return evolve(current, start=start, end=end, reference=mint(current.content, start, end))


def _overlaps(ranges: Sequence[tuple[int, int]], current: Current) -> bool:
    return any(start <= current.end and current.start <= end for start, end in ranges)


def _hit(candidate: Candidate, current: Current, matcher: Matcher, reading: Reading, query: Query) -> Hit:
    lines = reading.shown.lines(current.content, current.start, current.end, candidate.clean)
    return Hit(
        path=candidate.path,
        absolute=reading.gate.absolute(candidate.path),
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
