"""Keeping what the client shows true: references are judged again when their document, or a file they name, changes.

Nothing here waits on the path of a keystroke: a change sets a timer, and what it starts runs on a thread of its own.
"""

import asyncio
import logging
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen, mutable
from lsprotocol import types

from vademecum.evidence.occurrences import Occurrence
from vademecum.evidence.verdicts import HOLDS, Verdict
from vademecum.files.watch import WatcherState
from vademecum.lsp.editor.diagnostics import diagnostics
from vademecum.lsp.editor.judging import Judged, gates, judge, stamps
from vademecum.lsp.editor.memory_files import faults, is_memory, marked
from vademecum.lsp.editor.references import References
from vademecum.lsp.editor.snapshot import Snapshot
from vademecum.search.types import Status
from vademecum.work import Cancel, Cancelled

if TYPE_CHECKING:
    from vademecum.lsp.server import VademecumServer

logger = logging.getLogger(__name__)

EVIDENCE_DID_INVALIDATE = "evidence/didInvalidate"

#: How long a document is left alone after a change before its references are judged, in seconds.
AFTER_TYPING = 0.3
#: The same for the files that references name. Changes that keep coming are waited out no longer than `AT_MOST`.
AFTER_CHANGES = 0.2
AT_MOST = 1.0
#: How often the files named are looked at in a folder that nobody watches (search is off, or its watcher has failed).
POLL = 2.0

_MEMORY = ".md"
_ANY_MEMORY = f"*{_MEMORY}"


@frozen
class _Examined:
    """What was found out beside the protocol.

    :param is_memory: whether the document is the file of a memory.
    :param marked: what is amiss with it.
    :param stamps: what `stat` said of every file that may be meant, before it was read.
    """

    snapshot: Snapshot
    occurrences: tuple[Occurrence, ...]
    judged: tuple[Judged, ...]
    stamps: tuple[object, ...]
    is_memory: bool = False
    marked: tuple[types.Diagnostic, ...] = ()


@mutable
class _Document:
    """An open document.

    :ivar shown: the diagnostics that the client has; None before it has any.
    :ivar verdicts: the last verdict on each reference, as it is written.
    """

    uri: str
    timer: asyncio.TimerHandle | None = None
    running: Cancel | None = None
    again: bool = False
    last: _Examined | None = None
    names: frozenset[str] = frozenset()
    shown: list[types.Diagnostic] | None = None
    verdicts: dict[str, Verdict] = field(factory=dict)
    is_memory: bool = False


class Upkeep:
    """The open documents and the timers; used on the event loop's thread, but where said otherwise."""

    def __init__(self, server: "VademecumServer", references: References) -> None:
        self._server = server
        self._references = references
        self._documents: dict[str, _Document] = {}
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="vademecum-upkeep")
        self._changed: set[str] | None = set()
        self._changes: asyncio.TimerHandle | None = None
        self._changes_since = 0.0
        self._polling: asyncio.TimerHandle | None = None
        self._refreshing: asyncio.Task[None] | None = None
        self._indexes: dict[str, tuple[object, ...]] = {}
        self._watched: set[str] = set()
        server.workspaces.buffers.on_change(lambda path: server.on_loop(self.files_changed, (path,)))

    # What is told ---------------------------------------------------------------------------------------------------

    def opened(self, uri: str) -> None:
        """A document was opened."""
        self.closed(uri)
        self._documents[uri] = _Document(uri)
        self._touch(self._documents[uri], 0.0)

    def changed(self, uri: str) -> None:
        """The text of a document changed."""
        if (document := self._documents.get(uri)) is not None:
            self._touch(document, AFTER_TYPING)

    def closed(self, uri: str) -> None:
        """A document was closed: nothing is shown in it any more."""
        document = self._documents.pop(uri, None)
        if document is None:
            return
        if document.timer is not None:
            document.timer.cancel()
        if document.running is not None:
            document.running.set()
            document.running = None
        if document.shown and self._references.can.push:
            self._publish(uri, None, [])

    def files_changed(self, paths: Iterable[Path]) -> None:
        """Files changed on the disk, or unsaved."""
        self._world_changed({path.name for path in paths})

    def memories_changed(self) -> None:
        """Memories were added, changed or removed: what is told of one's file may depend on the others."""
        self._world_changed({_ANY_MEMORY})

    def everything_changed(self) -> None:
        """Any reference may have another verdict: folders, settings or rules are others."""
        self._world_changed(None)

    def search_status(self, workspace: str, status: Status) -> None:
        """The index of a folder is in another state: it has seen files change."""
        watched = status.watcher.state is not WatcherState.FAILED
        (self._watched.add if watched else self._watched.discard)(workspace)
        state = (status.generation, status.state, watched)
        if self._indexes.get(workspace) != state:
            self._indexes[workspace] = state
            self.everything_changed()

    def pulled(self, uri: str, shown: list[types.Diagnostic]) -> None:
        """The client asked for diagnostics and was given these."""
        if (document := self._documents.get(uri)) is not None:
            document.shown = shown

    # When it is looked ----------------------------------------------------------------------------------------------

    def _touch(self, document: _Document, seconds: float) -> None:
        if document.timer is not None:
            document.timer.cancel()
        if document.running is not None:  # it judges a text that is no more
            document.running.set()
            document.running = None
        document.timer = asyncio.get_running_loop().call_later(seconds, self._examine, document)

    def _world_changed(self, names: set[str] | None) -> None:
        now = time.monotonic()
        if self._changes is None:
            self._changes_since = now
        else:
            self._changes.cancel()
        self._changed = None if names is None or self._changed is None else self._changed | names
        wait = min(AFTER_CHANGES, max(0.0, self._changes_since + AT_MOST - now))
        self._changes = asyncio.get_running_loop().call_later(wait, self._look_again)

    def _look_again(self) -> None:
        names, self._changed, self._changes = self._changed, set(), None
        for document in self._documents.values():
            if document.timer is not None:
                continue  # it is about to be looked at
            if document.running is not None:
                document.again = True
            elif names is None or not names.isdisjoint(document.names) or (document.is_memory and _memories(names)):
                self._examine(document)

    def _poll_when_unwatched(self) -> None:
        unwatched = any(folder.uri not in self._watched for folder in self._server.workspaces.folders)
        if self._polling is None and unwatched and any(one.names for one in self._documents.values()):
            self._polling = asyncio.get_running_loop().call_later(POLL, self._poll)

    def _poll(self) -> None:
        self._polling = None
        for document in self._documents.values():
            if document.names and document.timer is None and document.running is None:
                self._examine(document, if_stamps_differ=True)
        self._poll_when_unwatched()

    # Looking --------------------------------------------------------------------------------------------------------

    def _examine(self, document: _Document, if_stamps_differ: bool = False) -> None:
        document.timer = None
        snapshot = self._references.snapshot(document.uri)
        if snapshot is None:
            return
        cancel = document.running = Cancel()
        last = document.last
        work = asyncio.get_running_loop().run_in_executor(
            self._pool, self._find_out, snapshot, last, if_stamps_differ, cancel
        )

        def done(finished: asyncio.Future[_Examined | None]) -> None:
            examined = finished.result()
            if document.running is not cancel:
                return  # nobody waits for it any more
            document.running = None
            if examined is not None:
                self._take(document, examined)
            if document.again:
                document.again = False
                self._examine(document)

        work.add_done_callback(done)

    def _find_out(
        self, snapshot: Snapshot, last: _Examined | None, if_stamps_differ: bool, cancel: Cancel
    ) -> _Examined | None:
        """On the thread of this object. None when there is nothing new."""
        try:
            cancel.check()
            if last is not None and last.snapshot.text is snapshot.text:
                occurrences = last.occurrences
            else:
                occurrences = snapshot.occurrences(cancel)
            remembered = is_memory(self._references, snapshot)
            found = tuple(marked(snapshot, faults(self._references, snapshot))) if remembered else ()
            if not occurrences:
                return _Examined(snapshot, (), (), (), remembered, found)
            asked = gates(self._server.workspaces, snapshot.path)
            stamped = stamps(occurrences, asked)
            if if_stamps_differ and last is not None and last.stamps == stamped:
                return None
            return _Examined(snapshot, occurrences, judge(occurrences, asked, cancel), stamped, remembered, found)
        except Cancelled:
            return None
        except Exception:
            logger.exception("The references of a document could not be judged")
            return None

    # What is found --------------------------------------------------------------------------------------------------

    def _take(self, document: _Document, examined: _Examined) -> None:
        document.last = examined
        document.is_memory = examined.is_memory
        document.names = frozenset(
            reading.reference.path.rpartition("/")[2] for one in examined.occurrences for reading in one.readings
        )
        self._tell_invalidated(document, examined)
        items = [*diagnostics(examined.snapshot, examined.judged), *examined.marked]
        if self._references.can.push and items != (document.shown or []):
            document.shown = items
            self._publish(document.uri, examined.snapshot.version, items)
        elif self._references.can.refresh and document.shown is not None and items != document.shown:
            self._refresh()
        self._poll_when_unwatched()

    def _tell_invalidated(self, document: _Document, examined: _Examined) -> None:
        told: list[dict[str, str]] = []
        verdicts: dict[str, Verdict] = {}
        for one in examined.judged:  # what there was no time for is as if new when its turn comes
            written = examined.snapshot.text[one.start : one.end]
            if written in verdicts:
                continue
            verdicts[written] = one.verdict
            before = document.verdicts.get(written)
            if before in HOLDS and one.verdict not in (Verdict.VALID, before):
                now = one.verified.relocated_to
                moved = {} if now is None else {"relocatedTo": str(now)}
                told.append({"reference": written, "verdict": one.verdict.value, **moved})
        document.verdicts = verdicts
        if told:
            self._server.protocol.notify(EVIDENCE_DID_INVALIDATE, {"uri": document.uri, "references": told})

    def _publish(self, uri: str, version: int | None, items: Sequence[types.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, list(items), version))

    def _refresh(self) -> None:
        """Have the client ask again; once, however many documents changed."""
        if self._refreshing is None:
            self._refreshing = asyncio.get_running_loop().create_task(self._ask_to_refresh())

    async def _ask_to_refresh(self) -> None:
        try:
            await self._server.workspace_diagnostic_refresh_async(None)
        except Exception:
            logger.warning("The client would not ask for diagnostics again", exc_info=True)
        finally:
            self._refreshing = None


def _memories(names: Iterable[str]) -> bool:
    """Whether files of these names may be memories."""
    return any(name.lower().endswith(_MEMORY) for name in names)
