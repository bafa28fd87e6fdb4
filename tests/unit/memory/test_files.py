"""Markdown files as people keep them: what is read of them, and that nothing in them is lost."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from unit.memory.conftest import Open, memory_files
from vademecum.errors import ErrorKind, VademecumError
from vademecum.files import durable
from vademecum.files.frontmatter import line_of
from vademecum.memory.access import Corner
from vademecum.memory.folder_store import FolderStore
from vademecum.memory.library import Entry
from vademecum.memory.places import Placed, Places
from vademecum.memory.record import parse
from vademecum.memory.store import Item
from vademecum.memory.types import Category, MemoryChange, MemoryStatus, NewMemory, Origin, Scope, Span, StoreKind


@pytest.fixture
def folder(places: Places) -> Path:
    """The folder of the user's memories."""
    path = places.home / "memory"
    path.mkdir(parents=True)
    return path


def test_the_form_of_a_new_file(open_memories: Open, folder: Path) -> None:
    added = open_memories().add(
        NewMemory("Use pnpm, never npm", "The lockfile is pnpm's.", Category.RULE, Scope.USER, keywords=("pnpm", "npm"))
    )
    (path,) = memory_files(folder)
    memory = added.memory
    assert path.name == f"use-pnpm-never-npm-{memory.id[:8]}.md"
    assert path.read_text() == (
        # One id in fifty looks like a number to some reader of YAML, and stands in quotes.
        f"---\n{line_of('id', memory.id)}\ntitle: Use pnpm, never npm\ncategory: Rule\ntype: user\n"
        "keywords: [pnpm, npm]\nprovenance: manual\n"
        f"created: {memory.created}\nupdated: {memory.updated}\n---\nThe lockfile is pnpm's.\n"
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) in (0o700, 0o755)
    assert memory.uri == path.as_uri()


def test_everything_we_create_is_for_its_owner_alone(open_memories: Open, places: Places, project: Path) -> None:
    memories = open_memories(project)
    memories.remember("A note of the project")
    memories.prompt("s")
    for top in (places.home, places.state):
        for path in [top, *top.rglob("*")]:
            assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_a_file_without_front_matter_is_a_memory(open_memories: Open, folder: Path) -> None:
    (folder / "my-notes.md").write_text("Just text.\n\n```\n# not a heading\n```\n")
    (folder / "with-heading.md").write_text("intro\n\n## The heading ##\ntext\n")
    first, second = sorted(open_memories().list().items, key=lambda head: head.title)
    assert (first.title, first.type, first.category) == ("The heading", "reference", Category.KNOWLEDGE)
    assert second.title == "my notes"
    assert open_memories().get(first.id).content.startswith("intro")


@pytest.mark.parametrize(
    ("title", "seen"),
    [
        ("👩‍👩‍👧 at home", "👩‍👩‍👧 at home"),
        ("می‌خواهم", "می‌خواهم"),
        ("tabs\tand \u202ereversed\u202c\u200b text", "tabs and reversed text"),
        ("\u200d\u200c", "theirs"),
    ],
)
def test_a_title_by_hand_is_one_line_of_what_is_seen(open_memories: Open, folder: Path, title: str, seen: str) -> None:
    text = f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\nText of it.\n"
    (folder / "theirs.md").write_text(text, "utf-8")
    (head,) = open_memories().list().items
    assert head.title == seen
    # The table of contents says it as it is.
    open_memories().remember("Another one")
    assert f"[{seen}](" in (folder / "MEMORY.md").read_text()


def test_an_update_gives_the_id_a_home_and_keeps_every_other_byte(open_memories: Open, folder: Path) -> None:
    path = folder / "hand.md"
    original = b"\xef\xbb\xbf---\r\n# mine\r\ntitle: Old # why\r\nx-own: [1, {a: b}]\r\n---\r\n\r\nBody\r\n  \r\n"
    path.write_bytes(original)
    memories = open_memories()
    (head,) = memories.list().items
    memory = memories.update(head.id, MemoryChange(title="New", pinned=True))
    assert memory.id == head.id and memory.pinned
    new = path.read_bytes()
    assert new.startswith(b"\xef\xbb\xbf---\r\n# mine\r\ntitle: New # why\r\nx-own: [1, {a: b}]\r\n")
    assert new.endswith(b"---\r\n\r\nBody\r\n  \r\n")
    assert f"id: {head.id}\r\n".encode() in new
    path.rename(folder / "renamed.md")
    assert open_memories().get(head.id).title == "New"


def test_a_new_body_takes_the_line_ends_of_its_file(open_memories: Open, folder: Path) -> None:
    path = folder / "hand.md"
    path.write_bytes(b"---\r\nid: abc123\r\n---\r\none\r\n")
    open_memories().update("abc123", MemoryChange(content="two\nthree"))
    assert path.read_bytes().endswith(b"---\r\ntwo\r\nthree\r\n")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("bytes.md", b"\xff\xfe broken", "not UTF-8"),
        ("nul.md", b"text\0", "NUL"),
        ("large.md", b"x" * 1_100_000, "larger"),
    ],
)
def test_what_cannot_be_read_is_left_alone_and_reported(
    open_memories: Open, folder: Path, name: str, data: bytes, reason: str
) -> None:
    path = folder / name
    path.write_bytes(data)
    memories = open_memories()
    for number in range(3):
        memories.remember(f"Note number {number} is another one")
    assert path.read_bytes() == data
    assert memories.list().total == 3
    (flaw,) = memories.status().unreadable
    assert flaw.path == name and reason in flaw.reason
    assert memories.reindex().unreadable == 1


def test_a_broken_head_is_read_as_far_as_possible_and_never_written(open_memories: Open, folder: Path) -> None:
    path = folder / "broken.md"
    text = "---\nid: abc123\ntitle: Colons: are hard\ncategory: Rule\nkeywords: [a\n---\nThe body\n"
    path.write_text(text)
    memories = open_memories()
    memory = memories.get("abc123")
    assert (memory.title, memory.category, memory.content) == ("Colons: are hard", Category.RULE, "The body")
    with pytest.raises(VademecumError) as caught:
        memories.update("abc123", MemoryChange(title="x"))
    assert caught.value.kind is ErrorKind.STORE_UNREADABLE
    assert path.read_text() == text
    assert "line 3" in memories.status().unreadable[0].reason


def test_edits_by_hand_are_seen_at_the_next_request(open_memories: Open, folder: Path) -> None:
    memories = open_memories()
    memory = memories.remember("The port is 8080").memory
    (path,) = memory_files(folder)
    for number in range(20):  # the same size each time, as fast as can be
        text = path.read_text()
        path.write_text(text.replace(f"The port is {8080 + number}", f"The port is {8081 + number}"))
        assert memories.get(memory.id).content == f"The port is {8081 + number}"
    path.unlink()
    with pytest.raises(VademecumError):
        memories.get(memory.id)
    (folder / "new.md").write_text("A new one")
    assert memories.search("new one").total == 1


def test_two_files_with_one_id_are_both_memories(open_memories: Open, folder: Path) -> None:
    (folder / "a.md").write_text("---\nid: same\n---\none\n")
    (folder / "b.md").write_text("---\nid: same\n---\ntwo\n")
    memories = open_memories()
    heads = memories.list().items
    assert len({head.id for head in heads}) == 2
    assert memories.get("same").content == "one"
    other = next(head.id for head in heads if head.id != "same")
    memories.update(other, MemoryChange(content="three"))
    assert memories.get("same").content == "one" and memories.get(other).content == "three"
    assert (folder / "a.md").read_text().endswith("one\n")


def test_reserved_and_hidden_files_are_no_memories(open_memories: Open, folder: Path) -> None:
    (folder / "MEMORY.md").write_text("<!-- vademecum:generated table of contents -->\n# Index\n")
    (folder / ".hidden.md").write_text("x")
    (folder / "notes.txt").write_text("x")
    (folder / ".vademecum-0.tmp").write_text("x")
    (folder / "sub.md").mkdir()
    memories = open_memories()
    assert memories.list().total == 0
    assert [flaw.path for flaw in memories.status().unreadable] == ["sub.md"]
    (folder / "README.md").write_text("# Written by a person\n")
    assert memories.list().total == 1


def test_a_pipe_does_not_hold_us_up(open_memories: Open, folder: Path) -> None:
    os.mkfifo(folder / "pipe.md")
    memories = open_memories()
    assert memories.list().total == 0
    assert memories.status().unreadable[0].reason == "not a regular file"


def test_the_users_own_links_are_followed_and_kept(open_memories: Open, places: Places, tmp_path: Path) -> None:
    elsewhere = tmp_path / "dotfiles"
    elsewhere.mkdir()
    places.home.mkdir()
    (places.home / "memory").symlink_to(elsewhere)
    (elsewhere / "real.md").write_text("---\nid: abc123\n---\nold\n")
    (elsewhere / "link.md").symlink_to(tmp_path / "far.md")
    (tmp_path / "far.md").write_text("---\nid: far123\n---\nold\n")
    memories = open_memories()
    memories.update("far123", MemoryChange(content="new"))
    assert (elsewhere / "link.md").is_symlink()
    assert (tmp_path / "far.md").read_text().endswith("new\n")
    memories.remember("Kept where the link leads")
    assert len(memory_files(elsewhere)) == 3


def test_a_link_that_leads_nowhere_hides_nothing_else(open_memories: Open, folder: Path, tmp_path: Path) -> None:
    (folder / "dangling.md").symlink_to(tmp_path / "nowhere.md")
    (folder / "real.md").write_text("A real one")
    assert open_memories().list().total == 1


@pytest.mark.parametrize("kind", ["ring", "closed", "through a file"])
def test_a_link_that_cannot_be_followed_hides_nothing_else(
    open_memories: Open, folder: Path, tmp_path: Path, kind: str
) -> None:
    (folder / "real.md").write_text("A real one")
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "far.md").write_text("A far one")
    match kind:
        case "ring":
            (folder / "bad.md").symlink_to("bad.md")
        case "closed":
            (folder / "bad.md").symlink_to(closed / "far.md")
            closed.chmod(0)
        case _:
            (folder / "bad.md").symlink_to(folder / "real.md" / "far.md")
    memories = open_memories()
    is_root = kind == "closed" and os.access(closed, os.X_OK)
    assert memories.list().total == (2 if is_root else 1)
    memories.remember("Written beside it.", scope=Scope.USER)
    assert [each.path for each in memories.status().unreadable] == ([] if is_root else ["bad.md"])
    assert (folder / "bad.md").is_symlink()
    closed.chmod(0o700)
    if kind == "closed":
        assert memories.list().total == 3, "the link can be followed now"


def test_a_deleted_memory_takes_the_link_to_its_file_along(open_memories: Open, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "far.md").write_text("---\nid: far123\n---\nIt lies elsewhere.\n")
    (folder / "link.md").symlink_to(tmp_path / "far.md")
    memories = open_memories()
    memories.delete("far123")
    assert not (tmp_path / "far.md").exists() and not (folder / "link.md").is_symlink()
    memories.restore("far123")
    assert (folder / "link.md").read_text() == "---\nid: far123\n---\nIt lies elsewhere.\n"


def test_what_stands_in_the_place_of_the_folder_is_named(open_memories: Open, places: Places) -> None:
    places.home.mkdir()
    (places.home / "memory").write_text("no folder")
    with pytest.raises(VademecumError) as refused:
        open_memories().remember("A note", scope=Scope.USER)
    assert refused.value.kind is ErrorKind.STORE_UNREADABLE
    assert f"place of its folder is none ({places.home / 'memory'})" in refused.value.message
    assert (places.home / "memory").read_text() == "no folder"


@pytest.mark.parametrize(
    ("nanoseconds", "told"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_764_513_765_432_999_999, "2025-11-30T14:42:45.432Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (1 << 90, "9999-12-31T23:59:59.999Z"),
        (-(1 << 90), "0001-01-01T00:00:00.000Z"),
    ],
)
def test_a_files_time_is_told_whatever_the_file_system_makes_of_it(nanoseconds: int, told: str) -> None:
    item = Item("a.md", parse(b"Text", "a"), "", "", nanoseconds)
    placed = Placed(FolderStore(StoreKind.USER, Scope.USER, Corner(Path("/nowhere"))), "", None)
    entry = Entry("a", item, placed, Origin.USER)
    assert (entry.created, entry.updated) == (told, told)


def test_names_that_are_not_utf8(open_memories: Open, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"odd \xff name")
    shared = folder / ".vademecum" / "memory"
    shared.mkdir(parents=True)
    (shared / os.fsdecode(b"\xfe.md")).write_text("A memory in an odd place")
    (shared / os.fsdecode(b"\xfd.md")).write_bytes(b"\xff")
    memories = open_memories(folder)
    memories.trust(True)
    (head,) = memories.list().items
    memories.update(head.id, MemoryChange(title="New"))
    memories.delete(head.id)
    assert memories.restore(head.id).content == "A memory in an odd place"
    everything = repr((memories.status(), memories.prompt("s"), memories.list(), memories.remember("x y z")))
    everything.encode("utf-8")


def test_types_and_times_by_hand(open_memories: Open, folder: Path) -> None:
    (folder / "a.md").write_text(
        "---\nid: abc123\ntype: Own Label\ncreated: 2026-01-02\nupdated: 2026-01-02T03:04:05+02:00\n"
        "pinned: yes\nprovenance: auto\nstatus: pending\nkeywords: one, two\nevidence: a:1-2@0123456789ab\n---\ntext\n"
    )
    memory = open_memories().get("abc123")
    assert memory.type == "Own Label"
    assert memory.created == "2026-01-02T00:00:00.000Z"
    assert memory.updated == "2026-01-02T01:04:05.000Z"
    assert memory.pinned and memory.status is MemoryStatus.PENDING and memory.keywords == ("one", "two")
    assert memory.evidence[0].reference == "a:1-2@0123456789ab" and memory.evidence[0].verdict is None


def test_leftovers_of_a_dead_writer_go_with_the_next_write(open_memories: Open, folder: Path) -> None:
    (folder / ".vademecum-dead.tmp").write_text("half a mem")
    open_memories().remember("Something")
    assert not (folder / ".vademecum-dead.tmp").exists()


@pytest.mark.parametrize("how", ["delete", "clear", "purge"])
def test_leftovers_of_a_dead_writer_go_with_what_is_removed_in_one_look(
    open_memories: Open, folder: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    memories = open_memories()
    ids = [memories.remember(f"Note number {number}", scope=Scope.USER).memory.id for number in range(5)]
    (folder / ".vademecum-dead.tmp").write_text("half a mem")
    looked: list[Path] = []
    sweep = durable.sweep
    monkeypatch.setattr(durable, "sweep", lambda path: looked.append(path) or sweep(path))
    match how:
        case "delete":
            memories.delete(ids[0])
        case "clear":
            assert memories.clear(Span.USER) == 5
        case _:
            assert len(memories.purge(scope=Span.USER).ids) == 5
    assert not (folder / ".vademecum-dead.tmp").exists()
    assert looked.count(folder) == 1, "a folder of thousands is not listed for each memory in it"


def test_a_full_disk_loses_nothing(open_memories: Open, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memories = open_memories()
    memory = memories.remember("Before").memory
    real: Callable[[int], None] = os.fsync

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("vademecum.files.durable.os.fsync", full)
    for attempt in (lambda: memories.remember("After"), lambda: memories.update(memory.id, MemoryChange(title="x"))):
        with pytest.raises(VademecumError) as caught:
            attempt()
        assert caught.value.kind is ErrorKind.STORE_UNREADABLE and "No space left" in caught.value.message
    monkeypatch.setattr("vademecum.files.durable.os.fsync", real)
    assert [head.title for head in memories.list().items] == ["Before"]
    assert len(memory_files(folder)) == 1
