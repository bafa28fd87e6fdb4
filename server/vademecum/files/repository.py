"""The repositories in and around a workspace: where each begins, and whose rules hold where."""

import os
import stat
from pathlib import Path

from attrs import frozen

from vademecum.files.git import GitFailed, git


@frozen
class Repository:
    """A working tree of git.

    :param folder: its top folder, real path.
    :param git_dir: its own git directory (of a linked worktree: the one below `worktrees/`).
    :param common_dir: the git directory that all its worktrees share.
    :param global_excludes: the user's own ignore file that git reads for it, whether it exists or not.
    """

    folder: Path
    git_dir: Path
    common_dir: Path
    global_excludes: Path | None

    @property
    def exclude_file(self) -> Path:
        """The ignore file that belongs to the clone alone."""
        return self.common_dir / "info" / "exclude"


def looks_like_repository(folder: str) -> bool:
    """Whether `folder` holds a `.git` that git could take for a repository: a folder with a HEAD, or a link file.

    A cheap test of the file system that may say yes too often; git has the last word (`repository_at`).
    """
    dot_git = f"{folder}/.git"
    try:
        mode = os.lstat(dot_git).st_mode
    except OSError:
        return False
    if stat.S_ISDIR(mode) or stat.S_ISLNK(mode):
        return os.path.lexists(f"{dot_git}/HEAD")
    return stat.S_ISREG(mode)


def enclosing_folder(folder: Path) -> Path | None:
    """Return the nearest folder, from `folder` upwards, that looks like a repository."""
    for candidate in (folder, *folder.parents):
        if looks_like_repository(str(candidate)):
            return candidate
    return None


class Distrusted(Exception):
    """Git refuses to look at a folder that holds a `.git`: it is broken, or belongs to another user, or git is gone."""


def repository_at(folder: Path) -> Repository | None:
    """Return the working tree whose top is exactly `folder`, as git sees it; None when for git none begins there.

    :raises Distrusted: when git does not answer at all (not installed, `safe.directory`, a broken `.git`).
    """
    try:
        answer = git(
            folder,
            "rev-parse",
            "--path-format=absolute",
            "--show-toplevel",
            "--absolute-git-dir",
            "--git-common-dir",
        )
        top, git_dir, common_dir = (Path(os.fsdecode(line)) for line in answer.removesuffix(b"\n").split(b"\n"))
        if not top.samefile(folder):
            return None
    except (GitFailed, ValueError, OSError) as error:
        raise Distrusted(str(error)) from error
    return Repository(folder, git_dir, common_dir, _global_excludes(folder))


def _global_excludes(folder: Path) -> Path | None:
    try:
        answer = git(
            folder, "config", "--null", "--type=path", "--default", "~/.config/git/ignore", "--get", "core.excludesFile"
        )
    except GitFailed:
        return None
    name = os.fsdecode(answer.split(b"\0", 1)[0])
    return folder / name if name else None
