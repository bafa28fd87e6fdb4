"""Processes that cut and tokenise many files at once, for the first index of a large folder."""

import contextlib
import importlib.metadata
import logging
import multiprocessing
import multiprocessing.connection
import os
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from vademecum.search.entry import Entry, make
from vademecum.search.spare import NICENESS

log = logging.getLogger(__name__)

MAX_WORKERS = 8
"""More processes than this wait for the one that writes."""

UNPACK_SECONDS = 3_600.0
"""Nobody unpacks one grammar for so long, however slow the disk."""

Job = tuple[str, bytes]
"""A file's path and content."""


class Workers:
    """A pool of processes, started with the first batch and ended by `close`.

    :param count: how many.
    :param target: lines a chunk aims at.
    :param grammars: where compiled grammars are kept.
    """

    def __init__(self, count: int, target: int, grammars: str) -> None:
        self.count = count
        self._target = target
        # Not fork: this process has threads and holds a lock on the index that a forked child would hold on to.
        self._pool = ProcessPoolExecutor(
            count,
            multiprocessing.get_context("spawn"),
            initializer=_begin,
            initargs=(grammars, logging.getLogger().getEffectiveLevel()),
        )

    def submit(self, jobs: Sequence[Job]) -> Future[list[Entry]]:
        """Have a batch of files made into entries.

        The future raises BrokenProcessPool when a worker died, be it by one of these files.
        """
        return self._pool.submit(_work, list(jobs), self._target)

    def close(self) -> None:
        """End the processes; what is not done yet is dropped."""
        self._pool.shutdown(wait=False, cancel_futures=True)


Broken = BrokenProcessPool
"""What a batch raises when its worker died."""


def worker_count(setting: int) -> int:
    """How many workers to use for a setting; 0 means one for each processor that this process does not use itself."""
    return setting or max(1, min(MAX_WORKERS, (os.cpu_count() or 2) - 1))


def lower_thread_priority() -> None:
    """Let the rest of this process go first, too, where a thread has a priority of its own; those that it starts
    inherit it."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 2 * NICENESS)


def log_from(level: int) -> None:
    """Log to standard error what is at least of this level."""
    logging.basicConfig(stream=sys.stderr, level=level, format="%(levelname)s %(name)s: %(message)s")


def use_grammars(folder: str) -> Path:
    """Have compiled grammars kept in our cache rather than in a folder of the user's that is not ours.

    A folder a release, since the library takes whatever it finds in one that it is told of.

    :return: that folder.
    """
    mine = Path(folder, importlib.metadata.version("semble-grammars"))
    os.environ["SEMBLE_GRAMMARS_CACHE_DIR"] = str(mine)
    return mine


def sweep(grammars: Path) -> None:
    """Remove what processes that were killed while they unpacked a grammar have left; what is young is being made."""
    old = time.time() - UNPACK_SECONDS
    with contextlib.suppress(OSError):
        for file in grammars.glob(".*"):
            with contextlib.suppress(OSError):
                if file.lstat().st_mtime < old:
                    file.unlink()


def _begin(grammars: str, level: int) -> None:
    log_from(level)
    # Its parent's priority is low, and children inherit that.
    use_grammars(grammars)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True, name="parent-watch").start()


def _end_with(sentinel: int) -> None:
    """A killed parent cannot end its pool; without this its workers would wait for work for ever."""
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


def _work(jobs: list[Job], target: int) -> list[Entry]:
    return [make(path, data, target) for path, data in jobs]
