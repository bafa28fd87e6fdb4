"""The functions behind `search/*`: one folder's index, or every open folder's."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import attrs

from vademecum.api.calls import Call, Encoding
from vademecum.api.limits import between
from vademecum.api.positions import to_units, whole_lines
from vademecum.api.reading import readable
from vademecum.api.reuse import Told, asked_of, folder_of, once
from vademecum.api.types import search as wire
from vademecum.api.types.common import Nothing, Notice, Position, Range
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files.uris import path_of_uri
from vademecum.search.types import Answer, Form, Hit, IndexState, Query, Status, VectorsStatus
from vademecum.workspace import Workspace

if TYPE_CHECKING:
    from vademecum.search.service import Search

_NO_FOLDER = "No folder is open, so there is nothing to search. Open a folder in the editor."
_MAX_SKIPPED = 2_000
_SILENT_NAMED = 3


#: Says of each item whether its whole snippet goes on to whoever asked: what is not shown is not given to a session.
Shown = Callable[[Sequence[wire.Item]], Sequence[bool]]


def _all(items: Sequence[wire.Item]) -> Sequence[bool]:
    return [True] * len(items)


def query(call: Call, params: wire.QueryParams, shown: Shown = _all) -> wire.Items:
    """Find code and documentation in the workspace.

    Every hit is read again before it is given, so its lines are today's. Without a workspace, all open folders are
    searched. There is no query syntax: any text is a query. A question about the project as a whole of which the files
    hold no word (*how does the app work*) is put to its README, overview and architecture.

    With a session, snippets that it holds already are withheld, and what it holds and has changed since is told, once.
    Ranking, budget and paging know nothing of it: put back, the snippets make the answer without a session.
    """
    asked = Query(
        text=params.query,
        limit=params.limit,
        offset=params.offset,
        mode=params.mode,
        purpose=params.purpose,
        content=params.content,
        paths=params.paths,
        languages=params.languages,
        token_budget=params.token_budget,
        explain=params.explain,
    )
    folders = call.workspaces.chosen(params.workspace)
    searches = [folder.search for folder in folders if folder.search is not None]
    refusals = tuple(Notice("notIndexed", folder.refusal) for folder in folders if folder.refusal is not None)
    if not folders:
        refusals = (Notice("notIndexed", _NO_FOLDER),)
    # Only here, so that a server can answer `initialize` before the pipeline is loaded.
    from vademecum.search.several import query_all

    answer = query_all(searches, asked, call.cancel)
    items = [item(hit, call.encoding) for hit in answer.hits]
    if params.session is None:
        # To tell which folder each is of takes a tenth of the time of an answer, and only a session asks.
        return _items(answer, Told(tuple(items)), refusals)
    found = [
        (folder_of(folders, hit.absolute, hit.path) if whole else None, one)
        for hit, one, whole in zip(answer.hits, items, shown(items), strict=True)
    ]
    return _items(answer, once(call, params.session, folders, found), refusals)


def related(call: Call, params: wire.RelatedParams, shown: Shown = _all) -> wire.Items:
    """Find code like the code at a place of a file, in the folder that holds the file.

    What is indexed around the place is compared by what it says and by what it means; that code itself is left out.
    Pages and `explain` are as in `search/query`.
    """
    path = path_of_uri(params.uri, "uri")
    # Only here, so that a server can answer `initialize` before the pipeline is loaded.
    from vademecum.search.related import Place, Wanted

    wanted = Wanted(limit=params.limit, offset=params.offset, explain=params.explain)
    if params.position.line < 0:
        raise InvalidField("position", "must be a line from 0")
    folder = call.workspaces.holding(path, params.workspace)
    content = readable(folder, path)
    if folder.search is None:
        raise VademecumError(ErrorKind.NOT_FOUND, f"Nothing is indexed here: {folder.refusal}")
    place = Place(content.path, params.position.line + 1)
    answer = folder.search.related(place, content, wanted, call.cancel)
    items = [item(hit, call.encoding) for hit in answer.hits]
    found = [(folder if whole else None, one) for one, whole in zip(items, shown(items), strict=True)]
    return _items(answer, once(call, params.session, asked_of(call, params.workspace, folder), found))


def _items(answer: Answer, told: Told[wire.Item], refusals: tuple[Notice, ...] = ()) -> wire.Items:
    """An answer as its session is told of it."""
    notices = tuple(Notice(notice.kind.value, notice.message) for notice in answer.notices)
    return wire.Items(
        items=told.items,
        partial=answer.partial,
        notices=refusals + notices + told.notices,
        index=wire.Index(answer.generation, answer.state),
        next_offset=answer.next_offset,
        memory=told.memory,
    )


def item(hit: Hit, encoding: Encoding) -> wire.Item:
    """A hit as it goes over the wire."""
    lines = hit.snippet.split("\n")
    match = None
    if hit.match is not None:
        line = lines[hit.match.line - hit.start] if 0 <= hit.match.line - hit.start < len(lines) else ""
        start = Position(hit.match.line - 1, to_units(line, hit.match.start, encoding))
        match = Range(start, Position(hit.match.line - 1, to_units(line, hit.match.end, encoding)))
    return wire.Item(
        uri=hit.absolute.as_uri(),
        path=hit.path,
        range=whole_lines(hit.start, hit.end, lines[-1], encoding),
        language=hit.language,
        score=hit.score,
        reference=hit.reference,
        snippet=hit.snippet,
        match=match,
        symbol=hit.symbol,
        kind=hit.kind,
        signals=hit.signals,
        stale=hit.stale or None,
        skeleton=hit.form is Form.SKELETON or None,
    )


def status(call: Call, params: Nothing) -> wire.SearchStatusResult:
    """The state of a workspace's index: how far it is, what it holds, how changes are noticed.

    Without a workspace and with several folders open, the state of the folder that is furthest behind.
    """
    folders = call.workspaces.chosen(params.workspace)
    if not folders:
        return status_result(None, Status(state=IndexState.READY, counted=True, refusal=_NO_FOLDER))
    told = [folder_status(folder) for folder in folders]
    order = [IndexState.STARTING, IndexState.INDEXING, IndexState.READY]
    return min(told, key=lambda one: (order.index(one.state), -one.pending))


def folder_status(folder: Workspace) -> wire.SearchStatusResult:
    """The state of one folder's index."""
    if folder.search is None:
        return status_result(folder.uri, Status(state=IndexState.READY, counted=True, refusal=folder.refusal))
    result = status_result(folder.uri, folder.search.status(), folder.gate.notice)
    return attrs.evolve(result, evidence=_evidence(folder))


def _evidence(folder: Workspace) -> wire.EvidenceReport | None:
    try:
        totals = folder.deliveries.totals()
    except (VademecumError, OSError):
        return None
    return None if totals is None else wire.EvidenceReport(totals.sessions, totals.deliveries, folder.deliveries.size)


def status_result(workspace: str | None, told: Status, notice: str | None = None) -> wire.SearchStatusResult:
    """A status as it goes over the wire, in answers and in `search/didChangeStatus`."""
    return wire.SearchStatusResult(
        state=told.state,
        files=told.files,
        chunks=told.chunks,
        pending=told.pending,
        counted=told.counted,
        generation=told.generation,
        writer=told.writer,
        watcher=wire.WatcherReport(told.watcher.state, told.watcher.reason),
        bytes=told.bytes,
        model=_model(told.vectors),
        workspace=workspace,
        indexed_at=told.indexed_at,
        notice=" ".join(sentence for sentence in (notice, _of_silent(told.silent)) if sentence) or None,
        refusal=told.refusal,
    )


def _of_silent(folders: Sequence[str]) -> str | None:
    if not folders:
        return None
    more = f" and {len(folders) - _SILENT_NAMED} more" if len(folders) > _SILENT_NAMED else ""
    named = ", ".join(folders[:_SILENT_NAMED]) + more
    return (
        f"What lies in {named} is not searched, since the disk that is mounted there does not answer; it is looked for "
        "again each minute. To leave it out for good, name it in .vademecumignore."
    )


def _model(told: VectorsStatus) -> wire.ModelReport:
    return wire.ModelReport(
        name=told.name,
        dimensions=told.dimensions,
        state=told.state,
        embedded=told.embedded,
        total=told.total,
        failed=told.failed,
        former=told.former,
        reason=told.reason,
    )


def skipped(call: Call, params: wire.SkippedParams) -> wire.Skipped:
    """Which files and folders are not searched, and why."""
    limit = between("limit", params.limit, 1, _MAX_SKIPPED)
    offset = between("offset", params.offset, 0, 10_000_000)
    items: list[wire.SkippedItem] = []
    total = 0
    for search in _searches(call, params.workspace):
        # Each folder gives what is left of the page after the folders before it.
        page = (
            search.skipped(max(0, offset - total), limit - len(items)) if len(items) < limit else search.skipped(0, 1)
        )
        if len(items) < limit:
            items += [wire.SkippedItem(one.path, one.reason) for one in page.items]
        total += page.total
    return wire.Skipped(tuple(items), total)


def reindex(call: Call, params: wire.Reindex) -> wire.ReindexedResult:
    """Bring the index up to date now; with `force`, build it from nothing."""
    done = [search.reindex(params.force, call.cancel, call.progress) for search in _searches(call, params.workspace)]
    return wire.ReindexedResult(
        sum(one.files for one in done), sum(one.chunks for one in done), round(sum(one.seconds for one in done), 3)
    )


def _searches(call: Call, workspace: str | None) -> "list[Search]":
    return [folder.search for folder in call.workspaces.chosen(workspace) if folder.search is not None]
