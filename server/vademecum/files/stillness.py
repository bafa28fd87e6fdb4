"""Whether nothing in a folder has changed since one looked, as the kernel says: what saves looking at each file.

Linux notes every change of a watched folder before the call that made it returns, so no note means no change, up to
this very moment; there is no delay as with watchers that are told some time later. It knows nothing of changes that
come around it: on disks of other machines, through links to files elsewhere, under another name of the same file, or
through mapped memory, as no editor writes. Only folders on file systems of this machine are watched; whoever asks
leaves alone those that hold links. Elsewhere (macOS, Windows, WSL's own drives, network disks) each file is looked at.
"""

import ctypes
import logging
import os
import struct
import sys
import threading
import weakref
from pathlib import Path
from typing import Self

log = logging.getLogger(__name__)

#: File systems whose every change goes through this kernel.
LOCAL = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "f2fs", "zfs", "bcachefs", "overlay"})

# From <sys/inotify.h>: content and attributes changed, closed after writing, names moved, made and removed, and the
# same of the folder itself; only a folder may be watched; a queue was full; a watch ended.
_CHANGES = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
_ONLY_FOLDERS = 0x01000000
_OVERFLOW = 0x4000
_ENDED = 0x8000
_EVENT = struct.Struct("iIII")


class Stillness:
    """A folder under watch. Safe from every thread."""

    def __init__(self, notes: "_Notes", number: int, folder: Path, found: tuple[int, int]) -> None:
        self._notes = notes
        self._number = number
        self._folder = folder
        self._found = found
        weakref.finalize(self, notes.forget, number)

    @classmethod
    def of(cls, folder: Path) -> Self | None:
        """Watch a folder from now on; None where changes of it would not all be seen."""
        if not sys.platform.startswith("linux") or _file_system(folder) not in LOCAL:
            return None
        found = identity(folder)
        notes = _notes()
        number = notes.watch(folder) if notes is not None and found is not None else None
        if notes is None or found is None or number is None:
            return None
        still = cls(notes, number, folder, found)
        return still if identity(folder) == found else None

    def count(self) -> int | None:
        """How many times something changed; None when that is not known any more, as another folder is there now. Equal
        counts mean that nothing has changed between."""
        return self._notes.count(self._number) if identity(self._folder) == self._found else None


class _Notes:
    """The one inotify instance of this process: a user may have few."""

    def __init__(self, library: ctypes.CDLL, descriptor: int) -> None:
        self._library = library
        self._descriptor = descriptor
        self._guard = threading.RLock()  # a folder may be let go by the collector in the middle of anything
        self._counts: dict[int, int] = {}
        self._users: dict[int, int] = {}

    def watch(self, folder: Path) -> int | None:
        with self._guard:
            number = int(
                self._library.inotify_add_watch(self._descriptor, os.fsencode(folder), _CHANGES | _ONLY_FOLDERS)
            )
            if number < 0:
                log.debug("%s cannot be watched: %s", folder, os.strerror(ctypes.get_errno()))
                return None
            self._counts.setdefault(number, 0)
            self._users[number] = self._users.get(number, 0) + 1
            return number

    def forget(self, number: int) -> None:
        with self._guard:
            self._users[number] -= 1
            if not self._users[number]:
                del self._users[number]
                if self._counts.pop(number, None) is not None:
                    self._library.inotify_rm_watch(self._descriptor, number)

    def count(self, number: int) -> int | None:
        with self._guard:
            while True:
                try:
                    data = os.read(self._descriptor, 65_536)
                except BlockingIOError:
                    return self._counts.get(number)
                except OSError as error:
                    log.warning("changes of folders are not told any more: %s", error)
                    self._counts.clear()
                    return None
                self._take(data)

    def _take(self, data: bytes) -> None:
        start = 0
        while start < len(data):
            number, mask, _, length = _EVENT.unpack_from(data, start)
            start += _EVENT.size + length
            if mask & _OVERFLOW:
                self._all_changed()
            elif mask & _ENDED:
                self._counts.pop(number, None)
            elif number in self._counts:
                self._counts[number] += 1

    def _all_changed(self) -> None:
        for number in list(self._counts):
            self._counts[number] += 1


_made: list[_Notes | None] = []
_making = threading.Lock()


def _notes() -> _Notes | None:
    with _making:
        if not _made:
            _made.append(_begin())
        return _made[0]


def _begin() -> _Notes | None:
    try:
        library = ctypes.CDLL(None, use_errno=True)
        descriptor = int(library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
    except (OSError, AttributeError):
        return None
    return _Notes(library, descriptor) if descriptor >= 0 else None


def identity(folder: Path) -> tuple[int, int] | None:
    """What tells a folder from another one that takes its place; None when there is none."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _file_system(folder: Path) -> str | None:
    """The kind of file system that a folder lies on, by the number of its device."""
    try:
        device = folder.stat().st_dev
        wanted = f"{os.major(device)}:{os.minor(device)}"
        lines = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    for line in lines:
        mount, _, rest = line.partition(" - ")
        parts = mount.split()
        if len(parts) > 2 and parts[2] == wanted and rest:
            return rest.split()[0]
    return None
