"""What contradicts what, as far as words tell it; and finding what is near without comparing all with all."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.memory.conftest import Open
from vademecum.memory import alike
from vademecum.memory.access import Corner
from vademecum.memory.claims import contradiction
from vademecum.memory.folder_store import FolderStore
from vademecum.memory.library import Entry, Library
from vademecum.memory.lookup import Lookup
from vademecum.memory.nearness import Nearness
from vademecum.memory.places import Placed
from vademecum.memory.record import parse
from vademecum.memory.store import Item
from vademecum.memory.types import Category, MemoryStatus, NewMemory, Origin, Scope, StoreKind
from vademecum.memory.writing import similar

CONTRADICTIONS = [
    ("Deploys go out on Tuesdays", "Deploys go out on Fridays"),
    ("Use pnpm, never npm", "Use npm, never pnpm"),
    ("Use pnpm in the shop", "Use npm in the shop."),
    ("Tests never touch the network", "Tests touch the network"),
    ("Integration tests hit a real database", "Integration tests must not hit a real database"),
    ("The API listens on port 8080", "the api listens on port 9090"),
    ("Indent with tabs", "Indent with spaces"),
    ("我们在周二部署", "我们在周五部署"),
    ("测试不访问网络", "测试访问网络"),
    ("使用 pnpm，不要用 npm", "使用 npm，不要用 pnpm"),
]

NO_CONTRADICTIONS = [
    ("Deploys go out on Tuesdays", "Deploys go out on Tuesdays!"),
    ("Deploys go out on Tuesdays", "Demos are on Fridays"),
    ("The API listens on port 8080", "The UI listens on port 9090"),
    ("Alice reviews the parser", "Alice reviews the lexer"),
    ("Use pnpm, never npm", "Use pnpm, never npm or yarn"),
    ("The office is in Ghent", "The office is in Ghent near the station"),
    ("Do not mock the database", "Never mock the database"),
    ("The shop runs on Postgres", "Backups of the blog are kept for 30 days"),
    ("**bash** - Full feature support", "**zsh** - Full feature support"),
    ("苏晴负责导入器", "苏晴负责导出器"),
    ("", "Anything"),
]


@pytest.mark.parametrize(("one", "other"), CONTRADICTIONS)
def test_what_denies_or_changes_a_value_contradicts(one: str, other: str) -> None:
    assert contradiction(one, other)
    assert contradiction(one, other) == contradiction(other, one)


@pytest.mark.parametrize(("one", "other"), NO_CONTRADICTIONS)
def test_what_says_something_else_does_not(one: str, other: str) -> None:
    assert contradiction(one, other) == contradiction(other, one) == ""


@given(st.text(max_size=60), st.text(max_size=60))
def test_nothing_contradicts_itself_and_the_order_makes_no_difference(one: str, other: str) -> None:
    assert contradiction(one, one) == ""
    assert contradiction(one, other) == contradiction(other, one)


@pytest.mark.parametrize(("one", "other"), CONTRADICTIONS)
def test_whoever_adds_a_contradiction_hears_of_it(open_memories: Open, one: str, other: str) -> None:
    memories = open_memories()
    first = memories.add(NewMemory("A title of its own", one, Category.KNOWLEDGE, Scope.USER)).memory
    added = memories.add(NewMemory("Something quite different", other, Category.KNOWLEDGE, Scope.USER))
    assert added.similar == added.contradicts == (first.id,)
    replaced = memories.add(
        NewMemory("Third", f"{other}, says the third", Category.KNOWLEDGE, Scope.USER, supersedes=added.memory.id)
    )
    assert added.memory.id not in (*replaced.similar, *replaced.contradicts)
    assert memories.get(added.memory.id).status is MemoryStatus.SUPERSEDED
    assert [version.content for version in memories.history(added.memory.id)] == [other]


@pytest.mark.parametrize(("one", "other"), NO_CONTRADICTIONS[1:])
def test_nobody_hears_of_contradictions_that_are_none(open_memories: Open, one: str, other: str) -> None:
    if not one:
        return
    memories = open_memories()
    memories.add(NewMemory("t", one, Category.KNOWLEDGE, Scope.USER))
    assert memories.add(NewMemory("u", other, Category.KNOWLEDGE, Scope.USER)).contradicts == ()


def test_a_word_in_place_of_another_makes_no_copy() -> None:
    text = "The exporter writes CSV files into the samples folder of the shop each night at two"
    words = alike.words(text)
    assert alike.is_copy(words, alike.words(f"{text}, indeed"))
    assert not alike.is_copy(words, alike.words(text.replace("CSV", "PDF")))


WORDS = st.frozensets(st.sampled_from("abcdefghijklmnop"), max_size=8)


@given(st.lists(WORDS, max_size=25), WORDS, st.sampled_from([0.4, 0.6, 0.9, 1.0]))
def test_nearness_finds_what_comparing_with_all_would(
    texts: list[frozenset[str]], asked: frozenset[str], least: float
) -> None:
    near = Nearness(least)
    for number, words in enumerate(texts):
        near.add(f"{number:02}", words)
    shares = sorted((-alike.share(asked, words), f"{number:02}") for number, words in enumerate(texts))
    wanted = [id for share, id in shares if asked and -share >= least]
    assert list(near.near(asked, 100)) == wanted
    assert list(near.near(asked, 2, wanted[:1])) == wanted[1:3]


_PIECES = "deploy release server never not on the Monday Friday 3 8080 pnpm npm 部署 周一 周二 在 发布 don't"
SAID = st.lists(st.sampled_from(_PIECES.split(" ")), max_size=9)


class Everything(Lookup):
    """Leaves nothing out, so that all are compared."""

    def holding(self, demands: object, items: Mapping[str, Item]) -> set[str]:
        return set(items)


@given(st.lists(st.tuples(SAID, SAID, st.sampled_from([" ", ""])), min_size=1, max_size=12))
@settings(deadline=None)
def test_what_a_new_memory_comes_close_to_is_found_without_comparing_it_to_all(
    texts: list[tuple[list[str], list[str], str]],
) -> None:
    placed = Placed(FolderStore(StoreKind.USER, Scope.USER, Corner(Path("/nowhere"))), "", None)
    entries = {}
    for number, (title, content, space) in enumerate(texts):
        head = f"---\ntitle: {space.join(title)}\n---\n{space.join(content)}\n".encode()
        item = Item(f"{number}.md", parse(head, f"{number}"), f"{number}", "", 0)
        entries[f"{number}"] = Entry(f"{number}", item, placed, Origin.USER)
    library = Library(entries, {}, ())
    for entry in entries.values():
        assert similar(Lookup(), library, entry) == similar(Everything(), library, entry)
