"""One folder of documents: the user's own, or one that a team shares. What lies in it is the truth.

A document is `<name>.md`; a newer revision that waits for review while it is served is `pending/<name>.md`. Whoever
writes holds the folder's lock, and puts every file there whole, so that readers need none.
"""

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import attrs
from attrs import frozen

from vademecum.errors import ErrorKind, VademecumError
from vademecum.files import disks, durable
from vademecum.files.beneath import open_beneath
from vademecum.files.content import Refused, Stamp
from vademecum.knowledge.record import Head, NotADocument, parse, render, written
from vademecum.knowledge.types import LARGEST_DOCUMENT, Owner
from vademecum.work import Cancel

T = TypeVar("T")

PENDING = "pending"
LOCK_NAME = ".vademecum.lock"

LOCK_SECONDS = 15.0
"""How long a writer waits for another one. An import of a large folder holds the lock for some seconds."""

LOOK_SECONDS = 1.0
"""How long it may take until a file is noticed that somebody changed where it lies, as some text editors do."""

_POLL_SECONDS = 0.01
_LARGEST_FILE = LARGEST_DOCUMENT + 64 * 1024
_SUFFIX = ".md"
# A file changed this shortly before it was read may change again within one tick of the file system's clock.
_RACY_NANOSECONDS = 60_000_000
_RACY_WHOLE_SECONDS = 2_100_000_000


@frozen
class Volume:
    """A document as it lies on the shelf. `pending` is the newer revision beside it."""

    name: str
    head: Head
    pending: Head | None = None


@frozen
class Flaw:
    """A file that is no document, and why."""

    name: str
    reason: str


@frozen
class _Seen:
    stamp: Stamp
    read_at: int
    result: Head | Flaw

    def holds(self, stamp: Stamp) -> bool:
        window = _RACY_NANOSECONDS if stamp.mtime_ns % 1_000_000_000 else _RACY_WHOLE_SECONDS
        return self.stamp == stamp and max(stamp.mtime_ns, stamp.ctime_ns) + window < self.read_at


_NOTHING = Flaw("", "")


class Shelf:
    """The documents in a folder. Safe to use from several threads, and beside other processes and machines."""

    def __init__(self, owner: Owner, folder: Path) -> None:
        self.owner = owner
        self.folder = folder
        self._guard = threading.Lock()
        self._writers = threading.Lock()
        self._seen: dict[str, _Seen] = {}
        self._volumes: tuple[Volume, ...] | None = None
        self._looked: tuple[tuple[Stamp | None, ...], int, float] | None = None
        self._may_write: tuple[bool, float] | None = None
        self.flaws: tuple[Flaw, ...] = ()
        self.is_silent = False  # whether the disk of a shared folder did not answer when it was looked at last

    @property
    def writable(self) -> bool:
        """Whether this user may write here, as far as the system tells; of a shared folder as it was `LOOK_SECONDS` ago
        at most.
        """
        if self._private:
            return self._is_writable()
        known = self._may_write
        if known is None or not 0 <= time.monotonic() - known[1] < LOOK_SECONDS:
            known = self._may_write = (self._ask(lambda _: self._is_writable(), False), time.monotonic())
        return known[0]

    def _is_writable(self) -> bool:
        folder = self.folder
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        return os.access(folder, os.W_OK)

    def _ask(self, function: Callable[[Cancel], T], otherwise: T) -> T:
        """What the folder's disk says; `otherwise` where it is a shared one that does not answer."""
        if self._private:  # it lies with everything else that this process needs
            return function(Cancel())
        try:
            told = disks.look(self.folder, function)
        except disks.NoAnswer:
            self.is_silent = True
            return otherwise
        self.is_silent = False
        return told

    def fault(self) -> str | None:
        """Why nothing here can be read, as the end of a sentence that begins with the folder; None when it can.

        The user's own folder is made when it is needed; a shared one must be there.
        """
        silence: str | None = f"does not answer within {disks.SECONDS:.0f} seconds"
        return self._ask(lambda _: self._fault(), silence)

    def _fault(self) -> str | None:
        try:
            with os.scandir(self.folder):
                return None
        except FileNotFoundError:
            return None if self._private else "is not there"
        except NotADirectoryError:
            return "is no folder"
        except OSError as error:
            return f"cannot be read: {error.strerror or error}"

    def volumes(self) -> tuple[Volume, ...]:
        """Return what lies on the shelf now, by name; the same tuple while nothing changes. Only changes are read.

        Whatever is put there or taken away whole, as every writer here does, is seen at once. A file that is changed
        where it lies is seen `LOOK_SECONDS` later at most. Nothing lies on a shelf whose disk does not answer.
        """
        return self._ask(self._all, ())

    def _all(self, alive: Cancel) -> tuple[Volume, ...]:
        with self._guard:
            now = time.time_ns()
            folders = tuple(self._folder_stamp(folder) for folder in ("", PENDING))
            if self._volumes is not None and self._is_fresh(folders, now):
                return self._volumes
            self._looked = (folders, now, time.monotonic())
            seen: dict[str, _Seen] = {}
            for folder in ("", f"{PENDING}/"):
                for name, stamp in self._stamps(folder):
                    alive.check()
                    old = self._seen.get(name)
                    if old is not None and old.holds(stamp):
                        seen[name] = old
                        continue
                    read_at = time.time_ns()
                    result = self._look(name, stamp)
                    same = old is not None and old.result == result
                    seen[name] = _Seen(stamp, read_at, old.result if old is not None and same else result)
            if self._volumes is not None and _results(seen) == _results(self._seen):
                self._seen = seen
                return self._volumes
            self._seen = seen
            heads = {name: each.result for name, each in seen.items() if isinstance(each.result, Head)}
            self.flaws = tuple(each.result for each in seen.values() if isinstance(each.result, Flaw))
            found = []
            for name, head in sorted(heads.items()):
                if not name.startswith(f"{PENDING}/"):
                    beside = heads.get(f"{PENDING}/{name}")
                    found.append(Volume(name, head, beside if beside is not None and _is_newer(beside, head) else None))
            self._volumes = tuple(found)
            return self._volumes

    def text(self, name: str, revision: str) -> str | None:
        """Return the text of a file, or None when it has another revision by now, or is gone."""
        read = self._ask(lambda _: self._read(name), None)
        if read is None:
            return None
        try:
            head, text = parse(read, _stem(name))
        except NotADocument:
            return None
        return text if head.revision == revision else None

    def path(self, name: str) -> Path:
        """Return the path of a file."""
        return self.folder / name

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the shelf's lock, among threads, processes and machines.

        :raises VademecumError: `busy` when another writer does not let go in time; `storeUnreadable` when the folder
            cannot be written by this user, or its disk does not answer.
        """
        from filelock import FileLock, Timeout  # slow to import, and not needed to read

        if not self._private and not disks.answers(self.folder):
            raise disks.NoAnswer
        deadline = time.monotonic() + LOCK_SECONDS
        if not self._writers.acquire(timeout=LOCK_SECONDS):
            raise _busy()
        try:
            try:
                if self._private:
                    durable.make_folder(self.folder, private=True)
                elif not self.folder.is_dir():  # a drive that is not there must not be made up
                    raise VademecumError(ErrorKind.STORE_UNREADABLE, "The shared folder is not there.")
                new = not os.path.lexists(self.folder / LOCK_NAME)
                lock = FileLock(self.folder / LOCK_NAME, mode=self._mode(), thread_local=False)
                lock.acquire(timeout=max(0.0, deadline - time.monotonic()), poll_interval=_POLL_SECONDS)
            except Timeout:
                raise _busy() from None
            except OSError as error:
                raise self._refused(error) from error
            try:
                if new:  # of what is there already, only its owner decides the mode
                    self._share(self.folder / LOCK_NAME)
                self._refuse_link()
                durable.sweep(self.folder)
                durable.sweep(self.folder / PENDING)
                with self._guard:
                    self._looked = None  # whoever writes must know what is there now
                yield
            except OSError as error:
                raise self._refused(error) from error
            finally:
                lock.release()
        finally:
            self._writers.release()

    def put(self, name: str, head: Head, text: str) -> None:
        """Write a document, or with a name in `pending/` a revision; the lock must be held."""
        path = self.folder / name
        before = self._read(name)
        durable.make_folder(path.parent, private=self._private)
        durable.write(path, render(head, text, before), private=self._private)
        if before is None:
            self._share(path)

    def drop(self, name: str) -> None:
        """Remove a file; the lock must be held. Nothing happens when it is not there."""
        path = self.folder / name
        if path.parent.is_dir():
            durable.remove(path)
        if path.parent != self.folder:
            with suppress(OSError):  # others wait for review
                path.parent.rmdir()

    def free_name(self, slug: str, id: str) -> str:
        """Return a name that no file has; the lock must be held."""
        for end in (id[:8], id):
            name = f"{slug}-{end}{_SUFFIX}"
            if not os.path.lexists(self.folder / name):
                return name
        raise VademecumError(ErrorKind.CONFLICT, f"There is a file {name} already; try again.")

    def forget(self) -> None:
        """Drop what earlier looks have read."""
        with self._guard:
            self._seen = {}
            self._volumes = None
            self._looked = None

    def _refuse_link(self) -> None:
        """Refuse to write where `pending` leads elsewhere: whoever shares a folder, or a repository that is one, could
        have files of this user's changed and removed by it.
        """
        if (self.folder / PENDING).is_symlink():
            raise VademecumError(
                ErrorKind.STORE_UNREADABLE,
                f"`{PENDING}` in the folder of documents is a link. Remove it; it has to be a folder.",
            )

    @property
    def _private(self) -> bool:
        return self.owner is Owner.PERSONAL

    def _mode(self) -> int:
        """Of a new file: the user's alone, or in a shared folder open to whom the folder is open."""
        return 0o600 if self._private else stat.S_IMODE(self.folder.stat().st_mode) & 0o666 | 0o600

    def _share(self, path: Path) -> None:
        if not self._private:
            with suppress(OSError):  # somebody else's file, which has its mode already
                path.chmod(self._mode())
                if path.parent != self.folder:
                    path.parent.chmod(stat.S_IMODE(self.folder.stat().st_mode))

    def _folder_stamp(self, folder: str) -> Stamp | None:
        try:
            return Stamp.of((self.folder / folder).stat())
        except OSError:
            return None

    def _is_fresh(self, folders: tuple[Stamp | None, ...], now: int) -> bool:
        if self._looked is None or self._looked[0] != folders:
            return False
        _, looked, at = self._looked
        if not 0 <= time.monotonic() - at < LOOK_SECONDS:
            return False
        # What happened within one tick of the clock after the look leaves the same stamp.
        return all(stamp is None or _Seen(stamp, looked, _NOTHING).holds(stamp) for stamp in folders)

    def _stamps(self, folder: str) -> list[tuple[str, Stamp]]:
        found = []
        try:
            with os.scandir(self.folder / folder) as entries:
                for entry in entries:
                    if entry.name.lower().endswith(_SUFFIX) and not entry.name.startswith("."):
                        with suppress(OSError):
                            found.append((folder + entry.name, Stamp.of(entry.stat(follow_symlinks=False))))
        except OSError:
            return []
        return found

    def _look(self, name: str, stamp: Stamp) -> Head | Flaw:
        data = self._read(name)
        if data is None:
            return Flaw(name, "it cannot be read")
        try:
            head = parse(data, _stem(name))[0]
            changed = datetime.fromtimestamp(stamp.mtime_ns / 1e9, UTC)
            return head if head.updated else attrs.evolve(head, updated=written(changed))
        except NotADocument as error:
            return Flaw(name, str(error))

    def _read(self, name: str) -> bytes | None:
        opened = open_beneath(self.folder, name)
        if isinstance(opened, Refused):
            return None
        with os.fdopen(opened, "rb") as file:
            status = os.fstat(opened)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_FILE:
                return None
            try:
                return file.read(_LARGEST_FILE)
            except OSError:
                return None

    def _refused(self, error: OSError) -> VademecumError:
        what = "folder of documents" if self._private else "shared folder"
        why = error.strerror or str(error)
        return VademecumError(ErrorKind.STORE_UNREADABLE, f"The {what} cannot be written by you: {why}.")


def _results(seen: Mapping[str, _Seen]) -> list[tuple[str, int]]:
    return [(name, id(each.result)) for name, each in seen.items()]


def _is_newer(beside: Head, head: Head) -> bool:
    """Whether a file in `pending/` is what waits. One that a writer was killed over is as old as the document or older,
    since every revision is dated after the one before it, whatever the clock says.
    """
    return beside.revision != head.revision and beside.updated > head.updated


def _stem(name: str) -> str:
    return name.rpartition("/")[2][: -len(_SUFFIX)]


def _busy() -> VademecumError:
    return VademecumError(
        ErrorKind.BUSY, f"Another program has been writing documents for {LOCK_SECONDS:.0f} seconds; try again."
    )
