"""The tools for code: passages by words and meaning, code like other code, how the index is."""

from vademecum.api import search
from vademecum.api.tools import passages, readiness
from vademecum.api.tools.places import file_named, folder_named
from vademecum.api.tools.room import joined
from vademecum.api.tools.tool import Asked, Need, Outcome, Tool
from vademecum.api.types import search as wire
from vademecum.api.types.common import Nothing, Position
from vademecum.api.types.tool_params import RelatedArguments, SearchArguments, StatusArguments
from vademecum.api.types.tool_results import FolderIndex, IndexReport, Passages
from vademecum.files.uris import path_of_uri
from vademecum.quantities import counted
from vademecum.search.types import VectorsState

TOKENS = 4_000
"""Tokens of passages in one answer: what is too long comes as an outline, and what no outline fits on the next page."""


def search_workspace(asked: Asked, arguments: SearchArguments) -> Outcome[Passages]:
    """Find passages."""
    folder = folder_named(asked, arguments.workspace)
    params = wire.QueryParams(
        query=arguments.query,
        limit=arguments.limit,
        offset=arguments.offset,
        purpose=arguments.purpose,
        content=arguments.content,
        paths=arguments.paths,
        languages=arguments.languages,
        session=arguments.session,
        token_budget=TOKENS,
        workspace=folder,
    )
    readiness.wait(asked.call, folder)
    folders = asked.call.workspaces.folders
    return passages.outcome(folders, search.query(asked.call, params, passages.whole(folders)))


def find_related(asked: Asked, arguments: RelatedArguments) -> Outcome[Passages]:
    """Find code like the code at a line."""
    folder = folder_named(asked, arguments.workspace)
    path = file_named(asked, arguments.path, arguments.workspace)
    readiness.wait(asked.call, folder)
    params = wire.RelatedParams(
        path.as_uri(),
        Position(arguments.line - 1, 0),
        limit=arguments.limit,
        offset=arguments.offset,
        session=arguments.session,
        workspace=folder,
    )
    folders = asked.call.workspaces.folders
    return passages.outcome(folders, search.related(asked.call, params, passages.whole(folders)))


def index_status(asked: Asked, arguments: StatusArguments) -> Outcome[IndexReport]:
    """How the index of each open folder is."""
    folders = asked.call.workspaces.chosen(folder_named(asked, arguments.workspace))
    told = [(folder, search.status(asked.call, Nothing(folder.uri))) for folder in folders]
    report = IndexReport(tuple(_folder(str(path_of_uri(folder.uri, "workspace")), status) for folder, status in told))
    lines = [_line(one) for one in report.folders]
    return Outcome(joined(*lines) or "No folder is open, so there is nothing to search.", report)


def _folder(path: str, status: wire.SearchStatusResult) -> FolderIndex:
    lacking = (status.refusal, status.notice, status.watcher.reason, status.model.reason)
    return FolderIndex(
        folder=path,
        state=status.state,
        files=status.files,
        chunks=status.chunks,
        pending=status.pending,
        counted=status.counted,
        vectors=status.model.state,
        embedded=status.model.embedded,
        total=status.model.total,
        model=status.model.name,
        indexed_at=status.indexed_at,
        notices=tuple(dict.fromkeys(text for text in lacking if text)),
    )


def _line(one: FolderIndex) -> str:
    parts = [f"{one.folder}: {one.state}", f"{counted(one.files, 'file')}, {counted(one.chunks, 'passage')}"]
    if one.pending:
        parts.append(f"{counted(one.pending, 'changed file')} not indexed yet")
    if not one.counted:
        parts.append("more files are still being found")
    if one.vectors is VectorsState.NONE:
        parts.append("found by words alone")
    elif not one.total:
        parts.append("found by words so far, by meaning soon")
    else:
        parts.append(f"by meaning with {one.model or 'a model'}: {one.embedded:,} of {one.total:,}")
    return "\n".join(["; ".join(parts), *(f"note: {text}" for text in one.notices)])


SEARCH = Tool(
    name="search_workspace",
    title="Search the code",
    description=(
        "Search the code and documents of the open folders by names, words and meaning. Use it to find where something "
        "is defined, done or described before you answer questions about this codebase or change it, rather than "
        "listing folders or grepping with guesses: give the identifiers or words that the code would use, or a whole "
        "question. Each passage comes with path, numbered lines and a reference (path:start-end@hash) to cite; every "
        "line is read from the file at the time of the answer. purpose explain gives few whole bodies, to understand "
        "how something works. Page with nextOffset. Do not use it for facts about the user or past decisions "
        "(memory_recall, manage_core_memory), nor to read a file whose path you know."
    ),
    arguments=SearchArguments,
    result=Passages,
    run=search_workspace,
    requests=("search/query",),
    example={"query": "circle area", "limit": 5},
    need=Need.SEARCH,
)

RELATED = Tool(
    name="find_related",
    title="Find related code",
    description=(
        "Find code like the code at a line of a file: copies and variants of a function, and code that does the like "
        "elsewhere. Use it before changing something that may stand in several places, and to find an example to "
        "follow. The code at the line itself is left out. Page with nextOffset. To find code by what it is called or "
        "does, use search_workspace."
    ),
    arguments=RelatedArguments,
    result=Passages,
    run=find_related,
    requests=("search/related",),
    example={"path": "src/shapes.py", "line": 4, "limit": 5},
    need=Need.SEARCH,
)

STATUS = Tool(
    name="index_status",
    title="Show the state of the index",
    description=(
        "Tell which folders are open and how far their index is: files, passages, what is not indexed yet, whether "
        "things are found by meaning, and what limits the answers. Use it when search_workspace finds less than you "
        "expect, not before every search."
    ),
    arguments=StatusArguments,
    result=IndexReport,
    run=index_status,
    requests=("search/status",),
    example={},
)
