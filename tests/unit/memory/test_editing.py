"""Editing a memory's file by hand: what is amiss is found by the rules of the loader, and mended."""

import itertools
from pathlib import Path

import pytest

from unit.memory.heads import OTHER, REFERENCE, TOKEN, applied, found, head, one, subject
from vademecum.memory import schema
from vademecum.memory.editing.faults import faults
from vademecum.memory.editing.types import FaultKind
from vademecum.memory.record import from_values, keys_of, parse
from vademecum.memory.schema import BY_NAME, KEYS, Form
from vademecum.memory.types import Category, MemoryStatus, Origin, Provenance, Type

ROOT = Path(__file__).parents[3]


# The one schema -------------------------------------------------------------------------------------------------------


def test_the_schema_has_the_keys_that_files_are_written_with_in_their_order() -> None:
    assert [key.name for key in KEYS] == list(keys_of(parse(b"", "")))


def test_what_may_be_chosen_is_what_the_types_know() -> None:
    def choices(name: str) -> set[str]:
        return {choice.text for choice in BY_NAME[name].choices}

    assert choices("category") == {one.value for one in Category}
    assert choices("type") == {one.value for one in Type}
    assert choices("provenance") == {one.value for one in Provenance}
    assert choices("status") == {one.value for one in MemoryStatus} - {"active", "stale"}
    assert choices("origin") == {one.value for one in Origin} - {"user"}


@pytest.mark.parametrize("key", [key for key in KEYS if key.form in (Form.CHOICE, Form.FLAG)], ids=lambda key: key.name)
def test_each_choice_is_read_as_what_it_says(key: schema.Key) -> None:
    texts = {keys_of(from_values({key.name: choice.text}, ""))[key.name] for choice in key.choices}
    assert len(texts) == len(key.choices)  # each makes another memory
    assert all(key.is_readable(choice.text) for choice in key.choices)


def test_the_table_of_the_documentation_has_the_same_keys() -> None:
    page = (ROOT / "docs" / "files.md").read_text("utf-8")
    table = page.split("| key | meaning |")[1].split("\n\n")[0]
    named = [name for line in table.splitlines()[2:] for name in line.split("|")[1].replace("`", "").split(",")]
    assert sorted(name.strip() for name in named) == sorted(BY_NAME)


# What is amiss --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "kind", "about"),
    [
        ("titel: x", "misspeltKey", "titel"),
        ("Keywords: x", "misspeltKey", "Keywords"),
        ("tags: [a]", "misspeltKey", "tags"),
        ("cssclass: wide", "unknownKey", "cssclass"),
        ("category: rul", "badValue", "rul"),
        ("pinned: maybe", "badValue", "maybe"),
        ("status: stale", "badValue", "stale"),
        ("created: yesterday", "badValue", "yesterday"),
        ("updated: 2026-13-01", "badValue", "2026-13-01"),
        ("id: a b", "badValue", "a b"),
        ("supersedes: '?'", "badValue", "'?'"),
        ("title: [a, b]", "wrongType", "[a, b]"),
        ("keywords: {a: b}", "wrongType", "{a: b}"),
        ("description: " + "x" * 1001, "tooLong", "x" * 1001),
        ("type: projct", "otherLabel", "projct"),
        ("type: a/b", "tooLong", "a/b"),
        ("evidence: [src/a.py:1]", "badValue", "src/a.py:1"),
        ("id: 7k2m9p4x1qd80", "doubledId", "7k2m9p4x1qd80"),
    ],
)
def test_a_line_is_told_where_it_stands(line: str, kind: str, about: str) -> None:
    text = head("# ours", line, "description: y" if "descr" not in line else "# z")
    assert found(text) == [(kind, about)]


@pytest.mark.parametrize(
    "line",
    [
        "category: rule",
        "type: code-style",
        "pinned: yes",
        "status: active",
        "status: Pending",
        "created: 2026-11-29",
        "updated: 2026-11-29T22:42:00+01:00",
        "keywords: a, b|c",
        "keywords: [a, 'b c']",
        f'evidence: ["{REFERENCE}"]',
        f"evidence: {REFERENCE}",
        f"evidence:\n  - {REFERENCE}",
        "supersedes: 7k2m9p4x1qd80",
        "supersedes: gone-long-ago",
        "origin: repository",
        "title:",
        "category:",
        "description: |\n  two\n  lines",
        "# a comment",
        "",
    ],
)
def test_what_the_loader_takes_as_it_stands_is_not_spoken_of(line: str) -> None:
    assert found(head(line)) == []
    assert found(head(line).replace("\n", "\r\n")) == []


@pytest.mark.parametrize(
    ("lines", "about", "mended"),
    [
        (("title: Use this: that",), ": that", 'title: "Use this: that"'),
        (("title: `x`",), "`x`", 'title: "`x`"'),
        (("title: 'x",), "'x", "title: x"),
        (("title: x", "and"), "and", None),
        (("title: [x", "pinned: true"), ": true", None),
    ],
)
def test_what_is_no_yaml_is_told_to_the_character(lines: tuple[str, ...], about: str, mended: str | None) -> None:
    text = head(*lines)
    fault = one(text)
    assert (fault.kind, text[fault.start : fault.end]) == (FaultKind.SYNTAX, about)
    if mended is None:
        assert fault.fixes == ()
    else:
        assert applied(text, fault.fixes[0]) == head(mended)
        assert parse(applied(text, fault.fixes[0]).encode(), "").problem is None


def test_a_key_that_is_there_twice_is_told_at_the_second_and_removed_there() -> None:
    text = head("title: a", "pinned: true", "title: b  # c")
    fault = one(text)
    assert fault.kind is FaultKind.DUPLICATE_KEY
    assert text[: fault.start].endswith("pinned: true\n")
    assert applied(text, fault.fixes[0]) == head("title: a", "pinned: true")
    assert parse(text.encode(), "").problem is not None


def test_a_front_matter_that_is_not_ended_is_told_and_ended() -> None:
    text = "---\ntitle: a\ncategory: Rule\n\nThe text.\n"
    fault = one(text)
    assert (fault.kind, text[fault.start : fault.end]) == (FaultKind.SYNTAX, "---")
    assert applied(text, fault.fixes[0]) == "---\ntitle: a\ncategory: Rule\n---\n\nThe text.\n"
    assert found("---\n\nA rule across the page, and text.\n# T\n") == []


def test_a_secret_is_taken_out_wherever_it_stands() -> None:
    text = head("title: 'the password = hunter2!abc'", f"keywords: [a, {TOKEN}]", body=f"# T\nuse {TOKEN} here\n")
    told = faults(text, subject())
    assert [each.kind for each in told] == [FaultKind.SECRET] * 3
    assert not any(secret in each.message for each in told for secret in (TOKEN, "hunter2"))
    for _ in range(3):
        text = applied(text, faults(text, subject())[0].fixes[0])
    assert found(text) == []
    assert TOKEN not in text
    assert "hunter2" not in text
    assert parse(text.encode(), "").keywords == ("a", "(redacted)")


def test_a_secret_that_only_a_reader_sees_is_told_too() -> None:
    wide = "".join(chr(ord(character) + 0xFEE0) for character in TOKEN)
    assert found(head(f"title: {wide}")) == [("secret", wide)]


def test_an_id_that_another_memory_has_is_replaced() -> None:
    text = head("id: 7k2m9p4x1qd80   # mine", "title: x")
    fault = one(text)
    assert "'Use pnpm' has this id, too" in fault.message
    mended = applied(text, fault.fixes[0])
    assert found(mended) == []
    assert mended.endswith("   # mine\ntitle: x\n---\n# T\n")
    assert found(text, subject("a.md")) == []  # it is this very one
    assert found(text, subject(known=False)) == []


def test_a_copy_is_known_by_the_name_of_its_file() -> None:
    text = head("id: 7k2m9p4x1qd80", "title: x")
    assert found(text, subject("use-pnpm-7k2m9p4x.md", OTHER)) == [("doubledId", "7k2m9p4x1qd80")]
    assert found(text, subject("use-npm-3k2m9p4x.md", known=False)) == [("otherName", "7k2m9p4x1qd80")]
    beside = ("use-pnpm-7k2m9p4x-1a2b3c4d.md", "x-1a2b3c4d.md", "use-pnpm-7k2m9p4x-zz2b3c4d.md")
    for name in ("use-pnpm-7k2m9p4x.md", "standup-20261129.md", "use-packages.md", "3k2m9p4x.md", "x.md", *beside):
        assert found(text, subject(name, known=False)) == [], name


def test_what_a_pending_memory_will_replace_must_be_there() -> None:
    assert found(head("status: pending", "supersedes: nowhere")) == [("unknownMemory", "nowhere")]
    assert found(head("status: pending", "supersedes: 7k2m9p4x1qd80")) == []
    assert found(head("status: pending", "supersedes: nowhere"), subject(known=False)) == []
    assert found(head("id: me", "supersedes: me")) == [("badValue", "me")]


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("Some text.\n", "---\ntitle: use pnpm\n---\nSome text.\n"),
        ("---\nid: ab\n---\ntext\n", "---\ntitle: use pnpm\nid: ab\n---\ntext\n"),
        ("---\r\ntitle:\r\nid: ab\r\n---\r\ntext\r\n", "---\r\ntitle: use pnpm\r\nid: ab\r\n---\r\ntext\r\n"),
        ("\ufeffSome text.\n", "\ufeff---\ntitle: use pnpm\n---\nSome text.\n"),
    ],
)
def test_a_memory_without_a_title_is_given_the_name_of_its_file(text: str, mended: str) -> None:
    about = subject("use-pnpm.md")
    fault = one(text, about)
    assert fault.kind is FaultKind.NO_TITLE
    assert applied(text, fault.fixes[0]) == mended
    assert found(mended, about) == []
    assert found("# A heading\n") == []


def test_what_is_no_text_or_too_large_is_left_alone() -> None:
    assert found("a\0b") == [("leftAlone", "\0")]
    assert found("# T\n" + "x" * 1_048_576)[0][0] == "leftAlone"
    assert found("# T\n" + "wörter " * 10_000) == [("tooLong", "# T")]


def test_every_fix_takes_its_fault_away_and_breaks_nothing() -> None:
    lines = (
        "titel: x",
        "foo: 1  # c",
        "category: rul",
        "pinned: [a]",
        "created: x",
        "evidence:\n- bad\n# c\n- worse",
        "keywords:\n  a: b",
        "type: referense",
        "id: '?'",
    )
    for some in itertools.combinations(lines, 3):
        for text in (head(*some), head(*some).replace("\n", "\r\n")):
            for fault in faults(text, subject()):
                for fix in fault.fixes:
                    mended = applied(text, fix)
                    assert parse(mended.encode(), "").problem is None, (text, fix)
                    assert len(faults(mended, subject())) < len(faults(text, subject())), (text, fix)
