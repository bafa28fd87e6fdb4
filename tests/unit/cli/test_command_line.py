"""What the command line accepts, and how it says no."""

import subprocess
import sys
from pathlib import Path

import pytest

from unit.cli.conftest import Run
from vademecum import __version__
from vademecum.cli.main import COMMANDS, is_quick_note


def test_version(run: Run) -> None:
    done = run("--version")
    assert (done.code, done.out, done.err) == (0, f"vademecum {__version__}\n", "")


def test_version_loads_nothing_heavy() -> None:
    """What makes it start at once, told without a clock."""
    code = (
        "import sys; from vademecum.cli.main import main; main(['--version']);"
        "print(sorted({'attrs', 'cattrs', 'rich', 'tantivy', 'pygls', 'tree_sitter'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_no_command_but_serve_loads_the_language_server() -> None:
    modules = ["vademecum.cli.job", "vademecum.cli.asking", *(f"vademecum.cli.commands.{name}" for name in COMMANDS)]
    code = (
        f"import sys, importlib; [importlib.import_module(name) for name in {modules}];"
        "print(sorted({'pygls', 'lsprotocol'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_help_names_every_command_and_the_exit_codes(run: Run) -> None:
    done = run("--help")
    assert done.code == 0
    assert done.err == ""
    assert all(f"  {name} " in done.out for name in COMMANDS)
    assert "exit codes: 0 done" in done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(call: Run, command: str) -> None:
    done = call(command, "--help")
    assert done.code == 0
    assert done.out.startswith(f"usage: vademecum {command}")
    assert done.err == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a command"),
        (("serch", "x"), "did you mean search?"),
        (("search",), "QUERY: is missing"),
        (("search", "x", "--limti", "3"), "there is no option --limti; did you mean --limit?"),
        (("search", "x", "--limti=3"), "there is no option --limti; did you mean --limit?"),
        (("search", "x", "--qqq"), "there is no option --qqq (see"),
        (("search", "x", "--limit", "many"), "--limit: must be a whole number, not 'many'"),
        (("search", "x", "--tokens", "0"), "--tokens: must be from 1"),
        (("charter", "burn"), "ACTION: must be one of show, edit, write, history, undo, not 'burn'"),
        (("memories", "--fix"), "--fix: is for audit alone"),
        (("memories", "undo", "abc", "--revision", "1"), "--revision: is for restore alone"),
        (("search", "x", "--limit", "51"), "--limit: "),
        (("search", "x", "--content", "prose"), "--content: must be one of"),
        (("search", "x", "--lines", "0"), "--lines: "),
        (("search", "x" * 1001), "QUERY: "),
        (("-C", "not-there", "status"), "-C/--workspace: there is no folder"),
        (("remember", "x", "--category", "Rumour"), "--category: must be one of"),
        (("remember", "x", "--scope", "world"), "--scope: must be one of"),
        (("memories", "--limit", "0"), "--limit: "),
        (("memories", "show"), "ID: "),
        (("memories", "purge", "abc"), "--yes: "),
        (("memories", "clear", "--yes"), "--scope: "),
        (("memories", "some words", "--category", "Rule"), "--category: "),
        (("cite", "src/shapes.py"), "FILE:LINES: "),
        (("cite", "src/shapes.py:5-2"), "FILE:LINES: "),
        (("cite", "src/shapes.py:1-900"), "FILE:LINES: "),
        (("prompt", "--entries", "x"), "--entries"),
        (("serve", "--clientProcessId", "me"), "--clientProcessId"),
    ],
)
def test_a_wrong_command_line_is_told_in_one_line(call: Run, arguments: tuple[str, ...], said: str) -> None:
    done = call(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("vademecum: ")
    assert done.err.count("\n") == 1
    assert said in done.err


def test_a_process_that_refuses_says_nothing_on_standard_output(run: Run) -> None:
    done = run("search", "x", "--limit", "51")
    assert (done.code, done.out) == (2, "")
    assert done.err == "vademecum: --limit: must be from 1 to 50\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("memories", "show", "nosuchmemory"), "no memory with this id"),
        (("memories", "delete", "nosuchmemory"), "no memory with this id"),
        (("cite", "not-there.py:1-2"), "There is no such file: "),
        (("cite", "not-there.py:1-2"), "not-there.py\n"),
        (("import", "not-there"), "there is no such file or folder: "),
        (("docs", "import", "not-there"), "not-there\n"),
        (("cite", "../elsewhere.py:1-2"), "outside"),
        (("cite", "build/generated.py:1-2"), "may not be read"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(call: Run, arguments: tuple[str, ...], said: str) -> None:
    done = call(*arguments)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("vademecum: ")
    assert done.err.count("\n") == 1
    assert said in done.err


def test_options_may_stand_before_between_and_after_words(run: Run, tmp_path: Path, repository: Path) -> None:
    before = run("-C", str(repository), "search", "circle", "--limit", "1", "area", "--json", cwd=tmp_path)
    after = run("search", "circle", "area", "--json", "--limit=1", "-C", str(repository), cwd=tmp_path)
    assert before.code == after.code == 0
    assert before.json["items"] == after.json["items"]
    assert len(after.json["items"]) == 1


@pytest.mark.parametrize(
    ("line", "is_note"),
    [
        ("# Use tabs", True),
        ("#Use tabs", True),
        ("## A heading", False),
        ("#!/bin/sh", False),
        ("#", False),
        ("#  ", False),
        ("# two\nlines", False),
        ("Use tabs", False),
    ],
)
def test_quick_notes(line: str, is_note: bool) -> None:
    assert is_quick_note([line]) is is_note
