"""Git's ignore rules without git: where it is not installed, sees no repository, or does not trust the folder's owner.

The rules are the same (nested `.gitignore` files, `info/exclude`, negation, folders first), with two differences that
cannot be helped: what is tracked is not known, so a tracked file that a pattern matches is left out; and the user's
global ignore file is not read, since only git knows where it is.
"""

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
        *folders, name = path.split("/")
        place = self.top()
        above = ""
        for folder in folders:
            if self.ignored_in(place, folder, is_folder=True):
                return True
            above = f"{above}/{folder}" if above else folder
            place = self.enter(place, folder, above)
        return self.ignored_in(place, name, is_folder)

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
