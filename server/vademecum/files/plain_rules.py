"""Git's ignore rules without git: where it is not installed, sees no repository, or does not trust the folder's owner.

The rules are the same (nested `.gitignore` files, `info/exclude`, negation, folders first), with two differences that
cannot be helped: what is tracked is not known, so a tracked file that a pattern matches is left out; and the user's
global ignore file is not read, since only git knows where it is.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from vademecum.files.ignore_files import IgnoreFiles, Place, read_patterns
from vademecum.files.names import BUILD_FOLDERS
from vademecum.files.patterns import last_match, parse_strings, part_of

_BUILD_PATTERNS = parse_strings(f"{name}/" for name in sorted(BUILD_FOLDERS))


class PlainRules:
    """The rules of one folder and all below it. May be used from every thread.

    :param folder: the top of the rules; no rule from above reaches here.
    :param is_repository: whether there is a `.git`. Where there is none, folders named like build output are left out
        too, unless a `.gitignore` takes them back with `!`.
    """

    def __init__(self, folder: Path, is_repository: bool) -> None:
        self.folder = str(folder)
        self._files = IgnoreFiles(folder, ".gitignore")
        self._exclude = folder / ".git" / "info" / "exclude"
        self._is_repository = is_repository

    def ignored(self, path: str, is_folder: bool) -> bool:
        """Whether `path` (relative to the folder) or a folder above it is ignored."""
        return self._ignored(path, is_folder, {"": self.top()})

    def ignored_of(self, paths: Iterable[str]) -> set[str]:
        """Return those of the paths that are ignored; whether one is a folder is seen on the disk."""
        met: dict[str, Place | None] = {"": self.top()}
        return {path for path in paths if self._ignored(path, os.path.isdir(f"{self.folder}/{path}"), met)}  # noqa: PTH112 -- called for every hit

    def _ignored(self, path: str, is_folder: bool, met: dict[str, Place | None]) -> bool:
        """See `ignored`; `met` holds the folders looked at so far, None for those that are ignored."""
        above, _, name = path.rpartition("/")
        if above not in met:
            folder = ""
            for part in above.split("/"):
                place, folder = met[folder], f"{folder}/{part}" if folder else part
                if folder not in met:
                    closed = place is None or self.ignored_in(place, part, is_folder=True)
                    met[folder] = None if closed or place is None else self.enter(place, part, folder)
        place = met[above]
        return place is None or self.ignored_in(place, name, is_folder)

    def top(self) -> Place:
        """Return the place of the folder itself."""
        return self._files.top()

    def enter(self, above: Place, name: str, path: str) -> Place:
        """Return the place of the folder `name` in `above`; `path` is its path relative to the folder of the rules."""
        return self._files.enter(above, name, path)

    def ignored_in(self, above: Place, name: str, is_folder: bool) -> bool:
        """Whether `name` is ignored in the folder `above`, which is not."""
        decided = self._files.decide(above, name, is_folder)
        if decided is not None:
            return not decided[1].negated
        lowest = read_patterns(self._exclude) if self._is_repository else _BUILD_PATTERNS
        if not lowest:
            return False
        found = last_match(lowest, (*above.parts, part_of(name)), is_folder)
        return found is not None and not found.negated
