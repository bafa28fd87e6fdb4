"""Workspaces and searches that are closed again."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from unit.search.support import Opened, open_search
from vademecum.search.settings import SearchSettings
from vademecum.search.spare import Spare
from vademecum.search.weights import Weights


@pytest.fixture(scope="session")
def grammars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiled grammars, shared by all tests of a run."""
    folder = tmp_path_factory.mktemp("grammars")
    os.environ["SEMBLE_GRAMMARS_CACHE_DIR"] = str(folder)
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty folder to be searched."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def opened(tmp_path: Path, grammars: Path) -> Iterator[Callable[..., Opened]]:
    """Opens a search on a folder; everything is closed at the end."""
    all_opened: list[Opened] = []

    def open_one(
        root: Path,
        cache: Path | None = None,
        settings: SearchSettings | None = None,
        weights: Weights | None = None,
        spare: Spare | None = None,
    ) -> Opened:
        cache = cache or tmp_path / "cache"
        (cache).mkdir(exist_ok=True)
        if not (cache / "grammars").exists():
            (cache / "grammars").symlink_to(grammars)
        # Words alone: a model takes longer to load than most of these tests take.
        each = open_search(root, cache, settings or SearchSettings(model="none"), weights, spare)
        all_opened.append(each)
        return each

    yield open_one
    for each in all_opened:
        each.search.close()


@pytest.fixture
def git(workspace: Path) -> Callable[..., str]:
    """Runs git in the workspace, which is made a repository."""

    def run(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-c", "user.email=a@b.c", "-c", "user.name=n", "-c", "commit.gpgsign=false", *arguments],
            cwd=workspace,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    run("init", "-q", "-b", "main")
    return run
