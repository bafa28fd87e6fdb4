"""`doctor`, `status` and `settings`: what is told when all is well, and what when it is not."""

import os
import sys
import threading
import time
from importlib import metadata
from pathlib import Path

import pytest

from unit.cli.conftest import DEADLINE, Done, Run
from vademecum.cli.doctor import environment
from vademecum.cli.doctor.environment import within
from vademecum.knowledge.shelf import Shelf


def levels(done: Done) -> set[tuple[str, str]]:
    return {(check["subject"], check["level"]) for check in done.json}


def test_all_is_well(run: Run) -> None:
    run("remember", "Use pnpm, never npm")
    done = run("doctor", "--json")
    assert done.code == 0, done.out
    assert done.err == ""
    told = levels(done)
    wanted = {"Python", "dependencies", "git", "home", "state", "cache", "permissions", "settings", "memory", "index"}
    assert {subject for subject, level in told if level == "ok"} >= wanted
    assert not any(level == "fail" for _, level in told)
    assert all(check.get("advice") for check in done.json if check["level"] != "ok")


def test_the_text_says_the_same(run: Run) -> None:
    done = run("doctor")
    assert done.code == 0
    assert all(line.startswith(("ok ", "warn ", "fail ", "  ")) for line in done.out.splitlines())
    assert f"({sys.executable})" in done.out


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits watches")
def test_the_watches_a_folder_needs_are_counted(run: Run) -> None:
    (check,) = [one for one in run("doctor", "--json").json if one["subject"] == "inotify"]
    assert check["message"].startswith("3 folders to watch")  # the top, src and docs; build/ is ignored


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_open_permissions_are_named(run: Run, home: Path) -> None:
    run("remember", "Use pnpm, never npm")
    (home / "USER.md").write_text("me\n", "utf-8")
    (home / "USER.md").chmod(0o644)
    home.chmod(0o755)
    done = run("doctor", "--json")
    (check,) = [one for one in done.json if one["subject"] == "permissions"]
    assert check["level"] == "warn"
    assert "USER.md" in check["message"]
    assert str(home) in check["advice"]


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_a_file_made_by_hand_is_private_where_its_folder_is(run: Run, home: Path) -> None:
    run("remember", "Use pnpm, never npm")
    (home / "config.toml").write_text("[ranking]\nperFile = 3\n", "utf-8")
    (home / "config.toml").chmod(0o644)
    assert ("permissions", "ok") in levels(run("doctor", "--json"))


def test_what_was_written_by_the_commands_is_private(run: Run, home: Path) -> None:
    run("remember", "Use pnpm, never npm")
    run("search", "circle")
    assert ("permissions", "ok") in levels(run("doctor", "--json"))
    assert home.stat().st_mode & 0o077 == 0


def test_a_home_that_cannot_be_made_fails(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    done = run("doctor", VADEMECUM_HOME=str(tmp_path / "file" / "home"))
    assert done.code == 1
    assert "fail  home" in done.out
    assert "VADEMECUM_HOME" in done.out


def test_what_agents_need_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "requires", lambda _: ["attrs<27,>=25.1", 'mcp<3,>=2.0; extra == "mcp"'])
    (here,) = environment.agents()
    assert here.level == "ok" and here.message.startswith("mcp 2.")
    told = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: "1.30.0" if name == "mcp" else told(name))
    (old,) = environment.agents()
    assert old.level == "warn" and "1.30.0 is here" in old.message

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    (none,) = environment.agents()
    assert none.level == "ok" and "pip install" in none.message


def test_a_missing_git_is_a_warning(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    done = run("doctor", "--json", PATH=str(tmp_path / "bin"))
    assert {("git", "warn"), ("files", "warn")} <= levels(done)
    assert "Git does not answer" in run("status", PATH=str(tmp_path / "bin")).out


def test_unreadable_memories_are_named(run: Run, home: Path) -> None:
    (home / "memory").mkdir(parents=True)
    (home / "memory" / "broken.md").write_bytes(b"\xff\xfe\x00broken")
    done = run("doctor", "--json")
    assert any(check["level"] == "warn" and "broken.md" in check["message"] for check in done.json)


def test_memory_that_is_off_is_a_warning(run: Run) -> None:
    assert ("memory", "warn") in levels(run("doctor", "--json", VADEMECUM_MEMORY="0"))


def test_a_folder_that_is_not_indexed_is_a_warning(run: Run, tmp_path: Path) -> None:
    done = run("doctor", "--json", cwd=tmp_path / "user")
    assert done.code == 0
    assert ("index", "warn") in levels(done)


def test_settings_that_cannot_be_used_are_told_everywhere_and_stop_nothing(run: Run, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("[memory]\npromptEntries = 'many'\nformat = 'json'\n", "utf-8")
    done = run("doctor", "--json")
    assert ("settings", "warn") in levels(done)
    shown = run("settings", "--json")
    values = {item["name"]: (item["value"], item["source"]) for item in shown.json["items"]}
    assert values["memory.promptEntries"] == (32, "default")
    assert values["memory.format"] == ("json", str(home / "config.toml"))
    assert len(shown.json["problems"]) == 1
    remembered = run("remember", "Use pnpm")
    assert remembered.code == 0
    assert "promptEntries" in remembered.err
    assert remembered.err.count("\n") == 1


def test_settings_name_the_variable_they_come_from(run: Run) -> None:
    shown = run("settings", "--json", VADEMECUM_MEMORY="off", VADEMECUM_FILES_EXCLUDE=f"a{os.pathsep}b")
    values = {item["name"]: (item["value"], item["source"]) for item in shown.json["items"]}
    assert values["memory.enabled"] == (False, "VADEMECUM_MEMORY")
    assert values["files.exclude"] == (["a", "b"], "VADEMECUM_FILES_EXCLUDE")
    assert "memory.enabled\tfalse\tVADEMECUM_MEMORY\n" in run("settings", VADEMECUM_MEMORY="off").out


def test_status_tells_of_memory_and_index(run: Run, repository: Path) -> None:
    run("remember", "Use pnpm, never npm")
    run("index")
    told = run("status", "--json").json
    assert told["memory/status"]["enabled"] is True
    assert told["search/status"]["workspace"] == repository.as_uri()
    # It waits two seconds at most for the index, which a busy machine may not be ready in.
    deadline = time.monotonic() + DEADLINE
    while "ready: " not in (text := run("status").out):
        assert time.monotonic() < deadline, text
    assert str(repository) in text


def test_status_where_nothing_is_indexed(run: Run, tmp_path: Path) -> None:
    done = run("status", cwd=tmp_path / "user")
    assert done.code == 0
    assert "index" in done.out


@pytest.mark.parametrize(
    ("version", "requirement", "fits"),
    [
        ("2.1.1", "pygls>=2.1,<3", True),
        ("2", "x>=2.0", True),
        ("3.0", "x<3", False),
        ("3.0rc1", "x<3", False),
        ("0.18.9", "ruamel.yaml>=0.18.10,<0.20", False),
        ("2025.0.0", "lsprotocol<2026,>=2025.0", True),
    ],
)
def test_versions_against_requirements(version: str, requirement: str, fits: bool) -> None:
    assert within(version, requirement) is fits


def documents(done: Done) -> list[tuple[str, str]]:
    return [(check["level"], check["message"]) for check in done.json if check["subject"] == "documents"]


def test_folders_of_documents_are_told(run: Run, home: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "good.md").write_text("# Good\n", "utf-8")
    (shared / "bad.md").write_bytes(b"caf\xe9")
    done = run("doctor", "--json", VADEMECUM_KNOWLEDGE_SHARED=str(shared))
    assert documents(done) == [
        ("ok", f"0 in {home / 'knowledge'} (personal)"),
        ("ok", f"1 in {shared} (system)"),
        ("warn", f"{shared / 'bad.md'} is no document: it is not UTF-8"),
    ]
    assert documents(run("doctor", "--json")) == [("ok", f"0 in {home / 'knowledge'} (personal)")]


@pytest.mark.parametrize(("kind", "told"), [("gone", "is not there"), ("file", "is no folder")])
def test_a_shared_folder_that_cannot_be_read_fails(run: Run, tmp_path: Path, kind: str, told: str) -> None:
    shared = tmp_path / "shared"
    if kind == "file":
        shared.write_text("", "utf-8")
    done = run("doctor", "--json", VADEMECUM_KNOWLEDGE_SHARED=str(shared))
    assert done.code == 1
    assert documents(done)[1] == ("fail", f"{shared} {told}")
    (check,) = [check for check in done.json if check["level"] == "fail"]
    assert "knowledge.shared" in check["advice"]


def test_a_shared_folder_that_does_not_answer_fails(call: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    answered = threading.Event()
    look = Shelf.fault

    def hang(shelf: Shelf) -> str | None:
        if shelf.folder == shared:
            answered.wait(60)
        return look(shelf)

    monkeypatch.setattr(Shelf, "fault", hang)  # as a network drive whose server is gone
    monkeypatch.setattr("vademecum.cli.doctor.documents.ANSWER_SECONDS", 0.2)
    monkeypatch.setenv("VADEMECUM_KNOWLEDGE_SHARED", str(shared))
    try:
        done = call("doctor", "--json")
    finally:
        answered.set()
    assert done.code == 1
    assert documents(done)[1][0] == "fail" and "does not answer" in documents(done)[1][1]
