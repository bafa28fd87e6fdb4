"""Only what is of no use goes, and only when it is said."""

import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from unit.cli.conftest import Run
from wire.client import running
from wire.conftest import git, make_repository


def homes(home: Path) -> set[str]:
    return {folder.name.rpartition("-")[0] for folder in (home / "cache/code").iterdir()}


@pytest.fixture
def gone(run: Run, tmp_path: Path) -> Path:
    """A folder that was indexed and is no more; the repository of the test is indexed too."""
    folder = make_repository(tmp_path / "gone")
    assert run("index", "--vectors").code == 0
    assert run("index", "--vectors", str(folder)).code == 0
    shutil.rmtree(folder)
    return folder


def test_indexes_of_folders_that_are_gone_go_when_it_is_said(run: Run, home: Path, gone: Path) -> None:
    listed = run("clean")
    assert listed.code == 0
    assert str(gone) in listed.out
    assert "no folder uses these vectors" in listed.out
    assert "project" not in listed.out
    assert "--yes" in listed.err
    assert homes(home) == {"gone", "project"}
    items = {item["why"]: item for item in run("clean", "--json").json["items"]}
    assert items.keys() == {"folderGone", "unused"}
    assert (items["folderGone"]["root"], items["folderGone"]["removed"]) == (str(gone), False)
    done = run("clean", "--yes")
    assert done.out.splitlines()[-1].startswith("Removed 2; ")
    assert homes(home) == {"project"}
    assert [folder.name.rpartition("-")[0] for folder in (home / "cache/vectors").iterdir()] == ["project"]
    again = run("clean", "--yes")
    assert (again.code, again.out) == (0, "")
    assert "circle" in run("search", "circle", "area").out.lower()


def test_an_index_that_a_server_has_open_stays(run: Run, home: Path, tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "open")
    with running(home) as client:
        client.initialize(folder)
        client.indexed()
        shutil.rmtree(folder)
        assert str(folder) not in run("clean", "--yes").out
        assert homes(home) == {"open"}
    assert str(folder) in run("clean", "--yes").out
    assert homes(home) == set()


def test_what_is_not_known_to_be_of_no_use_stays(run: Run, home: Path, gone: Path) -> None:
    code = home / "cache/code"
    for name, text in (("empty", None), ("odd", "{"), ("other", '{"root": 5}'), ("relative", '{"root": "x"}')):
        (code / name).mkdir()
        if text is not None:
            (code / name / "root.json").write_text(text)
    (code / "file").write_text("x")
    (code / "link").symlink_to(gone.parent / "project")
    before = {entry.name for entry in code.iterdir()}
    assert run("clean", "--yes").code == 0
    assert before - {entry.name for entry in code.iterdir()} == {name for name in before if name.startswith("gone-")}
    assert (gone.parent / "project/src/shapes.py").exists()


def test_an_index_from_before_the_folder_was_part_of_a_repository_goes(run: Run, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "outer" / "inner"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("def inside(): pass\n")
    assert run("-C", str(folder), "index").code == 0
    git(folder.parent, "init", "-q")
    assert run("-C", str(folder), "search", "inside").out.startswith("inner/a.py")
    assert homes(home) == {"inner"}
    assert len([*(home / "cache/code").iterdir()]) == 2
    done = run("clean", "--yes")
    assert "another index since" in done.out
    assert len([*(home / "cache/code").iterdir()]) == 1
    assert run("-C", str(folder), "search", "inside").out.startswith("inner/a.py")


def test_parsers_of_other_releases_go(run: Run, home: Path) -> None:
    assert run("index").code == 0
    (current,) = (home / "cache/grammars").iterdir()
    (home / "cache/grammars/0.0.1/linux").mkdir(parents=True)
    (home / "cache/grammars/0.0.1/linux/libx.so").write_bytes(b"x" * 1000)
    done = run("clean", "--yes")
    assert "parsers of another release" in done.out
    assert [*(home / "cache/grammars").iterdir()] == [current]


def test_it_is_asked_on_a_terminal(environment: Mapping[str, str], home: Path, gone: Path) -> None:
    for answer, kept in (("n\n", {"gone", "project"}), ("\n", {"gone", "project"}), ("y\n", {"project"})):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "vademecum", "clean"],
            env=dict(environment),
            cwd=gone.parent,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        os.write(ours, answer.encode())
        text = b""
        try:
            while data := os.read(ours, 4096):
                text += data
        except OSError:
            pass  # the other end is closed
        assert process.wait(60) == 0
        os.close(ours)
        assert b"Remove 2? [y/N]" in text
        assert homes(home) == kept
