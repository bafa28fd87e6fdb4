"""Opening a file beneath a folder without ever following a symlink, even one that is put there meanwhile.

Where the system can open relative to an open folder, each component of the path is opened from the one above it with
`O_NOFOLLOW`: what is read is then truly beneath the folder, and no check can be outrun. Elsewhere (Windows) the
components are checked first and the result is resolved again after opening.
"""

import errno
import os
import stat
from pathlib import Path

from vademecum.files.content import Reason, Refused

_RELATIVE_OPEN = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY") and hasattr(os, "O_NOFOLLOW")
_FILE_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO or a device must not hold us up
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_FOLDER_FLAGS = (
    getattr(os, "O_PATH", os.O_RDONLY)
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


def open_beneath(top: Path, path: str) -> int | Refused:
    """Open the file `path` (relative, `/`, no `..`) beneath `top` for reading and return its descriptor.

    The caller closes it, and must still ask `fstat` whether it is a regular file. Refused with the reason otherwise;
    raises nothing for what the file system says.
    """
    try:
        return _open_relative(top, path) if _RELATIVE_OPEN else _open_checked(top, path)
    except OSError as error:
        return refused_by(error)


def status_beneath(top: Path, path: str) -> os.stat_result | Refused:
    """Return `lstat` of `path` beneath `top`; refused when a folder on the way is a symlink, or nothing is there."""
    try:
        folder = str(top)
        *folders, name = path.split("/")
        for part in folders:
            folder = f"{folder}/{part}"
            mode = os.lstat(folder).st_mode
            if stat.S_ISLNK(mode):
                return Refused(Reason.SYMLINK, "a folder on the way is a symlink")
            if not stat.S_ISDIR(mode):
                return Refused(Reason.MISSING)
        return os.lstat(f"{folder}/{name}")
    except OSError as error:
        return refused_by(error)


def refused_by(error: OSError) -> Refused:
    """Return the refusal that an error of the file system amounts to."""
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR | errno.ENAMETOOLONG:
            return Refused(Reason.MISSING)
        case errno.ELOOP | errno.EMLINK:  # EMLINK: FreeBSD's word for O_NOFOLLOW on a symlink
            return Refused(Reason.SYMLINK, "symlinks are not followed")
        case errno.EACCES | errno.EPERM:
            return Refused(Reason.NO_PERMISSION, "the file may not be read by this user")
        case errno.ENXIO | errno.ENODEV:
            return Refused(Reason.SPECIAL, "not a regular file")
        case _:
            return Refused(Reason.UNREADABLE, os.strerror(error.errno) if error.errno else "the file cannot be read")


def _open_relative(top: Path, path: str) -> int:
    *folders, name = path.split("/")
    folder = os.open(top, _FOLDER_FLAGS & ~getattr(os, "O_NOFOLLOW", 0))
    try:
        for part in folders:
            below = os.open(part, _FOLDER_FLAGS, dir_fd=folder)
            os.close(folder)
            folder = below
        return os.open(name, _FILE_FLAGS, dir_fd=folder)
    finally:
        os.close(folder)


def _open_checked(top: Path, path: str) -> int:
    status = status_beneath(top, path)
    if isinstance(status, Refused) or stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ENOENT if isinstance(status, Refused) else errno.ELOOP, "not a plain path")
    opened = os.open(top / path, _FILE_FLAGS)
    again = status_beneath(top, path)
    if isinstance(again, Refused) or stat.S_ISLNK(again.st_mode) or not os.path.samestat(again, os.fstat(opened)):
        os.close(opened)
        raise OSError(errno.ELOOP, "another file was put in the way")
    return opened
