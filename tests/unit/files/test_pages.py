"""Files that an editor shows for a while: this user's alone, bounded, and gone when nobody needs them."""

import os
import stat
import subprocess
import sys
from pathlib import Path

from vademecum.files.pages import FOLDER, KEPT_SECONDS, MOST_PAGES, Pages


def test_a_page_is_this_users_alone(tmp_path: Path) -> None:
    path = Pages(tmp_path).write("search-query", "# Found\n\n日本 😀 \ud800\n")
    assert path.name == "search-query-1.md"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.read_text("utf-8") == "# Found\n\n日本 😀 ?\n"


def test_the_oldest_makes_room(tmp_path: Path) -> None:
    pages = Pages(tmp_path)
    paths = [pages.write("a", str(number)) for number in range(MOST_PAGES + 3)]
    assert [path.exists() for path in paths] == [False] * 3 + [True] * MOST_PAGES


def test_what_is_closed_is_gone_and_others_stay(tmp_path: Path) -> None:
    pages = Pages(tmp_path)
    path = pages.write("a", "text")
    other = tmp_path / FOLDER / str(os.getppid()) / "a-1.md"
    other.parent.mkdir()
    other.write_text("theirs")
    pages.sweep()  # its process is alive
    pages.close()
    assert (path.parent.exists(), other.exists()) == (False, True)
    pages.close()


def test_what_a_process_left_is_swept(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True)
    left = tmp_path / FOLDER / done.stdout.strip()
    old = tmp_path / FOLDER / str(os.getppid())
    strange = tmp_path / FOLDER / "something"
    for folder in (left, old, strange):
        folder.mkdir(parents=True)
        (folder / "a-1.md").write_text("text")
    before = old.stat().st_mtime - KEPT_SECONDS - 1
    os.utime(old, (before, before))
    Pages(tmp_path).sweep()
    assert list((tmp_path / FOLDER).iterdir()) == []


def test_forgetting_takes_everything_of_every_process(tmp_path: Path) -> None:
    path = Pages(tmp_path).write("a", "text")
    Pages(tmp_path).forget()
    assert not path.exists()
    Pages(tmp_path / "nowhere").forget()
