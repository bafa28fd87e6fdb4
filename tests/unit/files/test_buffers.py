"""The editor's unsaved texts."""

import threading
from pathlib import Path

from vademecum.files.buffers import Buffers


def test_a_text_is_kept_until_it_is_dropped(tmp_path: Path) -> None:
    buffers = Buffers()
    buffers.set(tmp_path / "a", "one", 1)
    buffers.set(tmp_path / "a", "two", 2)
    assert buffers.get(tmp_path / "a") == "two"
    assert buffers.paths() == (tmp_path / "a",)
    buffers.drop(tmp_path / "a")
    buffers.drop(tmp_path / "a")
    assert buffers.get(tmp_path / "a") is None


def test_an_older_version_does_not_win(tmp_path: Path) -> None:
    buffers = Buffers()
    buffers.set(tmp_path / "a", "new", 5)
    buffers.set(tmp_path / "a", "old", 4)
    assert buffers.get(tmp_path / "a") == "new"


def test_a_document_opened_again_starts_a_new_count(tmp_path: Path) -> None:
    buffers = Buffers()
    buffers.set(tmp_path / "a", "first", 9)
    buffers.drop(tmp_path / "a")
    buffers.set(tmp_path / "a", "again", 1)
    assert buffers.get(tmp_path / "a") == "again"


def test_a_document_opened_through_a_link_is_the_file_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("disk")
    (tmp_path / "link").symlink_to("real")
    buffers = Buffers()
    buffers.set(tmp_path / "link", "unsaved", 1)
    assert buffers.get(tmp_path / "real") == "unsaved"
    (tmp_path / "link").unlink()
    buffers.drop(tmp_path / "link")
    assert buffers.get(tmp_path / "real") is None


def test_changes_are_told_and_only_those(tmp_path: Path) -> None:
    told: list[Path] = []
    buffers = Buffers()
    buffers.on_change(told.append)
    buffers.set(tmp_path / "a", "x", 1)
    buffers.set(tmp_path / "a", "x", 1)
    buffers.drop(tmp_path / "a")
    buffers.drop(tmp_path / "a")
    assert told == [tmp_path / "a", tmp_path / "a"]


def test_whoever_wants_to_hear_no_more_is_told_no_more(tmp_path: Path) -> None:
    told: list[Path] = []
    buffers = Buffers()
    end, other = buffers.on_change(told.append), buffers.on_change(told.append)
    buffers.set(tmp_path / "a", "x", 1)
    end()
    end()
    buffers.set(tmp_path / "a", "y", 2)
    assert len(told) == 3
    other()
    buffers.drop(tmp_path / "a")
    assert len(told) == 3


def test_many_threads_may_use_them(tmp_path: Path) -> None:
    buffers = Buffers()

    def work(number: int) -> None:
        for version in range(200):
            buffers.set(tmp_path / str(number), str(version), version)
            buffers.get(tmp_path / str(number))
        if number % 2:
            buffers.drop(tmp_path / str(number))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {path.name: buffers.get(path) for path in buffers.paths()} == {"0": "199", "2": "199", "4": "199"}
