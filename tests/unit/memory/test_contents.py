"""The table of contents of a private memory folder: right after every change, whoever made it."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import unquote

import pytest

from unit.memory import writer
from unit.memory.conftest import Open
from vademecum.memory.contents import FILE_NAME, render
from vademecum.memory.places import Places
from vademecum.memory.record import GENERATED_MARK, parse
from vademecum.memory.settings import ProjectPlace
from vademecum.memory.store import Item
from vademecum.memory.types import Category, MemoryChange, MemoryStatus, NewMemory, Scope, Span

_LINK = re.compile(r"^- \[(?P<title>(?:\\.|[^\]\\])*)\]\((?P<link>[^)]*)\)", re.MULTILINE)


def table(folder: Path) -> str:
    return (folder / FILE_NAME).read_text("utf-8")


def linked(folder: Path) -> set[str]:
    return {unquote(found["link"]) for found in _LINK.finditer(table(folder))}


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.md")} - {FILE_NAME}


@pytest.fixture
def folder(places: Places) -> Path:
    return places.home / "memory"


def new(title: str, type: str | None = None, **fields: object) -> NewMemory:
    return NewMemory(title, f"The text of {title}", Category.KNOWLEDGE, Scope.USER, type, **fields)  # type: ignore[arg-type]


def test_it_lists_by_type_with_links_that_lead_to_the_files(open_memories: Open, folder: Path) -> None:
    memories = open_memories()
    for title, type in (("Tabs", "feedback"), ("Name", "user"), ("Own label", "cooking"), ("[x](y) *b* <i>", "user")):
        memories.add(new(title, type, description=f"About {title}"))
    text = table(folder)
    assert text.startswith(GENERATED_MARK)
    assert [line[3:] for line in text.split("\n") if line.startswith("## ")] == ["user", "feedback", "cooking"]
    assert linked(folder) == files(folder) and len(files(folder)) == 4
    assert "- [Tabs](" in text and "— About Tabs" in text
    assert r"\[x\](y) \*b\* \<i\>" in text
    assert (folder / FILE_NAME).stat().st_mode & 0o777 == 0o600


def test_it_is_no_memory_and_never_told(open_memories: Open, folder: Path) -> None:
    memories = open_memories()
    memories.remember("A fact about tables")
    assert memories.list().total == 1 and memories.status().unreadable == ()
    assert "vademecum:generated" not in memories.prompt().text


def test_every_change_is_in_it_and_the_last_removal_removes_it(open_memories: Open, folder: Path) -> None:
    memories = open_memories()
    one = memories.remember("First of all").memory
    two = memories.remember("Second thing").memory
    memories.update(one.id, MemoryChange(title="Renamed"))
    assert "[Renamed]" in table(folder) and "First of all" not in table(folder)
    memories.delete(two.id)
    assert "Second thing" not in table(folder)
    memories.restore(two.id)
    assert "Second thing" in table(folder)
    memories.purge(id=two.id)
    assert "Second thing" not in table(folder)
    memories.clear(Span.USER)
    assert not (folder / FILE_NAME).exists()


def test_what_waits_is_apart_and_what_was_superseded_is_not_in_it(open_memories: Open, folder: Path) -> None:
    memories = open_memories()
    old = memories.remember("The project uses pnpm").memory
    memories.add(new("The project uses npm", supersedes=old.id))
    assert "pnpm" not in table(folder).replace("supersedes", "")
    (folder / "waiting.md").write_text("---\nstatus: pending\n---\nA captured thing")
    memories.list()
    assert table(folder).index("## Waiting for your review") < table(folder).index("waiting.md")


def test_changes_by_hand_are_in_it_from_the_next_request_on(open_memories: Open, folder: Path) -> None:
    memories = open_memories()
    memories.remember("A beginning")
    (folder / "by hand (1) ü.md").write_text("# Written by hand\n\ntext")
    memories.list()
    assert linked(folder) == files(folder) and "Written by hand" in table(folder)
    (folder / "by hand (1) ü.md").unlink()
    memories.search("beginning")
    assert linked(folder) == files(folder)
    (folder / FILE_NAME).write_text(f"{GENERATED_MARK} -->\nspoilt")
    memories.list()
    assert "spoilt" not in table(folder)
    (folder / FILE_NAME).unlink()
    memories.get(memories.list().items[0].id)
    assert linked(folder) == files(folder)
    for path in folder.glob("*.md"):
        if path.name != FILE_NAME:
            path.unlink()
    memories.list()
    assert not (folder / FILE_NAME).exists()


@pytest.mark.parametrize("text", ["# My own list\n\n- a\n", "", f"text before {GENERATED_MARK}"])
def test_a_file_that_is_not_ours_stays_as_it_is(open_memories: Open, folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / FILE_NAME).write_text(text)
    memories = open_memories()
    memories.remember("A fact")
    memories.list()
    assert table(folder) == text


def test_a_memory_that_speaks_of_the_mark_is_not_lost(open_memories: Open) -> None:
    memories = open_memories()
    kept = memories.add(new(f"{GENERATED_MARK} --> at the head")).memory
    assert memories.get(kept.id).title.startswith(GENERATED_MARK)
    assert open_memories().list().total == 1


def test_the_shared_folder_has_none_and_a_private_one_has(open_memories: Open, project: Path, places: Places) -> None:
    shared = open_memories(project, project=ProjectPlace.SHARED)
    shared.remember("Known to the team", scope=Scope.PROJECT)
    assert not list(project.rglob(FILE_NAME))
    private = open_memories(project)
    private.remember("Known to me", scope=Scope.PROJECT)
    (there,) = places.home.glob(f"projects/*/memory/{FILE_NAME}")
    assert "Known to me" in there.read_text() and "team" not in there.read_text()


def test_a_secret_in_a_title_by_hand_is_not_copied_into_it(open_memories: Open, folder: Path) -> None:
    folder.mkdir(parents=True)
    secret = "ghp_" + "a1B2" * 10
    (folder / "x.md").write_text(f"---\ntitle: token {secret}\n---\ntext")
    open_memories().list()
    assert secret not in table(folder) and "redacted" in table(folder)


def test_a_folder_that_cannot_be_written_still_answers(open_memories: Open, folder: Path) -> None:
    if os.getuid() == 0:
        pytest.skip("root writes everywhere")
    folder.mkdir(parents=True)
    (folder / "x.md").write_text("text")
    memories = open_memories()
    folder.chmod(0o500)
    try:
        assert memories.list().total == 1
    finally:
        folder.chmod(0o700)


def test_unchanged_files_write_nothing(open_memories: Open, folder: Path) -> None:
    memories = open_memories()
    memories.remember("A fact")
    before = (folder / FILE_NAME).stat()
    for server in (memories, open_memories()):
        for _ in range(3):
            server.list()
    after = (folder / FILE_NAME).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_two_processes_and_two_threads_leave_a_right_table(open_memories: Open, tmp_path: Path, places: Places) -> None:
    (tmp_path / "project").mkdir()
    command = [sys.executable, writer.__file__, str(tmp_path)]
    writers = [subprocess.Popen([*command, name, "25", "markdown"], stdout=subprocess.DEVNULL) for name in "ab"]
    memories = open_memories(tmp_path / "project")
    threads = [
        threading.Thread(target=lambda n=n: [memories.remember(f"Thread {n}, note {i}") for i in range(15)])
        for n in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [each.wait(60) for each in writers] == [0, 0]
    (folder,) = (path.parent for path in places.home.glob(f"projects/*/memory/{FILE_NAME}"))
    assert linked(folder) == files(folder) and len(files(folder)) == 30 + 40


def test_a_writer_killed_between_file_and_table_is_made_good(open_memories: Open, folder: Path) -> None:
    memories = open_memories()
    kept = memories.remember("The one").memory
    stale = (folder / FILE_NAME).read_bytes()
    memories.update(kept.id, MemoryChange(title="Another"))
    (folder / FILE_NAME).write_bytes(stale)  # as if the process had died after the memory's file was renamed
    open_memories().list()
    assert "Another" in table(folder)


def test_the_same_items_give_the_same_bytes() -> None:
    items = [
        Item(f"{name}.md", parse(f"---\ntitle: {name}\n---\n{name}".encode(), name), name, name, 0) for name in "cab"
    ]
    assert render(Scope.USER, items) == render(Scope.USER, reversed(items))
    assert render(Scope.USER, []) is None
    assert items[0].record.status is MemoryStatus.ACTIVE
