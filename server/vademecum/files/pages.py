"""Files of ours that show something in an editor for a while: pages of Markdown, gone when they are of no more use.

They hold what is remembered and what was found, so they are this user's alone, and whoever removes something for good
removes them with it. Each process has a folder of its own within one that all share.
"""

import logging
import os
import shutil
import threading
import time
from pathlib import Path

import psutil

logger = logging.getLogger(__name__)

MOST_PAGES = 20
"""Pages that one process keeps; the oldest makes room."""

KEPT_SECONDS = 7 * 24 * 3600
"""Age of a folder that is removed whatever process seems to own it: numbers of processes are used again."""


FOLDER = "pages"
"""Below the cache folder."""


class Pages:
    """The pages of this process, and of others as far as they are to be removed. May be used from every thread.

    :param cache: this product's cache folder.
    """

    def __init__(self, cache: Path) -> None:
        self._shared = cache / FOLDER
        self._own = self._shared / str(os.getpid())
        self._lock = threading.Lock()
        self._count = 0
        self._written: list[Path] = []

    def write(self, name: str, text: str) -> Path:
        """Write a page and return its path, whose last part begins with `name` (letters, digits and hyphens).

        :raises OSError: when it cannot be written.
        """
        with self._lock:
            self._own.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._count += 1
            path = self._own / f"{name}-{self._count}.md"
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="\n") as file:
                file.write(text)
            self._written.append(path)
            while len(self._written) > MOST_PAGES:
                self._written.pop(0).unlink(missing_ok=True)
            return path

    def sweep(self) -> None:
        """Remove what processes left that are gone."""
        for folder in self._folders():
            if folder != self._own and not _is_in_use(folder):
                _remove(folder)

    def forget(self) -> None:
        """Remove every page of every process."""
        for folder in self._folders():
            _remove(folder)

    def close(self) -> None:
        """Remove the pages of this process."""
        with self._lock:
            self._written.clear()
            if self._own.exists():
                _remove(self._own)

    def _folders(self) -> list[Path]:
        try:
            return [each for each in self._shared.iterdir() if each.is_dir() and not each.is_symlink()]
        except OSError:
            return []


def _is_in_use(folder: Path) -> bool:
    try:
        return time.time() - folder.stat().st_mtime < KEPT_SECONDS and psutil.pid_exists(int(folder.name))
    except (OSError, ValueError, OverflowError):
        return False


def _remove(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except OSError as error:
        logger.warning("Pages that were shown could not be removed: %s", error.strerror)
