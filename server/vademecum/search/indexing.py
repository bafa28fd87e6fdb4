"""The indexer of one folder as a server sees it: started, listened to, told what changed, asked for its state."""

import itertools
import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from attrs import define, evolve, field

from vademecum.errors import ErrorKind, VademecumError
from vademecum.files.gate import Gate
from vademecum.files.watch import WatcherState, WatcherStatus
from vademecum.search import messages
from vademecum.search.home import GRAMMARS, write_root
from vademecum.search.messages import Do, Event
from vademecum.search.published import Published, from_json
from vademecum.search.reader import Reader
from vademecum.search.refusals import reason
from vademecum.search.settings import SearchSettings
from vademecum.search.spare import Spare
from vademecum.search.supervisor import Supervisor
from vademecum.search.types import IndexState, Reindexed, Status
from vademecum.work import Cancel, Cancelled, Progress, silent

log = logging.getLogger(__name__)

POLL = 0.05
"""Seconds between looks at a cancel while waiting for the indexer."""

START_WITHIN = 10.0
"""Seconds that a request waits for an indexer that is being started."""

DAMAGE_EVERY = 30.0
"""Seconds between two times that a damaged index is asked to be made afresh."""


@define
class _Request:
    progress: Progress
    done: threading.Event = field(factory=threading.Event)
    outcome: Mapping[str, object] | None = None


class Indexing:
    """Has the index of one folder kept. May be used from every thread.

    :param gate: decides about the folder's files; its buffers hold the editor's unsaved texts.
    :param cache: this product's cache folder, shared by all folders.
    :param home: the index's folder.
    :param vectors_home: the folder of the repository's vectors.
    :param reader: what was published and can be searched.
    :param on_published: called, from a thread of this object, with what the indexer published.
    :param on_status: called, from such a thread, whenever `status` would answer something else.
    :param spare: an indexer that was started ahead, for whichever folder comes first.
    """

    def __init__(
        self,
        gate: Gate,
        cache: Path,
        home: Path,
        vectors_home: Path,
        settings: SearchSettings,
        reader: Reader,
        on_published: Callable[[Published], None],
        on_status: Callable[[Status], None],
        spare: Spare | None,
    ) -> None:
        self._gate = gate
        self._cache = cache
        self._home = home
        self._vectors_home = vectors_home
        self._settings = settings
        self._reader = reader
        self._on_published = on_published
        self._on_status = on_status
        self._lock = threading.Lock()
        self._requests: dict[str, _Request] = {}
        self._numbers = itertools.count(1)
        self._writer = False
        self._told = False
        self._refusal: str | None = None
        self._unwritten: str | None = None
        self._dead: str | None = None
        self._begun = False
        self._closed = False
        self._damaged_at = -DAMAGE_EVERY
        self._versions: dict[Path, int] = {}
        self._unsubscribe: Callable[[], None] = lambda: None
        self._supervisor = Supervisor(home, self._greeting, self._heard, self._died, self._tell, spare)

    def start(self) -> None:
        """Start the indexer."""
        self._begun = True
        self._unsubscribe = self._gate.buffers.on_change(self._buffer_changed)
        self._supervisor.start()

    def close(self) -> None:
        """End the indexer; returns within about a second. What was waiting for it fails as busy."""
        with self._lock:
            self._closed = True
            requests = list(self._requests.values())
        self._unsubscribe()
        self._supervisor.close()
        for request in requests:
            request.done.set()

    @property
    def is_running(self) -> bool:
        """Whether there is an indexer, or will be in a moment, and nothing keeps it from its work."""
        return self._begun and self._problem() is None

    @property
    def has_told(self) -> bool:
        """Whether the indexer has said anything since this server began."""
        return self._told

    def status(self) -> Status:
        """How the index is, as its writer last said, whichever process that is."""
        view = self._reader.view
        running = self._dead is None and self._told
        if view is None:
            return Status(state=IndexState.STARTING, refusal=self._problem())
        told = view.published
        state = told.state if running else IndexState.STARTING
        watcher = WatcherStatus(told.watcher, told.watcher_reason)
        if not running:
            watcher = WatcherStatus(WatcherState.FAILED, self._problem() or "the indexer has not started yet")
        elif (trouble := self._supervisor.trouble) is not None:
            watcher = WatcherStatus(WatcherState.FAILED, trouble)
        return Status(
            state=state,
            files=told.files,
            chunks=told.chunks,
            pending=told.pending,
            counted=told.counted,
            generation=told.generation,
            writer=self._writer and running,
            watcher=watcher,
            indexed_at=told.indexed_at,
            complete=told.complete,
            bytes=told.bytes,
            files_read=told.files_read,
            vectors=told.vectors,
            silent=told.silent,
            refusal=self._problem() or told.refusal,
        )

    def reindex(self, force: bool, cancel: Cancel, progress: Progress = silent) -> Reindexed:
        """Compare the whole folder with the index now; with `force`, make the index anew while the old one answers.

        Where another server keeps the index, its indexer is asked to.

        :raises VademecumError: BUSY when no indexer can be reached, or it cannot work now.
        :raises Cancelled: when told to stop; the index is as good as before.
        """
        number = f"r{next(self._numbers)}"
        request = _Request(progress)
        with self._lock:
            if self._closed or not self._begun:
                raise VademecumError(ErrorKind.BUSY, self._problem() or "Code search is not running for this folder.")
            self._requests[number] = request
        try:
            deadline = time.monotonic() + START_WITHIN
            while not self._supervisor.send({"do": Do.REINDEX, "id": number, "force": force}):
                cancel.wait(POLL)
                if self._closed or time.monotonic() > deadline:
                    raise VademecumError(ErrorKind.BUSY, "The indexer is being started again. Ask again in a moment.")
            while not request.done.wait(POLL):
                if cancel.is_set:
                    self._supervisor.send({"do": Do.CANCEL, "id": number})
                    request.done.wait(2.0)
                    raise Cancelled
            return _reindexed(request.outcome)
        finally:
            with self._lock:
                self._requests.pop(number, None)

    def changed(self, paths: Iterable[str]) -> None:
        """Files (relative, as hits name them) that somebody has reason to believe changed; a hint, nothing more."""
        if named := list(paths):
            self._supervisor.send({"do": Do.CHANGED, "paths": named})

    @property
    def pid(self) -> int | None:
        """The process that indexes for this object; None while there is none."""
        return self._supervisor.pid

    def found_damaged(self, build: str, error: Exception) -> None:
        """Have the index made afresh, since what can be read of it need not be what the one that writes finds."""
        now = time.monotonic()
        if now - self._damaged_at > DAMAGE_EVERY:
            log.warning("the index is damaged and is made afresh: %s", error)
            self._damaged_at = now
            self._supervisor.send({"do": Do.REINDEX, "id": f"damaged {build}", "force": True})

    def _problem(self) -> str | None:
        return self._unwritten or self._dead or self._refusal

    def _greeting(self) -> list[Mapping[str, object]]:
        self.note_root()
        files = self._gate.settings
        files = evolve(files, own_folders=(*files.own_folders, self._cache.absolute()))
        begin = messages.begin(
            self._gate.root, self._home, self._vectors_home, self._cache / GRAMMARS, files, self._settings
        )
        return [begin, *(self._buffer(path) for path in self._gate.buffers.paths())]

    def note_root(self) -> None:
        """Make the index's folder and say in it whose it is; where that fails, nothing else will be written either."""
        try:
            # One by one: folders that `parents` makes are for everybody to read.
            self._home.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._home.mkdir(exist_ok=True, mode=0o700)
            write_root(self._home, self._gate.root, self._vectors_home)
        except OSError as error:
            self._unwritten = reason(error)
            self._tell()
        else:
            self._unwritten = None

    def _buffer(self, path: Path) -> Mapping[str, object]:
        # The indexer's own count: an editor starts again at 1 with every opening of a document.
        with self._lock:
            self._versions[path] = version = self._versions.get(path, 0) + 1
        text = self._gate.buffers.get(path)
        if text is not None:
            # What is longer is not indexed anyway, and need not be written down at every stroke of a key.
            text = text[: self._gate.settings.max_file_bytes + 1]
        return {"do": Do.BUFFER, "path": str(path), "text": text, "version": version}

    def _buffer_changed(self, path: Path) -> None:
        if not self._closed and isinstance(self._gate.relative(path), str):
            self._supervisor.send(self._buffer(path))

    def _heard(self, event: Event, message: Mapping[str, object]) -> None:
        match event:
            case Event.STATE:
                self._writer, self._told, self._dead = bool(message.get("writer")), True, None
                published: Published = from_json(json.dumps(message["published"]))
                if self._writer and published.refusal is None:
                    self._unwritten = None
                self._on_published(published)
                self._tell()
            case Event.PROGRESS:
                self._progress(message)
            case Event.DONE | Event.FAILED:
                with self._lock:
                    request = self._requests.get(str(message.get("id")))
                if request is not None:
                    request.outcome = message
                    request.done.set()
            case Event.REFUSAL:
                text = message.get("message")
                self._refusal = None if text is None else str(text)
                self._tell()

    def _progress(self, message: Mapping[str, object]) -> None:
        with self._lock:
            request = self._requests.get(str(message.get("id")))
        done, total = message.get("done"), message.get("total")
        if request is not None and isinstance(done, int):
            request.progress(done, total if isinstance(total, int) else None, str(message.get("message")))

    def _died(self, why: str) -> None:
        self._writer, self._dead = False, f"the indexer ended ({why}) and is being started again"
        self._refusal = None  # the next one says what it cannot do
        with self._lock:
            requests = list(self._requests.values())
        for request in requests:
            request.done.set()
        self._tell()

    def _tell(self) -> None:
        if self._closed:
            return
        try:
            self._on_status(self.status())
        except Exception:
            log.exception("who listens to the index's status failed")


def _reindexed(outcome: Mapping[str, object] | None) -> Reindexed:
    if outcome is None:
        raise VademecumError(ErrorKind.BUSY, "The indexer ended meanwhile. Ask again in a moment.")
    if outcome.get("event") == Event.DONE:
        files, chunks, seconds = (outcome.get(name) for name in ("files", "chunks", "seconds"))
        return Reindexed(int(str(files)), int(str(chunks)), float(str(seconds)))
    if outcome.get("reason") == "cancelled":
        raise Cancelled
    raise VademecumError(ErrorKind.BUSY, f"The index cannot be made now: {outcome.get('message')}.")
