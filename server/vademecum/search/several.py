"""One answer from the indexes of several open folders."""

from collections.abc import Sequence

import attrs

from vademecum.search.asking import understand
from vademecum.search.matching import Matcher
from vademecum.search.notices import CUT
from vademecum.search.pipeline import within
from vademecum.search.service import Search
from vademecum.search.skeleton import cost
from vademecum.search.types import MAX_BUDGET, MAX_LIMIT, Answer, Hit, IndexState, Notice, Query
from vademecum.work import Cancel

_NOTHING = Answer(hits=(), next_offset=None, partial=False, notices=(), generation=0, state=IndexState.READY)
_BEHIND = (IndexState.STARTING, IndexState.INDEXING, IndexState.READY)


def query_all(searches: Sequence[Search], query: Query, cancel: Cancel) -> Answer:
    """Ask every index and merge what they find, best score first, each place once.

    Within one index scores are shares of its best hit, so before they are merged they are weighed by how much of the
    query that best hit holds (`Answer.strength`). A page is cut from the merged hits, so each index is asked for
    everything up to the end of the page, at most `MAX_LIMIT` hits deep. The generation told is the sum of all, which
    changes when any of them does.
    """
    if not searches:
        return _NOTHING
    if len(searches) == 1:
        return searches[0].query(query, cancel)
    end = min(MAX_LIMIT, query.offset + query.limit)
    wide = attrs.evolve(query, offset=0, limit=end, token_budget=MAX_BUDGET)
    answers = [search.query(wide, cancel) for search in searches]
    merged = _merged(answers)
    page = merged[query.offset : end]
    kept = _within(page, query)
    notices = [notice for answer in answers for notice in answer.notices]
    if len(kept) < len(page):
        notices.append(CUT)
    more = len(kept) < len(page) or len(merged) > end or any(answer.next_offset is not None for answer in answers)
    after = query.offset + len(kept)
    return Answer(
        hits=tuple(kept),
        next_offset=after if more and kept and after < MAX_LIMIT else None,
        partial=any(answer.partial for answer in answers),
        notices=_once(notices),
        generation=sum(answer.generation for answer in answers),
        state=min((answer.state for answer in answers), key=_BEHIND.index),
        strength=max(answer.strength for answer in answers),
    )


def _merged(answers: Sequence[Answer]) -> list[Hit]:
    strongest = max(answer.strength for answer in answers) or 1.0
    weighed = [
        attrs.evolve(hit, score=round(hit.score * answer.strength / strongest, 6))
        for answer in answers
        for hit in answer.hits
    ]
    found: list[Hit] = []
    for hit in sorted(weighed, key=lambda hit: -hit.score):
        # A folder and one inside it may both be open; they tell of the same lines.
        if not any(hit.absolute == one.absolute and hit.start <= one.end and one.start <= hit.end for one in found):
            found.append(hit)
    return found


def _within(hits: Sequence[Hit], query: Query) -> Sequence[Hit]:
    """The first of the hits, as many as the query's budget holds, as in one index: whole or as skeletons."""
    left = query.budget
    if left is None:
        return hits
    matcher = Matcher(understand(query.text), {})
    kept: list[Hit] = []
    for hit in hits:
        fitting = within(hit, matcher, left, first=not kept)
        if fitting is None:
            break
        kept.append(fitting)
        left -= cost(fitting.snippet)
    return kept


def _once(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    return tuple(dict.fromkeys(notices))
