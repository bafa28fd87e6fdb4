"""Ignore files as they are on the disk now: read once, read again when their stamp changes."""

import os
import stat
import threading
from pathlib import Path

from attrs import frozen

from vademecum.files.beneath import open_beneath
from vademecum.files.content import Refused, Stamp
from vademecum.files.patterns import Pattern, last_match, parse, part_of

#: More than this of one ignore file is not looked at, in bytes; real ones are a thousandth of it.
MAX_IGNORE_FILE_BYTES = 1_048_576


def stamp_of(path: str) -> Stamp | None:
    """Return the stamp of the file at the absolute `path`; None when there is none."""
    try:
        return Stamp.of(os.stat(path))  # noqa: PTH116 -- called for every level of every path
    except OSError:
        return None


@frozen
class Place:
    """A folder, with the ignore files from the top down to it that hold any pattern.

    :param parts: the folder's path relative to the top, as `patterns.parts_of` gives it; empty for the top.
    :param levels: how many parts deep each of these files lies, and its patterns, the top's first.
    """

    parts: tuple[str, ...] = ()
    levels: tuple[tuple[int, tuple[Pattern, ...]], ...] = ()


class IgnoreFiles:
    """All ignore files of one name beneath one folder. May be used from every thread.

    :param top: the folder; paths are relative to it, with `/`, and the empty path is the folder itself.
    :param name: the name of the files, such as `.gitignore`.
    """

    def __init__(self, top: Path, name: str) -> None:
        self._top = top
        self._name = name
        self._lock = threading.Lock()
        self._read: dict[str, tuple[Stamp, tuple[Pattern, ...]]] = {}

    def top(self) -> Place:
        """Return the place of the top folder."""
        patterns = self.patterns("")
        return Place((), ((0, patterns),) if patterns else ())

    def enter(self, place: Place, name: str, path: str) -> Place:
        """Return the place of the folder `name` in `place`; `path` is its path relative to the top."""
        parts = (*place.parts, part_of(name))
        patterns = self.patterns(path)
        return Place(parts, (*place.levels, (len(parts), patterns)) if patterns else place.levels)

    @staticmethod
    def decide(place: Place, name: str, is_folder: bool) -> tuple[int, Pattern] | None:
        """Return the pattern that decides for `name` in `place` alone, and how deep its file lies; deeper files win."""
        if not place.levels:
            return None
        parts = (*place.parts, part_of(name))
        for depth, patterns in reversed(place.levels):
            found = last_match(patterns, parts[depth:], is_folder)
            if found is not None:
                return depth, found
        return None

    def patterns(self, folder: str) -> tuple[Pattern, ...]:
        """Return the patterns of the ignore file in `folder`; none when there is no such file, or it is a symlink.

        Git does not follow a symlink in place of `.gitignore` either.
        """
        path = f"{folder}/{self._name}" if folder else self._name
        try:
            status = os.lstat(f"{self._top}/{path}")
        except OSError:
            return ()
        if not stat.S_ISREG(status.st_mode):
            return ()
        stamp = Stamp.of(status)
        with self._lock:
            known = self._read.get(folder)
        if known is not None and known[0] == stamp:
            return known[1]
        opened = open_beneath(self._top, path)
        if isinstance(opened, Refused):
            return ()
        with os.fdopen(opened, "rb") as file:
            patterns = parse(file.read(MAX_IGNORE_FILE_BYTES)) if stat.S_ISREG(os.fstat(opened).st_mode) else ()
        with self._lock:
            self._read[folder] = (stamp, patterns)
        return patterns


def read_patterns(path: Path) -> tuple[Pattern, ...]:
    """Return the patterns of an ignore file outside the workspace, such as a clone's `info/exclude`."""
    try:
        with path.open("rb") as file:
            return parse(file.read(MAX_IGNORE_FILE_BYTES))
    except OSError:
        return ()
