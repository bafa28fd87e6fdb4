"""The gate: the one place that decides which files of a workspace are read, and the only one that opens them.

Two folders matter. `root` is the folder that the user opened. `top` is the top of the repository around it (`root`
itself when there is none, or when that repository ignores the folder). **Every path, here and in the index and in
evidence references, is relative to `top`**, with `/` between the parts, so that `repo/` and `repo/sub` speak of a file
in the same words; what lies in `top` but not in `root` is refused as `outside`.

What is refused, in this order: paths that are not plain relative ones, or lie outside `root`; folders and files by
name (version control, this product's own, dependencies, secrets); symlinks and everything that is not a regular file;
files over the size limit; what `.vademecumignore`, the setting `exclude`, other programs' files of that kind, or git
ignores; binary files, foreign encodings, minified text. Symlinks are never followed: what they lead to is read under
its own name, if it is inside.

Names that are not valid UTF-8 cannot be said on the wire, so they are refused (`badName`).
"""

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from attrs import frozen

from vademecum.files import names
from vademecum.files.beneath import open_beneath, refused_by, status_beneath
from vademecum.files.buffers import Buffers
from vademecum.files.content import Content, Reason, Refused, Stamp, content
from vademecum.files.ignore import Ignores, find_top
from vademecum.files.own_rules import OwnPlace, OwnRules, OwnVerdict
from vademecum.files.repository import enclosing_folder
from vademecum.files.settings import FileSettings
from vademecum.files.silence import Silence

__all__ = ["Content", "Gate", "Reason", "Refused", "Stamp"]

#: What the first bytes of a `CACHEDIR.TAG` must be for its folder to be a cache (https://bford.info/cachedir/).
_CACHE_TAG = b"Signature: 8a477f597d28d172789f06886806bc55"
#: How often a file that changes while it is read is read again before it is given as it is, with its older stamp.
_READ_ATTEMPTS = 3
#: Refusals that the user's own `!` patterns overrule.
_OVERRULED = frozenset({Reason.DEPENDENCY, Reason.IGNORED})


@frozen
class _Folder:
    """A folder on the way to a file, with all above it judged.

    :param refused: why nothing below is read.
    :param closed: whether not even what the user's own rules force in is.
    """

    own: OwnPlace
    refused: Refused | None = None
    closed: bool = False


class Gate:
    """Decides about and reads the files of one opened folder. May be used from every thread.

    :param root: the opened folder; need not exist (everything is then `missing`).
    :param settings: see `FileSettings`.
    :param buffers: the editor's unsaved texts; they win over the disk for paths that are let through.
    """

    def __init__(self, root: Path, settings: FileSettings | None = None, buffers: Buffers | None = None) -> None:
        self.settings = settings or FileSettings()
        self.buffers = buffers or Buffers()
        self.root = Path(os.path.realpath(root))
        self._enclosing = enclosing_folder(self.root)
        self._outdated = False
        self.top = find_top(self.root)
        prefix = self.root.relative_to(self.top).as_posix()
        #: The opened folder relative to `top`; empty when they are the same.
        self.prefix = "" if prefix == "." else prefix
        self.ignores = Ignores(self.top)
        #: Disks mounted in the folder that do not answer.
        self.silence = Silence(self.top)
        self.own_rules = OwnRules(self.top, self.settings.exclude)
        self._own_folders = self._own_paths(self.settings.own_folders)

    def relative(self, path: Path) -> str | Refused:
        """Return the path relative to `top` of an absolute path, or of one relative to `top`.

        Symlinks are resolved, so the answer names the real file; refused when that is outside the opened folder.
        """
        text = os.fspath(path)
        if "\0" in text:
            return Refused(Reason.BAD_NAME, "the path holds a NUL")
        try:
            plain = os.path.relpath(self.top / text, self.top) if self.silence.mounts else ""
            real = self.silence.look(plain, lambda: os.path.realpath(self.top / text))
        except (OSError, ValueError):
            return Refused(Reason.UNREADABLE, "the path cannot be resolved")
        if isinstance(real, Refused):
            return real
        top = str(self.top)
        if not real.startswith(top if top.endswith(os.sep) else top + os.sep):
            return Refused(Reason.OUTSIDE, "outside the opened folder")
        relative = os.path.relpath(real, top).replace(os.sep, "/")
        return self._refuse_path(relative) or relative

    @property
    def notice(self) -> str | None:
        """What a user should know about how rules are read here, as a sentence; None when there is nothing to say."""
        why = self.ignores.distrusted
        if why is None:
            return None
        return f"Git does not answer for this repository, so its ignore rules are read without it ({why})."

    @property
    def outdated(self) -> bool:
        """Whether a repository around the folder began or ended, so that paths are relative to another folder now."""
        if self._outdated or (enclosing := enclosing_folder(self.root)) == self._enclosing:
            return self._outdated
        self._outdated = find_top(self.root) != self.top
        self._enclosing = enclosing
        return self._outdated

    def absolute(self, path: str) -> Path:
        """Return the absolute path of `path` (relative to `top`)."""
        return self.top / path

    def warm(self, paths: Iterable[str]) -> None:
        """Ask git about many paths at once, so that reading them one by one need not ask again."""
        self.ignores.ignored(path for path in paths if self._refuse_path(path) is None)

    def admit(self, path: str) -> Refused | None:
        """Return why `path` (relative to `top`) may not be read, or None; never looks at its content."""
        return self.admit_many([path]).get(path)

    def admit_many(self, paths: Iterable[str]) -> dict[str, Refused]:
        """Return the refused ones of many paths, judging each folder and asking git once for all of them."""
        return {path: found for path, found in self.stamps(paths).items() if isinstance(found, Refused)}

    def stamps(self, paths: Iterable[str]) -> dict[str, Stamp | Refused | None]:
        """Return the stamps of the files on the disk, or why they may not be read; None for unsaved text alone."""
        found: dict[str, Stamp | Refused | None] = {}
        rest: dict[str, OwnVerdict] = {}
        met: dict[str, _Folder] = {}
        for path in paths:
            own = self._judge_name(path, met)
            if isinstance(own, Refused):
                found[path] = own
                continue
            status = self._status(path)
            found[path] = Stamp.of(status) if isinstance(status, os.stat_result) else status
            if not isinstance(status, Refused):
                rest[path] = own
        found.update(self._refuse_by_rules(rest))
        return found

    def concerned(self, paths: Iterable[str]) -> set[str]:
        """Return those of the paths that names and rules let through, whatever is on the disk there, if anything."""
        met: dict[str, _Folder] = {}
        allowed = {path: own for path in paths if not isinstance(own := self._judge_name(path, met), Refused)}
        refused = self._refuse_by_rules(allowed)
        return {path for path in allowed if path not in refused}

    def stamp(self, path: str) -> Stamp | Refused:
        """Return the stamp of the file on the disk, without asking the rules; refused when it is no regular file."""
        refused = self._refuse_path(path)
        if refused is not None:
            return refused
        status = status_beneath(self.top, path)
        if isinstance(status, Refused):
            return status
        return self.refuse_status(status) or Stamp.of(status)

    def read(self, path: str) -> Content | Refused:
        """Return the content of `path` (relative to `top`): the editor's unsaved text, else what the disk holds now."""
        return self.read_many([path])[path]

    def read_many(self, paths: Iterable[str]) -> dict[str, Content | Refused]:
        """Return what `read` would of each path. Several files of a folder cost little more than one."""
        asked = list(dict.fromkeys(paths))
        refused = self.admit_many(asked)
        return {path: refused[path] if path in refused else self._read_admitted(path) for path in asked}

    def read_bytes(self, path: str) -> tuple[bytes, Stamp] | Refused:
        """Return what the disk holds at `path` (relative to `top`) and its stamp, whatever kind of content it is.

        For documents, which may have lines that no code has; names, rules and size decide as for `read`.
        """
        return self.admit(path) or self._bytes_on_disk(path)

    def _read_admitted(self, path: str) -> Content | Refused:
        text = self.buffers.get(self.top / path) if self.buffers.any else None
        if text is not None:
            data = text.encode("utf-8", errors="surrogatepass")
            if len(data) > self.settings.max_file_bytes:
                return self._too_large(len(data))
            return content(path, data, from_buffer=True)
        return self._read_disk(path)

    def refuse_folder(self, path: str, own: OwnVerdict) -> Refused | None:
        """Return why nothing below the folder `path` is read, looking at this folder alone, not at those above it.

        Git's rules are not asked: the walk gets them from git's own listing, and single files ask for themselves.

        :param own: what the user's own rules say of the folder.
        """
        name = path.rpartition("/")[2]
        reason = names.refuse_folder(name)
        if reason is not None:
            return Refused(reason)
        if path in self._own_folders:
            return Refused(Reason.OWN, "this product's own folder")
        return self.silence.refuse(path, own) or self.silence.look(path, lambda: self._refuse_found(path, own))

    def _refuse_found(self, path: str, own: OwnVerdict) -> Refused | None:
        """The part of `refuse_folder` that looks at the disk."""
        absolute = f"{self.top}/{path}"
        try:
            mode = os.lstat(absolute).st_mode
        except OSError:
            mode = stat.S_IFDIR  # gone: what was below is missing, which the file itself will say
        if stat.S_ISLNK(mode):
            return Refused(Reason.SYMLINK, "symlinks are not followed")
        if self._is_installed(path, absolute):
            return Refused(Reason.DEPENDENCY)
        return Refused(Reason.IGNORED) if own is OwnVerdict.OUT else None

    def refuse_status(self, status: os.stat_result) -> Refused | None:
        """Return why a file with this `lstat` is not read: a symlink, no regular file, too large."""
        if stat.S_ISLNK(status.st_mode):
            return Refused(Reason.SYMLINK, "symlinks are not followed")
        if not stat.S_ISREG(status.st_mode):
            return Refused(Reason.SPECIAL, "not a regular file")
        if status.st_size > self.settings.max_file_bytes:
            return self._too_large(status.st_size)
        return None

    def refuse_encoding(self, path: str) -> Refused | None:
        """Return why a name cannot be said on the wire: it is not valid UTF-8."""
        if path.isascii():
            return None
        try:
            path.encode()
        except UnicodeEncodeError:
            return Refused(Reason.BAD_NAME, "the name is not valid UTF-8")
        return None

    def refresh(self) -> None:
        """Forget remembered verdicts: something changed that their stamps may not show."""
        self.ignores.forget()

    def _status(self, path: str) -> os.stat_result | Refused | None:
        """What is on the disk at a path; None for an unsaved text that is not there yet."""
        try:
            # The folders on the way were judged one by one, and whoever opens the file follows no link in them.
            status = self.silence.look(path, lambda: os.lstat(f"{self.top}/{path}"))
        except OSError as error:
            refused = refused_by(error)
            if refused.reason is Reason.MISSING and self.buffers.get(self.top / path) is not None:
                return None
            return refused
        return status if isinstance(status, Refused) else self.refuse_status(status) or status

    def _judge_name(self, path: str, met: "dict[str, _Folder]") -> OwnVerdict | Refused:
        """Refuse by the path itself, the names in it, and the folders on the way; else say what the own rules say.

        :param met: the folders judged so far; kept for one request and no longer.
        """
        refused = self._refuse_path(path)
        if refused is not None:
            return refused
        above, _, name = path.rpartition("/")
        folder = met.get(above) or self._judge_folder(above, met)
        if folder.closed:
            assert folder.refused is not None
            return folder.refused
        own = self.own_rules.judge(folder.own, name)
        if folder.refused is not None and own is not OwnVerdict.FORCED_IN:
            return folder.refused
        reason = names.refuse_file(name)
        return own if reason is None else Refused(reason)

    def _judge_folder(self, path: str, met: "dict[str, _Folder]") -> "_Folder":
        folder = met.get("")
        if folder is None:
            folder = met[""] = _Folder(self.own_rules.top())
        above = ""
        for part in path.split("/") if path else ():
            above = f"{above}/{part}" if above else part
            known = met.get(above)
            if known is None:
                known = met[above] = folder if folder.closed else self._enter(folder, part, above)
            folder = known
        return folder

    def _enter(self, above: "_Folder", name: str, path: str) -> "_Folder":
        """Judge a folder in one that is not closed."""
        verdict = self.own_rules.judge(above.own, name, is_folder=True)
        if not self._is_above_root(path) and (silent := self.silence.refuse(path, verdict)) is not None:
            return _Folder(above.own, silent, closed=True)
        own = self.own_rules.enter(above.own, name, path, verdict)
        refused = None if self._is_above_root(path) else self.refuse_folder(path, own.verdict)
        if refused is not None and refused.reason not in _OVERRULED:
            return _Folder(own, refused, closed=True)
        return _Folder(own, above.refused or refused)

    def _refuse_by_rules(self, paths: Mapping[str, OwnVerdict]) -> dict[str, Refused]:
        """Refuse by the user's own rules, whose verdicts are given, and where they are silent by git's."""
        refused: dict[str, Refused] = {}
        for_git: list[str] = []
        for path, own in paths.items():
            match own:
                case OwnVerdict.OUT:
                    refused[path] = Refused(Reason.IGNORED)
                case OwnVerdict.SILENT:
                    for_git.append(path)
                case OwnVerdict.FORCED_IN:
                    pass
        for path, reason in self.ignores.ignored(for_git).items():
            refused[path] = Refused(reason)
        return refused

    def _refuse_path(self, path: str) -> Refused | None:
        """Refuse what is not a plain relative path inside the opened folder. Touches no file."""
        if not path or "\0" in path or path.startswith("/") or (os.sep == "\\" and ("\\" in path or ":" in path)):
            return Refused(Reason.OUTSIDE, "not a relative path")
        if any(part in ("", ".", "..") for part in path.split("/")):
            return Refused(Reason.OUTSIDE, "not a plain path")
        refused = self.refuse_encoding(path)
        if refused is not None:
            return refused
        if self.prefix and not path.startswith(self.prefix + "/"):
            return Refused(Reason.OUTSIDE, "outside the opened folder")
        return None

    def _too_large(self, size: int) -> Refused:
        return Refused(Reason.TOO_LARGE, f"{size:,} bytes; the limit is {self.settings.max_file_bytes:,}")

    def _is_above_root(self, folder: str) -> bool:
        """Whether `folder` is the opened folder or one above it: the user opened it, so its name keeps nothing out."""
        return bool(self.prefix) and (self.prefix == folder or self.prefix.startswith(folder + "/"))

    def _read_disk(self, path: str) -> Content | Refused:
        read = self.silence.look(path, lambda: self._bytes_on_disk(path))
        return read if isinstance(read, Refused) else content(path, read[0], stamp=read[1])

    def _bytes_on_disk(self, path: str) -> tuple[bytes, Stamp] | Refused:
        limit = self.settings.max_file_bytes
        for attempt in range(_READ_ATTEMPTS):
            opened = open_beneath(self.top, path)
            if isinstance(opened, Refused):
                return opened
            try:
                with os.fdopen(opened, "rb", buffering=0) as file:
                    before = os.fstat(opened)
                    refused = self.refuse_status(before)
                    if refused is not None:
                        return refused
                    data = _read_at_most(file.fileno(), limit + 1)
                    after = os.fstat(opened)
            except OSError:
                return Refused(Reason.UNREADABLE, "reading failed")
            if len(data) > limit:
                return self._too_large(len(data))
            if Stamp.of(before) == Stamp.of(after) or attempt == _READ_ATTEMPTS - 1:
                return data, Stamp.of(before)
        raise AssertionError("unreachable")

    def _is_installed(self, path: str, absolute: str) -> bool:
        """Whether a folder says of itself that it is a virtual environment or a cache."""
        if os.path.lexists(f"{absolute}/pyvenv.cfg"):
            return True
        if not os.path.lexists(f"{absolute}/CACHEDIR.TAG"):
            return False
        opened = open_beneath(self.top, f"{path}/CACHEDIR.TAG")
        if isinstance(opened, Refused):
            return False
        with os.fdopen(opened, "rb", buffering=0) as file:
            return stat.S_ISREG(os.fstat(opened).st_mode) and file.read(len(_CACHE_TAG)) == _CACHE_TAG

    def _own_paths(self, folders: Iterable[Path]) -> frozenset[str]:
        paths: set[str] = set()
        for folder in folders:
            relative = os.path.relpath(os.path.realpath(folder), self.top).replace(os.sep, "/")
            if relative != "." and not relative.startswith("../"):
                paths.add(relative)
        return frozenset(paths)


def _read_at_most(descriptor: int, limit: int) -> bytes:
    pieces: list[bytes] = []
    left = limit
    while left > 0 and (piece := os.read(descriptor, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
