"""Git's ignore rules, asked of git itself, for single paths: in batches, and remembered until an ignore file changes.

A path that no pattern matches is not ignored whatever the index says, and most paths are of that kind; so the patterns
are asked first (and remembered with the stamps of all files they come from), and only for a matched path the index
(remembered with the index's stamp), since git does not ignore what it tracks.
"""

import itertools
import logging
import os
import threading
from collections.abc import Iterable, Iterator, Sequence

from vademecum.files.content import Stamp
from vademecum.files.git import GitFailed, git
from vademecum.files.ignore_files import stamp_of
from vademecum.files.plain_rules import PlainRules
from vademecum.files.repository import Repository

_log = logging.getLogger(__name__)

#: So many verdicts are remembered; past it all are forgotten, and asked for again. About 200 bytes each.
MAX_REMEMBERED = 250_000
#: So many states of ignore files above some folder are told apart: one a folder, and again at each change of rules.
MAX_SIGNATURES = 100_000

#: How long a command line may become, in bytes; Windows allows 32 KiB.
MAX_COMMAND_BYTES = 24_000

_Signature = tuple[Stamp | None, ...]


class GitRules:
    """The ignore rules of one repository. May be used from every thread.

    :param repository: the repository; all paths are relative to its folder.

    `plain` stands in where git does not answer.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self.folder = str(repository.folder)
        self._index = str(repository.git_dir / "index")
        self._shared = [str(repository.exclude_file), str(repository.common_dir / "config")]
        if repository.global_excludes is not None:
            self._shared.append(str(repository.global_excludes))
        self.plain = PlainRules(repository.folder, is_repository=True)
        self._lock = threading.Lock()
        self._matched: dict[str, tuple[int, bool]] = {}
        self._untracked: dict[str, tuple[Stamp | None, bool]] = {}
        self._signatures: dict[_Signature, int] = {}
        self._numbers = itertools.count()

    def ignored(self, paths: Iterable[str]) -> set[str]:
        """Return those of the paths that git ignores; whether one is a folder is seen on the disk."""
        asked = list(dict.fromkeys(paths))
        matched = self._matched_by_patterns(asked)
        return self._not_tracked(matched) if matched else set()

    def tracked_though_matched(self) -> set[str]:
        """Return the tracked files that an ignore pattern matches."""
        listing = ("ls-files", "-z", "--full-name", "--cached", "--ignored", "--exclude-standard")
        try:
            answer = git(self._repository.folder, *listing)
        except GitFailed as failure:
            _log.warning("the tracked files are not known: %s", failure)
            return set()
        return {os.fsdecode(path) for path in answer.split(b"\0") if path}

    def _matched_by_patterns(self, paths: Sequence[str]) -> list[str]:
        shared = tuple(stamp_of(path) for path in self._shared)
        by_folder: dict[str, int] = {}
        levels: dict[str, Stamp | None] = {}
        matched: list[str] = []
        unknown: list[str] = []
        signatures: list[int] = []
        with self._lock:
            for path in paths:
                folder = path.rpartition("/")[0]
                signature = by_folder.get(folder)
                if signature is None:
                    signature = by_folder[folder] = self._signature(folder, shared, levels)
                known = self._matched.get(path)
                if known is None or known[0] != signature:
                    unknown.append(path)
                    signatures.append(signature)
                elif known[1]:
                    matched.append(path)
        if unknown:
            found = self._ask(unknown)
            with self._lock:
                if len(self._matched) + len(unknown) > MAX_REMEMBERED:
                    self._matched.clear()
                if len(self._signatures) > MAX_SIGNATURES:
                    self._signatures.clear()
                for path, signature in zip(unknown, signatures, strict=True):
                    self._matched[path] = (signature, path in found)
            matched.extend(path for path in unknown if path in found)
        return matched

    def _not_tracked(self, paths: Sequence[str]) -> set[str]:
        index = stamp_of(self._index)
        ignored: set[str] = set()
        unknown: list[str] = []
        with self._lock:
            for path in paths:
                known = self._untracked.get(path)
                if known is None or known[0] != index:
                    unknown.append(path)
                elif known[1]:
                    ignored.add(path)
        if unknown:
            found = set(unknown) - self._tracked(unknown)
            with self._lock:
                if len(self._untracked) + len(unknown) > MAX_REMEMBERED:
                    self._untracked.clear()
                self._untracked.update({path: (index, path in found) for path in unknown})
            ignored |= found
        return ignored

    def _signature(self, folder: str, shared: _Signature, levels: dict[str, Stamp | None]) -> int:
        """The number of the state of all ignore files that hold in a folder; `levels` holds those looked at so far."""
        stamps = list(shared)
        where = self.folder
        for part in ("", *folder.split("/")) if folder else ("",):
            where = f"{where}/{part}" if part else where
            if where not in levels:
                levels[where] = stamp_of(f"{where}/.gitignore")
            stamps.append(levels[where])
        # A number is never given out twice, so a verdict that bears a forgotten one is merely asked for again.
        signature = tuple(stamps)
        number = self._signatures.get(signature)
        if number is None:
            number = self._signatures[signature] = next(self._numbers)
        return number

    def _ask(self, paths: Sequence[str]) -> set[str]:
        try:
            return self._check_ignore(paths)
        except GitFailed as failure:
            # One path that git does not want to judge (it lies beyond a symlink by now) spoils the batch, so the batch
            # is halved until it is alone. Such a path is refused by other rules; here the patterns decide for it.
            if len(paths) > 1 and not self._is_gone():
                middle = len(paths) // 2
                return self._ask(paths[:middle]) | self._ask(paths[middle:])
            _log.debug("git does not judge, its patterns are read without it: %s", failure)
        return {path for path in paths if self.plain.ignored(path, (self._repository.folder / path).is_dir())}

    def _is_gone(self) -> bool:
        """Whether git does not answer at all, so that asking again in smaller batches is in vain."""
        try:
            git(self._repository.folder, "rev-parse", "--git-dir")
        except GitFailed:
            return True
        return False

    def _check_ignore(self, paths: Sequence[str]) -> set[str]:
        """Return those of the paths that a pattern matches, or a folder above them.

        The index is left out of it (`--no-index`), since `check-ignore` looks there for names by wildcard: an ignored
        `[id].ts` would pass for tracked where `i.ts` is.
        """
        # `./` keeps a name that begins with `:` from being taken for one of git's magic words.
        data = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
        answer = git(
            self._repository.folder, "check-ignore", "-z", "--stdin", "--no-index", data=data, accept=(0, 1)
        )  # 1: none is ignored
        return {os.fsdecode(path.removeprefix(b"./")) for path in answer.split(b"\0") if path}

    def _tracked(self, paths: Sequence[str]) -> set[str]:
        """Return those of the paths that git tracks, and folders in which it tracks anything."""
        tracked: set[str] = set()
        for batch in _batches(paths):
            try:
                answer = git(self._repository.folder, "--literal-pathspecs", "ls-files", "-z", "--cached", "--", *batch)
            except GitFailed as failure:
                _log.warning("the tracked files are not known: %s", failure)
                continue
            wanted = set(batch)
            for record in answer.split(b"\0"):
                path = os.fsdecode(record)
                while path:
                    if path in wanted:
                        tracked.add(path)
                    path = path.rpartition("/")[0]
        return tracked


def _batches(paths: Sequence[str]) -> Iterator[list[str]]:
    """Cut paths into batches that fit on a command line of every system."""
    batch: list[str] = []
    size = 0
    for path in paths:
        size += len(path) * 4 + 3
        if batch and size > MAX_COMMAND_BYTES:
            yield batch
            batch, size = [], len(path) * 4 + 3
        batch.append(path)
    if batch:
        yield batch
