"""The indexer that is started ahead: taken once, ended when nobody takes it, and never in anybody's way."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from unit.search.support import Opened, eventually, write
from vademecum.search.spare import NICENESS, Spare

Open = Callable[..., Opened]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def spare(cache: Path) -> Iterator[Spare]:
    """One that waits."""
    one = Spare(cache)
    one.start()
    yield one
    one.close()


def waiting(spare: Spare) -> int:
    pid = spare.pid
    assert pid is not None
    return pid


def test_the_first_folder_takes_it_and_the_next_starts_its_own(
    workspace: Path, tmp_path: Path, opened: Open, spare: Spare
) -> None:
    pid = waiting(spare)
    write(workspace, {"a.py": "first_word = 1\n"})
    first = opened(workspace, spare=spare).ready()
    assert first.search.indexer_pid == pid
    assert first.paths("first_word") == ["a.py"]
    other = tmp_path / "other"
    write(other, {"b.py": "second_word = 1\n"})
    second = opened(other, spare=spare).ready()
    assert second.search.indexer_pid not in {None, pid}
    assert second.paths("second_word") == ["b.py"]
    spare.close()
    assert first.search.indexer_pid == pid
    first.search.close()
    assert not psutil.pid_exists(pid)


def test_one_that_was_taken_and_dies_is_started_again(workspace: Path, opened: Open, spare: Spare) -> None:
    write(workspace, {"a.py": "first_word = 1\n"})
    search = opened(workspace, spare=spare).ready()
    psutil.Process(search.search.indexer_pid).kill()
    write(workspace, {"b.py": "second_word = 1\n"})
    search.finds("second_word", "b.py")


@pytest.mark.skipif(sys.platform == "win32", reason="priorities of POSIX")
def test_it_stays_in_the_cache_and_lets_others_go_first(
    workspace: Path, cache: Path, opened: Open, spare: Spare
) -> None:
    process = psutil.Process(waiting(spare))
    assert Path(process.cwd()) == cache
    assert cache.stat().st_mode & 0o777 == 0o700
    opened(workspace, spare=spare).ready()
    assert Path(process.cwd()) == cache
    assert process.nice() == min(19, psutil.Process().nice() + NICENESS)


def test_nobody_takes_it(cache: Path) -> None:
    spare = Spare(cache, patience=0.3)
    spare.start()
    pid = waiting(spare)
    eventually(lambda: not psutil.pid_exists(pid), "the end of it")
    assert spare.pid is None
    assert spare.take() is None


def test_one_that_has_died_is_not_taken(workspace: Path, opened: Open, spare: Spare) -> None:
    psutil.Process(waiting(spare)).kill()
    eventually(lambda: spare.pid is None, "the end of it")
    write(workspace, {"a.py": "first_word = 1\n"})
    search = opened(workspace, spare=spare).ready()
    assert search.paths("first_word") == ["a.py"]
    assert not any(status.refusal for status in search.statuses)


def test_where_none_can_be_started_the_folder_starts_its_own(workspace: Path, tmp_path: Path, opened: Open) -> None:
    (tmp_path / "file").write_text("")
    spare = Spare(tmp_path / "file" / "cache")
    spare.start()
    assert spare.pid is None
    assert opened(workspace, spare=spare).ready().search.indexer_pid is not None
    spare.close()


def test_it_ends_with_a_killed_server(cache: Path) -> None:
    code = (
        "import pathlib, sys, time\n"
        "from vademecum.search.spare import Spare\n"
        "spare = Spare(pathlib.Path(sys.argv[1]))\n"
        "spare.start()\n"
        "print(spare.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    server = subprocess.Popen([sys.executable, "-c", code, os.fspath(cache)], stdout=subprocess.PIPE)
    assert server.stdout is not None
    indexer = psutil.Process(int(server.stdout.readline()))
    server.kill()
    server.wait()
    server.stdout.close()
    _, alive = psutil.wait_procs([indexer], timeout=60)
    assert not alive
