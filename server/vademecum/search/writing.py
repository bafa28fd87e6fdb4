"""The one that writes an index: opens or makes the build, keeps it current, and publishes what it is."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from vademecum.files.gate import Gate
from vademecum.files.git import GitFailed
from vademecum.files.watch import Batch, WatcherState
from vademecum.lexical.index import Unusable
from vademecum.search import build as builds
from vademecum.search.build import CATALOGUE, Build, Discard
from vademecum.search.keeper import FolderGone, Keeper
from vademecum.search.messages import Event
from vademecum.search.publisher import Publisher
from vademecum.search.refusals import is_of_the_disk, reason
from vademecum.search.returning import Returning
from vademecum.search.settings import SearchSettings
from vademecum.search.types import IndexState
from vademecum.search.vectors import Vectors
from vademecum.search.watching import Watching
from vademecum.work import Cancel, Cancelled

log = logging.getLogger(__name__)

TICK = 1.0
"""Seconds between looks at the watcher and the clock when nothing happens."""

SETTLE_AFTER = 3.0
"""Seconds after which a file that was left alone has a stamp that can be trusted (see `Stamp.settled`)."""

RETRY_FIRST, RETRY_LAST = 2.0, 60.0
"""Seconds until work that the disk refused is tried again, doubled each time."""

GONE_EVERY = 1.0
"""Seconds between looks whether a folder that is gone is back."""

HINT_SECONDS = 0.02
"""Seconds that work waits for more hints of the same kind: an editor tells of a save twice."""

LONGEST_TYPING = 1.0
"""Seconds after which an unsaved text is taken up though typing goes on."""

BUSY_SHARE = 0.05
"""Share of the time that comparing the whole folder may take; a slow folder is compared less often."""


class Writing:
    """Keeps one index for as long as the lock is held. One thread uses it, except for `changed`.

    :param tell: sends an event to the server.
    :param wake: makes the thread that calls `tick` do so soon; called from other threads.
    :param vectors: where the vectors of the repository are kept.
    """

    def __init__(
        self,
        home: Path,
        gate: Gate,
        settings: SearchSettings,
        grammars: str,
        tell: Callable[[Event, dict[str, object]], None],
        wake: Callable[[], None],
        vectors: Path,
    ) -> None:
        self._wake = wake
        self._home = home
        self._gate = gate
        self._settings = settings
        self._grammars = grammars
        self._tell = tell
        self._state = IndexState.STARTING
        self._keeper: Keeper | None = None
        self._publisher = Publisher(home, tell)
        self._tidied = ("", 0)
        self._files_read = 0
        self._never = Cancel()
        self._changes: set[str] = set()
        self._folders: set[str] = set()
        self._everything = True
        self._changes_lock = threading.Lock()
        self._due_at = self._latest_at = 0.0
        self._next_reconcile = 0.0
        self._next_settle = 0.0
        self._settled_once: set[str] = set()
        self._spoilt = ""
        self._retry = RETRY_FIRST
        self._retry_at = 0.0
        self._watching = Watching(gate, self._noticed)
        self._returning = Returning(gate, lambda: self._noticed(Batch(rescan=True)))
        before = None if self._publisher.last is None else self._publisher.last.vectors
        self._vectors = Vectors(home, vectors, gate, settings, before, wake)

    def __enter__(self) -> "Writing":
        # Before anything is compared, so that nothing changes unseen between the two.
        self._watching.start()
        self.tick()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._vectors.close()
        self._watching.stop()
        if self._keeper is not None:
            self._keeper.build.close()

    # What comes in

    def _noticed(self, batch: Batch) -> None:
        with self._changes_lock:
            self._changes.update(batch.paths)
            self._folders.update(batch.folders)
            self._everything = self._everything or batch.rescan
            self._due_at = time.monotonic()
        self._wake()

    def hint(self, paths: Iterable[str], typing: bool = False) -> None:
        """Files that somebody has reason to believe changed; worked on in a moment.

        :param typing: whether the reason is an unsaved text. More of it is then waited for, but not for ever; any other
            hint puts nothing off, or a client that asks again and again would keep the index from what it asks for.
        """
        now = time.monotonic()
        with self._changes_lock:
            idle = not (self._changes or self._folders)
            self._changes.update(paths)
            due = now + (self._settings.debounce_ms / 1000 if typing else HINT_SECONDS)
            if idle:
                self._due_at, self._latest_at = due, now + LONGEST_TYPING
            elif typing:
                self._due_at = min(max(self._due_at, due), self._latest_at)
            else:
                self._due_at = min(self._due_at, due)

    def wait_seconds(self) -> float:
        """How long nothing needs to be done unless a message comes."""
        with self._changes_lock:
            pending = bool(self._changes or self._folders or self._everything)
        return min(TICK, max(0.0, self._due_at - time.monotonic())) if pending else TICK

    # What is done

    def tick(self) -> None:
        """Do what is due: open, compare, redo what changed, publish."""
        now = time.monotonic()
        if now < self._retry_at:
            return
        try:
            if self._keeper is not None and not self._keeper.build.is_there:
                raise FileNotFoundError("the index was removed; it is made again")
            if self._keeper is None:
                self._open()
            assert self._keeper is not None
            self._look_at_watcher()
            self._returning.look()
            changes, everything = self._due(now)
            if everything or now >= self._next_reconcile:
                self._reconcile(self._never, None)
            if changes and self._keeper is not None:
                with self._vectors.held():
                    self._keeper.update(sorted(changes), self._never)
                self._publish()
            elif self._publisher.last is not None and self._publisher.last.vectors != self._vectors.status:
                self._publish()
            self._settle()
            self._tidy()
            self._retry = RETRY_FIRST
            self._refuse(None)
        except (OSError, Unusable, GitFailed) as error:
            self._failed(error)

    def reindex(
        self,
        request: object,
        force: bool,
        cancel: Cancel,
        reply: Callable[[Event, dict[str, object]], None] | None = None,
    ) -> None:
        """Compare everything now; with `force`, make a fresh build that takes the old one's place when it is whole.

        :param reply: is told the outcome, instead of this indexer's own server.
        """
        reply = reply or self._tell
        began = time.monotonic()
        try:
            if self._keeper is None:
                self._open()
            if force:
                self._afresh(cancel, request)
            else:
                self._reconcile(cancel, request)
            assert self._keeper is not None
            totals = self._keeper.build.catalogue.totals()
            seconds = time.monotonic() - began
            reply(Event.DONE, {"id": request, "files": totals.files, "chunks": totals.chunks, "seconds": seconds})
        except Cancelled:
            reply(Event.FAILED, {"id": request, "reason": "cancelled", "message": "stopped"})
        except (OSError, Unusable, GitFailed) as error:
            self._failed(error)
            reply(Event.FAILED, {"id": request, "reason": "failed", "message": self._publisher.refusal or str(error)})

    def _open(self) -> None:
        """Take up the published build, or begin a new one when there is none that can be used."""
        build: Build | None = None
        if self._publisher.last is not None and self._publisher.last.build != self._spoilt:
            try:
                build = builds.reopen(self._home, self._publisher.last.build, self._settings)
            except Discard as why:
                log.warning("the index is made again: %s", why)
        fresh = build is None
        if build is None:
            build = builds.create(self._home, self._settings)
        self._keeper = self._keep(build)
        self._publish()
        for folder in builds.others(self._home, build.name):
            builds.discard(folder)
        if fresh:
            self._state = IndexState.INDEXING
            self._publish()

    def _keep(self, build: Build) -> Keeper:
        keeper = Keeper(build, self._gate, self._settings, self._grammars, self._committed)
        if self._publisher.last is not None:
            keeper.generation = max(keeper.generation, self._publisher.last.generation)
        return keeper

    def _committed(self) -> None:
        if self._keeper is not None:
            self._vectors.changed(self._keeper.take_changed())
        self._publish()

    def _reconcile(self, cancel: Cancel, request: object) -> None:
        keeper = self._keeper
        assert keeper is not None
        began = time.monotonic()
        first = not keeper.complete

        def progress(done: int, total: int | None, message: str) -> None:
            if self._publisher.is_due:
                self._publish()
            self._tell(Event.PROGRESS, {"id": request, "done": done, "total": total, "message": message})

        if first:
            self._state = IndexState.INDEXING
        with self._vectors.held():
            keeper.reconcile(cancel, progress, self._meanwhile)
        self._vectors.follow(keeper.build.folder / CATALOGUE)
        self._state = IndexState.READY
        self._publisher.measure()  # now that it is at rest
        took = time.monotonic() - began
        self._next_reconcile = time.monotonic() + max(self._interval(), took / BUSY_SHARE)
        self._next_settle = time.monotonic() + SETTLE_AFTER
        self._publish()
        keeper.rest()
        self._publisher.measure()
        if keeper.build.bloated:
            log.info("the index holds many dead documents; it is made afresh")
            self._afresh(cancel, request)

    def _afresh(self, cancel: Cancel, request: object) -> None:
        """Make a whole new build while the old one answers."""
        old = self._keeper
        assert old is not None
        build = builds.create(self._home, self._settings)
        fresh = Keeper(build, self._gate, self._settings, self._grammars, lambda: None)
        fresh.generation = old.generation

        def progress(done: int, total: int | None, message: str) -> None:
            self._tell(Event.PROGRESS, {"id": request, "done": done, "total": total, "message": message})

        try:
            with self._vectors.held():
                fresh.reconcile(cancel, progress)
            fresh.rest()
        except BaseException:
            build.close()
            builds.discard(build.folder)
            raise
        self._files_read += old.files_read
        self._keeper = self._keep(build)
        self._keeper.files_read = fresh.files_read
        self._keeper.generation = max(fresh.generation, old.generation + 1)
        build.catalogue.set_meta({"generation": str(self._keeper.generation)})
        self._state = IndexState.READY
        self._publisher.measure()
        self._vectors.follow(build.folder / CATALOGUE)
        self._publish()
        old.build.close()
        builds.discard(old.build.folder)

    def _settle(self) -> None:
        """Read once more what was changed just before it was read, so that its stamp can be trusted from now on."""
        keeper = self._keeper
        if keeper is None or not self._next_settle or time.monotonic() < self._next_settle:
            return
        self._next_settle = 0.0
        paths = [path for path in keeper.unsettled() if path not in self._settled_once]
        if paths:
            # A file whose time lies in the future never settles: once is enough.
            self._settled_once = set(paths)
            keeper.update(paths, self._never)

    def _tidy(self) -> None:
        """Give back the room that the last changes took, once it is quiet, and say how much is taken."""
        keeper = self._keeper
        if keeper is None or self._next_settle or self._tidied == (keeper.build.name, keeper.commits):
            return
        self._tidied = (keeper.build.name, keeper.commits)
        keeper.build.writer.collect_garbage()
        keeper.build.catalogue.tidy()
        self._publisher.measure()
        self._publish()

    def _meanwhile(self) -> set[str]:
        """What changed while the whole folder is being compared; that it must be compared again is not forgotten."""
        changes, everything = self._due(time.monotonic())
        if everything:
            with self._changes_lock:
                self._everything = True
        return changes

    def _due(self, now: float) -> tuple[set[str], bool]:
        """What has changed, once it has been quiet for a moment."""
        with self._changes_lock:
            everything, self._everything = self._everything, False
            if not (self._changes or self._folders) or now < self._due_at:
                return set(), everything
            changes, self._changes = self._changes, set()
            folders, self._folders = self._folders, set()
        if self._keeper is not None:
            for folder in folders:
                changes.update(self._keeper.build.catalogue.below(folder))
        self._next_settle = now + SETTLE_AFTER
        self._settled_once -= changes
        return changes, everything

    def _failed(self, error: Exception) -> None:
        """Say what cannot be done, and try again later and later; what is only derived may be thrown away."""
        self._everything = True
        if isinstance(error, FolderGone):
            self._retry_at = time.monotonic() + GONE_EVERY
            self._refuse(str(error))
            return
        keeper, self._keeper = self._keeper, None
        if keeper is not None and self._retry > RETRY_FIRST and not is_of_the_disk(error):
            # Twice in a row, and not for want of room or permission: it is damaged in a way that opening does not show.
            self._spoilt = keeper.build.name
        self._retry_at = time.monotonic() + self._retry
        self._retry = min(RETRY_LAST, 2 * self._retry)
        if keeper is not None:
            with contextlib.suppress(OSError, Unusable):
                self._files_read += keeper.files_read
                keeper.build.close()
        self._refuse(reason(error))

    def _refuse(self, message: str | None) -> None:
        if message == self._publisher.refusal:
            return
        self._publisher.refusal = message
        if message is not None:
            log.warning("the index cannot be kept at present: %s", message)
        self._tell(Event.REFUSAL, {"message": message})
        self._publish()

    # Watching

    def _look_at_watcher(self) -> None:
        self._everything = self._watching.revive() or self._everything
        status = self._watching.status
        if self._publisher.last is not None and (self._publisher.last.watcher, self._publisher.last.watcher_reason) != (
            status.state,
            status.reason,
        ):
            self._next_reconcile = min(self._next_reconcile, time.monotonic() + self._interval())
            self._publish()

    def _interval(self) -> float:
        watching = self._watching.status.state is WatcherState.WATCHING
        return self._settings.reconcile_seconds / (1 if watching else 10)

    # What goes out

    def _publish(self) -> None:
        keeper = self._keeper
        if keeper is None:
            self._publisher.repeat()
            return
        self._publisher.publish(
            keeper,
            self._state,
            self._watching.status,
            self._files_read + self._vectors.texts.files_read,
            self._vectors.status,
        )
