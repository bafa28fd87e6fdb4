"""Telling the client how far work is, in LSP's `$/progress`."""

import time
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from vademecum.lsp.server import VademecumServer

_RATE_AFTER = 1.0  # seconds
_INTERVAL_SECONDS = 0.1  # more often than this nobody can read it


class CallProgress:
    """The progress of one call, sent under the token that the client gave with the request, if it gave one.

    Called on a worker's thread; sends on the event loop's, where alone messages are sent.
    """

    def __init__(self, server: "VademecumServer", token: types.ProgressToken | None, title: str) -> None:
        self._server = server
        self._token = token
        self._title = title
        self._begun = False
        self._last = 0.0
        self._began = time.monotonic()

    def __call__(self, done: int, total: int | None, message: str) -> None:
        """Report `done` of `total`; at most ten times a second reach the client."""
        if self._token is None or time.monotonic() - self._last < _INTERVAL_SECONDS:
            return
        self._last = time.monotonic()
        self._server.on_loop(self._send, done, total, message)

    def _send(self, done: int, total: int | None, message: str) -> None:
        if self._token is None:
            return
        percentage = min(100, 100 * done // total) if total else None
        message = self._counted(done, total, message)
        if not self._begun:
            self._begun = True
            begin = types.WorkDoneProgressBegin(
                title=self._title, cancellable=True, message=message, percentage=percentage
            )
            self._server.send_progress(self._token, begin)
        else:
            self._server.send_progress(
                self._token, types.WorkDoneProgressReport(message=message, percentage=percentage)
            )

    def _counted(self, done: int, total: int | None, message: str) -> str:
        """The message with how much is done, and how fast once that can be told."""
        if not done:
            return message
        seconds = time.monotonic() - self._began
        rate = f" ({done / seconds:,.0f} a second)" if seconds > _RATE_AFTER else ""
        return f"{message}: {done:,}{f' of {total:,}' if total else ''}{rate}"

    def end(self) -> None:
        """Close the progress; on the event loop's thread, before the reply is sent."""
        if self._token is not None and self._begun:
            self._server.send_progress(self._token, types.WorkDoneProgressEnd())
        self._token = None
