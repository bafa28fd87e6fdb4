"""What lies in the cache and is of no use any more: indexes of folders that are gone, vectors that no index uses, and
parsers of other releases."""

import contextlib
import importlib.metadata
import shutil
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from attrs import frozen
from filelock import FileLock, Timeout

from vademecum.files.ignore import find_top
from vademecum.search.home import FOLDER, GRAMMARS, LOCK, VECTORS, index_home, read_root, read_vectors


class Why(StrEnum):
    """Why something is of no use any more."""

    FOLDER_GONE = "folderGone"
    """The folder that it is the index of is not there, or not there now: it may lie on a drive that is not mounted."""
    SUPERSEDED = "superseded"
    """The folder began or ceased to be part of a repository around it, and has another index since."""
    UNUSED = "unused"
    """Vectors of a repository of which no folder has an index any more."""
    OLD_RELEASE = "oldRelease"
    """Parsers that another release of a library unpacked."""


@frozen
class Leftover:
    """Something that may go.

    :param path: the folder in the cache.
    :param root: the folder that it is the index of; None when it is none.
    :param bytes: what it takes on the disk.
    """

    path: Path
    why: Why
    root: Path | None
    bytes: int


def leftovers(cache: Path) -> Iterator[Leftover]:
    """What may go; an index of which it is not known whose it is, or that some server has open, is not told."""
    for home in _folders(cache / FOLDER):
        root, why = _judged(cache, home)
        if root is not None and why is not None and not _in_use(home):
            yield Leftover(home, why, root, _size(home))
    used = _vectors_used(cache)
    for folder in _folders(cache / VECTORS):
        if used is not None and folder.name not in used:
            yield Leftover(folder, Why.UNUSED, None, _size(folder))
    current = importlib.metadata.version("semble-grammars")
    for folder in _folders(cache / GRAMMARS):
        if folder.name != current:
            yield Leftover(folder, Why.OLD_RELEASE, None, _size(folder))


def remove(cache: Path, leftover: Leftover) -> bool:
    """Remove it; returns whether it is gone. One that is of use again, or that a server opened meanwhile, stays."""
    if leftover.why is Why.UNUSED:
        used = _vectors_used(cache)
        if used is None or leftover.path.name in used:
            return False
    if leftover.root is None:
        shutil.rmtree(leftover.path, ignore_errors=True)
        return not leftover.path.exists()
    lock = FileLock(leftover.path / LOCK, mode=0o600)
    try:
        lock.acquire(timeout=0)
    except (Timeout, OSError, NotImplementedError):
        return False
    try:
        if _judged(cache, leftover.path)[1] is None:
            return False
        for entry in leftover.path.iterdir():
            if entry.name != LOCK:  # until all else is gone, so that no server takes up what is half removed
                shutil.rmtree(entry, ignore_errors=True) if entry.is_dir() else entry.unlink(missing_ok=True)
    except OSError:
        return False
    finally:
        lock.release()
    shutil.rmtree(leftover.path, ignore_errors=True)
    return not leftover.path.exists()


def _judged(cache: Path, home: Path) -> tuple[Path | None, Why | None]:
    """Whose index a folder holds, and why it may go; None for what is not known, and for one that is of use."""
    root = read_root(home)
    if root is None:
        return None, None
    try:
        if not root.is_dir():
            return root, Why.FOLDER_GONE
        prefix = root.relative_to(find_top(root)).as_posix()
        known = {index_home(cache, root, "" if prefix == "." else prefix).name}
    except (OSError, ValueError):
        return root, None
    return root, None if home.name in known else Why.SUPERSEDED


def _vectors_used(cache: Path) -> set[str] | None:
    """Names of the folders of vectors that some index uses; None when of some index it is not known whose it is."""
    used: set[str] = set()
    for home in _folders(cache / FOLDER):
        root, why = _judged(cache, home)
        if root is None:
            return None
        if (why is None or _in_use(home)) and (name := read_vectors(home)) is not None:
            used.add(name)
    return used


def _in_use(home: Path) -> bool:
    if not (home / LOCK).exists():
        return False
    lock = FileLock(home / LOCK, mode=0o600)
    try:
        lock.acquire(timeout=0)
    except (Timeout, OSError, NotImplementedError):
        return True
    lock.release()
    return False


def _folders(parent: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return sorted(each for each in parent.iterdir() if each.is_dir() and not each.is_symlink())
    return []


def _size(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += file.lstat().st_size
    return total
