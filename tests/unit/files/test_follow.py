"""Whoever follows the watcher's batches ends with what a fresh walk finds, whatever happened in between."""

import contextlib
import hashlib
import os
import random
import shutil
import threading
from pathlib import Path

import pytest

from unit.files.trees import commit, eventually, git, repository, write
from vademecum.files.content import Content
from vademecum.files.gate import Gate
from vademecum.files.walk import Found, walk
from vademecum.files.watch import Batch, Watcher
from vademecum.work import Cancel

NAMES = ["a", "b", "c", "日本", "d e"]
FILES = ["x.py", "y.log", "z.md", ".env", "q\nr.py"]


class Follower:
    """The least that an indexer does: a digest for every readable file, kept by batches alone."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.files: dict[str, str] = {}
        self.lock = threading.Lock()

    def __call__(self, batch: Batch) -> None:
        with self.lock:
            if batch.rescan:
                self.files = fresh(self.gate)
                return
            for folder in batch.folders:
                for path in [path for path in self.files if path.startswith(folder + "/")]:
                    self.look(path)
            for path in batch.paths:
                self.look(path)

    def look(self, path: str) -> None:
        read = self.gate.read(path)
        if isinstance(read, Content):
            self.files[path] = hashlib.sha256(read.data).hexdigest()
        else:
            self.files.pop(path, None)


def fresh(gate: Gate) -> dict[str, str]:
    files = {}
    for item in walk(gate, Cancel()):
        if isinstance(item, Found):
            read = gate.read(item.path)
            if isinstance(read, Content):
                files[item.path] = hashlib.sha256(read.data).hexdigest()
    return files


def some_path(choice: random.Random, tree: Path) -> Path:
    parts = [choice.choice(NAMES) for _ in range(choice.randrange(3))]
    return tree.joinpath(*parts)


def change(choice: random.Random, tree: Path, outside: Path, number: int, kinds: int) -> None:
    """Do one thing to the tree."""
    folder = some_path(choice, tree)
    other = some_path(choice, tree)
    file = folder / choice.choice(FILES)
    # Much of what is tried cannot be done to the tree as it is; git says no in its own way.
    with contextlib.suppress(OSError, shutil.Error, AssertionError):
        match choice.randrange(kinds):
            case 0 | 1 | 2:
                folder.mkdir(parents=True, exist_ok=True)
                file.write_text(f"{number}\n")
            case 3:
                file.unlink()
            case 4:
                file.rename(other / choice.choice(FILES))
            case 5 if folder != tree:
                folder.rename(other / choice.choice(NAMES))
            case 6 if folder != tree:
                shutil.rmtree(folder)
            case 7 if folder != tree:
                shutil.move(folder, outside / str(number))
            case 8:
                shutil.copytree(outside / "o", other / choice.choice(NAMES))
            case 9:
                rules = choice.choice(["*.log\n", "a/\n", "!x.py\n", "*\n!*/\n!*.py\n", ""])
                (folder / choice.choice([".gitignore", ".vademecumignore"])).write_text(rules)
            case 10:
                file.unlink(missing_ok=True)
                file.symlink_to(choice.choice(["x.py", "..", "/etc/passwd", "nowhere"]))
            case 11:
                git(tree, "add", "-f", str(file.relative_to(tree)))
            case 12:
                commit(tree, str(number))
            case 13:
                git(tree, "checkout", "-q", "-f", choice.choice(["main", "other"]))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("with_git", [True, False])
def test_following_the_batches_ends_with_what_a_walk_finds(tmp_path: Path, seed: int, with_git: bool) -> None:
    choice = random.Random(seed)
    tree = write(tmp_path / "tree", {"a/x.py": "1", "b/a/z.md": "1", "c/y.log": "1"})
    if with_git:
        commit(repository(tree))
        git(tree, "branch", "other")
    outside = write(tmp_path / "outside", {"o/x.py": "1", "o/a/x.py": "1"})
    follower = Follower(Gate(tree))
    watcher = Watcher(follower.gate, follower)
    watcher.start()
    try:
        follower.files = fresh(follower.gate)
        for number in range(120):
            change(choice, tree, outside, number, kinds=14 if with_git else 11)
        assert eventually(lambda: follower.files == fresh(Gate(tree)), seconds=15), difference(follower, tree)
        assert not any(os.path.basename(path) == ".env" for path in follower.files)  # noqa: PTH119
    finally:
        watcher.stop()


def difference(follower: Follower, tree: Path) -> set[tuple[str, str]]:
    return set(follower.files.items()) ^ set(fresh(Gate(tree)).items())
