"""Lists, search and notes: what is found, in which order, and never another project's."""

import itertools
import unicodedata
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.memory.conftest import Open
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.memory.lookup import Lookup, fold
from vademecum.memory.note import title_of
from vademecum.memory.places import Places
from vademecum.memory.record import Record, parse, render
from vademecum.memory.store import Item
from vademecum.memory.types import Category, MemoryChange, MemoryStatus, NewMemory, Scope


def ticking() -> object:
    """A clock that goes on by a second each time it is read."""
    seconds = itertools.count()
    return lambda: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=next(seconds))


def test_the_list_is_newest_first_and_pages(open_memories: Open, project: Path) -> None:
    memories = open_memories(project, now=ticking())
    ids = [memories.remember(f"Note number {number}").memory.id for number in range(5)]
    memories.update(ids[0], MemoryChange(pinned=True))
    page = memories.list(offset=1, limit=2)
    assert page.total == 5
    assert [head.id for head in page.items] == [ids[4], ids[3]]
    assert memories.list().items[0].id == ids[0]


def test_the_list_is_filtered(open_memories: Open, project: Path) -> None:
    broken = "src/gone.py:1-2@0123456789abcdef"
    (project / "a.py").write_text("one\n")
    memories = open_memories(project)
    rule = memories.add(NewMemory("Rule", "r", Category.RULE, Scope.USER, type="style")).memory
    stale = memories.add(NewMemory("Fact", "f", Category.KNOWLEDGE, Scope.PROJECT, evidence=("a.py:1",))).memory
    (project / "a.py").unlink()
    assert memories.get(stale.id).status is MemoryStatus.STALE
    assert [head.id for head in memories.list(category=Category.RULE).items] == [rule.id]
    assert [head.id for head in memories.list(type="STYLE").items] == [rule.id]
    assert [head.id for head in memories.list(scope=Scope.PROJECT).items] == [stale.id]
    assert [head.id for head in memories.list(status=MemoryStatus.STALE).items] == [stale.id]
    assert [head.id for head in memories.list(status=MemoryStatus.ACTIVE).items] == [rule.id]
    # Evidence speaks of one working tree; a memory for everywhere is not made stale by this one.
    everywhere = memories.add(NewMemory("All", "a", Category.KNOWLEDGE, Scope.USER, evidence=(broken,))).memory
    assert everywhere.status is MemoryStatus.ACTIVE


def test_search_ranks_words_and_finds_questions(open_memories: Open) -> None:
    memories = open_memories()
    wanted = memories.add(
        NewMemory("Deploying", "Releases are deployed on Tuesdays by the release robot", Category.KNOWLEDGE, Scope.USER)
    ).memory
    for number in range(20):
        memories.remember(f"Filler about the editor theme and the colour number {number}")
    answer = memories.search("when do we deploy a release?")
    assert answer.items[0].memory.id == wanted.id and 0 < answer.items[0].score <= 1
    assert memories.search("quantum chromodynamics").total == 0
    assert memories.search("filler", limit=3).total == 20
    assert len(memories.search("filler", limit=3).items) == 3
    assert memories.search("  ").total == 21 and memories.search().items[0].score == 0


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("登录", "用户登录校验"),
        ("OBA", "foobar"),
        ("ünï", "ÜNÏCODE"),
        ("un\u0308i", "üni"),
        ("npm inst", "`npm install` breaks"),
        ("a|b", ""),
        ("ПРИВ", "привет мир"),
        ("ｆｕｌｌ", "full width"),
    ],
)
def test_parts_of_words_and_other_scripts_are_found(open_memories: Open, query: str, text: str) -> None:
    memories = open_memories()
    added = memories.add(NewMemory("T", text or "x", Category.KNOWLEDGE, Scope.USER, keywords=("a", "b"))).memory
    memories.add(NewMemory("Other", "nothing of it here", Category.KNOWLEDGE, Scope.USER))
    assert added.id in {found.memory.id for found in memories.search(query).items}


@pytest.mark.parametrize(
    "query", ["foo(", "std::vec", '"unclosed', "a AND", "C:\\x", "[", "*", "\0", "%", "_", "\ud800"]
)
def test_no_character_of_a_query_is_special(open_memories: Open, query: str) -> None:
    memories = open_memories()
    memories.remember("Nothing much")
    assert memories.search(query).total in (0, 1)


def test_a_query_has_a_limit(open_memories: Open) -> None:
    open_memories().search("x" * 1_000)
    with pytest.raises(InvalidField) as caught:
        open_memories().search("x" * 1_001)
    assert caught.value.field == "query"


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=5), st.data())
@settings(max_examples=100, deadline=None)
def test_what_holds_the_query_is_always_among_the_answers(texts: list[str], data: st.DataObject) -> None:
    texts = [text for text in texts if "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)]
    items = {
        str(number): Item("n", Record(None, "t", text, Category.RULE, "x"), str(number), "", 0)
        for number, text in enumerate(texts)
    }
    for number, text in enumerate(texts):
        start = data.draw(st.integers(0, len(text) - 1))
        query = text[start : data.draw(st.integers(start + 1, len(text)))].strip()
        if query:
            found = {id for id, _ in Lookup().rank(query, items)}
            assert str(number) in found or fold(query) not in fold(text)


def test_nothing_of_another_project_is_ever_seen(open_memories: Open, tmp_path: Path, places: Places) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    in_a = open_memories(tmp_path / "a")
    memory = in_a.remember("The zanzibar protocol of project a").memory
    in_a.update(memory.id, MemoryChange(content="The zanzibar protocol, second edition"))
    deleted = in_a.remember("The zanzibar archive").memory
    in_a.delete(deleted.id)
    in_a.prompt("shared tag")
    (places.home / "projects" / in_a._held.opened().folders[0].project.folders[0].name / "PROJECT.md").write_text(
        "zanzibar"
    )
    in_b = open_memories(tmp_path / "b")
    answers = [
        in_b.search("zanzibar"),
        in_b.search(),
        in_b.list(),
        in_b.prompt("shared tag"),
        in_b.prompt(),
        in_b.changes("shared tag"),
        in_b.status(),
    ]
    assert "zanzibar" not in repr(answers)
    for id in (memory.id, deleted.id):
        for call in (in_b.get, in_b.history, in_b.restore, in_b.delete, lambda id: in_b.purge(id=id)):
            with pytest.raises(VademecumError) as caught:
                call(id)
            assert caught.value.kind is ErrorKind.NOT_FOUND and str(tmp_path / "a") not in caught.value.message
    assert in_a.history(deleted.id) and in_a.get(memory.id)


@pytest.mark.parametrize(
    ("note", "title"),
    [
        ("Always use pnpm. Never npm.", "Always use pnpm"),
        ("Remember the milk", "Remember the milk"),
        ("- [ ] Do e.g. this first. Then that.", "Do e.g. this first"),
        ("# Heading\n\ntext", "Heading"),
        ("用户喜欢简洁的回答。不要啰嗦。", "用户喜欢简洁的回答"),
        ("see foo.bar of version 1.2 now", "see foo.bar of version 1.2 now"),
        ("```sh\nmake it\n```\nRun this to build", "Run this to build"),
        ("```\nonly code\n```", "only code"),
        ("Is it? Yes!", "Is it?"),
        ("!!!", "!!!"),
        ("> quoted line", "quoted line"),
    ],
)
def test_the_title_of_a_note_is_its_first_sentence(note: str, title: str) -> None:
    assert title_of(note) == title


@given(st.text(min_size=1, max_size=400).filter(lambda text: text.strip()))
@settings(deadline=None)
def test_the_title_of_any_note_is_one_short_line(note: str) -> None:
    title = title_of(note)
    assert 0 < len(title) <= 81 and title == " ".join(title.split())
    cut = title.removesuffix("…")
    assert not cut.endswith("\u200d")


def test_a_long_title_is_cut_at_a_word_and_never_inside_a_character() -> None:
    title = title_of("word " * 60)
    assert title.endswith("word…") and len(title) <= 80
    family = "👨\u200d👩\u200d👧"
    cut = title_of(family * 30).removesuffix("…")
    assert cut == family * (len(cut) // len(family)) or not unicodedata.combining(cut[-1])
    assert not cut.endswith("\u200d")


def test_a_known_note_is_returned_not_doubled(open_memories: Open, project: Path) -> None:
    memories = open_memories(project)
    first = memories.remember("I like short answers.", category=Category.RULE)
    again = memories.remember("  i like SHORT answers")
    assert again.known and not first.known and again.memory == first.memory
    assert first.memory.scope is Scope.PROJECT and first.memory.category is Category.RULE
    of_user = memories.remember("I like short answers", scope=Scope.USER)
    assert not of_user.known and of_user.memory.scope is Scope.USER
    mine = memories.remember("Only of the user", scope=Scope.USER).memory
    assert memories.remember("only of the user").memory.id == mine.id
    assert memories.list().total == 3


@pytest.mark.parametrize("note", ["", " \n", "x" * 8_193, "\0"])
def test_an_unusable_note_is_refused(open_memories: Open, note: str) -> None:
    with pytest.raises(InvalidField) as caught:
        open_memories().remember(note)
    assert caught.value.field == "note"


def test_remembering_what_waits_for_review_accepts_it(open_memories: Open, places: Places) -> None:
    (places.home / "memory").mkdir(parents=True)
    path = places.home / "memory" / "a.md"
    path.write_text("---\nid: abc123\nstatus: pending\nprovenance: auto\n---\nThe user likes tea\n")
    memories = open_memories()
    assert memories.search("tea").total == 0 and "tea" not in memories.prompt().text
    assert memories.list().items[0].status is MemoryStatus.PENDING
    remembered = memories.remember("The user likes tea")
    assert remembered.known and remembered.memory.status is MemoryStatus.ACTIVE
    assert "status" not in path.read_text() and memories.search("tea").total == 1


def test_reading_changes_no_file(open_memories: Open, project: Path, places: Places) -> None:
    memories = open_memories(project)
    memory = memories.remember("A note").memory
    before = {path: path.stat() for path in places.home.rglob("*.md")}
    memories.get(memory.id), memories.list(), memories.search("note"), memories.prompt("s"), memories.changes("s")
    memories.history(memory.id), memories.status(), memories.reindex()
    assert before == {path: path.stat() for path in places.home.rglob("*.md")}


def test_two_thousand_memories_are_read_without_the_slow_reader(
    open_memories: Open, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = places.home / "memory"
    folder.mkdir(parents=True)
    for number in range(2_000):
        words, made = ("a", "b c"), "2026-01-01T00:00:00.000Z"
        id, title = f"id{number:06}", f"Title: {number}"
        record = Record(
            id, title, f"Body {number}", Category.RULE, "project", keywords=words, created=made, updated=made
        )
        (folder / f"{number}.md").write_bytes(render(record))
        assert parse(render(record), "n") == record
    monkeypatch.setattr("vademecum.files.frontmatter.read_fully", lambda head: pytest.fail(f"slow: {head}"))
    memories = open_memories()
    assert memories.list(limit=1).total == 2_000
    reads = []
    monkeypatch.setattr("vademecum.memory.folder_store.parse", lambda *arguments: reads.append(arguments))
    assert memories.search("body 77", limit=1).items[0].memory.title == "Title: 77"
    assert not reads
