"""Starts indexers; the first of a server ahead of its first folder, which then waits neither for it nor its libraries.

Nothing heavy is imported here: a server starts its spare indexer before it loads what it needs itself.
"""

import contextlib
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

from vademecum.files.durable import make_folder

log = logging.getLogger(__name__)

PATIENCE = 30.0
"""Seconds a spare indexer waits for a folder: clients name theirs when they start a server, or soon after."""

NICENESS = 5
"""How far below the editor's own work indexing ranks (POSIX niceness)."""


def spawn(folder: Path) -> subprocess.Popen[bytes]:
    """Start an indexer, with pipes for its input and output. Everything else on the machine goes first, and
    it logs no more than this process does.

    :param folder: its working directory, inside our cache: never the workspace, whose files must not become modules.
    :raises OSError: when the system refuses.
    """
    level = max(logging.WARNING, logging.getLogger().getEffectiveLevel())
    process = subprocess.Popen(
        # -P: nothing is imported from the working directory. -W: an indexer ends at once, in the middle of
        # anything, and what then looks after its helpers' semaphores need not say that it tidied up.
        [sys.executable, "-P", "-W", "ignore:resource_tracker", "-m", "vademecum.search.indexer", str(level)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=folder,
        # Ctrl-C is for whoever started it, who ends it; in their group it would tell of the interrupt, too, with a
        # traceback. A group, no session: where Linux groups processes by session, niceness counts within one alone.
        process_group=0 if sys.platform != "win32" else None,
        creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)  # of Windows
        | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )
    if sys.platform != "win32":
        # From here, so that what it loads waits, too, while a server loads what it answers `initialize` with. Its
        # helpers inherit it.
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)
    return process


class Spare:
    """One indexer that is started ahead and waits to be begun. May be used from every thread.

    It belongs to this object until it is taken. It ends by itself when its input does, so with this process, however
    that ends.

    :param cache: this product's cache folder; its working directory.
    :param patience: seconds after which one that nobody took is ended.
    """

    def __init__(self, cache: Path, patience: float = PATIENCE) -> None:
        self._cache = cache
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._clock = threading.Timer(patience, self.close)
        self._clock.daemon = True

    @property
    def pid(self) -> int | None:
        """The waiting indexer's process id; None when there is none, or when it was taken."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    def start(self) -> None:
        """Start the indexer, once. Where that cannot be done there is none to be taken, and nothing else is lost."""
        try:
            make_folder(self._cache, private=True)
            process = spawn(self._cache)
        except OSError as error:
            log.info("no indexer could be started ahead: %s", error.strerror or error)
            return
        with self._lock:
            self._process = process
        self._clock.start()

    def take(self) -> subprocess.Popen[bytes] | None:
        """Hand the waiting indexer over, to be begun and ended by whoever takes it; None when there is none."""
        with self._lock:
            process, self._process = self._process, None
        self._clock.cancel()
        if process is not None and process.poll() is not None:
            log.info("the indexer that was started ahead has ended")
            _end(process)
            return None
        return process

    def close(self) -> None:
        """End the indexer unless it was taken; returns at once."""
        with self._lock:
            process, self._process = self._process, None
        self._clock.cancel()
        if process is not None:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    # It has not begun anything that would have to be tidied up.
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
