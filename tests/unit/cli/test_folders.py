"""Which folder a command is about when none is named."""

from pathlib import Path

import pytest

from vademecum.cli.folders import folders
from vademecum.cli.outcome import Usage
from wire.conftest import git, make_repository


def test_the_top_of_the_repository(repository: Path, tmp_path: Path) -> None:
    assert folders((), repository / "src", tmp_path / "user") == (repository,)


def test_a_folder_outside_of_any_repository(tmp_path: Path) -> None:
    assert folders((), tmp_path, tmp_path / "user") == (tmp_path,)


def test_a_home_folder_kept_in_git_is_not_the_project_of_all_below_it(tmp_path: Path) -> None:
    user = make_repository(tmp_path / "user")
    (user / "notes").mkdir()
    assert folders((), user / "notes", user) == (user / "notes",)


def test_a_worktree_is_a_folder_of_its_own(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "other")
    assert folders((), tmp_path / "tree" / "src", tmp_path / "user") == (tmp_path / "tree",)


def test_named_folders_are_taken_as_they_are(repository: Path, tmp_path: Path) -> None:
    named = folders(("src", ".", "src/../src"), repository, tmp_path / "user")
    assert named == (repository / "src", repository)
    with pytest.raises(Usage, match="no folder"):
        folders(("src/shapes.py",), repository, tmp_path / "user")
