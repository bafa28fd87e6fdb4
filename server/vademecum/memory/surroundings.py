"""What an open folder is, as far as that tells which memories matter in it: its languages and frameworks, the files
that were worked on lately, its branch. Found out by names alone, with git, and by the manifests that the gate lets
through; remembered until git or a manifest says that something changed.
"""

import os
import re
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from attrs import frozen

from vademecum.files.content import Content
from vademecum.files.gate import Gate
from vademecum.files.git import GitFailed, git
from vademecum.files.names import DEPENDENCY_FOLDERS, VERSION_CONTROL
from vademecum.memory import technologies
from vademecum.memory.grounds import GateOf

#: Commits whose files count as worked on lately. A day or two of one developer's work.
_COMMITS = 20
#: Files worked on lately that are looked at, newest first.
_RECENT = 60
#: Manifests that are read, those nearest the top first, and how much of each, in characters.
_MANIFESTS = 12
_MANIFEST_CHARACTERS = 64_000
#: Without git so many names are looked at, so deep; a workspace that is no repository is seldom large.
_NAMES = 5_000
_DEPTH = 3

_WORD = re.compile(r"[a-z][a-z0-9]*(?:[+#]+)?")


@frozen
class Surroundings:
    """What the open folders are. Where nobody can tell, nothing is named, and nothing counts as foreign."""

    technologies: frozenset[str] = frozenset()
    recent: tuple[str, ...] = ()
    """Paths relative to the top of the repository, those of open documents first, then by the latest commit."""
    branch: str = ""


#: No folder is open.
NOWHERE = Surroundings()


class Outlook:
    """Looks at open folders; remembers what it saw by the stamps of what tells of changes. Safe from every thread."""

    def __init__(self, gate_of: GateOf | None) -> None:
        self._gate_of = gate_of
        self._lock = threading.Lock()
        self._known: dict[Path, tuple[object, Surroundings]] = {}

    def of(self, folders: Sequence[Path]) -> Surroundings:
        """Return what these folders are, taken together."""
        each = [self._folder(folder) for folder in folders]
        if len(each) == 1:
            return each[0]
        return Surroundings(
            frozenset().union(*(one.technologies for one in each)),
            tuple(path for one in each for path in one.recent),
            " ".join(one.branch for one in each if one.branch),
        )

    def forget(self) -> None:
        """Drop what was seen."""
        with self._lock:
            self._known.clear()

    def _folder(self, folder: Path) -> Surroundings:
        gate = self._gate_of(folder) if self._gate_of is not None else None
        if gate is None:
            return NOWHERE
        stamp = _stamp(gate)
        with self._lock:
            known = self._known.get(folder)
        if known is None or known[0] != stamp:
            known = (stamp, _look(gate))
            with self._lock:
                self._known[folder] = known
        opened = _open_documents(gate)
        seen = known[1]
        return Surroundings(seen.technologies, (*opened, *seen.recent), seen.branch) if opened else seen


def _stamp(gate: Gate) -> object:
    """What changes when a commit is made, a branch is checked out, or a file is added."""
    repository = gate.ignores.top_owner.repository
    if repository is None:
        return tuple(_status(gate.root / name) for name in (".", *technologies.MANIFESTS))
    watched = [repository.git_dir / name for name in ("HEAD", "index", "logs/HEAD")]
    return tuple(map(_status, (*watched, *(gate.top / name for name in sorted(technologies.MANIFESTS)))))


def _status(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def _look(gate: Gate) -> Surroundings:
    is_git = gate.ignores.top_owner.repository is not None
    paths = _tracked(gate) if is_git else list(_listed(gate.root))
    return Surroundings(
        languages_of(paths) | _frameworks(gate, paths),
        _committed(gate) if is_git else (),
        _branch(gate) if is_git else "",
    )


def _tracked(gate: Gate) -> list[str]:
    try:
        listed = git(gate.root, "ls-files", "-z", "--full-name", "--deduplicate")
    except GitFailed:
        return []
    return [os.fsdecode(name) for name in listed.split(b"\0") if name]


def _listed(root: Path, below: str = "", depth: int = 0) -> Iterable[str]:
    """Names in a folder without git, in the order of the names, the first `_NAMES` of each level at most."""
    try:
        with os.scandir(root / below) as entries:
            found = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
    except OSError:
        return
    for name, is_folder in found[: _NAMES // 10**depth]:
        if not is_folder:
            yield f"{below}{name}"
        elif depth < _DEPTH and name not in DEPENDENCY_FOLDERS | VERSION_CONTROL and not name.startswith("."):
            yield from _listed(root, f"{below}{name}/", depth + 1)


def languages_of(paths: Iterable[str]) -> frozenset[str]:
    """Return the languages of a workspace by the names of its files, those of single scripts aside."""
    counts = Counter(language for path in paths if (language := technologies.language_of(path)) is not None)
    least = min(technologies.LEAST_FILES, technologies.LEAST_SHARE * counts.total())
    return frozenset(language for language, count in counts.items() if count >= least)


def frameworks_in(manifest: str) -> frozenset[str]:
    """Return the frameworks that the text of a manifest names, whatever its form."""
    words = frozenset(_WORD.findall(manifest[:_MANIFEST_CHARACTERS].lower()))
    named = (name for names in technologies.named_in("", words, words) for name in names)
    return frozenset(name for name in named if not technologies.is_language(name))


def _frameworks(gate: Gate, paths: Iterable[str]) -> frozenset[str]:
    manifests = (path for path in paths if path.rsplit("/", 1)[-1].lower() in technologies.MANIFESTS)
    nearest = sorted(manifests, key=lambda path: (path.count("/"), path))[:_MANIFESTS]
    found: set[str] = set()
    for content in gate.read_many(nearest).values():
        if isinstance(content, Content):
            found |= frameworks_in(content.text)
    for path in nearest:
        name = path.rsplit("/", 1)[-1].lower()
        found |= {"Docker"} if "docker" in name or name.startswith("compose") else set()
        found |= {"Kubernetes"} if name == "chart.yaml" else set()
    return frozenset(found)


def _committed(gate: Gate) -> tuple[str, ...]:
    try:
        listed = git(gate.root, "log", f"-{_COMMITS}", "--name-only", "--no-renames", "--format=", "-z", "--", ".")
    except GitFailed:
        return ()  # no commit yet
    names = dict.fromkeys(os.fsdecode(name.strip(b"\n")) for name in listed.split(b"\0") if name.strip(b"\n"))
    return tuple(names)[:_RECENT]


def _branch(gate: Gate) -> str:
    repository = gate.ignores.top_owner.repository
    assert repository is not None
    try:
        head = (repository.git_dir / "HEAD").read_text("utf-8", "replace").strip()
    except OSError:
        return ""
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""


def _open_documents(gate: Gate) -> tuple[str, ...]:
    """What is open in the editor, whether or not it may be read: it is only the names that count."""
    paths = (gate.relative(path) for path in gate.buffers.paths()) if gate.buffers.any else ()
    return tuple(sorted(path for path in paths if isinstance(path, str)))
