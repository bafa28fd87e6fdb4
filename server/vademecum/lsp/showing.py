"""Showing the results of commands to somebody whose editor does nothing with them.

An editor throws the result of a command away, unless something in it knows the command. So a short result is shown as a
message, a long one as a page of Markdown (`window/showDocument`), where the client opens documents; elsewhere the
beginning of the page is the message. A client that shows results itself says so, and is left alone.
"""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from vademecum.api.errors import Code, Failure
from vademecum.files.pages import Pages
from vademecum.lsp.results import Told, one_line, told

if TYPE_CHECKING:
    from vademecum.lsp.server import VademecumServer

logger = logging.getLogger(__name__)

MOST_UNANSWERED = 8
"""Pages offered to a client that it has not answered for; no more are offered until it does."""

LONGEST_MESSAGE = 2_000
"""Characters of a page that are shown as a message where no document can be opened."""


class Showing:
    """Shows results to the user of one client."""

    def __init__(self, server: "VademecumServer", pages: Pages) -> None:
        self._server = server
        self._pages = pages
        self._unanswered = 0

    def result(self, method: str, result: Any) -> None:
        """Show what a command gave, as JSON has it; on the loop's thread, returns at once."""
        if self._unanswered < MOST_UNANSWERED:
            self._server.in_background(lambda: self._result(method, result))

    def failed(self, failure: Failure) -> None:
        """Show why a command failed; on the loop's thread."""
        if failure.code is not Code.REQUEST_CANCELLED:
            self._message(types.MessageType.Error, failure.message)

    def _result(self, method: str, result: Any) -> None:
        shown = told(method, result)
        if not shown.is_page:
            self._server.on_loop(self._message, types.MessageType.Info, shown.text)
        elif self._server.editor.can.documents:
            self._page(method, shown)
        else:
            self._server.on_loop(self._message, types.MessageType.Info, shown.text[:LONGEST_MESSAGE].strip())

    def _page(self, method: str, shown: Told) -> None:
        name = method.removeprefix("vademecum.").replace("/", "-").lower()
        try:
            path = self._pages.write(name, shown.text)
        except OSError as error:
            logger.warning("A result could not be written for the editor to show: %s", error.strerror)
            self._server.on_loop(self._message, types.MessageType.Info, shown.text[:LONGEST_MESSAGE].strip())
            return
        self._server.on_loop(self._open, path.as_uri(), one_line(shown.text))

    def _open(self, uri: str, otherwise: str) -> None:
        self._unanswered += 1
        asked = self._server.protocol.send_request(
            types.WINDOW_SHOW_DOCUMENT, types.ShowDocumentParams(uri, external=False, take_focus=True)
        )

        def answered(done: Any) -> None:
            self._unanswered -= 1
            answer = None if done.cancelled() or done.exception() else done.result()
            success = answer.get("success") if isinstance(answer, Mapping) else getattr(answer, "success", False)
            if not success:  # the client knows the request and could not do it; something is said all the same
                self._message(types.MessageType.Info, otherwise)

        asked.add_done_callback(answered)

    def _message(self, kind: types.MessageType, text: str) -> None:
        self._server.window_show_message(types.ShowMessageParams(kind, f"Vademecum: {text}"))
