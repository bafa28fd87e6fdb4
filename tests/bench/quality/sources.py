"""The repositories that are searched: from bare clones in a folder, or cloned from their home, at the commit wanted."""

import io
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from bench.quality.queries import Repository
from vademecum.search.languages import language_of

HOME = "https://github.com/{}.git"

MOST_BYTES = 1_000_000
"""Larger files are no code that anybody wrote, and both systems measured here would leave them out."""


@frozen
class Tree:
    """A work tree that holds the code files below the searched folder, and nothing else, with its history.

    :param folder: the root of the work tree.
    :param searched: the folder to open, in it.
    :param files: paths from the root of the work tree, with slashes.
    :param commit: the one that is there.
    :param exact: whether it is the one that was annotated.
    """

    folder: Path
    searched: Path
    files: tuple[str, ...]
    commit: str
    exact: bool


class Missing(Exception):
    """A repository that cannot be had here, and why."""


def tree(repository: Repository, mirror: Path | None, cache: Path) -> Tree:
    """The repository's files and history, made once in the cache.

    :param mirror: a folder of bare clones: `owner+name/repo`, `owner+name`, `owner/name.git` or `name.git`.
    :raises Missing: when there is neither a clone nor a network.
    """
    bare = _bare(repository, mirror, cache)
    exact = _git(bare, "cat-file", "-e", f"{repository.commit}^{{commit}}", check=False).returncode == 0
    commit = repository.commit if exact else _text(bare, "rev-parse", "HEAD")
    folder = cache / "trees" / f"{repository.name}-{commit[:12]}"
    if not folder.is_dir():
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        _unpack(bare, commit, repository.root, part)
        part.rename(folder)
    searched = folder / repository.root if repository.root else folder
    found = sorted(path.relative_to(folder).as_posix() for path in searched.rglob("*") if path.is_file())
    files = tuple(name for name in found if not name.startswith(".git/"))
    return Tree(folder, searched, files, commit, exact)


def _bare(repository: Repository, mirror: Path | None, cache: Path) -> Path:
    owner, name = repository.home.split("/")
    forms = (f"{owner}+{name}/repo", f"{owner}+{name}", f"{owner}/{name}.git", f"{owner}/{name}", f"{name}.git", name)
    for base in [each for each in (mirror, cache / "clones") if each is not None]:
        for form in forms:
            if (base / form / "HEAD").is_file():
                return base / form
    target = cache / "clones" / f"{name}.git"
    target.parent.mkdir(parents=True, exist_ok=True)
    command = ["git", "clone", "--quiet", "--bare", HOME.format(repository.home), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(target, ignore_errors=True)
        raise Missing(f"{repository.home} is not in the mirror and cannot be cloned: {done.stderr.strip()[:200]}")
    return target


def _unpack(bare: Path, commit: str, root: str | None, folder: Path) -> None:
    """Write the code files; the history stays where it is, and the work tree borrows it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["git", "clone", "--quiet", "--shared", "--no-checkout", str(bare), str(folder)],
        check=True,
        capture_output=True,
    )
    own = folder / ".git"
    _git(own, "update-ref", "--no-deref", "HEAD", commit)
    archive = _git(bare, "archive", "--format=tar", commit, *([root] if root else [])).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        wanted = [each for each in packed if each.isfile() and each.size <= MOST_BYTES and is_code(each.name)]
        packed.extractall(folder, members=wanted, filter="data")
    _git(own, "read-tree", "HEAD")


def is_code(name: str) -> bool:
    """Whether a file is code by its name: neither prose nor settings nor data."""
    language = language_of(name)
    return not (language.docs or language.data or language.name == "unknown")


def _git(folder: Path, *arguments: str, check: bool = True) -> "subprocess.CompletedProcess[bytes]":
    command: Sequence[str] = ["git", f"--git-dir={folder}", *arguments]
    return subprocess.run(command, capture_output=True, check=check)


def _text(folder: Path, *arguments: str) -> str:
    return _git(folder, *arguments).stdout.decode().strip()
