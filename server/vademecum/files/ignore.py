"""Who ignores what: git's own rules for each repository in the workspace, and rules without git elsewhere.

A repository nested in another (a submodule, or a clone inside a clone) is judged by its own rules. Whether it is
entered at all is for the outer one to say: a nested repository that the outer one ignores stays out, unless it is the
folder that was opened, since rules from above never reach into the folder that is the top. Another working tree of the
same repository (`git worktree add` inside the workspace) stays out: it holds the same code once more.
"""

import logging
import os
import stat
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from vademecum.files.content import Reason, Stamp
from vademecum.files.git import GitFailed, git
from vademecum.files.git_rules import GitRules
from vademecum.files.plain_rules import PlainRules
from vademecum.files.repository import (
    Distrusted,
    Repository,
    enclosing_folder,
    looks_like_repository,
    repository_at,
)

_log = logging.getLogger(__name__)

#: A repository that git did not answer for is asked about again after so many seconds.
_DOUBT_SECONDS = 5.0


@frozen
class Owner:
    """A folder whose own rules hold for all below it, down to the next owner.

    :param prefix: its path relative to the workspace's top; empty for the top itself.
    :param repository: None where git is not asked.
    :param rules: what decides.
    """

    prefix: str
    repository: Repository | None
    rules: GitRules | PlainRules

    def ignored(self, paths: Iterable[str]) -> set[str]:
        """Return those of `paths` (relative to the workspace's top, all below this owner) that are ignored."""
        cut = len(self.prefix) + 1 if self.prefix else 0
        inner = {path[cut:]: path for path in paths}
        if isinstance(self.rules, GitRules):
            return {inner[path] for path in self.rules.ignored(inner)}
        return {inner[path] for path in self.rules.ignored_of(inner)}


def find_top(root: Path) -> Path:
    """Return the folder that paths are relative to when `root` (real path) is opened: its repository's, else `root`.

    A folder that the repository around it ignores, and of which it tracks nothing, is not part of it: people keep
    their settings in a repository over the whole home directory that ignores all the rest.
    """
    around = enclosing_folder(root)
    if around is None or around == root:
        return root
    try:
        repository = repository_at(around)
    except Distrusted:
        return around
    if repository is None:
        return root
    inside = root.relative_to(around).as_posix()
    return root if GitRules(repository).ignored([inside]) and not _tracks_below(repository, inside) else around


class Ignores:
    """The ignore rules of one workspace. May be used from every thread.

    :param top: the folder that all paths are relative to, real path.
    """

    def __init__(self, top: Path) -> None:
        self._top = top
        self._lock = threading.Lock()
        self._nested: dict[str, tuple[Stamp | None, Owner | Reason | None]] = {}
        self._found = _Found.at(top)

    @property
    def top_owner(self) -> Owner:
        """The owner of the top folder, looked for anew when a repository begins or ends there."""
        found = self._found
        # A `git init` that is under way looks like a repository that cannot be trusted.
        unsure = found.distrusted is not None and time.monotonic() - found.when > _DOUBT_SECONDS
        if unsure or _top_stamp(self._top) != found.stamp:
            found = self._found = _Found.at(self._top)
        return found.owner

    @property
    def distrusted(self) -> str | None:
        """Why git is not asked though there is a `.git`; None when it is, or when there is none."""
        return self._found.distrusted

    def nested_owner(self, folder: str) -> Owner | Reason | None:
        """Return the owner that begins at `folder`, or why it is not entered, or None when none begins there."""
        absolute = f"{self._top}/{folder}"
        if not looks_like_repository(absolute):
            return None
        stamp = _dot_git_stamp(absolute)
        with self._lock:
            known = self._nested.get(folder)
        if known is not None and known[0] == stamp:
            return known[1]
        owner = self._judge_nested(folder, Path(absolute))
        with self._lock:
            self._nested[folder] = (stamp, owner)
        return owner

    def owners(self) -> tuple[Owner, ...]:
        """Return the owners met so far, the top's first."""
        with self._lock:
            nested = [owner for _, owner in self._nested.values() if isinstance(owner, Owner)]
        return (self.top_owner, *nested)

    def ignored(self, paths: Iterable[str]) -> dict[str, Reason]:
        """Return those of the paths that are ignored or lie in a nested repository that is not entered, and why.

        Each owner is asked once for all of its paths.
        """
        questions: dict[str, tuple[Owner, dict[str, list[str]]]] = {}
        refused: dict[str, Reason] = {}
        met: dict[str, Owner | Reason | None] = {}
        top_owner = self.top_owner
        for path in paths:
            owner = top_owner
            place = path.find("/")
            while place >= 0:
                folder = path[:place]
                if folder not in met:
                    met[folder] = self.nested_owner(folder)
                nested = met[folder]
                if isinstance(nested, Reason):
                    refused[path] = nested
                    break
                if nested is not None:
                    questions.setdefault(owner.prefix, (owner, {}))[1].setdefault(folder, []).append(path)
                    owner = nested
                place = path.find("/", place + 1)
            else:
                questions.setdefault(owner.prefix, (owner, {}))[1].setdefault(path, []).append(path)
        for owner, asked in questions.values():
            for ignored in owner.ignored(asked):
                refused.update(dict.fromkeys(asked[ignored], Reason.IGNORED))
        return refused

    def forget(self) -> None:
        """Forget every remembered verdict, and look anew whether there is a repository at all."""
        with self._lock:
            self._nested.clear()
            self._found = _Found.at(self._top)

    def _judge_nested(self, folder: str, absolute: Path) -> Owner | Reason | None:
        try:
            repository = repository_at(absolute)
        except Distrusted as distrusted:
            _log.info("git does not answer for a nested repository, its rules are read without git: %s", distrusted)
            return Owner(folder, None, PlainRules(absolute, is_repository=True))
        if repository is None:
            return None
        ours = self.top_owner.repository
        if ours is not None and os.path.realpath(ours.common_dir) == os.path.realpath(repository.common_dir):
            return Reason.WORKTREE
        return Owner(folder, repository, GitRules(repository))


@frozen
class _Found:
    """The top's owner, and what there was when it was found."""

    owner: Owner
    distrusted: str | None
    stamp: tuple[bool, Stamp | None]
    when: float

    @classmethod
    def at(cls, top: Path) -> "_Found":
        """Look for it now."""
        stamp, when = _top_stamp(top), time.monotonic()
        owner, distrusted = _top_owner(top)
        return cls(owner, distrusted, stamp, when)


def _top_stamp(top: Path) -> tuple[bool, Stamp | None]:
    return looks_like_repository(str(top)), _dot_git_stamp(str(top))


def _top_owner(top: Path) -> tuple[Owner, str | None]:
    if not looks_like_repository(str(top)):
        return Owner("", None, PlainRules(top, is_repository=False)), None
    try:
        repository = repository_at(top)
    except Distrusted as distrusted:
        return Owner("", None, PlainRules(top, is_repository=True)), str(distrusted)
    if repository is None:
        return Owner("", None, PlainRules(top, is_repository=False)), None
    return Owner("", repository, GitRules(repository)), None


def _dot_git_stamp(folder: str) -> Stamp | None:
    """Return what changes when another repository takes the place of the one in `folder`, not at every commit."""
    try:
        status = os.lstat(f"{folder}/.git")
    except OSError:
        return None
    return Stamp(0, 0, 0, status.st_ino) if stat.S_ISDIR(status.st_mode) else Stamp.of(status)


def _tracks_below(repository: Repository, folder: str) -> bool:
    try:
        return bool(git(repository.folder, "ls-files", "-z", "--cached", "--", f":(literal){folder}"))
    except GitFailed:
        return False
