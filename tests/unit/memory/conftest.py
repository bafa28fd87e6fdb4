"""Homes, repositories and memories for the tests: real files, real git, all in a temporary folder."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from vademecum.files.gate import Gate
from vademecum.memory.places import Places, ProjectMemory
from vademecum.memory.service import Memories
from vademecum.memory.settings import MemorySettings

Open = Callable[..., Memories]


def run_git(folder: Path, *arguments: str) -> str:
    """Run git for a test, away from the machine's own configuration."""
    environment = {
        "PATH": "/usr/bin:/bin:/usr/local/bin",
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "t",
        "GIT_AUTHOR_EMAIL": "t@example.org",
        "GIT_COMMITTER_NAME": "t",
        "GIT_COMMITTER_EMAIL": "t@example.org",
    }
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout


def memory_files(folder: Path) -> list[Path]:
    """The files of memories in a folder: all but the table of contents that is made of them."""
    return sorted(path for path in folder.iterdir() if path.name != "MEMORY.md")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A home and a state directory."""
    return Places(tmp_path / "home", tmp_path / "state")


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., Path]:
    """Makes a repository with one commit, and with a remote when an address is given."""

    def make(name: str = "app", origin: str | None = None, commit: str | None = "first") -> Path:
        folder = tmp_path / "work" / name
        folder.mkdir(parents=True)
        run_git(folder, "init", "-q", "-b", "main")
        if commit:
            (folder / "file.txt").write_text(commit)
            run_git(folder, "add", ".")
            run_git(folder, "commit", "-q", "-m", commit)
        if origin:
            run_git(folder, "remote", "add", "origin", origin)
        return folder

    return make


@pytest.fixture
def open_memories(places: Places) -> Iterator[Open]:
    """Opens the memories of some folders, as a server does; each call is another server on the same home."""
    opened = []
    gates: dict[Path, Gate] = {}

    def gate_of(folder: Path) -> Gate:
        return gates.setdefault(folder, Gate(folder))

    def open_them(*folders: Path | ProjectMemory, trusted: bool | None = None, **arguments: Any) -> Memories:
        projects = [each if isinstance(each, ProjectMemory) else ProjectMemory(each, trusted) for each in folders]
        settings = {key: arguments.pop(key) for key in list(arguments) if key in MemorySettings.__annotations__}
        memories = Memories(places, projects, MemorySettings(**settings), **{"gate_of": gate_of, **arguments})
        opened.append(memories)
        return memories

    yield open_them
    for memories in opened:
        memories.close()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder that is a project of its own."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def elsewhere(tmp_path: Path) -> Open:
    """Opens memories on another machine: another home and state directory."""

    def make(*folders: Path, name: str = "new", trusted: bool | None = None, **settings: Any) -> Memories:
        places = Places(tmp_path / name / "home", tmp_path / name / "state")
        return Memories(places, [ProjectMemory(each, trusted) for each in folders], MemorySettings(**settings))

    return make
