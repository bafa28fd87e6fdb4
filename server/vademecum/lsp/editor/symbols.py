"""`workspace/symbol`: what the code of the open folders defines, and what is remembered, in one list."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lsprotocol import types

from vademecum.api.calls import Encoding
from vademecum.api.positions import to_units
from vademecum.errors import InvalidField, VademecumError
from vademecum.memory.types import Memory
from vademecum.search.types import MAX_QUERY, SymbolKind
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.lsp.editor.references import References
    from vademecum.search.defined import Defined

MOST_SYMBOLS = 200
"""Symbols of code in one answer, over all folders. Clients ask again with every letter that is typed."""

MOST_MEMORIES = 50
"""Memories in one answer; the newest, where nothing is asked for yet."""

_KINDS: Mapping[SymbolKind, types.SymbolKind] = {
    SymbolKind.CLASS: types.SymbolKind.Class,
    SymbolKind.CONSTANT: types.SymbolKind.Constant,
    SymbolKind.CONSTRUCTOR: types.SymbolKind.Constructor,
    SymbolKind.ENUM: types.SymbolKind.Enum,
    SymbolKind.FUNCTION: types.SymbolKind.Function,
    SymbolKind.HEADING: types.SymbolKind.String,
    SymbolKind.INTERFACE: types.SymbolKind.Interface,
    SymbolKind.MACRO: types.SymbolKind.Function,
    SymbolKind.METHOD: types.SymbolKind.Method,
    SymbolKind.MODULE: types.SymbolKind.Module,
    SymbolKind.PROPERTY: types.SymbolKind.Property,
    SymbolKind.STRUCT: types.SymbolKind.Struct,
    SymbolKind.TYPE: types.SymbolKind.Class,
}

# `Struct` came to the protocol later than the others; a client that does not name it may not know it.
_LATER = {types.SymbolKind.Struct: types.SymbolKind.Class}

_START = types.Range(types.Position(0, 0), types.Position(0, 0))


def register(references: "References") -> None:
    """Answer `workspace/symbol`."""
    server = references.server

    @server.feature(types.WORKSPACE_SYMBOL)
    async def symbols(params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
        token = params.partial_result_token

        def work(cancel: Cancel) -> list[types.SymbolInformation]:
            told: list[types.SymbolInformation] = []
            for some in _batches(references, params.query, cancel):
                cancel.check()
                if token is None:
                    told += some
                elif some:
                    server.on_loop(server.send_progress, token, some)
            return told  # nothing, where all of it went out as partial results

        return await references.aside(work)


def _batches(references: "References", query: str, cancel: Cancel) -> Iterator[list[types.SymbolInformation]]:
    """What is found, as soon as it is: memories, then folder by folder."""
    workspaces = references.server.workspaces
    query = query[:MAX_QUERY].encode("utf-8", "replace").decode("utf-8").strip()  # JSON may hold halves of characters
    try:
        found = workspaces.memories(None).search(query or None, limit=MOST_MEMORIES)
        yield [_remembered(one.memory) for one in found.items]
    except (VademecumError, InvalidField):  # memory is switched off, or cannot be read: the code is there all the same
        pass
    left = MOST_SYMBOLS
    for folder in workspaces.folders:
        if folder.search is not None and left > 0:
            some = folder.search.symbols(query, left, cancel)
            left -= len(some)
            yield [_defined(one, references.can.symbols, references.server.encoding) for one in some]


def _remembered(memory: Memory) -> types.SymbolInformation:
    return types.SymbolInformation(
        name=memory.title,
        kind=types.SymbolKind.String,
        location=types.Location(memory.uri, _START),
        container_name=f"{memory.scope} memory {memory.id}, {memory.category}",
    )


def _defined(one: "Defined", known: frozenset[int], encoding: Encoding) -> types.SymbolInformation:
    kind = types.SymbolKind.Variable if one.kind is None else _KINDS[one.kind]
    if kind.value not in known:
        kind = _LATER.get(kind, kind)
    start, end = (types.Position(one.line - 1, to_units(one.text, place, encoding)) for place in (one.start, one.end))
    return types.SymbolInformation(
        name=one.name,
        kind=kind,
        location=types.Location(one.absolute.as_uri(), types.Range(start, end)),
        container_name=f"{one.container}, {one.path}" if one.container else one.path,
    )
