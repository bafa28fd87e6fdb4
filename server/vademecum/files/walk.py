"""Walking a workspace: every file that may be read, and everything that is not, with the reason.

In a repository git lists its files itself (tracked, and untracked but not ignored; then what it ignores, whole folders
at once), so its rules are exact and a large tree costs two processes. Without git the folders are gone through here.
"""

import os
import stat
from collections.abc import Generator, Iterator

from attrs import frozen

from vademecum.files import names
from vademecum.files.content import Reason, Refused, Stamp
from vademecum.files.gate import Gate
from vademecum.files.git import GitFailed, git_records
from vademecum.files.git_rules import GitRules
from vademecum.files.ignore import Owner
from vademecum.files.own_rules import OwnVerdict
from vademecum.work import Cancel


@frozen
class Found:
    """A file that may be read, though its content may still turn out to be binary or minified.

    :param path: relative to the gate's `top`.
    :param stamp: of the file, as it was found.
    """

    path: str
    stamp: Stamp


@frozen
class Skipped:
    """A file or a folder that is not read.

    :param path: relative to the gate's `top`; bytes that are not UTF-8 are shown as `\\xNN`.
    :param reason: why.
    :param folder: whether it is a folder; then nothing below it is told, save what a `!` pattern forces in.
    """

    path: str
    reason: Reason
    folder: bool = False


def walk(gate: Gate, cancel: Cancel) -> Iterator[Found | Skipped]:
    """Yield every file of the opened folder once, in no particular order, and every skipped file or folder once.

    Symlinks are skipped, not followed. What vanishes meanwhile is left out.

    :raises Cancelled: soon after `cancel` is set.
    :raises GitFailed: when git fails half-way through its listing; what was yielded is right but not all.
    """
    return _Walk(gate, cancel).run()


class _Walk:
    """The state of one walk: what is known of each folder, and the nested owners still to be walked."""

    def __init__(self, gate: Gate, cancel: Cancel) -> None:
        self._gate = gate
        self._cancel = cancel
        self._top = str(gate.top)
        self._open: dict[str, bool] = {"": True}  # folders met, and whether files below them may be read
        self._waiting: list[Owner] = []

    def run(self) -> Iterator[Found | Skipped]:
        prefix = self._gate.prefix
        owner = self._gate.ignores.top_owner
        for end in (index for index, character in enumerate(prefix + "/") if character == "/"):
            above = prefix[:end]
            self._open[above] = True
            nested = self._gate.ignores.nested_owner(above) if above else None
            if isinstance(nested, Owner):
                owner = nested
        yield from self._owner(owner, prefix or owner.prefix)
        while self._waiting:
            nested = self._waiting.pop()
            self._open[nested.prefix] = True  # to its own owner; the outer one is done
            yield from self._owner(nested, nested.prefix)

    def _owner(self, owner: Owner, start: str) -> Iterator[Found | Skipped]:
        if owner.repository is not None and isinstance(owner.rules, GitRules):
            told = False
            try:
                for item in self._listed(owner, start):
                    told = True
                    yield item
                return
            except GitFailed:
                if told:
                    raise
        yield from self._scanned(owner, start)

    def _listed(self, owner: Owner, start: str) -> Iterator[Found | Skipped]:
        assert owner.repository is not None
        before = f"{owner.prefix}/" if owner.prefix else ""
        where = self._gate.top / start
        previous = ""
        listing = ("ls-files", "-z", "--full-name", "--exclude-standard", "--others")
        for record in git_records(where, *listing, "--cached", cancel=self._cancel):
            path = before + os.fsdecode(record).removesuffix("/")
            if path == previous:  # the stages of an unmerged file
                continue
            previous = path
            blocked = yield from self._enter(path.rpartition("/")[0], owner)
            if not blocked:
                yield from self._file(path, owner)
        for record in git_records(where, *listing, "--ignored", "--directory", cancel=self._cancel):
            path = before + os.fsdecode(record)
            folder = path.endswith("/")
            path = path.removesuffix("/")
            blocked = yield from self._enter(path.rpartition("/")[0], owner)
            if not blocked:
                yield from self._ignored(path, folder)

    def _scanned(self, owner: Owner, start: str) -> Iterator[Found | Skipped]:
        folders = [start]
        while folders:
            folder = folders.pop()
            self._cancel.check()
            entries = self._entries(folder)
            if entries is None:
                yield Skipped(_shown(folder), Reason.NO_PERMISSION, folder=True)
                continue
            ignored = owner.ignored(path for path, _ in entries)
            for path, is_folder in entries:
                if path in ignored:
                    yield from self._ignored(path, is_folder)
                elif is_folder:
                    blocked = yield from self._enter(path, owner)
                    if not blocked:
                        folders.append(path)
                else:
                    yield from self._file(path, owner)

    def _entries(self, folder: str) -> list[tuple[str, bool]] | None:
        before = f"{folder}/" if folder else ""
        try:
            with os.scandir(f"{self._top}/{folder}") as entries:
                return [(before + entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except PermissionError:
            return None
        except OSError:
            return []

    def _enter(self, folder: str, owner: Owner) -> Generator[Found | Skipped, None, bool]:
        """Tell what there is to tell of a folder met for the first time; return whether it is closed to `owner`."""
        known = self._open.get(folder)
        if known is not None:
            return not known
        above = folder.rpartition("/")[0]
        blocked = yield from self._enter(above, owner)
        if blocked:
            self._open[folder] = False
            return True
        self._open[folder] = False
        nested = self._gate.ignores.nested_owner(folder) if folder != owner.prefix else None
        refused = self._gate.refuse_folder(folder)
        if refused is not None:
            yield from self._skip_folder(folder, refused.reason)
        elif isinstance(nested, Reason):
            yield Skipped(_shown(folder), nested, folder=True)
        elif nested is not None:
            self._waiting.append(nested)
        else:
            self._open[folder] = True
        return not self._open[folder]

    def _file(self, path: str, owner: Owner) -> Iterator[Found | Skipped]:
        """Tell of a file that its owner's rules let through."""
        try:
            status = os.lstat(f"{self._top}/{path}")
        except OSError:
            return
        if stat.S_ISDIR(status.st_mode):  # a submodule, or a nested repository
            yield from self._enter(path, owner)
            return
        if self._gate.own_rules.verdict(path) is OwnVerdict.OUT:
            yield Skipped(_shown(path), Reason.IGNORED)
            return
        yield self._judged(path, status)

    def _judged(self, path: str, status: os.stat_result) -> Found | Skipped:
        reason = names.refuse_file(path.rpartition("/")[2])
        if reason is not None:
            return Skipped(_shown(path), reason)
        stamp = self._gate.stamp(path)
        if isinstance(stamp, Refused):
            return Skipped(_shown(path), stamp.reason)
        return Found(path, stamp)

    def _ignored(self, path: str, is_folder: bool) -> Iterator[Found | Skipped]:
        if is_folder:
            if path in self._open:
                return
            self._open[path] = False
            refused = self._gate.refuse_folder(path)
            yield from self._skip_folder(path, refused.reason if refused is not None else Reason.IGNORED)
        elif self._gate.own_rules.verdict(path) is OwnVerdict.FORCED_IN:
            yield from self._file(path, self._gate.ignores.top_owner)
        else:
            yield Skipped(_shown(path), names.refuse_file(path.rpartition("/")[2]) or Reason.IGNORED)

    def _skip_folder(self, folder: str, reason: Reason) -> Iterator[Found | Skipped]:
        """Tell that a folder is skipped, and of what the user's own rules force in below it."""
        yield Skipped(_shown(folder), reason, folder=True)
        if reason not in (Reason.IGNORED, Reason.DEPENDENCY) or not self._gate.own_rules.may_force_below(folder):
            return
        folders = [folder]
        while folders:
            self._cancel.check()
            for path, is_folder in self._entries(folders.pop()) or ():
                if is_folder:
                    refused = self._gate.refuse_folder(path)
                    if refused is None or refused.reason in (Reason.IGNORED, Reason.DEPENDENCY):
                        folders.append(path)
                elif self._gate.own_rules.verdict(path) is OwnVerdict.FORCED_IN:
                    status = os.lstat(f"{self._top}/{path}")
                    yield self._judged(path, status)


def _shown(path: str) -> str:
    """Return a path that can be said on the wire: bytes that are not UTF-8 become `\\xNN`."""
    return os.fsencode(path).decode("utf-8", errors="backslashreplace")
