"""Where a deleted file has gone, as far as git can tell: a hint beside the verdict `deleted`, never a verdict.

Asked in this order: renames that are staged, the commit that removed the path, and files that git does not track yet
and that hold the very lines of the reference. A rename is followed through later renames. What the gate does not let
through is never named.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from vademecum.evidence.reference import Reference
from vademecum.evidence.verdicts import relocate
from vademecum.files.content import Refused
from vademecum.files.gate import Gate
from vademecum.files.git import GitFailed, git
from vademecum.files.ignore import Owner

#: How many renames are followed one after another.
_MOST_RENAMES = 8
#: How many untracked files are read in search of the lines.
_MOST_UNTRACKED = 200
#: Renames are looked for between so many files of one commit, the bound of git's own default.
_RENAME_LIMIT = "-l1000"
#: How long `Moves` asks git and looks into files before it gives no more hints.
MOST_SECONDS = 0.2

_DIFF = ("-r", "-z", "-M", _RENAME_LIMIT, "--diff-filter=R", "--no-ext-diff", "--no-textconv", "--no-color")


def moved_to(reference: Reference, gate: Gate) -> str | None:
    """Return the path (relative to the gate's `top`) that the deleted file of `reference` seems to have now.

    None when git cannot tell, or when the file is where it was.
    """
    return Moves(gate).of(reference)


class Moves:
    """Where the deleted files of many references have gone; git is asked once for each file.

    It is a hint, so not all time is given to it: what is asked about once `MOST_SECONDS` are spent has no answer.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._spent = 0.0
        self._known: dict[Reference, str | None] = {}
        self._renamed: dict[str, str | None] = {}
        self._untracked: dict[Path, list[str]] = {}

    def of(self, reference: Reference) -> str | None:
        """As `moved_to`."""
        if reference not in self._known:
            if self._spent > MOST_SECONDS:
                return None
            began = time.monotonic()
            self._known[reference] = self._found(reference)
            self._spent += time.monotonic() - began
        return self._known[reference]

    def _found(self, reference: Reference) -> str | None:
        gate, path = self._gate, reference.path
        owner = _owner_of(path, gate)
        if owner.repository is None or not isinstance(gate.stamp(path), Refused):
            return None
        before = f"{owner.prefix}/" if owner.prefix else ""
        folder = owner.repository.folder
        if path not in self._renamed:
            self._renamed[path] = _renamed(folder, path[len(before) :])
        found = self._renamed[path]
        if found is not None:
            return before + found if gate.admit(before + found) is None else None
        if folder not in self._untracked:
            self._untracked[folder] = list(_untracked(folder))
        names = (before + name for name in self._untracked[folder])
        return next((name for name in names if _holds(reference, name, gate)), None)


def _renamed(folder: Path, path: str) -> str | None:
    seen = {path}
    for _ in range(_MOST_RENAMES):
        try:
            target = _staged_rename(folder, path) or _committed_rename(folder, path)
        except GitFailed:  # nothing was ever committed
            return None
        if target is None or target in seen:
            return None
        if os.path.lexists(folder / target):
            return target
        seen.add(target)
        path = target
    return None


def _staged_rename(folder: Path, path: str) -> str | None:
    return _target(git(folder, "diff-index", "--cached", *_DIFF, "HEAD", "--"), path)


def _committed_rename(folder: Path, path: str) -> str | None:
    literal = f":(literal,top){path}"
    commit = git(folder, "log", "-1", "--format=%H", "--diff-filter=D", "--no-renames", "HEAD", "--", literal).strip()
    if not commit:
        return None
    return _target(git(folder, "diff-tree", "--root", "--no-commit-id", *_DIFF, commit.decode()), path)


def _target(answer: bytes, path: str) -> str | None:
    """Return where `path` went, in a raw listing of renames: `:modes R100`, the old path, the new path."""
    fields = iter(answer.split(b"\0"))
    for head in fields:
        if not head.startswith(b":"):
            continue
        old, new = next(fields, b""), next(fields, b"")
        if os.fsdecode(old) == path:
            return os.fsdecode(new)
    return None


def _untracked(folder: Path) -> Iterator[str]:
    try:
        answer = git(folder, "ls-files", "-z", "--others", "--exclude-standard")
    except GitFailed:
        return
    for number, path in enumerate(answer.split(b"\0")):
        if number == _MOST_UNTRACKED:
            return
        if path and not path.endswith(b"/"):
            yield os.fsdecode(path)


def _holds(reference: Reference, path: str, gate: Gate) -> bool:
    read = gate.read(path)
    return not isinstance(read, Refused) and bool(relocate(read.lines, reference.digest, reference.line_count))


def _owner_of(path: str, gate: Gate) -> Owner:
    owner = gate.ignores.top_owner
    place = path.find("/")
    while place >= 0:
        nested = gate.ignores.nested_owner(path[:place])
        if isinstance(nested, Owner):
            owner = nested
        place = path.find("/", place + 1)
    return owner
