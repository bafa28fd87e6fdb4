"""Paths as clients name them: what names nothing is refused as such, whatever the file system says of it."""

import errno
import os
from pathlib import Path

import pytest

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files.named import NamedPaths
from vademecum.files.settings import FileSettings
from vademecum.files.uris import LONGEST_PATH, path_of_uri


@pytest.fixture
def named(tmp_path: Path) -> NamedPaths:
    return NamedPaths(tuple, FileSettings, tmp_path / "home", 1_000, "a document")


def test_a_path_longer_than_any_is_refused_before_it_is_taken_apart() -> None:
    """Of ten thousand folders each was looked for, which took seconds."""
    longest = "/" + "a/" * (LONGEST_PATH // 2 - 1) + "b"
    assert path_of_uri(longest, "source") == Path(longest)
    for text in (f"{longest}bb", f"file://{longest}bb", "file:///" + "%C3%A9" * (LONGEST_PATH // 2)):
        with pytest.raises(InvalidField, match="longer than any path"):
            path_of_uri(text, "source")


@pytest.mark.parametrize("name", ["a" * 300, "é" * 200, "missing"])
def test_names_that_no_file_can_have(named: NamedPaths, tmp_path: Path, name: str) -> None:
    for path in (tmp_path / name, tmp_path / name / "below"):
        for look in (named.read, named.folder):
            with pytest.raises(VademecumError) as error:
                look(path)
            assert error.value.kind is ErrorKind.NOT_FOUND


def test_a_link_that_may_not_be_read(named: NamedPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `/proc/1/root` is to everybody else."""
    (tmp_path / "link").symlink_to("elsewhere")

    def refuse(path: object) -> str:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(os, "readlink", refuse)
    for look in (named.read, named.folder, lambda path: named.refuse_target(path, outside=True)):
        with pytest.raises(VademecumError, match="may not be read by this user") as error:
            look(tmp_path / "link" / "x.md")
        assert error.value.kind is ErrorKind.EXCLUDED
