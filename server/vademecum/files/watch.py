"""Watching a workspace: what changed, in batches, for as long as it is open.

Only folders that the walk keeps are watched. A burst of changes becomes one batch: it is handed on when nothing has
happened for `QUIET_SECONDS` (`FEW_QUIET_SECONDS` when it is only a save), at the latest `LONGEST_SECONDS` after its
first change, and while git holds its index lock (a checkout or a rebase is under way) it waits up to `GIT_SECONDS`, so
that a branch switch is one batch.

A batch is a hint where to look, not a record: whoever receives it reads the disk. What a batch cannot tell precisely
(events lost, ignore rules changed, watching not possible) it says with `rescan`.
"""

import logging
import os
import platform
import threading
import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import PurePosixPath

from attrs import frozen

from vademecum.files.events import CannotWatch, Event, EventKind, Source
from vademecum.files.folders import descend, kept, tracked_though_ignored
from vademecum.files.gate import Gate
from vademecum.files.mounts import remote_file_system
from vademecum.files.own_rules import FOREIGN_FILES, IGNORE_FILE
from vademecum.files.stillness import identity
from vademecum.work import Cancel, Cancelled

_log = logging.getLogger(__name__)

QUIET_SECONDS = 0.06
#: The same while no more than `FEW` files are concerned: somebody saves, and waits to find what was saved.
FEW_QUIET_SECONDS = 0.02
FEW = 3
LONGEST_SECONDS = 0.5
GIT_SECONDS = 5.0
#: How often a rescan is asked for while folders cannot be watched, in seconds.
POLL_SECONDS = 30.0
#: A watcher whose thread has not come round for so long is stuck, in seconds.
STUCK_SECONDS = 20.0
_IDLE_SECONDS = 2.0
_GONE = "the opened folder is not there"
_ENDED = "the system's source of events has ended"
_LOCK_SECONDS = 30.0

#: Files that change what is kept: they are looked at in every folder.
_RULE_FILES = frozenset({".gitignore", IGNORE_FILE, *FOREIGN_FILES, ".git", "pyvenv.cfg", "CACHEDIR.TAG"})
_GIT_RULE_FILES = frozenset({"exclude", "config"})


class WatcherState(StrEnum):
    """How changes are noticed."""

    WATCHING = "watching"
    POLLING = "polling"
    FAILED = "failed"


@frozen
class WatcherStatus:
    """How changes are noticed now.

    :param reason: why not by watching, and what to do; None while watching.
    """

    state: WatcherState
    reason: str | None = None


@frozen
class Batch:
    """Changes that belong together. Paths are relative to the gate's `top`.

    :param paths: files that came, went or changed, or are read or not read from now on; refused ones are left out.
    :param folders: folders that went: everything known below them must be looked at again.
    :param rescan: whether the whole workspace must be walked again.
    :param head_moved: whether another commit or branch was checked out.
    """

    paths: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    rescan: bool = False
    head_moved: bool = False


class Watcher:
    """Watches one workspace with one thread of its own and one of the system's source of events.

    :param gate: of the workspace; its remembered verdicts are dropped here when rules change.
    :param on_change: called with every batch in the watcher's thread; it must return soon.
    :param source: where events come from; chosen by system when left out.
    """

    def __init__(
        self,
        gate: Gate,
        on_change: Callable[[Batch], None],
        *,
        source: Source | None = None,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._gate = gate
        self._on_change = on_change
        self._source = source if source is not None else _system_source()
        self._poll_seconds = poll_seconds
        self._top = gate.top.as_posix().rstrip("/")
        self._stop = Cancel()
        self._thread: threading.Thread | None = None
        self._trouble: WatcherStatus | None = None
        self._beat = time.monotonic()
        self._git_folders: dict[str, str] = {}  # absolute git directories (and their info/), and the index lock in each
        self._exceptions: frozenset[str] = frozenset()  # tracked though ignored
        self._exception_folders: set[str] = set()
        self._pending = _Pending()
        self._root = identity(gate.root)

    def start(self, cancel: Cancel | None = None) -> None:
        """Watch every kept folder and begin to report; what changes from the moment this returns is reported.

        Walk after it, or once more after it, to miss nothing. Raises nothing for what the system refuses: see `status`.

        :raises Cancelled: when `cancel` is set meanwhile; nothing is left running.
        """
        try:
            self._begin(cancel or self._stop)
        except Cancelled:
            self._source.stop()
            raise
        except Exception as error:
            _log.exception("the watcher could not start")
            self._trouble = WatcherStatus(WatcherState.FAILED, f"the watcher could not start: {type(error).__name__}")
            return
        self._beat = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; nothing is reported once this returns (unless called from `on_change` itself)."""
        self._stop.set()
        self._source.stop()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=10)

    @property
    def status(self) -> WatcherStatus:
        """How changes are noticed now; finds out by itself when a thread has died or does not come round."""
        if self._trouble is not None:
            return self._trouble
        thread = self._thread
        if thread is None or not thread.is_alive():
            return WatcherStatus(WatcherState.FAILED, "the watcher is not running")
        if not self._source.alive():
            return WatcherStatus(WatcherState.FAILED, _ENDED)
        silent = time.monotonic() - self._beat
        if silent > STUCK_SECONDS:
            return WatcherStatus(WatcherState.FAILED, f"the watcher has not answered for {silent:.0f} seconds")
        return WatcherStatus(WatcherState.WATCHING)

    def watched(self) -> frozenset[str]:
        """Return the absolute folders that are watched."""
        return self._source.watched()

    def _begin(self, cancel: Cancel) -> None:
        """Start the source unless it runs, and place every watch; what cannot be done becomes the trouble."""
        kind = remote_file_system(self._gate.root)
        self._root = identity(self._gate.root)
        try:
            if not self._source.alive():
                self._source.start()
            self._place(cancel)
        except CannotWatch as limit:
            self._trouble = WatcherStatus(WatcherState.POLLING, str(limit))
        else:
            self._trouble = None
            if kind is not None:
                reason = f"on this file system ({kind}) changes made by other machines are not told; it is polled too"
                self._trouble = WatcherStatus(WatcherState.POLLING, reason)

    def _run(self) -> None:
        next_poll = time.monotonic() + self._poll_seconds
        try:
            while not self._stop.is_set:
                self._beat = now = time.monotonic()
                timeout = min(self._pending.due(now, self._git_is_busy()) - now, _IDLE_SECONDS)
                if not self._source.alive():
                    if self._trouble is None:
                        self._trouble = WatcherStatus(WatcherState.FAILED, _ENDED)
                    self._stop.wait(max(min(timeout, 0.1), 0.01))
                if self._trouble is None:
                    next_poll = now + self._poll_seconds
                timeout = min(timeout, next_poll - now)
                for event in self._source.events(timeout):
                    self._handle(event)
                    self._beat = time.monotonic()
                now = time.monotonic()
                if self._trouble is not None and (now >= next_poll or self._is_back()):
                    next_poll = now + self._poll_seconds
                    self._pending.rules = True
                    self._pending.touch(now)
                if identity(self._gate.root) != self._root:  # moved away, which no event tells, or another is there
                    self._pending.rules = True
                    self._pending.touch(now)
                if self._pending.due(now, self._git_is_busy()) <= now:
                    self._flush()
        except Cancelled:
            pass
        except Exception as error:
            _log.exception("the watcher has failed")
            self._trouble = WatcherStatus(WatcherState.FAILED, f"the watcher has failed: {type(error).__name__}")

    def _is_back(self) -> bool:
        """Whether the opened folder, which was gone, is there again."""
        return self._trouble is not None and self._trouble.reason == _GONE and self._gate.root.is_dir()

    def _handle(self, event: Event) -> None:
        pending = self._pending
        if event.kind is EventKind.LOST:
            pending.rules = pending.rescan = True
        elif (where := event.path.rpartition("/")[0]) in self._git_folders:
            name = event.path[len(where) + 1 :]
            pending.head = pending.head or name == "HEAD"
            pending.index = pending.index or name == "index"
            pending.rules = pending.rules or name in _GIT_RULE_FILES
            if name not in ("HEAD", "index") and name not in _GIT_RULE_FILES:
                return
        elif not event.path.startswith(self._top + "/"):
            if event.path != self._top:
                return
            pending.rules = pending.rescan = True  # the workspace itself came or went
        else:
            self._handle_inside(event.path[len(self._top) + 1 :], event.kind)
        pending.touch(time.monotonic())

    def _handle_inside(self, path: str, kind: EventKind) -> None:
        pending = self._pending
        if path.rpartition("/")[2] in _RULE_FILES:
            pending.rules = True
        match kind:
            case EventKind.FOLDER_HERE:
                pending.paths.add(path)  # a folder may stand where a file was
                self._appeared(path)
            case EventKind.FOLDER_GONE:
                self._source.drop(f"{self._top}/{path}")
                pending.folders.add(path)
            case EventKind.FOLDER_TOUCHED:
                if f"{self._top}/{path}" not in self._source.watched():
                    self._appeared(path)  # perhaps it was closed to us until now
            case _:
                pending.paths.add(path)

    def _appeared(self, path: str) -> None:
        """A folder came: watch it and tell of all files in it, unless that was done when a folder above it came."""
        if not kept(self._gate, [path], self._exception_folders):
            return
        try:
            if self._source.add(f"{self._top}/{path}") or self._source.recursive:
                self._pending.paths.update(descend(self._gate, path, self._exceptions, self._stop, self._watch))
        except CannotWatch as limit:
            self._limited(limit)

    def _flush(self) -> None:
        pending, self._pending = self._pending, _Pending()
        if pending.rules:
            self._gate.refresh()
            self._begin(self._stop)
        elif pending.index:
            before = self._exceptions
            self._learn_exceptions()
            for path in before ^ self._exceptions:
                pending.paths.add(path)
                self._watch_above(path)
        batch = Batch(
            frozenset(self._gate.concerned(pending.paths)),
            frozenset(pending.folders),
            pending.rescan or pending.rules,
            pending.head,
        )
        if batch != Batch():
            try:
                self._on_change(batch)
            except Exception:
                _log.exception("a batch of changes was not taken")
        self._beat = time.monotonic()

    def _place(self, cancel: Cancel) -> None:
        """Watch all kept folders, and no others."""
        if not self._gate.root.is_dir():
            raise CannotWatch(_GONE)
        prefix = self._gate.prefix
        wanted: set[str] = set()

        def enter(folder: str) -> None:
            wanted.add(f"{self._top}/{folder}" if folder else self._top)
            self._watch(folder)

        if self._source.recursive:
            self._watch(prefix)
        for end in (index for index, character in enumerate(prefix) if character == "/"):
            self._source.add(f"{self._top}/{prefix[:end]}")
            wanted.add(f"{self._top}/{prefix[:end]}")
        if prefix:
            self._source.add(self._top)
            wanted.add(self._top)
        self._learn_exceptions()
        for _ in descend(self._gate, prefix, self._exceptions, cancel, enter):
            pass
        self._place_git(wanted)
        for folder in self._source.watched() - wanted:
            self._source.drop(folder)

    def _place_git(self, wanted: set[str]) -> None:
        folders: dict[str, str] = {}
        for owner in self._gate.ignores.owners():
            if owner.repository is not None:
                git_dir = owner.repository.git_dir.as_posix()
                folders[git_dir] = f"{git_dir}/index.lock"
                folders[owner.repository.common_dir.as_posix()] = f"{git_dir}/index.lock"
                folders[owner.repository.exclude_file.parent.as_posix()] = f"{git_dir}/index.lock"
        self._git_folders = folders
        for folder in folders:
            wanted.add(folder)
            self._source.add(folder)

    def _watch(self, folder: str) -> None:
        self._source.add(f"{self._top}/{folder}" if folder else self._top)

    def _watch_above(self, path: str) -> None:
        folder = path.rpartition("/")[0]
        while folder and f"{self._top}/{folder}" not in self._source.watched():
            try:
                self._watch(folder)
            except CannotWatch as limit:
                self._limited(limit)
                return
            folder = folder.rpartition("/")[0]

    def _learn_exceptions(self) -> None:
        self._exceptions = tracked_though_ignored(self._gate)
        self._exception_folders = {str(parent) for path in self._exceptions for parent in PurePosixPath(path).parents}

    def _limited(self, limit: CannotWatch) -> None:
        self._trouble = WatcherStatus(WatcherState.POLLING, str(limit))
        self._pending.rescan = True

    def _git_is_busy(self) -> bool:
        if self._pending.first is None:
            return False
        return any(_is_fresh(lock) for lock in set(self._git_folders.values()))


class _Pending:
    """The batch that is being gathered."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.folders: set[str] = set()
        self.rescan = False
        self.rules = False
        self.index = False
        self.head = False
        self.first: float | None = None
        self.last = 0.0

    def touch(self, now: float) -> None:
        """Something happened at `now`."""
        if self.first is None:
            self.first = now
        self.last = now

    def due(self, now: float, git_is_busy: bool) -> float:
        """Return when the batch is to be handed on."""
        if self.first is None:
            return float("inf")
        if git_is_busy:
            return min(now + QUIET_SECONDS, self.first + GIT_SECONDS)
        few = len(self.paths) <= FEW and not (self.folders or self.rescan or self.rules or self.index or self.head)
        return min(self.last + (FEW_QUIET_SECONDS if few else QUIET_SECONDS), self.first + LONGEST_SECONDS)


def _is_fresh(lock: str) -> bool:
    """Whether git has just taken this lock; one that is older was left by a git that was killed."""
    try:
        return abs(time.time() - os.lstat(lock).st_mtime) < _LOCK_SECONDS
    except OSError:
        return False


def _system_source() -> Source:
    # Imported here, since each module loads only where the system has what it needs.
    if platform.system() == "Linux":
        from vademecum.files.inotify import InotifySource

        return InotifySource()
    from vademecum.files.native import NativeSource

    return NativeSource()
