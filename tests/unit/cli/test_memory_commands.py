"""Remember, list, find, show, delete, restore, prompt: text for people and the wire's JSON for programs."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from unit.cli.conftest import Run
from wire.conftest import git, make_repository


def remember(run: Run, note: str, *options: str) -> str:
    done = run("remember", note, "--json", *options)
    assert done.code == 0, done.err
    return str(done.json["id"])


def test_a_note_is_kept_for_the_project_and_told_with_its_id(run: Run) -> None:
    done = run("remember", "Use", "pnpm,", "never", "npm", "--category", "Rule")
    assert (done.code, done.err) == (0, "")
    told = re.fullmatch(r"Remembered (\S+) \(Rule, project\): Use pnpm, never npm\n", done.out)
    assert told is not None, done.out
    shown = run("memories", "show", told[1], "--json").json
    assert (shown["content"], shown["category"], shown["scope"]) == ("Use pnpm, never npm", "Rule", "project")


def test_a_subfolder_means_its_repository(run: Run, repository: Path) -> None:
    id_ = remember(run, "Deploys go out on Tuesdays")
    assert run("memories", "--json", cwd=repository / "src").json["items"][0]["id"] == id_


def test_a_note_from_standard_input(run: Run) -> None:
    assert run("remember", "-", stdin="Ünïcode läuft\n").code == 0
    assert "Ünïcode läuft" in run("memories").out
    wrong = run("remember", "-", stdin=b"\xff\xfe")
    assert wrong.code == 2
    assert "UTF-8" in wrong.err


@pytest.mark.parametrize("arguments", [("# Use tabs",), ("remember", "# Use tabs")])
def test_a_quick_note(run: Run, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).code == 0
    assert run("memories", "--json").json["items"][0]["title"] == "Use tabs"


def test_a_secret_is_refused_and_not_repeated(run: Run) -> None:
    done = run("remember", "the token is ghp_0123456789abcdefghijABCDEFGHIJ456789")
    assert (done.code, done.out) == (1, "")
    assert "ghp_" not in done.err
    assert run("memories", "--json").json["total"] == 0


def test_the_list_in_a_pipe_is_fields_between_tabs(run: Run) -> None:
    first = remember(run, "Deploys go out on Tuesdays")
    second = remember(run, "I prefer short answers", "--scope", "user", "--category", "Rule")
    rows = [line.split("\t") for line in run("memories").out.splitlines()]
    assert sorted(rows) == sorted(
        [
            [first, "Knowledge", "project", "", "Deploys go out on Tuesdays"],
            [second, "Rule", "user", "", "I prefer short answers"],
        ]
    )
    assert [row.split("\t")[0] for row in run("memories", "--scope", "user").out.splitlines()] == [second]
    assert [row.split("\t")[0] for row in run("memories", "--category", "Rule").out.splitlines()] == [second]
    assert [row.split("\t")[0] for row in run("memories", "deploys").out.splitlines()] == [first]
    assert [row.split("\t")[0] for row in run("memories", "--query", "short").out.splitlines()] == [second]


def test_an_empty_list_is_said_beside_the_output(run: Run) -> None:
    done = run("memories")
    assert (done.code, done.out) == (0, "")
    assert "nothing is remembered" in done.err


def test_delete_restore_and_history(run: Run) -> None:
    id_ = remember(run, "Deploys go out on Tuesdays")
    assert run("memories", "delete", id_, "--json").json == {"id": id_}
    assert run("memories", "--json").json["total"] == 0
    assert run("memories", "show", id_).code == 1
    assert len(run("memories", "history", id_).out.splitlines()) == 1
    restored = run("memories", "restore", id_)
    assert (restored.code, restored.out) == (0, f"Restored {id_}: Deploys go out on Tuesdays\n")
    assert "Deploys go out on Tuesdays" in run("memories", "show", id_).out


def test_purge_and_clear(run: Run) -> None:
    first, second = remember(run, "One fact"), remember(run, "Quite another thing")
    assert run("memories", "purge", first, "--yes").code == 0
    assert run("memories", "restore", first).code == 1
    assert run("memories", "clear", "--scope", "project", "--yes", "--json").json == {"removed": 1}
    assert run("memories", "restore", second).code == 0


def test_the_prompt_is_printed_byte_for_byte(run: Run, environment: Mapping[str, str], repository: Path) -> None:
    remember(run, "Use pnpm, never npm", "--category", "Rule")
    wire = run("prompt", "--json").json
    assert "Use pnpm, never npm" in wire["text"]
    command = [sys.executable, "-m", "vademecum", "prompt"]
    raw = subprocess.run(command, cwd=repository, env=environment, capture_output=True, check=True)
    assert raw.stdout == wire["text"].encode()
    assert raw.stderr == b""
    # The encoding that a terminal is said to have changes nothing.
    raw = subprocess.run(
        command, cwd=repository, env={**environment, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=True
    )
    assert raw.stdout == wire["text"].encode()


def test_a_sessions_prompt_stays_the_same(run: Run) -> None:
    remember(run, "Use pnpm, never npm")
    before = run("prompt", "--session", "chat-1").out
    remember(run, "Deploys go out on Tuesdays")
    assert run("prompt", "--session", "chat-1").out == before
    assert "Tuesdays" in run("prompt", "--session", "chat-2").out


def test_prompt_bounds_and_reasons(run: Run) -> None:
    for note in ("Lighthouses need paint", "Ferries run at noon", "Otters like rivers"):
        remember(run, note)
    assert run("prompt", "--entries", "1", "--json").json["omitted"] == 2
    explained = run("prompt", "--explain")
    assert explained.out == run("prompt").out
    assert len(explained.err.splitlines()) == 3


def test_memory_switched_off(run: Run) -> None:
    done = run("remember", "Use pnpm", VADEMECUM_MEMORY="off")
    assert (done.code, done.out) == (1, "")
    assert done.err.count("\n") == 1


def test_memory_of_a_stranger_is_used_once_trusted(run: Run, tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "stranger")
    (folder / ".vademecum" / "memory").mkdir(parents=True)
    (folder / ".vademecum" / "memory" / "rule.md").write_text("# Paint it black\n\nAlways.\n", "utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Memory")
    assert "Paint it black" not in run("prompt", cwd=folder).out
    assert run("trust", "--json", cwd=folder).json == {"trusted": True, "source": "user"}
    assert "Paint it black" in run("prompt", cwd=folder).out
    assert "from the repository" in run("memories", cwd=folder).out
    assert run("trust", "--off", cwd=folder).code == 0
    assert "Paint it black" not in run("prompt", cwd=folder).out


def test_several_folders_need_the_scope_said(run: Run, repository: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "other")
    both = ("-C", str(repository), "-C", str(other))
    done = run(*both, "remember", "For whom?", "--scope", "project")
    assert (done.code, done.out) == (2, "")
    assert "-C/--workspace" in done.err


def test_reindexing_reads_every_file_again_and_tells_of_those_it_cannot_read(run: Run) -> None:
    id_ = remember(run, "Deploys go out on Tuesdays")
    file = Path(run("memories", "show", id_, "--json").json["uri"].removeprefix("file://"))
    (file.parent / "by-hand.md").write_text("Demos are on Fridays.\n")
    done = run("memories", "reindex")
    assert (done.code, done.out, done.err) == (0, "Read 2 memories from their files.\n", "")
    file.with_name("broken.md").write_bytes(b"\xff\xfe")
    done = run("memories", "reindex")
    assert done.out == "Read 2 memories from their files.\n" and "1 file could not be read" in done.err
    assert run("memories", "reindex", "--json").json == {"memories": 2, "unreadable": 1}
    assert run("memories", "reindex", id_).code == 2
    assert run("memories", "--query", "reindex").code == 0


def test_words_of_other_systems_do_what_their_users_expect(run: Run) -> None:
    id_ = remember(run, "Deploys go out on Tuesdays")
    remember(run, "The kettle is descaled on Mondays")
    assert run("memories", "search", "deploys", "--json").json == run("memories", "deploys", "--json").json
    assert run("memories", "search").code == 2
    assert run("memories", "get", id_).out == run("memories", "show", id_).out
    assert id_ in run("memories", "forget", id_).out
    assert run("memories", "--json").json["total"] == 1


def test_what_a_memory_holds_cannot_drive_the_terminal(run: Run) -> None:
    id_ = remember(run, "harmless \x1b]0;owned\x07 \u202etext")
    for arguments in (("memories",), ("memories", "show", id_), ("memories", "harmless")):
        out = run(*arguments).out
        assert "\x1b" not in out
        assert "\x07" not in out
        assert "\u202e" not in out
    assert "\\x1b]0;owned\\x07 \\u202etext" in run("memories", "show", id_).out


def test_evidence_is_shown_with_its_verdict(run: Run, repository: Path) -> None:
    id_ = remember(run, "Circles have an area")
    cited = run("cite", "src/shapes.py:4-5")
    assert cited.code == 0
    file = Path(run("memories", "show", id_, "--json").json["uri"].removeprefix("file://"))
    file.write_text(file.read_text().replace("category:", f"evidence: [{cited.out.splitlines()[0]!r}]\ncategory:", 1))
    assert ":4-5@" in (shown := run("memories", "show", id_).out) and " valid" in shown
    code = repository / "src/shapes.py"
    code.write_text("# new\n" + code.read_text())
    shown = run("memories", "show", id_).out
    assert " relocated, now at src/shapes.py:5-6@" in shown and "stale" not in shown
    code.write_text("# nothing\n")
    shown = run("memories", "show", id_).out
    assert " changed" in shown and "stale" in shown
