"""`.vademecumignore` and the setting `exclude`: what a user leaves out, or forces in, on top of git's rules.

Patterns are those of `.gitignore`. A match leaves a path out. In the top folder's `.vademecumignore` and in the
setting, `!` also forces in what git's rules or the list of dependency folders leave out, and unlike git's it reaches
into folders that are left out themselves; in the files of deeper folders it only takes back what a `.vademecumignore`
left out.
The setting wins over the files, a deeper file over a higher one, a later line over an earlier one, and what is said of
a path over what is said of the folders above it. Secrets, version control and everything that is not plain text stay
out whatever a pattern says.
"""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from vademecum.files.ignore_files import IgnoreFiles
from vademecum.files.patterns import Pattern, last_match, parse_strings, parts_of

IGNORE_FILE = ".vademecumignore"


class OwnVerdict(StrEnum):
    """What the user's own rules say of a path."""

    SILENT = "silent"
    OUT = "out"
    FORCED_IN = "forcedIn"


class OwnRules:
    """The user's own rules for one workspace. May be used from every thread."""

    def __init__(self, top: Path, exclude: Sequence[str]) -> None:
        self._setting = parse_strings(exclude)
        self._files = IgnoreFiles(top, IGNORE_FILE)

    def verdict(self, path: str, is_folder: bool = False) -> OwnVerdict:
        """Return what the rules say of `path` (relative to the top folder)."""
        names = path.split("/")
        parts = parts_of(path)
        levels = [self._files.patterns("")]
        verdict = OwnVerdict.SILENT
        for count in range(1, len(parts) + 1):
            if count > 1:
                levels.append(self._files.patterns("/".join(names[: count - 1])))
            decided = self._decide(levels, parts[:count], is_folder or count < len(parts))
            if decided is not None:
                verdict = decided
        return verdict

    def may_force_below(self, folder: str) -> bool:
        """Whether a pattern could force in something below a folder that is left out; may say yes too often."""
        parts = parts_of(folder)
        patterns = (*self._setting, *self._files.patterns(""))
        return any(pattern.negated and _may_match_below(pattern, parts) for pattern in patterns)

    def _decide(self, levels: Sequence[Sequence[Pattern]], parts: Sequence[str], is_folder: bool) -> OwnVerdict | None:
        found = last_match(self._setting, parts, is_folder)
        if found is not None:
            return OwnVerdict.FORCED_IN if found.negated else OwnVerdict.OUT
        for depth in range(len(levels) - 1, -1, -1):
            found = last_match(levels[depth], parts[depth:], is_folder)
            if found is not None:
                if not found.negated:
                    return OwnVerdict.OUT
                return OwnVerdict.SILENT if depth else OwnVerdict.FORCED_IN
        return None


def _may_match_below(pattern: Pattern, parts: Sequence[str]) -> bool:
    if not pattern.anchored:
        return True
    for segment, part in zip(pattern.segments, parts, strict=False):
        if segment is None:
            return True
        if not segment.fullmatch(part):
            return False
    return True
