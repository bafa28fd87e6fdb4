"""What the kernel says of a folder: every change of every kind is counted before the call that made it returns."""

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from vademecum.files.stillness import Stillness

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other kernels tell some time later")


def _watched(folder: Path) -> Stillness:
    still = Stillness.of(folder)
    if still is None:
        pytest.skip("temporary files do not lie on a disk of this machine")
    return still


def _make(folder: Path) -> None:
    (folder / "new.md").write_text("x")


def _overwrite(folder: Path) -> None:
    with (folder / "a.md").open("r+") as file:
        file.write("b")


def _replace(folder: Path) -> None:
    aside = folder.parent / "aside"
    aside.write_text("y")
    aside.replace(folder / "a.md")


def _touch_back(folder: Path) -> None:
    """A change that leaves size and time as they were."""
    before = (folder / "a.md").stat()
    _overwrite(folder)
    os.utime(folder / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: list[Callable[[Path], None]] = [
    _make,
    _overwrite,
    _replace,
    _touch_back,
    lambda folder: (folder / "a.md").unlink(),
    lambda folder: (folder / "a.md").chmod(0o400),
    lambda folder: (folder / "a.md").rename(folder / "c.md"),
    lambda folder: (folder / "link.md").symlink_to(folder / "a.md"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_counted_at_once(tmp_path: Path, change: Callable[[Path], None]) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.md").write_text("a")
    still = _watched(folder)
    before = still.count()
    assert before is not None and still.count() == before
    (folder / "a.md").read_text()
    assert still.count() == before
    change(folder)
    assert still.count() not in (before, None)


def test_another_folder_in_its_place_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "above" / "folder"
    folder.mkdir(parents=True)
    still = _watched(folder)
    assert still.count() is not None
    folder.parent.rename(tmp_path / "elsewhere")
    assert still.count() is None
    folder.mkdir(parents=True)
    assert still.count() is None


def test_a_folder_that_was_removed_and_made_again_is_told(tmp_path: Path) -> None:
    for _ in range(20):  # inode numbers may be given out again
        folder = tmp_path / "folder"
        folder.mkdir()
        still = _watched(folder)
        assert still.count() is not None
        folder.rmdir()
        folder.mkdir()
        assert still.count() is None
        folder.rmdir()


def test_two_may_watch_a_folder_and_one_may_let_go(tmp_path: Path) -> None:
    one, other = _watched(tmp_path), _watched(tmp_path)
    del one
    gc.collect()
    before = other.count()
    (tmp_path / "a").touch()
    assert before is not None and other.count() not in (before, None)


def test_what_is_not_there_is_not_watched(tmp_path: Path) -> None:
    assert Stillness.of(tmp_path / "nowhere") is None
