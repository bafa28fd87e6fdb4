"""An answer of code search as text: what there is to say of it, and its hits, best first."""

from collections.abc import Mapping
from typing import Any

from vademecum.api import wire
from vademecum.api.types.search import Items, QueryParams
from vademecum.cli.hits import Layout, rendered, words_of
from vademecum.cli.job import Job
from vademecum.cli.outcome import Failed
from vademecum.cli.told import news
from vademecum.search.types import NoticeKind, Query

_UNFINISHED = "`vademecum index --vectors` finishes that"


def check(params: Mapping[str, Any]) -> None:
    """Refuse what cannot be used at once, rather than after the first index of a large folder."""
    given = wire.structure({name: value for name, value in params.items() if value is not None}, QueryParams)
    Query(text=given.query, limit=given.limit, offset=given.offset, token_budget=given.token_budget)


def tell(job: Job, answer: Items, query: str, layout: Layout) -> None:
    """Print an answer: its notices on standard error, its hits (or with `--json` all of it) on standard output.

    :param query: its words are marked in the snippets.
    :raises Failed: where nothing is indexed, saying why.
    """
    for notice in answer.notices:
        if notice.kind == "notIndexed" and not answer.items:
            raise Failed(notice.message)
        if notice.kind == NoticeKind.VECTORS_PENDING:
            job.output.note(f"{notice.message} {_UNFINISHED}")
        # That words alone find things is how it is where no model is set up: no news with every search.
        elif notice.kind != NoticeKind.NO_MODEL or layout.explain:
            job.output.note(notice.message)
    news(job.output, answer.memory, ())
    if job.options.json:
        job.output.json(answer)
        return
    words = words_of(query)
    for number, item in enumerate(answer.items):
        if number and layout.lines:
            job.output.line()
        for line in rendered(item, words, layout):
            job.output.line(line)
    if not answer.items:
        job.output.note("nothing was found")
    if answer.next_offset is not None:
        job.output.note(f"there is more: --offset {answer.next_offset}")
