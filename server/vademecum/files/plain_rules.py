"""Git's ignore rules without git: where it is not installed, sees no repository, or does not trust the folder's owner.

The rules are the same (nested `.gitignore` files, `info/exclude`, negation, folders first), with two differences that
cannot be helped: what is tracked is not known, so a tracked file that a pattern matches is left out; and the user's
global ignore file is not read, since only git knows where it is.
"""

from pathlib import Path

from vademecum.files.ignore_files import IgnoreFiles, read_patterns
from vademecum.files.names import BUILD_FOLDERS
from vademecum.files.patterns import last_match, parse_strings, parts_of

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
        names = path.split("/")
        parts = parts_of(path)
        lowest = read_patterns(self._exclude) if self._is_repository else _BUILD_PATTERNS
        levels = [self._files.patterns("")]
        for count in range(1, len(parts) + 1):
            if count > 1:
                levels.append(self._files.patterns("/".join(names[: count - 1])))
            folder = is_folder or count < len(parts)
            found = None
            for depth in range(count - 1, -1, -1):
                found = last_match(levels[depth], parts[depth:count], folder)
                if found is not None:
                    break
            else:
                found = last_match(lowest, parts[:count], folder)
            if found is not None and not found.negated:
                return True
        return False
