"""`.vademecumignore` and the setting `exclude`: what a user leaves out, or forces in, on top of git's rules.

Patterns are those of `.gitignore`. A match leaves a path out. In the top folder's `.vademecumignore` and in the
setting, `!` also forces in what git's rules or the list of dependency folders leave out, and unlike git's it reaches
into folders that are left out themselves; in the files of deeper folders it only takes back what a `.vademecumignore`
left out.
The setting wins over the files, a deeper file over a higher one, a later line over an earlier one, and what is said of
a path over what is said of the folders above it. Secrets, version control and everything that is not plain text stay
out whatever a pattern says.

The files in which other programs are told what they may not read (`.cursorignore` and its like, in the top folder) hold
here, too: who wrote one has said what no model is to see. They only leave out; `!` in them takes back what they left
out themselves, and `.vademecumignore` and the setting win over them.
"""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from attrs import frozen

from vademecum.files.ignore_files import IgnoreFiles, Place
from vademecum.files.patterns import Pattern, last_match, parse_strings, part_of, parts_of

IGNORE_FILE = ".vademecumignore"
FOREIGN_FILES = (".codebuddyignore", ".codeindexignore", ".cursorignore", ".claudeignore")
"""The files of other programs, read as if they were one, in this order: a later line wins over an earlier one."""


class OwnVerdict(StrEnum):
    """What the user's own rules say of a path."""

    SILENT = "silent"
    OUT = "out"
    FORCED_IN = "forcedIn"


@frozen
class OwnPlace:
    """A folder as the user's own rules see it.

    :param place: the folder and the rule files that hold in it.
    :param foreign: the patterns of other programs' files in the top folder.
    :param verdict: what the rules say of the folder itself, and so of what they say nothing else of.
    """

    place: Place
    foreign: tuple[Pattern, ...] = ()
    verdict: OwnVerdict = OwnVerdict.SILENT


class OwnRules:
    """The user's own rules for one workspace. May be used from every thread."""

    def __init__(self, top: Path, exclude: Sequence[str]) -> None:
        self._setting = parse_strings(exclude)
        self._files = IgnoreFiles(top, IGNORE_FILE)
        self._foreign = tuple(IgnoreFiles(top, name) for name in FOREIGN_FILES)

    def top(self) -> OwnPlace:
        """Return the place of the top folder."""
        foreign = tuple(pattern for files in self._foreign for pattern in files.patterns(""))
        return OwnPlace(self._files.top(), foreign)

    def enter(self, above: OwnPlace, name: str, path: str, verdict: OwnVerdict | None = None) -> OwnPlace:
        """Return the place of the folder `name` in `above`.

        :param path: its path relative to the top.
        :param verdict: what `judge` says of it, where that was asked before.
        """
        if verdict is None:
            verdict = self.judge(above, name, is_folder=True)
        return OwnPlace(self._files.enter(above.place, name, path), above.foreign, verdict)

    def judge(self, above: OwnPlace, name: str, is_folder: bool = False) -> OwnVerdict:
        """Return what the rules say of `name` in the folder `above`."""
        parts = (*above.place.parts, part_of(name)) if self._setting or above.foreign else ()
        if self._setting:
            found = last_match(self._setting, parts, is_folder)
            if found is not None:
                return OwnVerdict.FORCED_IN if found.negated else OwnVerdict.OUT
        decided = self._files.decide(above.place, name, is_folder)
        if decided is None:
            if above.foreign and above.verdict is OwnVerdict.SILENT:
                found = last_match(above.foreign, parts, is_folder)
                return OwnVerdict.OUT if found is not None and not found.negated else OwnVerdict.SILENT
            return above.verdict
        depth, pattern = decided
        if not pattern.negated:
            return OwnVerdict.OUT
        return OwnVerdict.SILENT if depth else OwnVerdict.FORCED_IN

    def verdict(self, path: str, is_folder: bool = False) -> OwnVerdict:
        """Return what the rules say of `path` (relative to the top folder)."""
        *folders, name = path.split("/")
        place = self.top()
        above = ""
        for folder in folders:
            above = f"{above}/{folder}" if above else folder
            place = self.enter(place, folder, above)
        return self.judge(place, name, is_folder)

    def may_force_below(self, folder: str) -> bool:
        """Whether a pattern could force in something below a folder that is left out; may say yes too often."""
        patterns = [pattern for pattern in (*self._setting, *self._files.patterns("")) if pattern.negated]
        if not patterns:
            return False
        parts = parts_of(folder)
        return any(_may_match_below(pattern, parts) for pattern in patterns)


def _may_match_below(pattern: Pattern, parts: Sequence[str]) -> bool:
    if not pattern.anchored:
        return True
    for segment, part in zip(pattern.segments, parts, strict=False):
        if segment is None:
            return True
        if not segment.fullmatch(part):
            return False
    return True
