"""Adding, updating, deleting: what is stored, what is refused and with which words."""

from pathlib import Path
from typing import Any

import attrs
import pytest

from unit.memory.conftest import Open
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.evidence.verdicts import Verdict
from vademecum.memory.places import Places
from vademecum.memory.settings import ProjectPlace
from vademecum.memory.types import (
    Category,
    MemoryChange,
    MemoryStatus,
    NewMemory,
    Origin,
    Provenance,
    Scope,
    Span,
)


def new(title: str = "Title", content: str = "Some content", **fields: Any) -> NewMemory:
    return attrs.evolve(NewMemory(title, content, Category.KNOWLEDGE, Scope.USER), **fields)


def test_what_is_added_is_returned_and_kept(open_memories: Open, project: Path) -> None:
    (project / "src").mkdir()
    (project / "src/a.py").write_text("one\ntwo\n")
    given = NewMemory(
        "A title",
        "Line one\n\n    code\n",
        Category.EXPERIENCE,
        Scope.PROJECT,
        type="Lessons Learnt",
        description="Short",
        keywords=("a", "B", "b"),
        evidence=("src/a.py:1-2",),
        pinned=True,
    )
    memory = open_memories(project).add(given).memory
    again = open_memories(project).get(memory.id)
    assert again.content == "Line one\n\n    code"
    assert again.type == "lessons-learnt" and again.keywords == ("a", "B") and again.pinned
    assert again.provenance is Provenance.MANUAL and again.origin is Origin.USER
    assert again.evidence[0].verdict is Verdict.VALID and again == memory
    assert memory.created == memory.updated and memory.created.endswith("Z")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"title": "x" * 201}, "title"),
        ({"title": " \n\t "}, "title"),
        ({"title": "\ud800"}, "title"),
        ({"content": "x" * 65_537}, "content"),
        ({"content": "é" * 32_769}, "content"),
        ({"content": " \n "}, "content"),
        ({"content": "a\0b"}, "content"),
        ({"content": "\udfff"}, "content"),
        ({"keywords": tuple(map(str, range(33)))}, "keywords"),
        ({"keywords": ("a|b",)}, "keywords"),
        ({"keywords": ("",)}, "keywords"),
        ({"keywords": ("x" * 101,)}, "keywords"),
        ({"description": "x" * 1_001}, "description"),
        ({"type": "x" * 33}, "type"),
        ({"type": "a/b"}, "type"),
        ({"evidence": ("a:1-1@0123456789ab",) * 65}, "evidence"),
        ({"scope": Scope.PROJECT}, "scope"),
    ],
)
def test_unusable_values_are_refused_by_name(open_memories: Open, fields: dict[str, Any], field: str) -> None:
    memories = open_memories()
    with pytest.raises(InvalidField) as caught:
        memories.add(new(**fields))
    assert caught.value.field == field
    assert memories.list().total == 0


def test_how_much_too_long_a_text_is_told_to_the_byte(open_memories: Open) -> None:
    with pytest.raises(InvalidField) as caught:
        open_memories().add(new(content="x" * 65_537))
    assert str(caught.value) == "content: may hold 64 KiB of text (65,536 bytes), not 65,537 bytes"


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "x" * 200},
        {"content": "x" * 65_536},
        {"content": "登" * 21_845},
        {"keywords": tuple(map(str, range(32)))},
        {"description": "x" * 1_000},
    ],
)
def test_the_limits_themselves_are_allowed(open_memories: Open, fields: dict[str, Any]) -> None:
    memory = open_memories().add(new(**fields)).memory
    for key, value in fields.items():
        assert getattr(open_memories().get(memory.id), key) == value


def test_a_title_is_one_visible_line(open_memories: Open) -> None:
    memory = open_memories().add(new(title="  two\r\nlines\u2028and\ta\x07 bell \u202ereversed ")).memory
    assert memory.title == "two lines and a bell reversed"


def test_any_text_survives(open_memories: Open) -> None:
    texts = [
        '{"jsonrpc": "2.0", "id": 1}',
        "---\nid: x\n---\nbody",
        "# heading",
        "--- ",
        "a: b",
        "...\n",
        "\u2028\u0085x",
        "emoji 👨‍👩‍👧 and \u202e bidi",
        "tab\there",
        "```\nunclosed",
        "\x1b[31mred",
        "登录\n\nпривет",
    ]
    memories = open_memories()
    for text in texts:
        memory = memories.add(new(title=f"T {text}"[:100], content=text)).memory
        again = open_memories().get(memory.id)
        assert again.content == text.rstrip() and again == memory


def test_titles_may_repeat(open_memories: Open, places: Places) -> None:
    memories = open_memories()
    first = memories.add(new("Same", "one")).memory
    second = memories.add(new("Same", "two")).memory
    assert memories.get(first.id).content == "one" and memories.get(second.id).content == "two"
    assert len(list((places.home / "memory").glob("same-*.md"))) == 2


def test_the_same_content_is_a_duplicate_in_its_scope(open_memories: Open, project: Path) -> None:
    memories = open_memories(project)
    first = memories.add(new("One", "Use  pnpm.\n")).memory
    with pytest.raises(VademecumError) as caught:
        memories.add(new("Two", "- use pnpm"))
    assert caught.value.kind is ErrorKind.DUPLICATE and caught.value.data == {"id": first.id}
    memories.add(new("Two", "Use pnpm", scope=Scope.PROJECT))
    third = memories.add(new("Three", "Something else")).memory
    with pytest.raises(VademecumError) as caught:
        memories.update(third.id, MemoryChange(content="USE PNPM"))
    assert caught.value.data == {"id": first.id}


def test_what_comes_close_is_named(open_memories: Open) -> None:
    memories = open_memories()
    first = memories.add(new("Package manager", "The project uses pnpm")).memory
    memories.add(new("Editor", "Prefers dark themes in every editor"))
    assert memories.add(new("Package manager", "The project uses npm")).similar == (first.id,)


def test_superseding_retires_the_old_one(open_memories: Open) -> None:
    memories = open_memories()
    old = memories.add(new("Manager", "The project uses pnpm")).memory
    added = memories.add(new("Manager", "The project uses npm", supersedes=old.id))
    assert added.similar == ()
    assert [head.id for head in memories.list().items] == [added.memory.id]
    assert [head.id for head in memories.list(status=MemoryStatus.SUPERSEDED).items] == [old.id]
    assert [found.memory.id for found in memories.search("project uses").items] == [added.memory.id]
    assert old.id not in memories.prompt().text
    assert memories.get(old.id).status is MemoryStatus.SUPERSEDED
    assert memories.history(old.id)[0].content == "The project uses pnpm"
    assert memories.restore(old.id).status is MemoryStatus.ACTIVE
    with pytest.raises(VademecumError) as caught:
        memories.add(new("x", "y", supersedes="nothing"))
    assert caught.value.kind is ErrorKind.NOT_FOUND
    # The same text again is no duplicate of a retired one.
    memories.add(new("x", "The project uses yarn", supersedes=old.id))
    memories.add(new("x", "The project uses pnpm"))


def test_what_cannot_be_retired_is_not_superseded(open_memories: Open, places: Places) -> None:
    (places.home / "memory").mkdir(parents=True)
    (places.home / "memory" / "a.md").write_text("---\nid: abc123\ntitle: a: b\n---\nOld\n")
    memories = open_memories()
    with pytest.raises(VademecumError) as caught:
        memories.add(new("x", "y", supersedes="abc123"))
    assert caught.value.kind is ErrorKind.STORE_UNREADABLE and memories.list().total == 1


def test_update_changes_what_is_given_alone(open_memories: Open) -> None:
    memories = open_memories()
    memory = memories.add(new(description="d", keywords=("k",), type="t", evidence=("a:1-1@0123456789ab",))).memory
    same = memories.update(memory.id, MemoryChange(title=memory.title))
    assert same == memory and memories.history(memory.id) == ()
    changed = memories.update(memory.id, MemoryChange(title="Other", pinned=True))
    assert changed == attrs.evolve(
        memory, title="Other", pinned=True, updated=changed.updated, revision=changed.revision
    )
    assert changed.updated >= memory.updated and changed.revision != memory.revision
    blank = memories.update(memory.id, MemoryChange(description="", keywords=(), evidence=(), type="", pinned=False))
    assert (blank.description, blank.keywords, blank.evidence, blank.type, blank.pinned) == ("", (), (), "user", False)
    for change in (MemoryChange(title=""), MemoryChange(content="")):
        with pytest.raises(InvalidField):
            memories.update(memory.id, change)


def test_a_revision_that_is_not_current_is_a_conflict(open_memories: Open) -> None:
    memories = open_memories()
    memory = memories.add(new()).memory
    changed = memories.update(memory.id, MemoryChange(title="Two", revision=memory.revision))
    with pytest.raises(VademecumError) as caught:
        memories.update(memory.id, MemoryChange(title="Three", revision=memory.revision))
    assert caught.value.kind is ErrorKind.CONFLICT and caught.value.data == {"revision": changed.revision}
    assert memories.get(memory.id).title == "Two"


def test_a_memory_moves_between_scopes(open_memories: Open, project: Path, places: Places) -> None:
    memories = open_memories(project)
    memory = memories.add(new(scope=Scope.USER)).memory
    moved = memories.update(memory.id, MemoryChange(scope=Scope.PROJECT))
    assert moved.scope is Scope.PROJECT and moved.id == memory.id
    assert not list((places.home / "memory").glob("*.md"))
    assert open_memories().list().total == 0 and open_memories(project).list().total == 1
    assert [version.content for version in memories.history(memory.id)] == ["Some content"]
    with pytest.raises(VademecumError):  # its history went with it
        open_memories().history(memory.id)
    with pytest.raises(InvalidField) as caught:
        both = open_memories(project, project.parent)
        both.update(memory.id, MemoryChange(scope=Scope.USER))
        both.update(memory.id, MemoryChange(scope=Scope.PROJECT))
    assert caught.value.field == "workspace"


def test_what_is_deleted_is_gone_from_every_answer(open_memories: Open, project: Path) -> None:
    memories = open_memories(project)
    memory = memories.remember("A unique zanzibar").memory
    memories.prompt("s")
    memories.delete(memory.id)
    for each in (memories, open_memories(project)):
        for call in (each.get, each.delete, lambda id, each=each: each.update(id, MemoryChange(title="x"))):
            with pytest.raises(VademecumError) as caught:
                call(memory.id)
            assert caught.value.kind is ErrorKind.NOT_FOUND
        assert each.search("zanzibar").total == each.search().total == each.list().total == 0
        assert "zanzibar" not in each.prompt("s").text + each.prompt().text + each.changes("s").text


_SECRETS = [
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz",
    "db.password=hunter2hunter2",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "https://user:hunter2secret@example.org/x",
]


@pytest.mark.parametrize("secret", _SECRETS)
def test_secrets_are_refused_on_every_way_in(
    open_memories: Open, places: Places, secret: str, caplog: pytest.LogCaptureFixture
) -> None:
    memories = open_memories()
    memory = memories.add(new()).memory
    one_line = secret.replace("\n", " ")
    attempts = [
        ("content", lambda: memories.add(new(content=f"The key is {secret} here"))),
        ("title", lambda: memories.add(new(title=one_line[:200], content="other"))),
        ("description", lambda: memories.add(new(content="other", description=one_line))),
        ("content", lambda: memories.update(memory.id, MemoryChange(content=secret))),
        ("description", lambda: memories.update(memory.id, MemoryChange(description=one_line))),
        ("note", lambda: memories.remember(f"Remember that {secret}")),
    ]
    for field, attempt in attempts:
        with pytest.raises(VademecumError) as caught:
            attempt()
        assert caught.value.kind is ErrorKind.SECRET
        assert caught.value.data["field"] == field and caught.value.data["rule"]
        assert secret not in caught.value.message
    needle = secret.split("\n")[min(1, secret.count("\n"))].encode()
    for top in (places.home, places.state):
        assert not [path for path in top.rglob("*") if path.is_file() and needle in path.read_bytes()]
    assert secret not in caplog.text


def test_a_secret_written_by_hand_is_not_told(open_memories: Open, places: Places) -> None:
    (places.home / "memory").mkdir(parents=True)
    (places.home / "memory" / "a.md").write_text("Deploy with ghp_0123456789abcdefghijklmnopqrstuvwxyz today")
    text = open_memories().prompt().text
    assert "ghp_" not in text and "Deploy with" in text


def test_writes_go_to_the_private_place_unless_set(open_memories: Open, project: Path, places: Places) -> None:
    open_memories(project).remember("A private one")
    assert not (project / ".vademecum").exists()
    memories = open_memories(project, project=ProjectPlace.SHARED)
    shared = memories.remember("One for the team").memory
    (path,) = (project / ".vademecum" / "memory").glob("*.md")
    assert shared.uri == path.as_uri() and shared.origin is Origin.USER
    # Whatever the setting, a memory is changed where it lies.
    open_memories(project).update(shared.id, MemoryChange(content="For the whole team"))
    assert path.read_text().endswith("For the whole team\n")
    assert open_memories(project).get(shared.id).origin is Origin.USER


def test_several_folders_and_none(open_memories: Open, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    in_a = open_memories(tmp_path / "a").remember("Only of a").memory
    in_b = open_memories(tmp_path / "b").remember("Only of b").memory
    both = open_memories(tmp_path / "a", tmp_path / "b")
    assert {head.id for head in both.list().items} == {in_a.id, in_b.id}
    for attempt in (lambda: both.remember("x y"), lambda: both.clear(Span.PROJECT)):
        with pytest.raises(InvalidField) as caught:
            attempt()
        assert caught.value.field == "workspace"
    assert both.remember("For all", scope=Scope.USER).memory.scope is Scope.USER
    assert both.update(in_a.id, MemoryChange(pinned=True)).pinned
    nowhere = open_memories()
    assert nowhere.remember("Of the user").memory.scope is Scope.USER
    assert nowhere.list(scope=Scope.PROJECT).total == 0


def test_clear_needs_to_know_what(open_memories: Open, project: Path) -> None:
    memories = open_memories(project)
    memories.remember("Of the project")
    mine = memories.remember("Of the user", scope=Scope.USER).memory
    assert memories.clear(Span.PROJECT) == 1
    assert [head.id for head in memories.list().items] == [mine.id]
    assert memories.clear(Span.ALL) == 1 and memories.list().total == 0
    assert memories.restore(mine.id).content == "Of the user"
