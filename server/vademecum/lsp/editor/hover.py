"""`textDocument/hover`: on a reference, the verdict in plain words, and the lines; on a key or value in the head of a
memory's file, what it means; on another memory that it names, which one that is.
"""

from typing import TYPE_CHECKING

from lsprotocol import types

from vademecum.lsp.editor import memory_files
from vademecum.lsp.editor.snapshot import Snapshot
from vademecum.lsp.editor.words import hover as words
from vademecum.lsp.texts import offset
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.lsp.editor.references import References


def register(references: "References") -> None:
    """Answer `textDocument/hover`."""

    @references.server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        snapshot = references.snapshot(params.text_document.uri)
        if snapshot is None:
            return None
        return await references.aside(lambda cancel: _hover(references, snapshot, params.position, cancel))


def _hover(
    references: "References", snapshot: Snapshot, position: types.Position, cancel: Cancel
) -> types.Hover | None:
    found = references.at(snapshot, position, cancel)
    if found is None:
        return memory_files.hover(references, snapshot, offset(snapshot.text, position, snapshot.encoding))
    judged, span = found
    markdown = references.can.markdown
    text = words(judged, judged.gate.read(judged.reference.path), markdown)
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, text), span)
