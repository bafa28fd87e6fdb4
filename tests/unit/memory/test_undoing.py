"""Prior versions, undo, and removing for good."""

import sqlite3
from pathlib import Path

import pytest

from unit.memory.conftest import Open, memory_files
from vademecum.errors import ErrorKind, VademecumError
from vademecum.memory.history import MOST_VERSIONS
from vademecum.memory.places import Places
from vademecum.memory.settings import Format
from vademecum.memory.types import Category, MemoryChange, NewMemory, Scope, Span, VersionReason

SECRET = "zanzibar-7391-protocol"


def bytes_of(*tops: Path) -> dict[Path, bytes]:
    """Every file under the folders."""
    return {path: path.read_bytes() for top in tops for path in top.rglob("*") if path.is_file()}


def test_each_change_keeps_the_version_before(open_memories: Open) -> None:
    memories = open_memories()
    memory = memories.remember("Version one").memory
    for text in ("Version two", "Version three"):
        memories.update(memory.id, MemoryChange(content=text))
    versions = memories.history(memory.id)
    assert [version.content for version in versions] == ["Version two", "Version one"]
    assert versions[1].revision == memory.revision and versions[1].reason is VersionReason.UPDATED
    assert versions[0].replaced >= versions[1].replaced
    back = memories.restore(memory.id)
    assert back.content == "Version two" and back.id == memory.id
    first = memories.restore(memory.id, memory.revision)
    assert first.content == "Version one" and first.revision == memory.revision
    assert [version.content for version in memories.history(memory.id)][:2] == ["Version two", "Version three"]


def test_restoring_gives_back_every_byte(open_memories: Open, places: Places) -> None:
    folder = places.home / "memory"
    folder.mkdir(parents=True)
    path = folder / "hand.md"
    original = b"\xef\xbb\xbf---\r\n# mine\r\nid: abc123\r\nx: {a: 1}\r\n---\r\n\r\nText  \r\n"
    path.write_bytes(original)
    memories = open_memories()
    memories.update("abc123", MemoryChange(content="other"))
    memories.restore("abc123")
    assert path.read_bytes() == original
    memories.delete("abc123")
    assert not path.exists()
    memories.restore("abc123")
    assert path.read_bytes() == original


@pytest.mark.parametrize("form", list(Format))
def test_a_deletion_can_be_undone_by_another_server(open_memories: Open, project: Path, form: Format) -> None:
    memories = open_memories(project, format=form)
    memory = memories.remember("To be undone").memory
    memories.delete(memory.id)
    later = open_memories(project, format=form)
    assert later.history(memory.id)[0].reason is VersionReason.DELETED
    assert later.restore(memory.id) == memory
    assert memories.list().total == 1


def test_a_deletion_is_not_undone_over_another_file(open_memories: Open, places: Places) -> None:
    memories = open_memories()
    memory = memories.remember("To be undone").memory
    (path,) = memory_files(places.home / "memory")
    memories.delete(memory.id)
    path.write_text("Somebody else's text")
    assert memories.restore(memory.id).content == "To be undone"
    assert path.read_text() == "Somebody else's text" and memories.list().total == 2


def test_an_id_that_came_from_the_name_survives_another_name(open_memories: Open, places: Places) -> None:
    folder = places.home / "memory"
    folder.mkdir(parents=True)
    (folder / "notes.md").write_text("The first notes")
    memories = open_memories()
    (head,) = memories.list().items
    memories.delete(head.id)
    (folder / "notes.md").write_text("Other notes")
    restored = memories.restore(head.id)  # the new file has taken the name, and so the id
    assert restored.id == head.id and restored.content == "The first notes"
    assert (folder / "notes.md").read_text() == "Other notes"
    assert memories.get(head.id) == restored and memories.list().total == 2


def test_what_cannot_be_restored_says_why(open_memories: Open) -> None:
    memories = open_memories()
    memory = memories.remember("Once").memory
    for call in (lambda: memories.restore(memory.id), lambda: memories.restore(memory.id, "0" * 16)):
        with pytest.raises(VademecumError) as caught:
            call()
        assert caught.value.kind is ErrorKind.NOT_FOUND
    memories.delete(memory.id)
    twin = memories.remember("once").memory
    with pytest.raises(VademecumError) as caught:
        memories.restore(memory.id)
    assert caught.value.kind is ErrorKind.DUPLICATE and caught.value.data == {"id": twin.id}


def test_history_has_an_end(open_memories: Open) -> None:
    memories = open_memories()
    memory = memories.remember("Text 0").memory
    for number in range(MOST_VERSIONS + 5):
        memories.update(memory.id, MemoryChange(content=f"Text {number + 1}"))
    versions = memories.history(memory.id)
    assert len(versions) == MOST_VERSIONS and versions[-1].content == "Text 5"


def fill(memories: object) -> tuple[str, str]:
    """Store the secret in every way it can be stored, and return the ids of a living and of a deleted memory."""
    from vademecum.memory.service import Memories

    assert isinstance(memories, Memories)
    living = memories.add(
        NewMemory(f"Title {SECRET}", f"One {SECRET}", Category.RULE, Scope.PROJECT, description=f"About {SECRET}")
    ).memory
    memories.prompt("session one")
    memories.update(living.id, MemoryChange(content=f"Two {SECRET}"))
    memories.update(living.id, MemoryChange(scope=Scope.USER))
    memories.update(living.id, MemoryChange(scope=Scope.PROJECT))
    memories.prompt("session two")
    memories.changes("session one")
    memories.search(SECRET)
    deleted = memories.remember(f"Another {SECRET}").memory
    memories.prompt("session three")
    memories.delete(deleted.id)
    return living.id, deleted.id


@pytest.mark.parametrize("form", list(Format))
@pytest.mark.parametrize("by", ["id", "scope"])
def test_a_purge_leaves_no_byte(open_memories: Open, project: Path, places: Places, form: Format, by: str) -> None:
    memories = open_memories(project, format=form)
    keeper = memories.remember("Something to keep", scope=Scope.USER).memory
    living, deleted = fill(memories)
    other_server = open_memories(project, format=form)
    other_server.prompt("session one")
    half_written = places.home / "memory" / ".vademecum-half.tmp"
    half_written.parent.mkdir(exist_ok=True)
    half_written.write_text(SECRET)
    assert [path for path, data in bytes_of(places.home, places.state).items() if SECRET.encode() in data]
    if by == "id":
        memories.purge(id=deleted)
        purged = memories.purge(id=living)
        assert purged.ids == (living,) and purged.versions == 3
    else:
        purged = memories.purge(scope=Span.PROJECT)
        assert set(purged.ids) == {living, deleted}
    for server in (memories, other_server, open_memories(project, format=form)):
        left = [path for path, data in bytes_of(places.home, places.state).items() if SECRET.encode() in data]
        assert left == []
        assert SECRET not in server.prompt("session one").text + server.prompt("session two").text
        assert server.search(SECRET).total == 0
        for call in (server.get, server.history, server.restore):
            with pytest.raises(VademecumError):
                call(living)
        assert server.get(keeper.id) == keeper


def test_a_purge_of_a_scope_takes_the_deleted_too(open_memories: Open, places: Places) -> None:
    memories = open_memories()
    memories.remember(f"Living {SECRET}")
    memories.delete(memories.remember(f"Deleted {SECRET}").memory.id)
    assert len(memories.purge(scope=Span.ALL).ids) == 2
    assert not [path for path, data in bytes_of(places.home, places.state).items() if SECRET.encode() in data]


def test_a_purge_takes_damaged_databases_along(open_memories: Open, places: Places) -> None:
    memories = open_memories()
    memory = memories.remember(f"Note {SECRET}").memory
    memories.update(memory.id, MemoryChange(title="Other"))
    memories.close()
    database = places.state / "memory.sqlite"
    database.write_bytes(b"not a database " + SECRET.encode())
    again = open_memories()
    assert again.get(memory.id).content == f"Note {SECRET}"
    assert "moved aside" in again.status().health[0]
    again.purge(id=memory.id)
    assert not [path for path, data in bytes_of(places.home, places.state).items() if SECRET.encode() in data]


def test_a_database_of_a_newer_version_is_left_untouched(open_memories: Open, places: Places) -> None:
    places.state.mkdir()
    with sqlite3.connect(places.state / "memory.sqlite") as db:
        db.execute("PRAGMA user_version = 999")
    db.close()
    before = (places.state / "memory.sqlite").read_bytes()
    with pytest.raises(VademecumError) as caught:
        open_memories().remember("x y z")
    assert caught.value.kind is ErrorKind.STORE_UNREADABLE and "newer" in caught.value.message
    assert (places.state / "memory.sqlite").read_bytes() == before
