"""Folders and settings: what the client opens, closes and sets."""

import asyncio
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls import uris

from vademecum import lifetime
from vademecum.api.calls import Encoding
from vademecum.lsp.model import LentModel, is_lent
from vademecum.lsp.texts import Texts

if TYPE_CHECKING:
    from vademecum.lsp.server import VademecumServer

logger = logging.getLogger(__name__)

_SECTION = "vademecum"
_ENCODINGS: Mapping[types.PositionEncodingKind | str, Encoding] = {
    types.PositionEncodingKind.Utf8: "utf-8",
    types.PositionEncodingKind.Utf16: "utf-16",
    types.PositionEncodingKind.Utf32: "utf-32",
}


def register(server: "VademecumServer") -> None:
    """Follow the client's folders and settings from `initialize` on."""

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        if isinstance(params.process_id, int):
            lifetime.watch_client(params.process_id, lambda: server.stop("The client is gone", 1))
        options = params.initialization_options
        trusted, editor = _options(options, server)
        server.workspaces.configure(editor, trusted)
        server.encoding = _ENCODINGS[server.workspace.position_encoding or types.PositionEncodingKind.Utf16]
        server.protocol._workspace = Texts(server.workspace, server.encoding)
        server.editor.begin()
        if is_lent(params.capabilities):
            server.workspaces.lend(LentModel(server))
        _enter(server, _folders(params))

    @server.feature(types.INITIALIZED)
    async def initialized(_params: types.InitializedParams) -> None:
        _report(server)
        await _register_watching(server)
        await _pull_settings(server)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        if not await _pull_settings(server):
            # Neovim and Emacs push: the whole tree, or what lies under our section
            tree = params.settings if isinstance(params.settings, Mapping) else {}
            section = tree.get(_SECTION, tree)
            _configure(server, section if isinstance(section, Mapping) else {})

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        left = server.workspaces.leave([folder.uri for folder in params.event.removed])

        def close() -> None:
            for each in left:
                each.close()

        server.in_order(close)
        _enter(server, [folder.uri for folder in params.event.added])
        server.editor.upkeep.everything_changed()
        if params.event.added:
            # Beside what comes next, which is answered for the folders that are open now.
            server.pulling = asyncio.get_running_loop().create_task(_pull_settings(server))


def _enter(server: "VademecumServer", uris: list[str]) -> None:
    for refusal in server.workspaces.enter(uris):
        server.announcements.warn(refusal)
    for folder in server.workspaces.folders:
        if folder.refusal is not None:
            server.announcements.say(folder.refusal)
    if not server.workspaces.folders:
        server.announcements.say("No folder is open, so nothing is indexed; your user memory is served.")
    server.in_order(server.workspaces.start)


def _options(options: Any, server: "VademecumServer") -> tuple[bool | None, Mapping[str, Any]]:
    if options is None:
        return None, {}
    if not isinstance(options, Mapping):
        server.announcements.warn("initializationOptions must be an object; it is ignored.")
        return None, {}
    trusted = options.get("trusted")
    if trusted is not None and not isinstance(trusted, bool):
        server.announcements.warn("initializationOptions.trusted must be true or false; it is ignored.")
        trusted = None
    settings = options.get("settings", {})
    if not isinstance(settings, Mapping):
        server.announcements.warn("initializationOptions.settings must be an object; it is ignored.")
        settings = {}
    return trusted, settings


def _folders(params: types.InitializeParams) -> list[str]:
    if params.workspace_folders:  # an empty list says no more than a missing one, where a root is named
        return [folder.uri for folder in params.workspace_folders]
    if params.root_uri:
        return [params.root_uri]
    if params.root_path and (uri := uris.from_fs_path(params.root_path)):
        return [uri]
    return []


async def _pull_settings(server: "VademecumServer") -> bool:
    workspace = server.client_capabilities.workspace
    if not (workspace and workspace.configuration):
        return False
    uris = [folder.uri for folder in server.workspaces.folders]
    # With one folder, the settings of the window are its own.
    scopes = [None, *(uris if len(uris) > 1 else ())]
    asked = [types.ConfigurationItem(scope_uri=uri, section=_SECTION) for uri in scopes]
    try:
        answer = await server.workspace_configuration_async(types.ConfigurationParams(asked))
    except Exception:
        logger.warning("The client did not answer with its settings", exc_info=True)
        return False
    sections = [section if isinstance(section, Mapping) else {} for section in answer or [None]]
    _configure(server, sections[0], dict(zip(uris, sections[1:], strict=False)))
    return True


def _configure(
    server: "VademecumServer", section: Mapping[str, Any], by_folder: Mapping[str, Mapping[str, Any]] | None = None
) -> None:
    server.sections_taken += 1
    number = server.sections_taken

    def work() -> None:
        if number == server.sections_taken:  # else newer ones wait, and only the last matters
            server.workspaces.reconfigure(section, by_folder)
            server.on_loop(_report, server)
            server.on_loop(server.editor.upkeep.everything_changed)

    server.in_order(work)


def _report(server: "VademecumServer") -> None:
    for problem in server.workspaces.take_problems():
        server.announcements.warn(str(problem))


async def _register_watching(server: "VademecumServer") -> None:
    workspace = server.client_capabilities.workspace
    watched = workspace.did_change_watched_files if workspace else None
    if not (watched and watched.dynamic_registration):
        return
    options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher("**/*")])
    registration = types.Registration("vademecum-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    try:
        await server.client_register_capability_async(types.RegistrationParams([registration]))
    except Exception:
        logger.warning("The client would not watch files for us; our own watcher goes on", exc_info=True)
