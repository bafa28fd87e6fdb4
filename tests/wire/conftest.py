"""Servers and workspaces for the tests that speak bytes."""

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wire.client import Client, running

if TYPE_CHECKING:
    from wire.agent import Pipe

LINES = "".join(f"line {n}\n" for n in range(1, 11))
"""What stands in the fixture `file`."""

SOURCE = {
    "src/shapes.py": (
        'class Circle:\n    """A round shape."""\n\n    def area(self):\n        return 3.14 * self.radius ** 2\n'
    ),
    "src/greeting.js": "export function greetVisitor(name) {\n  return `Hello, ${name}`;\n}\n",
    "docs/guide.md": "# Guide\n\nHow to paint a circle.\n",
    ".gitignore": "build/\n",
    "build/generated.py": "def area_of_generated():\n    pass\n",
}


def git(folder: Path, *args: str) -> str:
    """Run git in `folder` as a fixed author, without the user's own configuration."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "T",
        "GIT_AUTHOR_EMAIL": "t@example.org",
        "GIT_COMMITTER_NAME": "T",
        "GIT_COMMITTER_EMAIL": "t@example.org",
    }
    done = subprocess.run(["git", *args], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small git repository with a commit."""
    return make_repository(tmp_path / "project")


def make_repository(folder: Path, origin: str | None = None) -> Path:
    """A git repository in `folder` holding `SOURCE`."""
    folder.mkdir(parents=True)
    for name, text in SOURCE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "First")
    if origin:
        git(folder, "remote", "add", "origin", origin)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the server under test keeps everything."""
    return tmp_path / "home"


@pytest.fixture
def start(home: Path) -> Iterator[Callable[..., Client]]:
    """Start servers on the same home; all are gone afterwards."""
    with contextlib.ExitStack() as stack:
        yield lambda **kwargs: stack.enter_context(running(kwargs.pop("home", home), **kwargs))


@pytest.fixture
def client(start: Callable[..., Client], repository: Path) -> Client:
    """A server with the small repository open."""
    opened = start()
    opened.initialize(repository)
    return opened


@pytest.fixture
def alone(start: Callable[..., Client]) -> Client:
    """A server with no folder open."""
    opened = start()
    opened.initialize()
    return opened


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """One server with the small repository open, for all tests of a file that only send it what it must refuse."""
    folder = tmp_path_factory.mktemp("shared")
    with running(folder / "home") as opened:
        opened.initialize(make_repository(folder / "project"))
        opened.indexed()
        yield opened


@pytest.fixture
def file(repository: Path) -> Path:
    """A file of numbered lines in the small repository."""
    path = repository / "notes.txt"
    path.write_text(LINES)
    return path


@pytest.fixture
def pipe(repository: Path, home: Path) -> Iterator[Callable[..., "Pipe"]]:
    """Start agents' servers in the small repository, or in `folder`; all are gone afterwards."""
    from wire.agent import Pipe  # only here, since the library of agents takes half a second to load

    opened: list[Pipe] = []

    def start(*args: str, folder: Path = repository, **variables: str) -> Pipe:
        opened.append(Pipe(folder, home, args, **variables))
        return opened[-1]

    yield start
    for each in opened:
        each.end()
