"""What memory says of itself, and that off means off."""

import os
from pathlib import Path

import pytest

from unit.memory.conftest import Open
from vademecum.errors import ErrorKind, VademecumError
from vademecum.memory.places import Places
from vademecum.memory.settings import Format
from vademecum.memory.types import (
    Category,
    MemoryChange,
    MemoryStatus,
    NewMemory,
    Scope,
    Span,
    StoreKind,
)


def test_status_tells_where_and_how_much(open_memories: Open, project: Path, places: Places) -> None:
    memories = open_memories(project)
    memories.remember("Of the project")
    memories.remember("Of the user", scope=Scope.USER)
    old = memories.remember("Old one", scope=Scope.USER).memory
    memories.add(NewMemory("New", "New one", Category.RULE, Scope.USER, supersedes=old.id))
    status = memories.status()
    assert status.enabled and status.message == "4 memories."
    assert dict(status.counts) == {MemoryStatus.ACTIVE: 3, MemoryStatus.SUPERSEDED: 1}
    stores = {store.kind: store for store in status.stores}
    assert stores[StoreKind.USER].path == str(places.home / "memory") and stores[StoreKind.USER].memories == 3
    assert stores[StoreKind.PRIVATE].writes and stores[StoreKind.PRIVATE].memories == 1
    assert not stores[StoreKind.SHARED].writes and not stores[StoreKind.SHARED].exists
    assert status.unreadable == () and status.health == () and status.withheld == 0
    as_json = open_memories(project, format=Format.JSON).status()
    assert {store.path for store in as_json.stores if store.writes} == {
        str(places.home / "user-memory.json"),
        str(next((places.home / "projects").iterdir()) / "memory.json"),
    }


@pytest.mark.parametrize(
    ("count", "left_alone", "withheld"),
    [
        (
            1,
            "1 file or item could not be read in full and was left",
            "1 memory came with this repository and is not",
        ),
        (2, "2 files or items could not be read in full and were", "2 memories came with this repository and are not"),
    ],
)
def test_what_is_amiss_is_told_in_the_right_number(
    open_memories: Open, project: Path, places: Places, count: int, left_alone: str, withheld: str
) -> None:
    theirs = project / ".vademecum" / "memory"
    theirs.mkdir(parents=True)
    (places.home / "memory").mkdir(parents=True)
    for number in range(count):
        (places.home / "memory" / f"bad{number}.md").write_bytes(b"\xff")
        (theirs / f"theirs{number}.md").write_text(f"Of theirs {number}.\n", "utf-8")
    health = open_memories(project).status().health
    assert [sentence.startswith((left_alone, withheld)) for sentence in health] == [True, True]


def test_reindex_reads_everything_again(open_memories: Open, places: Places) -> None:
    memories = open_memories()
    memories.remember("One")
    (places.home / "memory" / "bad.md").write_bytes(b"\xff")
    answer = memories.reindex()
    assert (answer.memories, answer.unreadable) == (1, 1)
    assert memories.search("one").total == 1


def test_off_means_off(open_memories: Open, project: Path, places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    def touched(*arguments: object, **named: object) -> None:
        pytest.fail(f"a file was touched: {arguments}")

    memories = open_memories(project, enabled=False)
    for name in ("open", "stat", "scandir", "mkdir", "listdir"):
        monkeypatch.setattr(os, name, touched)
    new = NewMemory("T", "C", Category.RULE, Scope.USER)
    calls = [
        lambda: memories.add(new),
        lambda: memories.update("x", MemoryChange(title="y")),
        lambda: memories.delete("x"),
        lambda: memories.get("x"),
        memories.list,
        lambda: memories.search("x"),
        lambda: memories.remember("x"),
        memories.prompt,
        lambda: memories.prompt("s"),
        lambda: memories.changes("s"),
        lambda: memories.history("x"),
        lambda: memories.restore("x"),
        lambda: memories.purge(id="x"),
        lambda: memories.purge(scope=Span.ALL),
        lambda: memories.clear(Span.ALL),
        lambda: memories.trust(True),
        memories.reindex,
    ]
    for call in calls:
        with pytest.raises(VademecumError) as caught:
            call()
        assert caught.value.kind is ErrorKind.MEMORY_DISABLED and "memory.enabled" in caught.value.message
    status = memories.status()
    assert not status.enabled and "memory.enabled" in status.message and status.stores == ()
    monkeypatch.undo()
    assert not places.home.exists() and not places.state.exists()


def test_opening_touches_nothing(open_memories: Open, project: Path, places: Places) -> None:
    open_memories(project)
    assert not places.home.exists() and not places.state.exists()


def test_status_never_fails(open_memories: Open, places: Places) -> None:
    places.state.write_text("a file where the folder should be")
    status = open_memories().status()
    assert status.enabled and "state directory" in status.health[0]


def test_a_home_that_cannot_be_written_is_said(open_memories: Open, places: Places) -> None:
    places.home.write_text("a file where the folder should be")
    with pytest.raises(VademecumError) as caught:
        open_memories().remember("Something")
    assert caught.value.kind is ErrorKind.STORE_UNREADABLE
