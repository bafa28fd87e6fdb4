"""Code search over one folder: what the rest of the server talks to."""

import itertools
import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from attrs import define, evolve, field

from vademecum.embedding.embedder import Embedder
from vademecum.errors import ErrorKind, VademecumError
from vademecum.files.content import Content
from vademecum.files.gate import Gate
from vademecum.files.watch import WatcherState, WatcherStatus
from vademecum.lexical.index import Unusable
from vademecum.search import messages
from vademecum.search.build import CATALOGUE
from vademecum.search.catalogue import read_skipped
from vademecum.search.entry import vector_text
from vademecum.search.freshness import Rereader, Shown
from vademecum.search.home import GRAMMARS, index_home, vectors_home, write_root
from vademecum.search.messages import Do, Event
from vademecum.search.notices import OFF, notices
from vademecum.search.pipeline import NO_PAGE, Page, Reading, answer, page
from vademecum.search.published import Published, from_json
from vademecum.search.ranker import Ranker
from vademecum.search.reader import Reader, View
from vademecum.search.refusals import reason
from vademecum.search.related import Place, ask_of, sample
from vademecum.search.semantic import Semantics
from vademecum.search.settings import SearchSettings
from vademecum.search.spare import Spare
from vademecum.search.supervisor import Supervisor
from vademecum.search.types import (
    MAX_QUERY,
    Answer,
    IndexState,
    Mode,
    Query,
    Reindexed,
    SkippedFile,
    SkippedPage,
    Status,
)
from vademecum.search.weights import Weights
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


class Search:
    """Searches one folder, and has its index kept.

    May be used from every thread. Several of them, in one process or in many, may share a folder and a cache.

    :param root: the opened folder.
    :param gate: decides about its files; its buffers hold the editor's unsaved texts.
    :param cache: this product's cache folder, shared by all folders.
    :param on_status: called, from a thread of this object, whenever `status` would answer something else.
    :param weights: the constants of ranking.
    :param embedder: the model of this process; without one search goes by words alone.
    :param spare: an indexer that was started ahead, for whichever folder comes first.
    """

    def __init__(
        self,
        root: Path,
        gate: Gate,
        cache: Path,
        settings: SearchSettings,
        on_status: Callable[[Status], None],
        weights: Weights | None = None,
        embedder: Embedder | None = None,
        spare: Spare | None = None,
    ) -> None:
        self._root = root
        self._gate = gate
        self._cache = cache
        self._settings = settings
        self._on_status = on_status
        self._spare = spare
        self.home = index_home(cache, root, gate.prefix)
        self.vectors_home = vectors_home(cache, gate)
        self._reader = Reader(self.home)
        self._shown = Shown()
        self._semantics: Semantics | None = None
        self._no_meaning = "search by meaning is switched off (search.model is none)"
        if embedder is not None and settings.model != "none":
            self._semantics = Semantics(self.home, self.vectors_home, embedder, settings.model_threads)
        self._ranker = Ranker(gate, self._shown, weights or Weights(), self._semantics, settings.model_threads)
        self._lock = threading.Lock()
        self._requests: dict[str, _Request] = {}
        self._numbers = itertools.count(1)
        self._writer = False
        self._told = False
        self._refusal: str | None = None
        self._unwritten: str | None = None
        self._dead: str | None = None
        self._supervisor: Supervisor | None = None
        self._closed = False
        self._damaged_at = -DAMAGE_EVERY
        self._versions: dict[Path, int] = {}
        self._unsubscribe: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Answer from what is on the disk, and start the indexer. Does nothing when search is switched off."""
        if not self._settings.enabled:
            return
        self._note_root()
        self._refresh(None)
        self._unsubscribe = self._gate.buffers.on_change(self._buffer_changed)
        self._supervisor = Supervisor(self.home, self._greeting, self._heard, self._died, self._tell, self._spare)
        self._supervisor.start()

    def close(self) -> None:
        """End the indexer; returns within about a second. What was waiting for it fails as busy."""
        with self._lock:
            self._closed = True
            requests = list(self._requests.values())
        self._unsubscribe()
        if self._supervisor is not None:
            self._supervisor.close()
        if self._semantics is not None:
            self._semantics.close()
        for request in requests:
            request.done.set()

    def query(self, query: Query, cancel: Cancel) -> Answer:
        """The best places for a query, as they are now.

        Never waits for the index, but for a moment when there is none at all: while the first one is being made, the
        answer is `partial` and says so.

        :raises InvalidField: for filters that cannot be understood.
        :raises Cancelled: when told to stop.
        """

        def found(reading: Reading) -> Page:
            return answer(
                reading,
                query,
                lambda ask, kept, rereader: self._ranker.pool(reading, query, ask, kept, rereader, cancel),
                cancel,
            )

        return self._answered(query.mode, found, cancel)

    def related(self, place: Place, content: Content, limit: int, cancel: Cancel) -> Answer:
        """The code most like what stands at a place of a file, that itself left out.

        :param content: the file as it is now.
        :raises Cancelled: when told to stop.
        """

        def found(reading: Reading) -> Page:
            snapshot, rereader = reading.view.snapshot, Rereader(self._gate)
            like = sample(snapshot, content, place, rereader, self._shown)
            ask = ask_of(snapshot, vector_text(like.symbol, like.lines))
            pool = self._ranker.alike(reading, like, ask, rereader, cancel)
            query = Query(text=place.path[:MAX_QUERY], limit=limit)
            return page(reading, ask, query, iter(pool.candidates), pool.strength, rereader, cancel)

        if not content.lines:
            return self._answered(Mode.LEXICAL, lambda reading: NO_PAGE, cancel)
        return self._answered(Mode.HYBRID, found, cancel)

    def rank_by(self, weights: Weights) -> None:
        """Rank by other constants from now on."""
        self._ranker.weights = weights

    def _answered(self, mode: Mode, found: Callable[[Reading], Page], cancel: Cancel) -> Answer:
        """An answer from what `found` finds in the index as it is now, with what there is to say of it."""
        status = self.status()
        if not self._settings.enabled:
            return Answer(hits=(), next_offset=None, partial=False, notices=(OFF,), generation=0, state=status.state)
        view = self._view(cancel)
        if view is None:
            told = tuple(notices(mode, self.status(), self._told, None, cut=False))
            return Answer(
                hits=(), next_offset=None, partial=True, notices=told, generation=0, state=IndexState.STARTING
            )
        try:
            got = found(Reading(view, self._gate, self._shown))
        except Unusable as error:
            self._found_damaged(view, error)
            got = NO_PAGE
            view = View(view.snapshot, evolve(view.published, complete=False))
        if got.behind:
            self.changed(got.behind)
        status = self.status()
        reason = self._no_meaning if self._semantics is None else self._semantics.reason
        return Answer(
            hits=got.hits,
            next_offset=got.next_offset,
            partial=not view.published.complete,
            notices=tuple(notices(mode, status, self._told, reason, got.cut)),
            generation=view.published.generation,
            state=status.state,
            strength=got.strength,
        )

    def status(self) -> Status:
        """How the index is, as its writer last said, whichever process that is."""
        view = self._reader.view
        supervisor = self._supervisor
        running = supervisor is not None and self._dead is None and self._told
        if view is None:
            return Status(state=IndexState.STARTING, refusal=self._problem())
        told = view.published
        state = told.state if running else IndexState.STARTING
        watcher = WatcherStatus(told.watcher, told.watcher_reason)
        if not running:
            watcher = WatcherStatus(WatcherState.FAILED, self._problem() or "the indexer has not started yet")
        elif supervisor is not None and (trouble := supervisor.trouble) is not None:
            watcher = WatcherStatus(WatcherState.FAILED, trouble)
        return Status(
            state=state,
            files=told.files,
            chunks=told.chunks,
            pending=told.pending,
            generation=told.generation,
            writer=self._writer and running,
            watcher=watcher,
            indexed_at=told.indexed_at,
            complete=told.complete,
            bytes=told.bytes,
            files_read=told.files_read,
            vectors=told.vectors,
            refusal=self._problem() or told.refusal,
        )

    def skipped(self, offset: int, limit: int) -> SkippedPage:
        """Files and folders that are not indexed, by path, with reasons.

        :raises VademecumError: BUSY while the catalogue cannot be read.
        """
        view = self._reader.view
        if view is None:
            return SkippedPage((), 0)
        try:
            items, total = read_skipped(self.home / view.published.build / CATALOGUE, offset, limit)
        except OSError as error:
            raise VademecumError(ErrorKind.BUSY, "The index is being replaced. Ask again in a moment.") from error
        return SkippedPage(tuple(SkippedFile(path, reason) for path, reason in items), total)

    def reindex(self, force: bool, cancel: Cancel, progress: Progress = silent) -> Reindexed:
        """Compare the whole folder with the index now; with `force`, make the index anew while the old one answers.

        Where another server keeps the index, its indexer is asked to.

        :raises VademecumError: BUSY when no indexer can be reached, or it cannot work now.
        :raises Cancelled: when told to stop; the index is as good as before.
        """
        number = f"r{next(self._numbers)}"
        request = _Request(progress)
        with self._lock:
            if self._closed or self._supervisor is None:
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
        if self._supervisor is not None and (named := list(paths)):
            self._supervisor.send({"do": Do.CHANGED, "paths": named})

    @property
    def indexer_pid(self) -> int | None:
        """The process that indexes for this object; None while there is none."""
        return None if self._supervisor is None else self._supervisor.pid

    def _found_damaged(self, view: View, error: Unusable) -> None:
        """Have the index made afresh, since what can be read of it need not be what the one that writes finds."""
        now = time.monotonic()
        if now - self._damaged_at > DAMAGE_EVERY and self._supervisor is not None:
            log.warning("the index is damaged and is made afresh: %s", error)
            self._damaged_at = now
            self._supervisor.send({"do": Do.REINDEX, "id": f"damaged {view.published.build}", "force": True})

    def _view(self, cancel: Cancel) -> View | None:
        """What there is to search; a little patience when there is nothing at all."""
        view = self._reader.view
        deadline = time.monotonic() + self._settings.first_answer_ms / 1000
        while (view is None or (not view.snapshot.count and not view.published.complete)) and self._can_wait(deadline):
            cancel.check()
            view = self._reader.wait(POLL, view)
        return view

    def _can_wait(self, deadline: float) -> bool:
        return time.monotonic() < deadline and self._supervisor is not None and self._problem() is None

    def _problem(self) -> str | None:
        return self._unwritten or self._dead or self._refusal

    def _greeting(self) -> list[Mapping[str, object]]:
        self._note_root()
        files = self._gate.settings
        files = evolve(files, own_folders=(*files.own_folders, self._cache.absolute()))
        begin = messages.begin(
            self._gate.root, self.home, self.vectors_home, self._cache / GRAMMARS, files, self._settings
        )
        return [begin, *(self._buffer(path) for path in self._gate.buffers.paths())]

    def _note_root(self) -> None:
        """Make the index's folder and say in it whose it is; where that fails, nothing else will be written either."""
        try:
            self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_root(self.home, self._gate.root, self.vectors_home)
        except OSError as error:
            self._unwritten = reason(error)
            self._tell()
        else:
            self._unwritten = None

    def _refresh(self, published: Published | None) -> None:
        """Take over what was published: words at once, vectors soon."""
        self._reader.refresh(published)
        view = self._reader.view
        if view is not None and self._semantics is not None:
            self._semantics.follow(view.published)

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
        supervisor = self._supervisor
        if supervisor is not None and not self._closed and isinstance(self._gate.relative(path), str):
            supervisor.send(self._buffer(path))

    def _heard(self, event: Event, message: Mapping[str, object]) -> None:
        match event:
            case Event.STATE:
                self._writer, self._told, self._dead = bool(message.get("writer")), True, None
                published: Published = from_json(json.dumps(message["published"]))
                if self._writer and published.refusal is None:
                    self._unwritten = None
                self._refresh(published)
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
