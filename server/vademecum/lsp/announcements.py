"""What the server tells the client unasked: messages, the state of the index, changes of what is remembered."""

import time
import uuid
from typing import TYPE_CHECKING

from attrs import field, mutable
from lsprotocol import types

from vademecum.api.search import status_result
from vademecum.api.wire import unstructure
from vademecum.memory.types import Scope
from vademecum.search.types import IndexState, Status

if TYPE_CHECKING:
    from vademecum.lsp.server import VademecumServer

MEMORY_DID_CHANGE = "memory/didChange"
KNOWLEDGE_DID_CHANGE = "knowledge/didChange"
SEARCH_DID_CHANGE_STATUS = "search/didChangeStatus"


@mutable
class _IndexProgress:
    """The progress that the client shows while one workspace is indexed."""

    token: str = field(factory=lambda: str(uuid.uuid4()))
    begun: bool = False
    ended: bool = False
    since: float = field(factory=time.monotonic)
    known: int | None = None
    """Files that were indexed when it began."""


class Announcements:
    """Sends notifications; its methods may be called on any thread and return at once."""

    def __init__(self, server: "VademecumServer") -> None:
        self._server = server
        self._indexing: dict[str, _IndexProgress] = {}
        self._announced: dict[str, object] = {}

    def warn(self, message: str) -> None:
        """Show the user a warning that they can act upon."""
        self._server.on_loop(
            self._server.window_show_message,
            types.ShowMessageParams(types.MessageType.Warning, f"Vademecum: {message}"),
        )

    def say(self, message: str) -> None:
        """Write a line into the client's log of this server."""
        self._server.on_loop(
            self._server.window_log_message, types.LogMessageParams(types.MessageType.Info, f"Vademecum: {message}")
        )

    def memory_changed(self, scope: Scope, ids: tuple[str, ...]) -> None:
        """Tell that memories were added, changed or removed through this server."""
        self._server.on_loop(self._server.protocol.notify, MEMORY_DID_CHANGE, {"scope": scope.value, "ids": list(ids)})
        self._server.on_loop(self._server.editor.upkeep.memories_changed)

    def knowledge_changed(self, ids: tuple[str, ...]) -> None:
        """Tell that documents, or what is attached, were changed through this server."""
        self._server.on_loop(self._server.protocol.notify, KNOWLEDGE_DID_CHANGE, {"ids": list(ids)})

    def search_status(self, workspace: str, status: Status) -> None:
        """Tell the state of the index of the folder `workspace`, and show indexing as progress."""
        self._server.on_loop(self._search_status, workspace, status)
        self._server.on_loop(self._server.editor.upkeep.search_status, workspace, status)

    def _search_status(self, workspace: str, status: Status) -> None:
        told = unstructure(status_result(workspace, status))
        if self._announced.get(workspace) != told:
            self._announced[workspace] = told
            self._server.protocol.notify(SEARCH_DID_CHANGE_STATUS, told)
        self._show_progress(workspace, status)

    def _show_progress(self, workspace: str, status: Status) -> None:
        window = self._server.client_capabilities.window
        if not (window and window.work_done_progress):
            return
        current = self._indexing.get(workspace)
        if status.state is IndexState.INDEXING and current is None:
            current = self._indexing[workspace] = _IndexProgress()
            created = self._server.work_done_progress.create(current.token)
            created.add_done_callback(lambda done: self._begin(workspace, current, failed=bool(done.exception())))
        elif status.state is IndexState.INDEXING and current is not None and current.begun:
            text, percentage = _told(status, current)
            self._server.send_progress(current.token, types.WorkDoneProgressReport(message=text, percentage=percentage))
        elif status.state is not IndexState.INDEXING and current is not None:
            current.ended = True
            del self._indexing[workspace]
            if current.begun:
                text = f"{status.files:,} files, {status.chunks:,} passages"
                self._server.send_progress(current.token, types.WorkDoneProgressEnd(message=text))

    def _begin(self, workspace: str, progress: _IndexProgress, failed: bool) -> None:
        if failed or progress.ended:
            return
        progress.begun = True
        begin = types.WorkDoneProgressBegin(title="Vademecum: indexing", cancellable=False, percentage=0)
        self._server.send_progress(progress.token, begin)


def _told(status: Status, progress: _IndexProgress) -> tuple[str, int | None]:
    total = status.files + status.pending
    seconds = time.monotonic() - progress.since
    progress.known = status.files if progress.known is None else progress.known
    done = status.files - progress.known
    rate = f", {done / seconds:,.0f} a second" if seconds > 1 and done > 0 else ""
    if not status.counted:
        return f"{status.files:,} files so far{rate}", None
    return f"{status.files:,} of {total:,} files{rate}", (100 * status.files // total if total else None)
