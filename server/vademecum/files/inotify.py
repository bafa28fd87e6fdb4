"""Linux: watching folders one by one through a single inotify descriptor.

Watchdog reads and decodes the kernel's events; which folders are watched is ours to say, since its own recursive watch
has no way to leave out `node_modules`, and its other way is a thread for every folder.
"""

import ctypes
import errno
import os
import queue
from collections.abc import Callable, Iterator

from watchdog.observers.inotify_c import (
    InotifyConstants,
    InotifyEvent,
    InotifyFD,
    inotify_add_watch,
    inotify_rm_watch,
)

from vademecum.files.events import CannotWatch, Event, EventKind

_MASK = (
    InotifyConstants.IN_MODIFY
    | InotifyConstants.IN_CLOSE_WRITE
    | InotifyConstants.IN_ATTRIB
    | InotifyConstants.IN_CREATE
    | InotifyConstants.IN_DELETE
    | InotifyConstants.IN_MOVED_FROM
    | InotifyConstants.IN_MOVED_TO
    | InotifyConstants.IN_DELETE_SELF
    | InotifyConstants.IN_ONLYDIR
    | InotifyConstants.IN_DONT_FOLLOW
    | InotifyConstants.IN_EXCL_UNLINK
)

#: So many events are handed over in one go, so that the receiver can keep its own time in a storm of them.
_MOST_AT_ONCE = 2_000


class _Reader(InotifyFD):
    """The thread that reads the descriptor and hands every event on."""

    def __init__(self, sink: Callable[[InotifyEvent], None]) -> None:
        super().__init__()
        self.name = "inotify-reader"
        self._sink = sink

    def handle_event(self, event: InotifyEvent) -> None:
        """Hand the event on instead of looking for a callback."""
        self._sink(event)

    def watch(self, path: bytes) -> int:
        """Watch a folder and return the watch's number, which is the same for the same folder."""
        number = inotify_add_watch(self._inotify_fd, path, _MASK)
        if number == -1:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        return number

    def unwatch(self, number: int) -> None:
        """Stop watching; a watch that is gone by itself is no error."""
        inotify_rm_watch(self._inotify_fd, number)  # type: ignore[arg-type]


class InotifySource:
    """Events of single folders. All methods but `stop` are called by one thread."""

    recursive = False

    def __init__(self) -> None:
        self._raw: queue.SimpleQueue[InotifyEvent | None] = queue.SimpleQueue()
        self._reader: _Reader | None = None
        self._paths: dict[int, str] = {}
        self._numbers: dict[str, int] = {}

    def start(self) -> None:
        """Open the descriptor and start reading it.

        :raises CannotWatch: when the user has no inotify instance left.
        """
        try:
            self._reader = _Reader(self._raw.put)
        except OSError as error:
            raise _limit(error) from error
        self._reader.start()

    def stop(self) -> None:
        """Close the descriptor and wake whoever waits for events."""
        reader = self._reader
        if reader is not None:
            reader.stop()
            reader.join(timeout=5)
        self._raw.put(None)

    def alive(self) -> bool:
        """Whether events are being read."""
        return self._reader is not None and self._reader.is_alive()

    def watched(self) -> frozenset[str]:
        """Return the absolute folders that are watched."""
        return frozenset(self._numbers)

    def add(self, folder: str) -> bool:
        """Watch one absolute folder, not what is below it; a folder that is gone or closed to us is left out.

        Return whether this very folder was not watched yet; another one in its old place is not the same.

        :raises CannotWatch: when the user has no inotify watch left.
        """
        assert self._reader is not None
        try:
            number = self._reader.watch(os.fsencode(folder))
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.ENOMEM):
                raise _limit(error) from error
            return False
        before = self._paths.get(number)
        if before is not None and before != folder:
            self._numbers.pop(before, None)
        replaced = self._numbers.get(folder)
        if replaced == number:
            return False
        if replaced is not None:
            self._paths.pop(replaced, None)
            self._reader.unwatch(replaced)
        self._paths[number] = folder
        self._numbers[folder] = number
        return True

    def drop(self, folder: str) -> None:
        """Stop watching an absolute folder and all below it."""
        assert self._reader is not None
        below = folder + "/"
        for path in [path for path in self._numbers if path == folder or path.startswith(below)]:
            number = self._numbers.pop(path)
            if self._paths.get(number) == path:
                del self._paths[number]
                self._reader.unwatch(number)

    def events(self, timeout: float) -> Iterator[Event]:
        """Yield what happened, waiting at most `timeout` seconds for the first; each is resolved when it is asked for.

        A folder that an earlier event made the caller add or drop is therefore known when the next one is read.
        """
        try:
            raw = self._raw.get(timeout=max(timeout, 0.0))
            for _ in range(_MOST_AT_ONCE):
                if raw is None:
                    return
                event = self._resolve(raw)
                if event is not None:
                    yield event
                raw = self._raw.get_nowait()
        except queue.Empty:
            return

    def _resolve(self, raw: InotifyEvent) -> Event | None:
        if raw.is_queue_overflow:
            return Event("", EventKind.LOST)
        folder = self._paths.get(raw.wd)
        if raw.is_ignored or raw.is_delete_self:
            if folder is None:
                return None
            del self._paths[raw.wd]
            self._numbers.pop(folder, None)
            return Event(folder, EventKind.FOLDER_GONE)
        if folder is None or not raw.name:
            return None
        path = f"{folder}/{os.fsdecode(raw.name)}"
        if not raw.mask & InotifyConstants.IN_ISDIR:
            return Event(path, EventKind.FILE)
        if raw.is_create or raw.is_moved_to:
            return Event(path, EventKind.FOLDER_HERE)
        if raw.is_delete or raw.is_moved_from:
            return Event(path, EventKind.FOLDER_GONE)
        return Event(path, EventKind.FOLDER_TOUCHED)


def _limit(error: OSError) -> CannotWatch:
    if error.errno == errno.EMFILE:
        return CannotWatch(
            "the limit of inotify instances is reached; raise fs.inotify.max_user_instances (sysctl) or close programs"
        )
    return CannotWatch(
        "the limit of inotify watches is reached; raise fs.inotify.max_user_watches (sysctl), "
        "or leave folders out with .vademecumignore"
    )
