"""One writer of a store at a time, among all threads and all processes of this user."""

import hashlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from vademecum.errors import ErrorKind, VademecumError
from vademecum.files.durable import make_folder

#: How long a writer waits for another one, in seconds. A write takes some milliseconds; the longest holder is a purge.
WAIT_SECONDS = 15.0

#: How often a held lock is tried again, in seconds: about the time that one write takes.
_POLL_SECONDS = 0.004

_threads: dict[str, threading.Lock] = {}
_threads_guard = threading.Lock()


@contextmanager
def hold(home: Path, *stores: Path, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the locks of `stores` (their folders or files), always taken in the same order so that none wait in a ring.

    The lock files lie in the home, not beside the stores, so that a shared store is not littered in git.

    :param wait: for how long another writer is waited for, in seconds.
    :raises VademecumError: `busy` when another writer does not let go within `wait`; `storeUnreadable` when the
        file system refuses.
    """
    from filelock import FileLock, Timeout  # slow to import, and not needed to read

    folder = home / "locks"
    try:
        make_folder(folder, private=True)
    except OSError as error:
        raise VademecumError(
            ErrorKind.STORE_UNREADABLE, f"The memory folder cannot be written: {error.strerror or error}."
        ) from error
    names = sorted({_name(store) for store in stores})
    deadline = time.monotonic() + wait
    with ExitStack() as held:
        for name in names:
            path = folder / f"{name}.lock"
            own = _thread_lock(str(path))
            # Threads queue here rather than at the file, which can only be polled.
            if not own.acquire(timeout=max(0.0, deadline - time.monotonic())):
                raise _busy()
            held.callback(own.release)
            lock = FileLock(path, mode=0o600, thread_local=False)
            try:
                lock.acquire(timeout=max(0.0, deadline - time.monotonic()), poll_interval=_POLL_SECONDS)
            except Timeout:
                raise _busy() from None
            except OSError as error:
                raise VademecumError(
                    ErrorKind.STORE_UNREADABLE, f"The memory folder cannot be locked: {error.strerror or error}."
                ) from error
            held.callback(lock.release)
        yield


def _thread_lock(path: str) -> threading.Lock:
    with _threads_guard:
        return _threads.setdefault(path, threading.Lock())


def _busy() -> VademecumError:
    return VademecumError(
        ErrorKind.BUSY, f"Another program has been writing memories for {WAIT_SECONDS:.0f} seconds; try again."
    )


def _name(store: Path) -> str:
    # By its real path: the home may be reached through a link by one program and directly by another.
    return hashlib.sha256(os.path.realpath(store).encode("utf-8", "surrogateescape")).hexdigest()[:24]
