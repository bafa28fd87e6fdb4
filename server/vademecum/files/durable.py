"""Writing files so that a reader, a crash or a power cut finds the old bytes or the new ones, never a mixture."""

import os
import secrets
import stat
from pathlib import Path

#: How the name of a temporary file begins. Only the holder of a store's lock writes there, so whatever carries this
#: name when the lock is taken was left behind by a writer that died.
TEMPORARY_PREFIX = ".vademecum-"
TEMPORARY_SUFFIX = ".tmp"

_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def write(path: Path, data: bytes, *, private: bool, settle: bool = True) -> None:
    """Put `data` at `path`, durably: once this returns, neither a crash nor a power cut loses it.

    An existing file keeps its mode. A new one is for its owner alone when `private`, else as the system's mask says.

    :param settle: False for one of many files in a folder; whoever writes them calls `sync_folder` after the last.
    :raises OSError: when the file system refuses; the old file is then as it was.
    """
    temporary = path.with_name(f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}{TEMPORARY_SUFFIX}")
    opened = os.open(temporary, _CREATE_FLAGS | getattr(os, "O_BINARY", 0), 0o600 if private else 0o666)
    try:
        with open(opened, "wb") as stream:  # noqa: PTH123 - it takes over the descriptor
            stream.write(data)
            stream.flush()
            mode = _mode(path)
            if mode is not None:
                temporary.chmod(mode)
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if settle:
        sync_folder(path.parent)


def remove(path: Path) -> None:
    """Remove the file at `path`, durably; nothing happens when it is not there."""
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def make_folder(path: Path, *, private: bool) -> None:
    """Make the folder and those above it that are missing; private ones are open to their owner alone."""
    missing = []
    while not path.is_dir():
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        folder.mkdir(mode=0o700 if private else 0o777, exist_ok=True)
        sync_folder(folder.parent)


def sweep(folder: Path) -> int:
    """Remove what writers that died have left in `folder`; the caller holds the lock of the store. Returns how many."""
    swept = 0
    try:
        names = os.listdir(folder)  # noqa: PTH208 - names are all that is needed
    except OSError:
        return 0
    for name in names:
        if name.startswith(TEMPORARY_PREFIX) and name.endswith(TEMPORARY_SUFFIX):
            (folder / name).unlink(missing_ok=True)
            swept += 1
    return swept


def sync_folder(folder: Path) -> None:
    """Make changes of the folder's entries durable, where the system can (Windows has no such call)."""
    if os.name == "nt":
        return
    opened = os.open(folder, _FOLDER_FLAGS)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None
