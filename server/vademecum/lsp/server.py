"""The life of the language server: one client, over standard input and output, from start to end."""

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.exceptions import JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from vademecum import __version__, lifetime
from vademecum.api.calls import Encoding, Method
from vademecum.files.pages import Pages
from vademecum.lsp import documents, folders
from vademecum.lsp.announcements import Announcements
from vademecum.lsp.commands import commands
from vademecum.lsp.editor.features import EditorFeatures
from vademecum.lsp.protocol import VademecumProtocol
from vademecum.lsp.relief import Relief
from vademecum.lsp.showing import Showing
from vademecum.lsp.stdio import BadFrame, FrameWriter, read_messages
from vademecum.search.spare import Spare
from vademecum.settings import Locations
from vademecum.workspaces import Workspaces

logger = logging.getLogger(__name__)

# Enough for a chat panel that asks several things at once; most calls take a few milliseconds.
_WORKERS = 8
# Re-indexing and the like wait for a child process; they must not take the places of short calls.
_LONG_WORKERS = 4


class VademecumServer(LanguageServer):
    """One connection's server."""

    protocol: VademecumProtocol

    def __init__(self, places: Locations, spare: Spare | None = None) -> None:
        super().__init__(
            "vademecum",
            __version__,
            types.TextDocumentSyncKind.Incremental,
            protocol_cls=VademecumProtocol,
            converter_factory=default_converter,
        )
        self.announcements = Announcements(self)
        self.workspaces = Workspaces(places, dict(os.environ), self.announcements, spare)
        self.workspaces.is_serving = True
        self.encoding: Encoding = "utf-16"
        self.sections_taken = 0
        self.pulling: asyncio.Task[bool] | None = None
        """Asks the client for the settings of folders that came; kept, since the loop does not."""
        self._short = ThreadPoolExecutor(_WORKERS, thread_name_prefix="vademecum-call")
        self._long = ThreadPoolExecutor(_LONG_WORKERS, thread_name_prefix="vademecum-long")
        self._orderly = ThreadPoolExecutor(1, thread_name_prefix="vademecum-folders")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped: asyncio.Event | None = None
        self._exit_code = 1
        folders.register(self)
        documents.register(self)
        self.editor = EditorFeatures(self)
        self.commands = commands(self)
        self._pages = Pages(places.cache)
        self.showing = Showing(self, self._pages)

    def pool_for(self, method: Method[Any, Any]) -> ThreadPoolExecutor:
        """The threads that calls of `method` run on."""
        return self._long if method.long else self._short

    def in_background(self, work: Callable[[], None]) -> None:
        """Run `work` beside the calls; what it raises goes to the log."""
        self._short.submit(_guarded, work)

    def in_order(self, work: Callable[[], None]) -> None:
        """Run `work` after what was given here before: folders and settings end up as the client sent them last."""
        self._orderly.submit(_guarded, work)

    def on_loop(self, function: Callable[..., None], *args: object) -> None:
        """Call `function` on the event loop's thread, where alone messages are sent; from any thread, at any time."""
        loop = self._loop
        if loop is None or loop.is_closed():
            return
        try:
            loop.call_soon_threadsafe(function, *args)
        except RuntimeError:  # the loop closed in between: there is nobody to tell any more
            logger.debug("Nobody left to tell")

    def send_progress(self, token: types.ProgressToken, value: Any) -> None:
        """Send one `$/progress`."""
        self.protocol.notify(types.PROGRESS, types.ProgressParams(token, self.protocol._converter.unstructure(value)))

    def report_server_error(self, error: Exception, source: type[PyglsError] | type[JsonRpcException]) -> None:
        """Errors outside of requests go to the log; nobody asked, so nobody is interrupted."""
        logger.error("%s: %s", source.__name__, error)

    def stop(self, why: str, code: int) -> None:
        """End the server; from any thread. What does not close in time is left behind."""
        logger.info("Stopping: %s", why)
        self._exit_code = code
        lifetime.end_within_grace(code)
        self.on_loop(self._set_stopped)

    def _set_stopped(self) -> None:
        if self._stopped is not None:
            self._stopped.set()

    def serve(self, stdin: BinaryIO, stdout: BinaryIO) -> int:
        """Serve one client until it leaves.

        :return: the exit code: 0 after an orderly `shutdown`, else 1.
        """
        return asyncio.run(self._serve(stdin, stdout))

    async def _serve(self, stdin: BinaryIO, stdout: BinaryIO) -> int:
        self._loop = asyncio.get_running_loop()
        self._stopped = asyncio.Event()
        writer = FrameWriter(stdout, lambda: self.stop("The client no longer reads", 1))
        self.protocol.set_writer(writer)

        def take(message: object | BadFrame) -> None:
            self.on_loop(self._handle, message)

        def end() -> None:
            self.stop("Input ended", 0 if self.protocol._shutdown else 1)

        read_messages(stdin, take, end, Relief().heed)
        self.in_background(self._pages.sweep)
        await self._stopped.wait()
        await asyncio.to_thread(self._pages.close)
        await asyncio.to_thread(self.workspaces.close)
        writer.close()
        return self._exit_code

    def _handle(self, message: object | BadFrame) -> None:
        try:
            self.protocol.handle_message(message)
        except Exception:
            logger.exception("A message could not be handled")


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a line of pygls's log is worth having: what it cannot read `protocol` tells itself, in one line, and
    without the values, which may be a document's text."""
    return not str(record.msg).startswith("Unable to deserialize message")


def _guarded(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception:
        logger.exception("Background work failed")


def serve(places: Locations, stdout: BinaryIO, client_pid: int | None, spare: Spare) -> int:
    """Run the language server over this process's standard streams, and do not return before it is over.

    :param places: where everything is kept.
    :param stdout: the real standard output, from `lifetime.take_stdout`.
    :param client_pid: the process to live no longer than, where the command line told it.
    :param spare: the indexer that was started ahead; the server closes it.
    """
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_news)
    server = VademecumServer(places, spare)
    lifetime.end_on_signals(lambda why: server.stop(why, 1))
    if client_pid is not None:
        lifetime.watch_client(client_pid, lambda: server.stop("The client is gone", 1))
    code = server.serve(sys.stdin.buffer, stdout)
    # Workers may still be in the middle of something that nobody waits for; they are not waited for either.
    logging.shutdown()
    os._exit(code)
