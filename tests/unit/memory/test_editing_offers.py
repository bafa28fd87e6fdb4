"""Editing a memory's file by hand: what is offered is accepted by the loader, and no text makes it stumble."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from unit.memory.heads import NOW, OTHER, REFERENCE, found, head, subject, taken
from vademecum.files import frontmatter
from vademecum.files.frontmatter import Broken
from vademecum.memory.editing.faults import faults
from vademecum.memory.editing.layout import lay_out
from vademecum.memory.editing.meanings import meaning
from vademecum.memory.editing.offers import Cited, offers
from vademecum.memory.editing.types import FaultKind, Neighbour, Subject
from vademecum.memory.record import parse
from vademecum.memory.schema import KEYS
from vademecum.memory.types import Scope

# What is offered ------------------------------------------------------------------------------------------------------


def at(text: str, about: Subject | None = None) -> list[tuple[str, str]] | Cited | None:
    """What is offered at the bar in the text, each with the text after it was taken."""
    place = text.index("|")
    plain = text.replace("|", "", 1)
    answer = offers(plain, place, about or subject())
    return (
        answer if answer is None or isinstance(answer, Cited) else [(each.shown, taken(plain, each)) for each in answer]
    )


def shown(text: str, about: Subject | None = None) -> list[str]:
    answer = at(text, about)
    assert isinstance(answer, list)
    return [one for one, _ in answer]


def test_the_keys_that_are_missing_are_offered() -> None:
    assert shown(head("title: x", "|", "pinned: true")) == [
        *("category", "type", "description", "keywords", "status", "evidence", "supersedes"),
        *("id", "provenance", "created", "updated", "origin"),
    ]
    assert ("keywords", head("keywords: []")) in (at(head("ke|y")) or [])
    assert ("type", head("type: x")) in (at(head("typ|: x")) or [])
    assert shown("---\n|\n")[0] == "title"  # where it is not ended yet
    assert shown("---\n|")[0] == "title"
    assert shown("---\r\ntitle: x\r\n|\r\n---\r\n")[0] == "category"
    assert at("---\ntitle: x\n---\n|") is None
    assert at("---\ntitle: x\n---\nfoo\n|") is None
    assert at(head("  |")) == []


@pytest.mark.parametrize("typed", ["category:|", "category: |", "category: Ru|", "category: Rul|x  # c"])
def test_values_are_offered(typed: str) -> None:
    answer = at(head(typed))
    assert isinstance(answer, list)
    kept = "  # c" if "#" in typed else ""
    assert answer == [(word, head(f"category: {word}{kept}")) for word in ("Knowledge", "Rule", "Experience")]


def test_every_form_of_value_has_what_fits() -> None:
    assert shown(head("pinned: |")) == ["true", "false"]
    assert shown(head("status: |")) == ["pending", "superseded"]
    assert shown(head("type: |")) == ["user", "feedback", "project", "reference", "code-style"]
    assert shown(head("created: |")) == [NOW, "2026-11-30"]
    assert at(head("supersedes: |")) == [("Use pnpm (7k2m9p4x1qd80)", head("supersedes: 7k2m9p4x1qd80"))]
    assert at(head("supersedes: |"), subject("a.md")) == []
    assert shown(head("title: |")) == []
    assert shown(head("mine: |")) == []
    for quiet in ("category: Rule # wh|y", "keywords: [a] # |", "category: 'Ru|", "description: |\n  ca|"):
        before, _, after = head(quiet).rpartition("|")
        assert offers(before + after, len(before), subject()) == (), quiet


@pytest.mark.parametrize(
    ("typed", "after"),
    [
        ("keywords:|", "keywords: [npm install]"),
        ("keywords: |", "keywords: [npm install]"),
        ("keywords: [|]", "keywords: [npm install]"),
        ("keywords: [pnpm, n|]", "keywords: [pnpm, npm install]"),
        ("keywords: pnpm, n|", "keywords: pnpm, npm install"),
        ("keywords:\n  - pnpm\n  - |", "keywords:\n  - pnpm\n  - npm install"),
        ("keywords:\n- |", "keywords:\n- npm install"),
    ],
)
def test_keywords_of_other_memories_are_offered(typed: str, after: str) -> None:
    answer = at(head(typed, "title: x"))
    assert isinstance(answer, list)
    assert ("npm install", head(after, "title: x")) in answer
    assert ("pnpm" in [word for word, _ in answer]) == ("pnpm" not in typed)


def test_where_a_reference_is_written_the_code_is_asked() -> None:
    assert at(head('evidence: ["src|"]')) == Cited("")
    assert at(head("evidence: [src|]")) == Cited('"')
    assert at(head("evidence:\n  - src|")) == Cited('"')
    assert at(head("evidence:\n  - 'src|'")) == Cited("")


def test_an_empty_file_is_offered_a_front_matter() -> None:
    for text in ("|", "-|", "---|", "|\nSome text.\n"):
        answer = at(text)
        assert isinstance(answer, list)
        ((name, after),) = answer
        assert name == "---"
        assert parse(after.encode(), "b").id is not None
        assert found(after.replace("title: ", "title: x")) == []
    assert at("Some te|xt.\n") is None


# What it means --------------------------------------------------------------------------------------------------------


def test_keys_and_values_are_explained() -> None:
    text = head("title: x", "category: rule", "type: mine", "supersedes: 7k2m9p4x1qd80", "foo: bar")

    def told(word: str) -> str:
        answer = meaning(text, text.index(word) + 1, subject())
        assert answer is not None
        assert text[answer.start : answer.end] == word
        return answer.text

    assert "first heading" in told("title")
    assert "`Experience`" in told("category")
    assert told("rule").startswith("**Rule**: ")
    assert told("mine") == "A label of your own."
    assert told("7k2m9p4x1qd80").endswith("Use pnpm")
    assert meaning(text, text.index("foo"), subject()) is None
    assert meaning(text, text.index("# T"), subject()) is None
    assert meaning(head("title: 'x"), 5, subject()) is None


SPACED = Neighbour("3k2m9p4x1qd81", "Über [A] & B", "project", (), Scope.PROJECT, Path("/h/memory/über a & b.md"))
COPY = Neighbour("9z2m9p4x1qd99", "use  PNPM", "project", (), Scope.PROJECT, Path("/p/memory/a.md"))


@pytest.mark.parametrize(
    ("body", "means", "memory"),
    [
        ("Not so: 7k2m9p4x1qd80.", "7k2m9p4x1qd80", OTHER),
        ("见7k2m9p4x1qd80。", "7k2m9p4x1qd80", OTHER),
        ("(`7k2m9p4x1qd80`)", "7k2m9p4x1qd80", OTHER),
        ("- [7k2m9p4x1qd80] user", "7k2m9p4x1qd80", OTHER),
        ("as [[use PNPM]] says", "[[use PNPM]]", OTHER),
        ("as [[7k2m9p4x1qd80|this]] says", "[[7k2m9p4x1qd80|this]]", OTHER),
        ("as [[a.md]] and", "[[a.md]]", OTHER),
        ("as [[a#Why]] and", "[[a#Why]]", OTHER),
        ("see [what is used](a.md) there", "[what is used](a.md)", OTHER),
        ("see [x](../memory/a.md#L3)", "[x](../memory/a.md#L3)", OTHER),
        (
            "- [\u00dcber \\[A\\] \\& B](%C3%BCber%20a%20%26%20b.md) (pinned)",
            "[\u00dcber \\[A\\] \\& B](%C3%BCber%20a%20%26%20b.md)",
            SPACED,
        ),
        ("see [x](<\u00fcber a & b.md>)", "[x](<\u00fcber a & b.md>)", SPACED),
        ("see [[\u00dcber A & B]]", None, None),
        ("17k2m9p4x1qd80", None, None),
        ("see [x](b.md) or [y](https://example.org/a.md)", None, None),
        ("as [[Nothing like it]] says", None, None),
        ("\ud800 [x](\ud800.md) [[\ud800]]", None, None),
    ],
)
@pytest.mark.parametrize("before", ["", "---\ntitle: x\n---\n", "---\r\ntitle: x\r\n---\r\nText\r\n"])
def test_other_memories_that_the_body_speaks_of_are_known(
    before: str, body: str, means: str | None, memory: Neighbour | None
) -> None:
    about, text = subject("b.md", COPY, OTHER, SPACED), before + body + "\n\nmore"
    answers = [meaning(text, place, about) for place in range(len(before), len(text) + 1)]
    found = {(text[each.start : each.end], each.memory and each.memory.id) for each in answers if each is not None}
    assert found == ({(means, memory.id)} if means and memory else set())


def test_no_memory_is_meant_by_itself() -> None:
    about = subject("a.md", OTHER)
    assert all(meaning("see [[Use pnpm]], 7k2m9p4x1qd80", place, about) is None for place in range(31))


# Anything at all ------------------------------------------------------------------------------------------------------

PIECES = (
    st.sampled_from([key.name for key in KEYS])
    | st.sampled_from(
        ["---", ":", ": ", "\n", "\r\n", "\r", "[", "]", "{", "}", "- ", "  ", "'", '"', "|", ">", "#", ","]
    )
    | st.sampled_from(
        ["&a", "*a", "!!x", "? ", "%", "@", "`", "\t", "\0", "\ufeff", "\x85", "\u2028", "\ud800", "😀", "..."]
    )
    | st.sampled_from([choice.text for key in KEYS for choice in key.choices])
    | st.text(max_size=5)
)
MESS = st.lists(PIECES, max_size=25).map("".join)
TEXTS = MESS | MESS.map(lambda text: f"---\n{text}\n---\nBody\n") | MESS.map(lambda text: f"---\n{text}")
QUIET = settings(deadline=None, max_examples=250, suppress_health_check=[HealthCheck.too_slow])


@given(TEXTS, st.data())
@QUIET
def test_no_text_makes_it_stumble(text: str, data: st.DataObject) -> None:
    about = subject(data.draw(st.sampled_from(["b.md", "x-3k2m9p4x.md", ".md"])))
    for fault in faults(text, about):
        assert 0 <= fault.start <= fault.end <= len(text)
        assert fault.message
        for fix in fault.fixes:
            assert all(0 <= edit.start <= edit.end <= len(text) for edit in fix.edits)
    place = data.draw(st.integers(0, len(text)))
    answer = offers(text, place, about)
    if isinstance(answer, tuple):
        assert all(0 <= each.edit.start <= place <= each.edit.end <= len(text) for each in answer)
    told = meaning(text, place, about)
    assert told is None or 0 <= told.start <= place <= told.end <= len(text)


@given(MESS)
@QUIET
def test_the_loader_and_the_editor_agree_on_what_can_be_read(text: str) -> None:
    whole = f"---\n{text}\n---\nBody\n"
    assume("\0" not in whole)
    data = whole.encode("utf-8", "replace")
    told = {fault.kind for fault in faults(data.decode(), subject())}
    problem = parse(data, "").problem
    assert (problem is not None) == bool(told & {FaultKind.SYNTAX, FaultKind.DUPLICATE_KEY}), problem


@given(MESS)
@QUIET
def test_the_places_of_keys_are_those_that_a_change_would_take(text: str) -> None:
    try:
        values = frontmatter.read(text)
    except Broken:
        return
    entries = frontmatter.entries(text)
    assert {entry.key: entry.value for entry in entries} == values
    for entry in entries:
        assert entry.start <= entry.end <= entry.value_start <= entry.value_end <= len(text)
        assert entry.lines_end >= entry.value_end or not text[entry.value_end : entry.lines_end].strip()


WRITTEN = st.sampled_from(
    [
        *("title: x", "category: Rule", "type: mine", "keywords: [a, b]", "pinned: true", "status: pending", "# note"),
        *(
            "created: 2026-11-29",
            "supersedes: 7k2m9p4x1qd80",
            "description: 'a: b'",
            "foo: bar",
            f"evidence: [{REFERENCE}]",
        ),
        *("id: abc", "provenance: auto", "origin: repository", "updated: 2026-11-29", "", "keywords:\n  - a\n  - b"),
    ]
)
BEGUN = (
    st.sampled_from([key.name for key in KEYS]).flatmap(
        lambda name: st.integers(0, len(name)).map(lambda length: name[:length])
    )
    | st.sampled_from([f"{key.name}:{gap}" for key in KEYS for gap in ("", " ", "  ")])
    | st.sampled_from(
        ["category: R", "pinned: t", "keywords: [", "keywords: [a, ", "keywords: a, ", "keywords:\n  - ", "x"]
    )
)


@given(
    st.lists(WRITTEN, max_size=4, unique_by=lambda line: line.partition(":")[0]),
    BEGUN,
    st.lists(WRITTEN, max_size=2, unique_by=lambda line: line.partition(":")[0]),
    st.sampled_from(["\n", "\r\n"]),
)
@QUIET
def test_whatever_is_accepted_makes_a_file_that_the_loader_takes(
    before: list[str], begun: str, after: list[str], newline: str
) -> None:
    named = [line.partition(":")[0] for line in (*before, *after) if ":" in line]
    assume(len(set(named)) == len(named))
    assume(begun.partition(":")[0] not in named)
    opened = begun.count("[") > begun.count("]")
    lines = [*before, begun, *after]
    text = "\n".join(["---", *lines, "---", "# T", ""])
    place = len("\n".join(["---", *before, begun]))
    if opened:  # as editors close brackets
        text = text[:place] + "]" + text[place:]
    moved = text[:place].replace("\n", newline)
    text = text.replace("\n", newline)
    answer = offers(text, len(moved), subject())
    if not isinstance(answer, tuple):
        return
    for offer in answer:
        made = taken(text, offer)
        assert parse(made.encode(), "").problem is None, (offer.shown, made)
        told = {fault.kind for fault in faults(made, subject())}
        assert not told & {FaultKind.SYNTAX, FaultKind.DUPLICATE_KEY, FaultKind.WRONG_TYPE, FaultKind.BAD_VALUE}, made
        if offer.plain is not None:
            plain = text[: offer.edit.start] + offer.plain + text[offer.edit.end :]
            assert parse(plain.encode(), "").problem is None, plain


def test_keys_are_known_where_the_head_is_no_yaml() -> None:
    assert lay_out("---\ntitle: x\n---\n").keys() == ("title",)
    assert lay_out("---\ntitle: x: y\npinned: 'a\n---\n").keys() == ("title", "pinned")
    assert "pinned" not in shown(head("title: x: y", "pinned: 'a", "|"))
