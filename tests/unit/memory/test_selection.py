"""Which memories are told first: what a workspace is, and what each memory is worth in it."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.memory.conftest import Open, run_git
from vademecum.files.buffers import Buffers
from vademecum.files.gate import Gate
from vademecum.memory import technologies
from vademecum.memory.candidate import Candidate
from vademecum.memory.prompt import Bounds, compose
from vademecum.memory.prompt_types import PromptForm
from vademecum.memory.selection import Tier, Use, order, weigh, words_of
from vademecum.memory.surroundings import NOWHERE, Outlook, Surroundings
from vademecum.memory.types import Category, MemoryChange, NewMemory, Scope

PYTHON = Surroundings(frozenset({"Python", "Django"}), ("shop/checkout.py", "shop/tax.py"), "feature/vat-rounding")


def memory(id: str, text: str, **fields: Any) -> Candidate:
    keywords = fields.get("keywords", ())
    words = words_of("\n".join((text, *keywords)))
    made = Candidate(
        id=id,
        scope=Scope.USER,
        category=Category.KNOWLEDGE,
        title=id,
        content=text,
        description="",
        source="from the user",
        standing=False,
        pinned=False,
        stale=False,
        updated="2026-06-01T00:00:00.000Z",
        type="reference",
        words=words,
        named=technologies.named_in(text, words, keywords),
    )
    return attrs.evolve(made, **fields)


def told(candidates: list[Candidate], surroundings: Surroundings, uses: dict[str, Use] | None = None) -> list[str]:
    return [each.id for each in order(candidates, weigh(candidates, surroundings, uses))]


def test_what_is_about_this_workspace_comes_before_what_is_about_another() -> None:
    candidates = [
        memory("rust", "clippy is pedantic in my crates"),
        memory("plain", "Meetings are on Mondays"),
        memory("django", "With django, data migrations are files of their own"),
        memory("python", "pytest, never unittest"),
    ]
    assert told(candidates, PYTHON)[-1] == "rust"
    assert set(told(candidates, PYTHON)[:2]) == {"django", "python"}
    assert told(candidates, Surroundings(frozenset({"Rust"})))[0] == "rust"
    assert weigh(candidates, NOWHERE)["rust"].score == weigh(candidates, NOWHERE)["plain"].score, "nobody can tell"


def test_a_rule_for_another_language_waits_behind_other_rules_and_is_a_rule_all_the_same() -> None:
    rules = {
        "rust": memory("rust", "clippy must pass", category=Category.RULE, standing=True),
        "plain": memory("plain", "Answer in French", category=Category.RULE, standing=True),
        "fact": memory("fact", "pytest and django are used here", scope=Scope.PROJECT),
    }
    assert told(list(rules.values()), PYTHON) == ["plain", "rust", "fact"]
    assert weigh(list(rules.values()), PYTHON)["rust"].tier is Tier.RULE
    pinned = attrs.evolve(rules["rust"], pinned=True)
    assert told([pinned, rules["plain"], rules["fact"]], PYTHON)[0] == "rust", "the user said so"


def test_what_is_worked_on_comes_before_a_far_corner_of_the_project() -> None:
    project = {"scope": Scope.PROJECT}
    candidates = [
        memory("corner", "Printer drivers are on the share", **project),
        memory("file", "The checkout charged twice once", **project),
        memory("branch", "VAT is rounded per line", **project),
        memory("evidence", "This is how sums are made", evidence=("shop/tax.py:3-9@0123456789abcdef",), **project),
        *(memory(f"other{number}", "Something else entirely", **project) for number in range(20)),
    ]
    assert set(told(candidates, PYTHON)[:3]) == {"file", "branch", "evidence"}
    worth = weigh(candidates, PYTHON)
    assert "about shop/checkout.py" in worth["file"].reasons
    assert "about the branch feature/vat-rounding" in worth["branch"].reasons


def test_a_word_that_many_memories_hold_says_nothing() -> None:
    candidates = [memory(f"m{number}", "checkout of everything", scope=Scope.PROJECT) for number in range(30)]
    assert not any("checkout.py" in " ".join(each.reasons) for each in weigh(candidates, PYTHON).values())


def test_use_and_age_decide_among_equals_and_use_saturates() -> None:
    old = "2025-01-01T00:00:00.000Z"
    candidates = [memory("old", "a", updated=old), memory("new", "b"), memory("used", "c", updated=old)]
    uses = {"used": Use(20, "2026-05-30T10:00:00.000Z")}
    assert told(candidates, NOWHERE, uses) == ["used", "new", "old"]
    often = weigh(candidates, NOWHERE, {"used": Use(10_000, uses["used"].last)})
    assert often["used"].score == weigh(candidates, NOWHERE, uses)["used"].score


_MEMORIES = st.lists(
    st.builds(
        lambda number, text, scope, rule, pinned, day: memory(
            f"m{number}",
            text,
            scope=scope,
            category=Category.RULE if rule else Category.KNOWLEDGE,
            standing=rule,
            pinned=pinned,
            updated=(datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=day)).isoformat(),
        ),
        st.integers(0, 10_000),
        st.sampled_from(["checkout", "pytest", "clippy", "VAT rounding", "tea", "In my Rust crates", ""]),
        st.sampled_from(Scope),
        st.booleans(),
        st.booleans(),
        st.integers(0, 3_000),
    ),
    max_size=12,
    unique_by=lambda each: each.id,
)


@given(_MEMORIES, st.sampled_from([NOWHERE, PYTHON]), st.randoms())
def test_the_choice_depends_on_nothing_but_what_is_given(
    candidates: list[Candidate], surroundings: Surroundings, chance: random.Random
) -> None:
    uses = {each.id: Use(len(each.id), each.updated) for each in candidates[::2]}
    first = told(candidates, surroundings, uses)
    chance.shuffle(candidates)
    assert told(candidates, surroundings, dict(reversed(uses.items()))) == first
    tiers = [weigh(candidates, surroundings, uses)[id].tier for id in first]
    assert tiers == sorted(tiers), "rules first, then what is pinned"


def test_the_explanation_names_what_is_told_and_what_would_be_next() -> None:
    candidates = [memory(f"m{number:04}", f"Fact number {number}.") for number in range(500)]
    worth = weigh(candidates, PYTHON)
    choices = compose(candidates, (), Bounds(32, 12_000, 0), worth).choices()
    forms = [choice.form for choice in choices]
    assert forms.count(PromptForm.WHOLE) == 32
    assert forms.count(PromptForm.OMITTED) == 50
    assert all(choice.reason and choice.because and choice.score == worth[choice.id].score for choice in choices)
    assert all(choice.reason == "32 memories are told already" for choice in choices if choice.form == "omitted")


@pytest.mark.parametrize(
    ("text", "keywords", "named"),
    [
        ("We use pytest", (), {"Python"}),
        ("Let it go", (), set()),
        ("Written in Go", (), {"Go"}),
        ("Go to the office first", (), set()),
        ("React quickly to mail", (), set()),
        ("State in React components", (), {"React"}),
        ("Errors", ("rust",), {"Rust"}),
        ("gradle caches", (), {"Java", "Kotlin"}),
        ("Uses C++ and C#", (), {"C++", "C#"}),
        ("我们用 Django 和 PostgreSQL", (), {"Django", "SQL"}),
    ],
)
def test_a_text_names_languages_and_frameworks_and_common_words_name_none(
    text: str, keywords: tuple[str, ...], named: set[str]
) -> None:
    words = words_of("\n".join((text, *keywords)))
    found = technologies.named_in(text, words, keywords)
    assert {name for names in found for name in names} == named


# What a folder is ----------------------------------------------------------------------------------------------------


def make_repository(folder: Path) -> Path:
    for name, text in {
        "shop/checkout.py": "pass\n",
        "web/board.tsx": "export {}\n",
        "web/package.json": '{"dependencies": {"react": "19", "redux": "5"}}',
        "pyproject.toml": "[project]\ndependencies = ['django>=5']\n",
        "secret/.env": "KEY=1\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    run_git(folder, "init", "-q", "-b", "feature/board")
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-q", "-m", "first")
    return folder


def test_a_repository_is_its_languages_frameworks_recent_files_and_branch(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "shop")
    gate = Gate(folder)
    outlook = Outlook(lambda _: gate)
    seen = outlook.of([folder])
    assert seen.technologies == {"Python", "TypeScript", "Django", "React", "Redux"}
    assert "shop/checkout.py" in seen.recent
    assert seen.branch == "feature/board"
    (folder / "new.rs").write_text("fn main() {}\n")
    run_git(folder, "checkout", "-q", "-b", "port")
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-q", "-m", "second")
    seen = outlook.of([folder])
    assert seen.branch == "port"
    assert seen.recent[0] == "new.rs"
    assert "Rust" in seen.technologies


def test_open_documents_are_what_is_worked_on(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "shop")
    buffers = Buffers()
    gate = Gate(folder, buffers=buffers)
    buffers.set(folder / "web" / "board.tsx", "x", 1)
    buffers.set(tmp_path / "elsewhere.py", "x", 1)
    assert Outlook(lambda _: gate).of([folder]).recent[0] == "web/board.tsx"
    assert not any("elsewhere" in path for path in Outlook(lambda _: gate).of([folder]).recent)


def test_a_folder_without_git_and_one_that_cannot_be_read_are_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "plain" / "node_modules" / "x").mkdir(parents=True)
    (tmp_path / "plain" / "node_modules" / "x" / "a.js").write_text("")
    (tmp_path / "plain" / "main.go").write_text("package main\n")
    gate = Gate(tmp_path / "plain")
    assert Outlook(lambda _: gate).of([tmp_path / "plain"]) == Surroundings(frozenset({"Go"}))
    assert Outlook(lambda _: None).of([tmp_path]) == NOWHERE
    assert Outlook(None).of([]) == Surroundings()
    gone = Gate(tmp_path / "gone")
    assert Outlook(lambda _: gone).of([tmp_path / "gone"]) == NOWHERE


def test_two_thousand_memories_and_the_32_that_matter_here(open_memories: Open, tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "shop")
    memories = open_memories(folder)
    home = tmp_path / "home" / "memory"
    home.mkdir(parents=True)
    for number in range(2_000):
        text = f"---\nid: filler{number:04}\ntitle: Filler {number}\n---\nThe gradle cache number {number} is full.\n"
        (home / f"filler-{number}.md").write_text(text)

    def add(title: str, content: str, **fields: Any) -> str:
        new = NewMemory(title, content, fields.pop("category", Category.KNOWLEDGE), fields.pop("scope", Scope.USER))
        return memories.add(attrs.evolve(new, **fields)).memory.id

    wanted = {
        add("Answers", "Answer in French.", category=Category.RULE),
        add("Board", "Cards of the board snap to a grid.", scope=Scope.PROJECT),
        add("Assertions", "Plain asserts with pytest."),
        add("Pinned", "The office is in Lyon.", pinned=True),
    }
    block = memories.prompt(explain=True)
    assert len(block.entries) == 32
    assert wanted <= {entry.id for entry in block.entries[:6]}
    assert memories.prompt() == attrs.evolve(block, explain=None)
    assert block.explain is not None and len(block.explain) >= 82
    (id,) = [entry.id for entry in block.entries if entry.title == "Pinned"]
    memories.update(id, MemoryChange(pinned=False, content="The gradle cache in Lyon is full."))
    assert id not in {entry.id for entry in memories.prompt().entries[:3]}
