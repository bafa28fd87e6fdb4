"""Reading memory folders: a user's own, which may be linked from anywhere, and a repository's, which may not.

What comes with a repository may hold links to other projects' memories, pipes that never end, or huge files; there no
link is followed at any level.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from attrs import frozen

from vademecum.files.beneath import open_beneath, status_beneath
from vademecum.files.content import Refused

#: Largest file that is read, in bytes. A memory of ours is at most 64 KiB and its head.
LARGEST_FILE = 1_048_576

_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class CannotRead(Exception):
    """A file is there and cannot be read; the message says why."""


class Stamp(NamedTuple):
    """What tells that a file has not changed since it was read. (A tuple, since each request compares thousands.)"""

    size: int
    modified: int
    changed: int
    inode: int
    alone: bool
    """Whether the file lies here and has no other name, by which it could be changed."""

    @classmethod
    def of(cls, status: os.stat_result, linked: bool = False) -> "Stamp":
        """Return the stamp of a status; `linked` when it was come by through a link."""
        alone = status.st_nlink == 1 and not linked
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, alone)


@frozen
class Corner:
    """A folder `path` beneath `top` to which no link may lead; without `top` links are followed."""

    path: Path
    top: Path | None = None

    def stamp(self, name: str) -> Stamp | None:
        """Return the stamp of a file in the folder, or None when there is none."""
        try:
            if self.top is None:
                return Stamp.of((self.path / name).stat())
            status = status_beneath(self.top, self._beneath(name))
            return None if isinstance(status, Refused) else Stamp.of(status)
        except OSError:
            return None

    def stamps(self, suffix: str) -> dict[str, Stamp]:
        """Return the visible files whose names end with `suffix`, in the order of their names.

        :raises CannotRead: when the folder is there and cannot be listed.
        """
        found = {}
        try:
            if self.top is not None and not self._is_real():
                return {}
            with os.scandir(self.path) as entries:
                follow, of = self.top is None, Stamp.of
                for entry in entries:
                    name = entry.name
                    if name[0] == "." or not name.lower().endswith(suffix):
                        continue
                    try:
                        found[name] = of(entry.stat(follow_symlinks=follow), entry.is_symlink())
                    except FileNotFoundError:  # removed meanwhile, or a link that leads nowhere
                        continue
                    except OSError:
                        # A link in a ring, or into a closed folder: nobody can read that one, and the others are there.
                        with suppress(FileNotFoundError):
                            found[name] = of(entry.stat(follow_symlinks=False), linked=True)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise CannotRead(error.strerror or str(error)) from error
        return dict(sorted(found.items()))

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file, or None when it is not there.

        :raises CannotRead: when it is there and cannot be read.
        """
        try:
            if self.top is None:
                opened: int | Refused = os.open(self.path / name, _READ_FLAGS)
            else:
                opened = open_beneath(self.top, self._beneath(name))
            if isinstance(opened, Refused):
                if not (self.path / name).is_symlink() and not (self.path / name).exists():
                    return None
                raise CannotRead(opened.detail or opened.reason.value)
            try:
                return _read_all(opened)
            finally:
                os.close(opened)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CannotRead(error.strerror or str(error)) from error

    def target(self, name: str) -> Path:
        """Return the path to write a file of the folder to: where a link leads, when links are followed.

        :raises CannotRead: when a link is on the way and may not be followed.
        """
        if self.top is None:
            return Path(os.path.realpath(self.path / name))
        for part in (self.path / name, self.path, *self.path.parents):
            if part == self.top:
                break
            if part.is_symlink():
                raise CannotRead("symlinks are not followed in a repository")
        return self.path / name

    def _is_real(self) -> bool:
        assert self.top is not None
        status = status_beneath(self.top, self.path.relative_to(self.top).as_posix())
        if isinstance(status, Refused):
            if self.path.is_symlink() or self.path.parent.is_symlink():
                raise CannotRead("symlinks are not followed in a repository")
            return False
        if stat.S_ISLNK(status.st_mode):
            raise CannotRead("symlinks are not followed in a repository")
        return True

    def _beneath(self, name: str) -> str:
        assert self.top is not None
        return (self.path.relative_to(self.top) / name).as_posix()


def _read_all(opened: int) -> bytes:
    status = os.fstat(opened)
    if not stat.S_ISREG(status.st_mode):
        raise CannotRead("not a regular file")
    pieces = []
    size = 0
    while piece := os.read(opened, max(4_096, status.st_size + 1 - size)):
        pieces.append(piece)
        size += len(piece)
        if size > LARGEST_FILE:
            raise CannotRead(f"larger than {LARGEST_FILE:,} bytes")
    return b"".join(pieces)
