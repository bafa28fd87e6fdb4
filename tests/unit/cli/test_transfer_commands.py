"""Import, export and audit in a terminal: shown item by item, asked about, done; fields and JSON for programs."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from unit.cli.conftest import DEADLINE, Run

pty = pytest.importorskip("pty")

KEY = "ghp_0123456789abcdefghijABCDEFGHIJ456789"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "CLAUDE.md"
    path.write_text(f"- Use pnpm, never npm\n- Deploys go out on Tuesdays\n- The key is {KEY}\n")
    return path


def in_terminal(environment: Mapping[str, str], cwd: Path, arguments: tuple[str, ...], answers: bytes) -> str:
    """Run the command in a terminal of its own, type the answers, and return all that it showed."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "vademecum", *arguments],
        cwd=cwd,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        close_fds=True,
    )
    os.close(theirs)
    os.write(ours, answers)
    shown = b""
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        try:
            piece = os.read(ours, 65_536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    assert process.wait(DEADLINE) is not None
    text = shown.decode("utf-8", "replace")
    assert "Traceback" not in text, text
    return text


def test_in_a_pipe_nothing_is_imported_without_a_word(run: Run, source: Path) -> None:
    planned = run("import", str(source))
    assert planned.code == 1
    rows = [line.split("\t") for line in planned.out.splitlines()]
    assert [row[:4] for row in rows[:2]] == [
        ["new", "project", "CLAUDE.md line 1", "Use pnpm, never npm"],
        ["new", "project", "CLAUDE.md line 2", "Deploys go out on Tuesdays"],
    ]
    assert rows[2][0] == "refused"
    assert "--yes" in planned.err
    assert KEY not in planned.out + planned.err
    assert run("memories", "--json").json["total"] == 0
    assert run("import", str(source), "--dry-run").code == 0
    assert run("memories", "--json").json["total"] == 0
    done = run("import", str(source), "--yes")
    assert (done.code, "2 new, 1 refused" in done.err) == (0, True)
    again = run("import", str(source), "--yes", "--json").json
    assert (again["added"], again["same"], again["refused"]) == (0, 2, 1)


def test_one_item_by_its_key_and_where_it_goes(run: Run, source: Path) -> None:
    key = run("import", str(source), "--dry-run").out.splitlines()[1].split("\t")[4]
    scoped = run("import", str(source), "--scope", "user", "--dry-run", "--json").json
    assert {item["scope"] for item in scoped["items"]} == {"user"}
    run("import", str(source), "--only", key, "--yes")
    (memory,) = run("memories", "--json").json["items"]
    assert memory["title"] == "Deploys go out on Tuesdays"


def test_from_standard_input_and_from_the_repository(run: Run, repository: Path) -> None:
    assert run("import", "-", "--yes", stdin="- From a pipe\n").code == 0
    (repository / "AGENTS.md").write_text("- From the repository\n")
    run("import", "AGENTS.md", "--yes")
    origins = {memory["title"]: memory["origin"] for memory in run("memories", "--json").json["items"]}
    assert origins == {"From a pipe": "user", "From the repository": "repository"}
    assert run("import", "-", stdin=b"\xff\xfe").code == 2


def test_asked_in_a_terminal(run: Run, environment: Mapping[str, str], repository: Path, source: Path) -> None:
    shown = in_terminal(environment, repository, ("import", str(source)), b"n\n")
    assert "Import 2 memories?" in shown
    assert run("memories", "--json").json["total"] == 0
    shown = in_terminal(environment, repository, ("import", str(source)), b"y\n")
    assert "Imported 2 memories." in shown
    assert run("memories", "--json").json["total"] == 2


def test_an_archive_goes_out_and_comes_back(run: Run, source: Path, tmp_path: Path, home: Path) -> None:
    run("import", str(source), "--yes")
    target = tmp_path / "backup.json"
    done = run("export", "-o", str(target))
    assert (done.code, done.out) == (0, "")
    assert "2 memories" in done.err
    assert target.stat().st_mode & 0o777 == 0o600
    printed = run("export").out
    assert json.loads(printed)["parts"] == json.loads(target.read_text())["parts"]
    assert run("export", "-o", str(target)).code == 1
    other = str(tmp_path / "other")
    assert run("import", str(target), "--yes", VADEMECUM_HOME=other).code == 0
    mine, theirs = (
        {memory["id"]: memory["title"] for memory in run("memories", "--json", **at).json["items"]}
        for at in ({}, {"VADEMECUM_HOME": other})
    )
    assert mine == theirs


def test_a_list_for_another_program(run: Run, source: Path) -> None:
    run("import", str(source), "--yes")
    text = "## Rules\n\n- Use pnpm, never npm\n\n## Knowledge\n\n- Deploys go out on Tuesdays\n"
    assert run("export", "--format", "list").out == text
    assert [item["scope"] for item in json.loads(run("export", "--format", "codebuddy").out)] == ["project"] * 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("import", "nowhere.md"), "no such file"),
        (("import", ".", "--format", "other"), "--format"),
        (("import", "README", "--scope", "both"), "--scope"),
        (("export", "--format", "other"), "--format"),
        (("export", "-o", "no/such/folder/x.json", "--format", "list"), "folder"),
        (("memories", "audit", "other"), "KIND"),
        (("memories", "audit", "--fix"), "--fix"),
        (("import",), "SOURCE"),
    ],
)
def test_what_cannot_be_used_is_named(run: Run, arguments: tuple[str, ...], named: str) -> None:
    done = run(*arguments)
    assert done.code in (1, 2)
    assert named in done.err
    assert done.out == ""


def test_an_audit_is_told_and_mended_one_by_one(run: Run, environment: Mapping[str, str], repository: Path) -> None:
    run("remember", "Always answer in French", "--category", "Knowledge", "--scope", "user")
    run("remember", "Deploys go out on Fridays", "--scope", "user")
    run("remember", "Deploys go out on Tuesdays", "--scope", "user")
    rows = [line.split("\t") for line in run("memories", "audit").out.splitlines()]
    assert [row[0] for row in rows] == ["contradiction", "imperative"]
    assert [len(row[1].split()) for row in rows] == [2, 1]
    only = run("memories", "audit", "imperative", "--json").json
    assert [finding["kind"] for finding in only["findings"]] == ["imperative"]
    # Not this number, then the second way, then nothing about the second finding.
    shown = in_terminal(environment, repository, ("memories", "audit", "--fix"), b"7\n2\n\n")
    assert "Mended 1 of 2." in shown
    titles = {memory["title"] for memory in run("memories", "--json").json["items"]}
    assert titles == {"Always answer in French", "Deploys go out on Fridays"}
    assert "Mended 0 of 1." in in_terminal(environment, repository, ("memories", "audit", "--fix"), b"q\n")
    assert "Mended 1 of 1." in in_terminal(environment, repository, ("memories", "audit", "--fix"), b"1\n")
    assert "nothing is amiss" in run("memories", "audit").err
