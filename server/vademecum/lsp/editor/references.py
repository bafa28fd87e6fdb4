"""What the features share: the open documents, the threads that judge beside the protocol, the client's ways."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote

from lsprotocol import types

from vademecum.errors import InvalidField
from vademecum.files.uris import path_of_uri
from vademecum.lsp.editor.client import ClientCan
from vademecum.lsp.editor.judging import Judged, gates, judge
from vademecum.lsp.editor.snapshot import Snapshot
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.lsp.server import VademecumServer

R = TypeVar("R")

#: Requests about references answered at a time; each takes milliseconds.
_WORKERS = 2


class References:
    """The references in the documents that the client has open; used on the event loop's thread."""

    def __init__(self, server: "VademecumServer") -> None:
        self.server = server
        self.can = ClientCan()
        self._pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="vademecum-editor")

    def snapshot(self, uri: str) -> Snapshot | None:
        """An open document as it is now; None for one that the client has not opened."""
        document = self.server.workspace.text_documents.get(unquote(uri))
        if document is None:
            return None
        language = document.language_id
        return Snapshot(uri, document.version, document.source, self.path_of(uri), self.server.encoding, language)

    def path_of(self, uri: object) -> Path | None:
        """The file that a URI names; None for what lies in no file."""
        if not isinstance(uri, str) or not uri.startswith("file:"):
            return None
        try:
            return path_of_uri(uri, "uri")
        except InvalidField:
            return None

    async def aside(self, work: Callable[[Cancel], R]) -> R:
        """Run `work` beside the protocol; it is told to stop when the request is cancelled."""
        cancel = Cancel()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, cancel)
        except asyncio.CancelledError:
            cancel.set()
            raise

    async def judged(self, snapshot: Snapshot) -> tuple[Judged, ...]:
        """The verdicts on the references of a document."""
        return await self.aside(lambda cancel: self.judge(snapshot, cancel))

    def judge(self, snapshot: Snapshot, cancel: Cancel) -> tuple[Judged, ...]:
        """The verdicts on the references of a document; on any thread but the loop's.

        :raises Cancelled: when told to stop.
        """
        occurrences = snapshot.occurrences(cancel)
        return judge(occurrences, gates(self.server.workspaces, snapshot.path), cancel) if occurrences else ()

    def at(self, snapshot: Snapshot, position: types.Position, cancel: Cancel) -> tuple[Judged, types.Range] | None:
        """The reference at a position, with its range; on any thread but the loop's.

        :raises Cancelled: when told to stop.
        """
        on_line = snapshot.occurrences_on(position.line, position.line, cancel)
        widest = snapshot.ranges((one, one.readings[0].start, one.end) for one in on_line)
        near = [one for one, span in zip(on_line, widest, strict=True) if span.start <= position <= span.end]
        for occurrence in near:  # two at most; how far one really goes is known when it is known how it is read
            for judged in judge([occurrence], gates(self.server.workspaces, snapshot.path), cancel):
                span = snapshot.ranges([(occurrence, judged.start, judged.end)])[0]
                if span.start <= position <= span.end:
                    return judged, span
        return None
