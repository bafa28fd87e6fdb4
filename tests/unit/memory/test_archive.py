"""The archive: everything goes out, and comes back byte for byte; nothing in it is believed and nothing overwritten."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from unit.memory.archives import OpenElsewhere, all_of, exported, files, refused, restored
from unit.memory.conftest import Open
from vademecum.errors import ErrorKind
from vademecum.memory.places import Places
from vademecum.memory.service import Memories
from vademecum.memory.settings import Format, ProjectPlace
from vademecum.memory.types import Category, MemoryChange, MemoryStatus, NewMemory, Origin, Scope, Span

KEY = "ghp_0123456789abcdefghijABCDEFGHIJ456789"


def fill(memories: Memories, home: Path, project: Path) -> list[str]:
    """Memories of every kind: by request and by hand, changed, deleted, retired, waiting, pinned, recalled."""
    ids = []
    for scope in Scope:
        first = memories.add(NewMemory(f"Rule of {scope}", f"Use pnpm in {scope}", Category.RULE, scope, pinned=True))
        second = memories.add(NewMemory("Köln", "Büro in Köln\n\n漢字", Category.KNOWLEDGE, scope, keywords=("köln",)))
        third = memories.add(NewMemory("Gone", f"This goes from {scope} altogether", Category.KNOWLEDGE, scope))
        memories.update(first.memory.id, MemoryChange(content=f"Use pnpm in {scope}, never npm"))
        memories.update(first.memory.id, MemoryChange(title="Package manager"))
        memories.delete(third.memory.id)
        newer = memories.add(
            NewMemory(
                "Office", f"The office of {scope} is in Ghent", Category.KNOWLEDGE, scope, supersedes=second.memory.id
            )
        )
        ids += [first.memory.id, second.memory.id, third.memory.id, newer.memory.id]
    memories.recall("Which package manager, pnpm or npm?")
    hand = home / "memory"
    (hand / "by-hand.md").write_bytes("\ufeff---\r\ntitle: By hand # yes\r\nown: key\r\n---\r\nText\r\n".encode())
    (hand / "plain.md").write_text("# Plain\n\nNo head at all.\n")
    (hand / "waits.md").write_text("---\ntitle: Waits\nstatus: pending\nprovenance: auto\n---\nCaptured text\n")
    (home / "user-memory.json").write_text(
        '[\n    {"content": "From CodeBuddy", "foreign": [1]},\n    "no memory"\n]\n'
    )
    (home / "USER.md").write_bytes(b"# Me\r\n\r\nI am a dentist.\r\n")
    memories.write_charter("# Project\n\nFirst text.")
    memories.write_charter("# Project\n\nSecond text.")
    return ids


@pytest.fixture
def filled(open_memories: Open, places: Places, project: Path) -> tuple[Memories, list[str]]:
    memories = open_memories(project)
    return memories, fill(memories, places.home, project)


def test_everything_comes_back_byte_for_byte(
    filled: tuple[Memories, list[str]], elsewhere: OpenElsewhere, places: Places, project: Path, tmp_path: Path
) -> None:
    old, ids = filled
    text = exported(old)
    new = elsewhere(project)
    done = restored(new, text)
    assert refused(done) == []
    before, after = files(places.home), files(tmp_path / "new" / "home")
    # An item of a JSON file comes back by itself; the layout around it, and what was no memory, was the file's own.
    assert json.loads(after.pop("user-memory.json")) == [{"content": "From CodeBuddy", "foreign": [1]}]
    del before["user-memory.json"]
    assert after == before
    for id in ids:
        assert [v.revision for v in new.history(id)] == [v.revision for v in old.history(id)]
    assert {m.id: m.recall_count for m in all_of(new)} == {m.id: m.recall_count for m in all_of(old)}
    assert any(m.recall_count for m in all_of(new))
    assert [v.content for v in new.history("PROJECT.md")] == [v.content for v in old.history("PROJECT.md")]
    deleted = ids[2]
    assert new.restore(deleted).content == "This goes from user altogether"
    assert {h.title for h in new.list(status=MemoryStatus.PENDING).items} == {"Waits"}


def test_an_export_of_what_was_restored_is_the_same(
    filled: tuple[Memories, list[str]], elsewhere: OpenElsewhere, project: Path, places: Places
) -> None:
    old, _ = filled
    (places.home / "user-memory.json").unlink()
    text = exported(old)
    new = elsewhere(project)
    restored(new, text)
    assert json.loads(exported(new))["parts"] == json.loads(text)["parts"]


def test_restored_twice_nothing_doubles(
    filled: tuple[Memories, list[str]], elsewhere: OpenElsewhere, project: Path, tmp_path: Path
) -> None:
    text = exported(filled[0])
    new = elsewhere(project)
    first = restored(new, text)
    assert first.versions > 0
    before = files(tmp_path / "new" / "home")
    planned = restored(new, text, dry_run=True)
    second = restored(new, text)
    assert (second.added, second.refused, second.versions, second.ids) == (0, 0, 0, ())
    assert (planned.added, planned.versions) == (0, 0)
    assert files(tmp_path / "new" / "home") == before
    # And into the home that it came from.
    assert (restored(filled[0], text).added, restored(filled[0], text).versions) == (0, 0)


def test_a_dry_run_of_an_archive_writes_nothing(
    filled: tuple[Memories, list[str]], elsewhere: OpenElsewhere, project: Path, tmp_path: Path
) -> None:
    text = exported(filled[0])
    new = elsewhere(project)
    planned = restored(new, text, dry_run=True)
    assert planned.added > 5 and planned.versions > 5
    assert files(tmp_path / "new" / "home") == {}
    done = restored(new, text)
    assert (done.added, done.versions) == (planned.added, planned.versions)


def test_projects_that_are_not_open_are_in_it_and_found_when_they_are(
    open_memories: Open, elsewhere: OpenElsewhere, repository: Callable[..., Path], tmp_path: Path
) -> None:
    one, two = repository("one", origin="https://example.org/t/one"), repository("two", commit="second")
    for folder in (one, two):
        memories = open_memories(folder)
        added = memories.add(NewMemory("t", f"About {folder.name}", Category.KNOWLEDGE, Scope.PROJECT))
        memories.update(added.memory.id, MemoryChange(title=f"Title of {folder.name}"))
    text = exported(open_memories())
    assert {
        part["project"] and part["project"]["identity"].partition(":")[0] for part in json.loads(text)["parts"]
    } == {
        "origin",
        "commit",
    }
    assert restored(elsewhere(), text).added == 2
    for folder in (one, two):  # as clones on the other machine
        clone = tmp_path / "clones" / folder.name
        shutil.copytree(folder, clone)
        # Anybody can make a folder that claims to be one of these, so what is theirs is given to a trusted one alone.
        assert all_of(elsewhere(clone, trusted=False)) == []
        opened = elsewhere(clone, trusted=True)
        (memory,) = all_of(opened)
        assert (memory.title, len(opened.history(memory.id))) == (f"Title of {folder.name}", 1)


def test_a_project_that_is_known_by_another_key_takes_what_is_its_own(
    open_memories: Open, elsewhere: OpenElsewhere, repository: Callable[..., Path], tmp_path: Path
) -> None:
    folder = repository("one")
    memories = open_memories(folder)  # known by its first commit, before it has a remote
    memories.add(NewMemory("t", "Text of it", Category.KNOWLEDGE, Scope.PROJECT))
    text = exported(memories)
    there = elsewhere(folder, trusted=True)
    there.add(NewMemory("other", "Another text", Category.KNOWLEDGE, Scope.PROJECT))
    assert restored(there, text).added == 1
    assert {m.content for m in all_of(there)} == {"Text of it", "Another text"}
    assert len(list((tmp_path / "new" / "home" / "projects").iterdir())) == 1


def test_what_turned_out_to_be_one_project_is_one_in_the_archive(
    open_memories: Open, elsewhere: OpenElsewhere, repository: Callable[..., Path], tmp_path: Path
) -> None:
    first = repository("one", origin="https://example.org/t/one")
    open_memories(first).add(NewMemory("t", "Of the first clone", Category.KNOWLEDGE, Scope.PROJECT))
    second = tmp_path / "clones" / "one"
    shutil.copytree(first, second)
    stranger = open_memories(second, trusted=False)
    stranger.add(NewMemory("t", "While it was a stranger", Category.KNOWLEDGE, Scope.PROJECT))
    assert len(all_of(open_memories(second, trusted=True))) == 2
    for opened in (open_memories(second, trusted=True), open_memories()):
        (part,) = json.loads(exported(opened))["parts"]
        assert len(part["memories"]) == 2
    new = elsewhere(second, trusted=True)
    restored(new, exported(open_memories()))
    assert {m.content for m in all_of(new)} == {"Of the first clone", "While it was a stranger"}


def test_one_project_alone_goes_into_the_one_that_is_open(
    open_memories: Open, elsewhere: OpenElsewhere, tmp_path: Path, project: Path
) -> None:
    memories = open_memories(project)
    memories.add(NewMemory("t", "Of the project", Category.KNOWLEDGE, Scope.PROJECT))
    memories.add(NewMemory("t", "Of the user", Category.KNOWLEDGE, Scope.USER))
    text = exported(memories, Scope.PROJECT)
    assert "Of the user" not in text
    other = tmp_path / "other"
    other.mkdir()
    new = elsewhere(other)
    assert restored(new, text, scope=Scope.PROJECT).added == 1
    assert [m.content for m in all_of(new)] == ["Of the project"]


def test_what_is_shared_returns_where_its_repository_is_open_and_is_still_the_users(
    open_memories: Open, elsewhere: OpenElsewhere, repository: Callable[..., Path], tmp_path: Path
) -> None:
    folder = repository("one", origin="https://example.org/t/one")
    memories = open_memories(folder, project=ProjectPlace.SHARED)
    memories.add(NewMemory("t", "Shared by me", Category.RULE, Scope.PROJECT))
    memories.write_charter("# Shared charter")
    text = exported(memories)
    closed = restored(elsewhere(name="closed"), text)
    assert closed.added == 0 and len(refused(closed)) == 2
    shutil.rmtree(folder / ".vademecum")
    new = elsewhere(folder)
    assert refused(restored(new, text)) == []
    (memory,) = all_of(new)
    assert (memory.origin, memory.content) == (Origin.USER, "Shared by me")
    assert "Shared charter" in new.prompt().text
    # Where git brought the files already, they are known for the user's own again.
    cloned = elsewhere(folder, name="cloned")
    assert all_of(cloned) == []
    assert restored(cloned, text).same == 2
    assert [m.origin for m in all_of(cloned)] == [Origin.USER]
    assert "Shared charter" in cloned.prompt().text


def test_memory_of_a_stranger_stays_a_strangers(open_memories: Open, elsewhere: OpenElsewhere, places: Places) -> None:
    (places.home / "memory").mkdir(parents=True)
    (places.home / "memory" / "x.md").write_text("---\ntitle: T\norigin: repository\ncategory: Rule\n---\nObey\n")
    new = elsewhere()
    restored(new, exported(open_memories()))
    assert all_of(new)[0].origin is Origin.REPOSITORY


def test_what_is_here_and_says_something_else_is_left_and_told(
    open_memories: Open, elsewhere: OpenElsewhere, tmp_path: Path, places: Places
) -> None:
    old = open_memories()
    added = old.add(NewMemory("t", "As it was", Category.KNOWLEDGE, Scope.USER))
    (places.home / "USER.md").write_text("Old charter")
    text = exported(old)
    new = elsewhere()
    restored(new, text)
    new.update(added.memory.id, MemoryChange(content="As it is now"))
    (tmp_path / "new" / "home" / "USER.md").write_text("New charter")
    done = restored(new, text)
    assert {item.kind for item in done.items} == {ErrorKind.CONFLICT}
    assert new.get(added.memory.id).content == "As it is now"
    assert (tmp_path / "new" / "home" / "USER.md").read_text() == "New charter"


def test_secrets_are_refused_in_files_versions_and_charters(
    open_memories: Open, elsewhere: OpenElsewhere, places: Places, tmp_path: Path
) -> None:
    folder = places.home / "memory"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text(f"---\nid: aaaa\ntitle: T\n---\ntoken {KEY}\n")
    (places.home / "USER.md").write_text(f"My key is {KEY}")
    old = open_memories()
    (folder / "b.md").write_text(f"---\nid: bbbb\ntitle: B\n---\ntoken {KEY} of b\n")
    old.list()
    old.update("bbbb", MemoryChange(content="no token any more"))
    done = restored(elsewhere(), exported(old))
    assert sorted(item.kind for item in done.items if item.kind) == [ErrorKind.SECRET] * 3
    assert KEY not in repr(done)
    home = tmp_path / "new"
    assert not any(KEY.encode() in path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_a_memory_named_like_the_table_of_contents_keeps_its_name(
    open_memories: Open, elsewhere: OpenElsewhere, places: Places, tmp_path: Path
) -> None:
    folder = places.home / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("- my own list\n")
    (folder / "a.md").write_text("Another memory\n")
    restored(elsewhere(), exported(open_memories()))
    assert files(tmp_path / "new" / "home") == files(places.home)


def test_deleted_memories_go_with_the_archive_until_they_are_purged(open_memories: Open) -> None:
    memories = open_memories()
    added = memories.add(NewMemory("t", "Deleted text", Category.KNOWLEDGE, Scope.USER))
    memories.delete(added.memory.id)
    assert "Deleted text" in exported(memories)
    memories.purge(scope=Span.ALL)
    assert "Deleted text" not in exported(memories)


@pytest.mark.parametrize("form", list(Format))
def test_json_and_markdown_keep_their_form(open_memories: Open, elsewhere: OpenElsewhere, form: Format) -> None:
    old = open_memories(format=form)
    for n in range(3):
        old.add(NewMemory(f"t{n}", f"Number {n}", Category.KNOWLEDGE, Scope.USER, keywords=("a", "b")))
    new = elsewhere(format=Format.MARKDOWN if form is Format.JSON else Format.JSON)
    restored(new, exported(old))
    assert [(m.id, m.content, m.keywords) for m in all_of(new)] == [(m.id, m.content, m.keywords) for m in all_of(old)]
    assert json.loads(exported(new))["parts"] == json.loads(exported(old))["parts"]
