"""What git knows of a folder: its repository, its remote's address, its first commit. No program of it is ever run."""

import os
import re
import stat
from pathlib import Path

from attrs import frozen

from vademecum.files.git import GitFailed, git
from vademecum.memory.origin import normalise_origin

#: Largest configuration file that is read, in bytes; real ones are below 100 KB.
_CONFIG_BYTES = 1_000_000

_SECTION = re.compile(r'^\s*\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$')
_ENTRY = re.compile(r"^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$", re.DOTALL)
#: A repository that fetches missing objects on demand would let its configuration choose the program that does so.
_FETCHES = re.compile(r"promisor|partialclone|\binclude", re.IGNORECASE)


@frozen
class Repository:
    """A working tree: its top folder, and the folder that all its worktrees have in common. Both are real paths.

    `proven`: the common folder knows of this working tree in turn. A folder from a stranger can point anywhere, so what
    merely points somewhere is a repository of its own here.
    """

    root: Path
    common: Path
    proven: bool

    @property
    def home(self) -> Path:
        """The folder that stands for the repository whichever worktree is open: its main working tree if it has one."""
        if not self.proven:
            return self.root
        return self.common.parent if self.common.name == ".git" else self.common


def find_repository(folder: Path) -> Repository | None:
    """Return the repository that holds `folder` (a real path), looking upwards as git does."""
    for root in (folder, *folder.parents):
        mark = root / ".git"
        if is_folder(mark):
            if is_file(mark / "HEAD"):
                return Repository(root, Path(os.path.realpath(mark)), proven=not mark.is_symlink())
        elif is_file(mark) and (found := _pointed_to(root, mark)) is not None:
            return found
    return None


def read_origin(repository: Repository) -> str | None:
    """Return the normalised address of the remote `origin`, read from the repository's own configuration."""
    address = raw_origin(repository)
    return normalise_origin(address, repository.root) if address else None


def raw_origin(repository: Repository) -> str | None:
    """Return the address of the remote `origin` as it is written in the repository's own configuration."""
    text = _read(repository.common / "config")
    address = _first("remote", "origin", "url", text)
    if address is None and re.search(r"^\s*\[include", text, re.IGNORECASE | re.MULTILINE):
        try:
            listed = git(repository.root, f"--git-dir={repository.common}", "config", "--get-all", "remote.origin.url")
            address = listed.decode("utf-8", "surrogateescape").split("\n", 1)[0]
        except GitFailed:
            return None
    return address


def read_first_commit(repository: Repository) -> str | None:
    """Return the hash of the oldest commit without parents, or None when there is none, git is not there, or the
    history was cut off (a shallow clone's oldest commit is not the first one)."""
    common = repository.common
    if kind_of(common / "shallow") or _FETCHES.search(_read(common / "config") + _read(common / "config.worktree")):
        return None
    try:
        listed = git(repository.root, f"--git-dir={common}", "rev-list", "--max-parents=0", "HEAD", "--")
    except GitFailed:
        return None
    commits = listed.decode("ascii", "replace").split()
    return commits[-1] if commits else None


def fingerprint(repository: Repository) -> str:
    """Return what a `.git` folder keeps when it is moved and no copy of it has; empty when that cannot be told.

    Inode numbers alone are given out again after a removal, so the time at which the folder was made is added: git
    writes `description` once.
    """
    if not repository.proven:
        return ""
    try:
        made = (repository.common / "description").stat().st_mtime_ns
        numbers = [(repository.common / part).stat().st_ino for part in (".", "objects", "refs")]
    except OSError:
        return ""
    return ":".join(map(str, [*numbers, made]))


def is_folder(path: Path) -> bool:
    """Whether a folder is at `path`; false, unlike pathlib's answer, where nobody can tell: closed, or too long."""
    return stat.S_ISDIR(kind_of(path))


def is_file(path: Path) -> bool:
    """Whether a regular file is at `path`; false where nobody can tell."""
    return stat.S_ISREG(kind_of(path))


def kind_of(path: Path) -> int:
    """The mode of what is at `path`, 0 when nothing is or nobody can tell."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0


def _pointed_to(root: Path, mark: Path) -> Repository | None:
    text = _read(mark)
    if not text.startswith("gitdir:") or "\0" in text:
        return None
    own = Path(os.path.realpath(root / text.removeprefix("gitdir:").strip()))
    if not is_file(own / "HEAD"):
        return None
    above = _read(own / "commondir").strip()
    if above:
        back = _read(own / "gitdir").strip()
        return Repository(root, Path(os.path.realpath(own / above)), proven=_same(own / back, mark))
    # A submodule's folder names its working tree; one made with --separate-git-dir names nothing.
    back = _first("core", None, "worktree", _read(own / "config")) or ""
    return Repository(root, own, proven=bool(back) and _same(own / back, root))


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _first(section: str, subsection: str | None, key: str, config: str) -> str | None:
    """Return the first value of a key in a configuration file, by git's own rules of quoting."""
    inside = False
    for line in re.sub(r"\\\r?\n", "", config).splitlines():
        if found := _SECTION.match(line):
            name = None if found[2] is None else re.sub(r"\\(.)", r"\1", found[2])
            inside = found[1].lower() == section and name == subsection
            line = found[3]
        if inside and (found := _ENTRY.match(line)) and found[1].lower() == key and found[2]:
            return _value(found[2])
    return None


def _value(text: str) -> str:
    out = []
    quoted = False
    at = 0
    while at < len(text):
        char = text[at]
        if char == '"':
            quoted = not quoted
        elif char == "\\" and at + 1 < len(text):
            at += 1
            out.append({"n": "\n", "t": "\t", "b": "\b"}.get(text[at], text[at]))
        elif char in "#;" and not quoted:
            break
        else:
            out.append(char)
        at += 1
    return "".join(out).strip()


def _read(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > _CONFIG_BYTES:
            return ""
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return ""
