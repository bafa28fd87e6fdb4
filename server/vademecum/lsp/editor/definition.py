"""`textDocument/definition`: from a reference to its lines, where they are now; from another memory that a memory's
file names to that one's file.
"""

from typing import TYPE_CHECKING

from lsprotocol import types

from vademecum.api.positions import whole_lines
from vademecum.files.content import Refused
from vademecum.lsp.editor import memory_files
from vademecum.lsp.editor.judging import places
from vademecum.lsp.editor.snapshot import Snapshot
from vademecum.lsp.texts import offset
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.lsp.editor.references import References


def register(references: "References") -> None:
    """Answer `textDocument/definition`."""

    @references.server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(
        params: types.DefinitionParams,
    ) -> list[types.Location] | list[types.LocationLink] | None:
        snapshot = references.snapshot(params.text_document.uri)
        if snapshot is None:
            return None
        links = await references.aside(lambda cancel: _links(references, snapshot, params.position, cancel))
        if not links or references.can.links:
            return links or None
        return [types.Location(link.target_uri, link.target_range) for link in links]


def _links(
    references: "References", snapshot: Snapshot, position: types.Position, cancel: Cancel
) -> list[types.LocationLink]:
    found = references.at(snapshot, position, cancel)
    if found is None:
        return _memory(references, snapshot, position)
    judged, span = found
    content = judged.gate.read(judged.reference.path)
    if isinstance(content, Refused):
        return []
    uri = judged.gate.absolute(judged.reference.path).as_uri()
    links = []
    count = max(len(content.lines), 1)
    for start, end in places(judged, content) or ((count, count),):  # where the lines are gone, to the file's end
        last_line = content.lines[end - 1] if content.lines else b""
        told = whole_lines(start, end, last_line.decode("utf-8", "replace"), snapshot.encoding)
        target = types.Range(
            types.Position(told.start.line, told.start.character), types.Position(told.end.line, told.end.character)
        )
        links.append(types.LocationLink(uri, target, types.Range(target.start, target.start), span))
    return links


def _memory(references: "References", snapshot: Snapshot, position: types.Position) -> list[types.LocationLink]:
    found = memory_files.named(references, snapshot, offset(snapshot.text, position, snapshot.encoding))
    if found is None:
        return []
    memory, span = found
    top = types.Range(types.Position(0, 0), types.Position(0, 0))
    return [types.LocationLink(memory.file.as_uri(), top, top, span)]
