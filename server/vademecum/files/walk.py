"""Walking a workspace: every file that may be read, and everything that is not, with the reason.

In a repository git lists its files itself (tracked, and untracked but not ignored; then what it ignores, whole folders
at once), so its rules are exact and a large tree costs two processes. Without git the folders are gone through here.
"""

import contextlib
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
from vademecum.files.own_rules import OwnPlace, OwnVerdict
from vademecum.files.plain_rules import PlainRules
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
        self._own = gate.own_rules
        self._cancel = cancel
        self._top = str(gate.top)
        self._met: dict[str, OwnPlace | None] = {"": self._own.top()}  # folders, None when nothing below is read
        self._passed_over: set[str] = set()  # where disks are mounted that are not looked at
        self._waiting: list[tuple[Owner, OwnPlace]] = []

    def run(self) -> Iterator[Found | Skipped]:
        owner = self._gate.ignores.top_owner
        place = self._own.top()
        above = ""
        for part in self._gate.prefix.split("/") if self._gate.prefix else ():
            above = f"{above}/{part}" if above else part
            place = self._met[above] = self._own.enter(place, part, above)
            nested = self._gate.ignores.nested_owner(above)
            if isinstance(nested, Owner):
                owner = nested
        yield from self._owner(owner, self._gate.prefix)
        while self._waiting:
            owner, place = self._waiting.pop()
            self._met[owner.prefix] = place  # closed to the outer owner, open to its own
            yield from self._owner(owner, owner.prefix)

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
        left_out = yield from self._mounts(owner, start)
        yield from self._unlisted(start)
        previous = ""
        listing = ("ls-files", "-z", "--full-name", "--exclude-standard", "--others")
        for record in git_records(where, *listing, "--cached", *left_out, cancel=self._cancel):
            path = before + os.fsdecode(record).removesuffix("/")
            if path == previous:  # the stages of an unmerged file
                continue
            previous = path
            yield from self._file(path, owner)
        for record in git_records(where, *listing, "--ignored", "--directory", *left_out, cancel=self._cancel):
            path = before + os.fsdecode(record)
            folder = path.endswith("/")
            path = path.removesuffix("/")
            if (yield from self._open(path.rpartition("/")[0], owner)) is not None:
                yield from self._ignored(path, folder)

    def _mounts(self, owner: Owner, start: str) -> Generator[Found | Skipped, None, tuple[str, ...]]:
        """Tell of folders below that no disk answers for, and return what keeps git from looking into them."""
        cut = len(owner.prefix) + 1 if owner.prefix else 0
        left_out: list[str] = []
        for folder in self._gate.silence.mounts:
            if start and not folder.startswith(f"{start}/"):
                continue
            refused = self._gate.silence.refuse(folder, self._own.verdict(folder, is_folder=True))
            if refused is not None:
                self._met[folder] = None
                self._passed_over.add(folder)
                left_out.append(f":(exclude,top,literal){folder[cut:]}")
                yield Skipped(_shown(folder), refused.reason, folder=True)
        return ("--", ".", *left_out) if left_out else ()

    def _scanned(self, owner: Owner, start: str) -> Iterator[Found | Skipped]:
        rules = owner.rules if isinstance(owner.rules, PlainRules) else owner.rules.plain
        cut = len(owner.prefix) + 1 if owner.prefix else 0
        place = rules.top()
        above = ""
        for part in start[cut:].split("/") if start[cut:] else ():
            above = f"{above}/{part}" if above else part
            place = rules.enter(place, part, above)
        folders = [(start, place)]
        while folders:
            folder, place = folders.pop()
            self._cancel.check()
            entries = self._entries(folder)
            if entries is None:
                yield Skipped(_shown(folder), Reason.NO_PERMISSION, folder=True)
                continue
            for path, name, is_folder in entries:
                if rules.ignored_in(place, name, is_folder):
                    yield from self._ignored(path, is_folder)
                elif not is_folder:
                    yield from self._file(path, owner)
                elif (yield from self._open(path, owner)) is not None:
                    folders.append((path, rules.enter(place, name, path[cut:])))

    def _entries(self, folder: str) -> list[tuple[str, str, bool]] | None:
        """Return path, name and whether it is a folder of all that is in `folder`; None when it is closed to us."""
        before = f"{folder}/" if folder else ""

        def listed() -> list[tuple[str, str, bool]]:
            with os.scandir(f"{self._top}/{folder}") as entries:
                return [(before + entry.name, entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]

        try:
            found = self._gate.silence.look(folder, listed)
        except PermissionError:
            return None
        except OSError:
            return []
        return [] if isinstance(found, Refused) else found

    def _open(self, folder: str, owner: Owner) -> Generator[Found | Skipped, None, OwnPlace | None]:
        """Return the place of a folder, None when nothing below is read; tell why of folders met for the first time."""
        unknown: list[str] = []
        while folder not in self._met:
            unknown.append(folder)
            folder = folder.rpartition("/")[0]
        place = self._met[folder]
        for below in reversed(unknown):
            if place is not None:
                place = yield from self._meet(below, place, owner)
            self._met[below] = place
        return place

    def _meet(self, folder: str, above: OwnPlace, owner: Owner) -> Generator[Found | Skipped, None, OwnPlace | None]:
        """Judge a folder in an open one."""
        self._met[folder] = None
        name = folder.rpartition("/")[2]
        verdict = self._own.judge(above, name, is_folder=True)
        silent = self._gate.silence.refuse(folder, verdict)
        if silent is not None:
            yield Skipped(_shown(folder), silent.reason, folder=True)
            return None
        place = self._own.enter(above, name, folder, verdict)
        nested = self._gate.ignores.nested_owner(folder) if folder != owner.prefix else None
        refused = self._gate.refuse_folder(folder, place.verdict)
        if refused is not None:
            yield from self._skip_folder(folder, place, refused.reason)
        elif isinstance(nested, Reason):
            yield Skipped(_shown(folder), nested, folder=True)
        elif nested is not None:
            self._waiting.append((nested, place))
        else:
            if owner.repository is not None:
                yield from self._unlisted(folder)
            return place
        return None

    def _unlisted(self, folder: str) -> Iterator[Skipped]:
        """Tell of what git passes over in silence: special files, and folders that are closed to us."""
        before = f"{folder}/" if folder else ""
        try:
            with os.scandir(f"{self._top}/{folder}") as entries:
                for entry in entries:
                    if before + entry.name in self._passed_over:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        if not os.access(entry.path, os.R_OK | os.X_OK):
                            self._met[before + entry.name] = None
                            yield Skipped(_shown(before + entry.name), Reason.NO_PERMISSION, folder=True)
                    elif not entry.is_file(follow_symlinks=False) and not entry.is_symlink():
                        yield Skipped(_shown(before + entry.name), Reason.SPECIAL)
        except OSError:
            return

    def _file(self, path: str, owner: Owner) -> Iterator[Found | Skipped]:
        """Tell of a file that its owner's rules let through."""
        folder, _, name = path.rpartition("/")
        above = yield from self._open(folder, owner)
        if above is None:
            return
        try:
            status = self._gate.silence.look(path, lambda: os.lstat(f"{self._top}/{path}"))
        except OSError:
            return
        if isinstance(status, Refused):
            return
        if stat.S_ISDIR(status.st_mode):  # a submodule, or a nested repository
            yield from self._open(path, owner)
        elif stat.S_ISLNK(status.st_mode):
            if path not in self._met:  # else it stands where git tracks a folder, and was told as that
                self._met[path] = None
                yield Skipped(_shown(path), Reason.SYMLINK)
        elif self._own.judge(above, name) is OwnVerdict.OUT:
            yield Skipped(_shown(path), Reason.IGNORED)
        else:
            yield self._judged(path, name, status)

    def _judged(self, path: str, name: str, status: os.stat_result) -> Found | Skipped:
        reason = names.refuse_file(name)
        if reason is not None:
            return Skipped(_shown(path), reason)
        refused = self._gate.refuse_encoding(path) or self._gate.refuse_status(status)
        if refused is not None:
            return Skipped(_shown(path), refused.reason)
        return Found(path, Stamp.of(status))

    def _ignored(self, path: str, is_folder: bool) -> Iterator[Found | Skipped]:
        """Tell of what git's rules ignore in an open folder."""
        folder, _, name = path.rpartition("/")
        above = self._met[folder]
        if above is None:
            return
        if is_folder:
            if path not in self._met:
                self._met[path] = None
                place = self._own.enter(above, name, path)
                refused = self._gate.refuse_folder(path, place.verdict)
                yield from self._skip_folder(path, place, refused.reason if refused is not None else Reason.IGNORED)
        elif self._own.judge(above, name) is OwnVerdict.FORCED_IN:
            yield from self._file(path, self._gate.ignores.top_owner)
        else:
            yield Skipped(_shown(path), names.refuse_file(name) or Reason.IGNORED)

    def _skip_folder(self, folder: str, place: OwnPlace, reason: Reason) -> Iterator[Found | Skipped]:
        """Tell that a folder is skipped, and of what the user's own rules force in below it."""
        yield Skipped(_shown(folder), reason, folder=True)
        if reason not in (Reason.IGNORED, Reason.DEPENDENCY) or not self._own.may_force_below(folder):
            return
        folders = [(folder, place)]
        while folders:
            self._cancel.check()
            folder, place = folders.pop()
            for path, name, is_folder in self._entries(folder) or ():
                if is_folder:
                    below = self._own.enter(place, name, path)
                    refused = self._gate.refuse_folder(path, below.verdict)
                    if refused is None or refused.reason in (Reason.IGNORED, Reason.DEPENDENCY):
                        folders.append((path, below))
                elif self._own.judge(place, name) is OwnVerdict.FORCED_IN:
                    with contextlib.suppress(OSError):
                        yield self._judged(path, name, os.lstat(f"{self._top}/{path}"))


def _shown(path: str) -> str:
    """Return a path that can be said on the wire: bytes that are not UTF-8 become `\\xNN`."""
    return os.fsencode(path).decode("utf-8", errors="backslashreplace")
