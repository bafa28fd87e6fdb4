"""CodeBuddy's JSON files: read, changed item by item, and never overwritten when they are damaged."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.memory.conftest import Open
from vademecum.errors import ErrorKind, VademecumError
from vademecum.memory import json_text
from vademecum.memory.places import Places
from vademecum.memory.settings import Format, ProjectPlace
from vademecum.memory.types import Category, MemoryChange, NewMemory, Scope, Span

_FOREIGN = """[
  {"id":"abc12", "category" : "Rule","content":"Use tabs","title":"Tabs","keywords":"style|tabs",
   "scope":"user","timestamp":1700000000000,"x-own":[1.10, {"k":"v"}]},
  "not an object",
  {
    "id": "zzz9",
    "category": "Knowledge",
    "content": "Speaks Dutch",
    "title": "Language",
    "keywords": "",
    "scope": "user",
    "timestamp": 1700000001000
  }
]
"""


@pytest.fixture
def file(places: Places) -> Path:
    """The user's JSON file, as CodeBuddy wrote it."""
    places.home.mkdir()
    path = places.home / "user-memory.json"
    path.write_text(_FOREIGN)
    return path


def _json(path: Path) -> list[Any]:
    loaded = json.loads(path.read_text())
    assert isinstance(loaded, list)
    return loaded


def test_the_form_of_a_new_item(open_memories: Open, places: Places, project: Path) -> None:
    memories = open_memories(project, format=Format.JSON)
    added = memories.add(NewMemory("Tabs", "Use tabs", Category.RULE, Scope.USER, keywords=("a", "b"))).memory
    (item,) = _json(places.home / "user-memory.json")
    assert list(item)[:4] == ["id", "title", "category", "type"]
    expected = {"id": added.id, "category": "Rule", "content": "Use tabs", "title": "Tabs", "keywords": "a|b"}
    assert {key: item[key] for key in expected} == expected
    assert item["scope"] == "user" and isinstance(item["timestamp"], int)
    memories.remember("Of the project")
    (path,) = places.home.glob("projects/*/memory.json")
    assert path.read_text().startswith('[\n  {\n    "')


def test_foreign_items_are_read(open_memories: Open, file: Path) -> None:
    memories = open_memories()
    memory = memories.get("abc12")
    assert (memory.title, memory.content, memory.category) == ("Tabs", "Use tabs", Category.RULE)
    assert memory.keywords == ("style", "tabs") and memory.updated == "2023-11-14T22:13:20.000Z"
    assert memory.uri == f"{file.as_uri()}#abc12"
    (flaw,) = memories.status().unreadable
    assert flaw.path == "user-memory.json, item 2"


def test_a_change_keeps_every_other_byte(open_memories: Open, file: Path) -> None:
    memories = open_memories(format=Format.JSON)
    memories.update("zzz9", MemoryChange(content="Speaks Frisian"))
    text = file.read_text()
    assert text[: _FOREIGN.index("  {\n")] == _FOREIGN[: _FOREIGN.index("  {\n")]
    assert _json(file)[2]["content"] == "Speaks Frisian"
    memories.update("abc12", MemoryChange(keywords=()))
    assert _json(file)[0]["x-own"] == [1.1, {"k": "v"}] and _json(file)[0]["keywords"] == ""
    new = memories.remember("Third", scope=Scope.USER).memory
    memories.delete("abc12")
    assert [item if isinstance(item, str) else item["id"] for item in _json(file)] == ["not an object", "zzz9", new.id]
    memories.restore("abc12")
    assert memories.get("abc12").content == "Use tabs"


@pytest.mark.parametrize("damage", ["", "{}", "[", '[{"content": "x"},]', "[1] trailing", "\x00", "[NaN, x]"])
def test_a_damaged_file_is_never_overwritten(open_memories: Open, file: Path, damage: str) -> None:
    memories = open_memories(format=Format.JSON)
    memories.list()
    file.write_text(damage)
    with pytest.raises(VademecumError) as caught:
        memories.remember("Something new", scope=Scope.USER)
    assert caught.value.kind is ErrorKind.STORE_UNREADABLE
    assert memories.clear(Span.ALL) == 0
    assert file.read_text() == damage
    assert memories.status().unreadable[0].path == "user-memory.json"
    file.write_text(_FOREIGN)
    assert memories.list().total == 2


def test_bom_and_crlf_survive(open_memories: Open, file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + _FOREIGN.replace("\n", "\r\n").encode())
    memories = open_memories(format=Format.JSON)
    memories.remember("A new one", scope=Scope.USER)
    data = file.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf[\r\n") and data.count(b"\n") == data.count(b"\r\n")
    assert memories.list().total == 3


def test_items_without_or_with_the_same_id(open_memories: Open, file: Path) -> None:
    file.write_text(json.dumps([{"content": "one"}, {"id": "x1", "content": "two"}, {"id": "x1", "content": "three"}]))
    memories = open_memories()
    heads = memories.list().items
    assert len({head.id for head in heads}) == 3
    for head in heads:
        memory = memories.get(head.id)
        changed = memories.update(head.id, MemoryChange(content=memory.content + "!"))
        assert changed.id == head.id
    assert sorted(item["content"] for item in _json(file)) == ["one!", "three!", "two!"]
    assert len({item["id"] for item in _json(file)}) == 3


def test_both_forms_are_read_and_moves_go_between_them(open_memories: Open, places: Places, project: Path) -> None:
    markdown = open_memories(project)
    first = markdown.remember("Written as Markdown").memory
    as_json = open_memories(project, format=Format.JSON)
    assert as_json.get(first.id).content == "Written as Markdown"
    moved = as_json.update(first.id, MemoryChange(scope=Scope.USER))
    assert (
        moved.id == first.id and moved.created == first.created and moved.uri.endswith(f"user-memory.json#{first.id}")
    )
    back = markdown.update(first.id, MemoryChange(scope=Scope.PROJECT, content="And back"))
    assert back.id == first.id and back.uri.endswith(".md")
    assert _json(places.home / "user-memory.json") == []
    assert markdown.list().total == 1


def test_the_shared_json_file_lies_in_the_repository(open_memories: Open, project: Path) -> None:
    memories = open_memories(project, format=Format.JSON, project=ProjectPlace.SHARED)
    memories.remember("For the team")
    assert _json(project / ".vademecum" / "memory.json")[0]["content"] == "For the team"


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(_VALUES, max_size=5), _VALUES, st.sampled_from([None, 2, "\t"]), st.integers(0, 4))
def test_edits_of_an_array_are_edits_of_its_value(values: list[Any], new: Any, indent: Any, at: int) -> None:
    text = json.dumps(values, indent=indent) + "\n"
    assert json.loads(json_text.append(text, new)) == [*values, new]
    there = json_text.elements(text)
    assert [element.value for element in there] == values
    if at < len(values):
        assert json.loads(json_text.replace(text, there[at], new)) == [*values[:at], new, *values[at + 1 :]]
        assert json.loads(json_text.remove(text, there[at])) == values[:at] + values[at + 1 :]
