"""One answer from the indexes of several open folders."""

from collections.abc import Sequence

import attrs

from vademecum.search.service import Search
from vademecum.search.types import MAX_LIMIT, Answer, IndexState, Notice, Query
from vademecum.work import Cancel

_NOTHING = Answer(hits=(), next_offset=None, partial=False, notices=(), generation=0, state=IndexState.READY)
_BEHIND = (IndexState.STARTING, IndexState.INDEXING, IndexState.READY)


def query_all(searches: Sequence[Search], query: Query, cancel: Cancel) -> Answer:
    """Ask every index and merge what they find, best score first.

    Scores of different indexes are comparable, since each is scaled to its own best possible. A page is cut from the
    merged hits, so each index is asked for everything up to the end of the page. The generation told is the sum of all,
    which changes when any of them does.
    """
    if not searches:
        return _NOTHING
    if len(searches) == 1:
        return searches[0].query(query, cancel)
    wide = attrs.evolve(query, offset=0, limit=min(MAX_LIMIT, query.offset + query.limit))
    answers = [search.query(wide, cancel) for search in searches]
    ranked = sorted((hit for answer in answers for hit in answer.hits), key=lambda hit: -hit.score)
    end = query.offset + query.limit
    more = len(ranked) > end or any(answer.next_offset is not None for answer in answers)
    return Answer(
        hits=tuple(ranked[query.offset : end]),
        next_offset=end if more and end < MAX_LIMIT else None,
        partial=any(answer.partial for answer in answers),
        notices=_once([notice for answer in answers for notice in answer.notices]),
        generation=sum(answer.generation for answer in answers),
        state=min((answer.state for answer in answers), key=_BEHIND.index),
    )


def _once(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    return tuple(dict.fromkeys(notices))
