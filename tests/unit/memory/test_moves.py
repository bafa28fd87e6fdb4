"""A move that a crash cut short: the memory is where it went, once, and what was left behind never comes back."""

from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest

from unit.memory.conftest import Open
from vademecum.memory.folder_store import FolderStore
from vademecum.memory.json_store import JsonStore
from vademecum.memory.places import Places
from vademecum.memory.service import Memories
from vademecum.memory.settings import Format
from vademecum.memory.types import Category as Kind
from vademecum.memory.types import MemoryChange, NewMemory, Scope, Span


class Killed(BaseException):
    """Stands for SIGKILL between two instructions."""


@pytest.fixture
def cut_short(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Moves a memory and dies before the old place is emptied."""

    def move(memories: Memories, id: str, scope: Scope) -> None:
        def die(*_: object) -> None:
            raise Killed

        with monkeypatch.context() as patch:
            for store in (FolderStore, JsonStore):
                patch.setattr(store, "remove", die)
            with pytest.raises(Killed):
                memories.update(id, MemoryChange(scope=scope))

    return move


def started(open_memories: Open, project: Path, form: Format, scope: Scope) -> tuple[Memories, str]:
    memories = open_memories(project, format=form)
    for number in range(3):  # neighbours, so that places in a JSON file shift
        memories.add(NewMemory(f"Neighbour {number}", f"Neighbour {number} of {scope}", Kind.KNOWLEDGE, scope))
    memory = memories.add(NewMemory("Moved", "The plutonium", Kind.RULE, scope)).memory
    memories.add(NewMemory("Last", f"Last of {scope}", Kind.KNOWLEDGE, scope))
    return memories, memory.id


@pytest.mark.parametrize("form", list(Format))
@pytest.mark.parametrize(("here", "there"), list(permutations(Scope)))
def test_it_is_where_it_went_and_only_there(
    open_memories: Open, project: Path, cut_short: Callable[..., None], form: Format, here: Scope, there: Scope
) -> None:
    memories, id = started(open_memories, project, form, here)
    cut_short(memories, id, there)
    again = open_memories(project, format=form)
    assert again.get(id).scope is there
    assert again.list().total == 5
    assert again.prompt().text.count("plutonium") == 1
    assert again.update(id, MemoryChange(content="The plutonium, changed")).id == id
    assert again.update(id, MemoryChange(scope=here)).scope is here
    again.delete(id)
    last = open_memories(project)
    assert "plutonium" not in str(last.list()) + str(last.search("plutonium"))
    assert last.list().total == 4
    assert last.restore(id).content == "The plutonium, changed"


@pytest.mark.parametrize("form", list(Format))
@pytest.mark.parametrize("by", ["id", "scope"])
def test_a_purge_takes_what_was_left_behind_too(
    open_memories: Open, project: Path, places: Places, cut_short: Callable[..., None], form: Format, by: str
) -> None:
    memories, id = started(open_memories, project, form, Scope.USER)
    cut_short(memories, id, Scope.PROJECT)
    again = open_memories(project, format=form)
    if by == "id":
        again.purge(id=id)
        assert again.list().total == 4
    else:
        again.purge(scope=Span.ALL)
    for folder in (places.home, places.state):
        assert not [path for path in folder.rglob("*") if path.is_file() and b"plutonium" in path.read_bytes()]


@pytest.mark.parametrize("form", list(Format))
def test_one_that_was_cut_short_before_it_wrote_changes_nothing(
    open_memories: Open, project: Path, monkeypatch: pytest.MonkeyPatch, form: Format
) -> None:
    memories, id = started(open_memories, project, form, Scope.USER)

    def die(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        for name in ("add", "put", "_write"):
            patch.setattr(FolderStore if form is Format.MARKDOWN else JsonStore, name, die)
        with pytest.raises(Killed):
            memories.update(id, MemoryChange(scope=Scope.PROJECT))
    again = open_memories(project, format=form)
    again.remember("Another write")
    assert again.get(id).scope is Scope.USER
    assert again.list().total == 6


def test_a_stranger_who_knows_the_id_takes_nothing_away(
    open_memories: Open, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories, id = started(open_memories, project, Format.MARKDOWN, Scope.USER)
    with monkeypatch.context() as patch:
        patch.setattr(FolderStore, "put", lambda *_, **__: (_ for _ in ()).throw(Killed()))
        with pytest.raises(Killed):
            memories.update(id, MemoryChange(scope=Scope.PROJECT))
    theirs = project / ".vademecum" / "memory"
    theirs.mkdir(parents=True)
    (theirs / "theirs.md").write_text(f"---\nid: {id}\ntitle: Theirs\n---\nA stranger's text.\n")
    for trusted in (False, True):
        again = open_memories(project, trusted=trusted)
        again.remember(f"A write while trusted is {trusted}")
        assert again.get(id).content == "The plutonium"
