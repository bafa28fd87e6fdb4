"""Unsaved text: what the editor shows counts for more than what the disk holds."""

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls import uris

if TYPE_CHECKING:
    from vademecum.lsp.server import VademecumServer


def register(server: "VademecumServer") -> None:
    """Follow the documents that the client opens, changes, saves and closes."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        _keep(server, params.text_document.uri)
        server.editor.upkeep.opened(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        _keep(server, params.text_document.uri)
        server.editor.upkeep.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        if path := _path(params.text_document.uri):
            server.workspaces.document_closed(path)
        server.editor.upkeep.closed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        if path := _path(params.text_document.uri):
            server.in_background(lambda: server.workspaces.files_changed((path,)))
            server.editor.upkeep.files_changed((Path(path),))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        paths = tuple(path for event in params.changes if (path := _path(event.uri)))
        server.in_background(lambda: server.workspaces.files_changed(paths))
        server.editor.upkeep.files_changed(Path(path) for path in paths)


def _keep(server: "VademecumServer", uri: str) -> None:
    if path := _path(uri):
        document = server.workspace.get_text_document(uri)
        server.workspaces.document_changed(path, document.source, document.version or 0)


def _path(uri: str) -> str | None:
    """The path that a document's URI names; None for what lies in no file, such as `untitled:`."""
    return uris.to_fs_path(uri) if uri.startswith("file:") else None
