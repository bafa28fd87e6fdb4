"""References in running text: where they begin and end, whatever stands around them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.evidence.occurrences import Occurrence, find
from vademecum.evidence.reference import Reference, parse
from vademecum.work import Cancel, Cancelled

H = "0123456789abcdef"


def paths(text: str) -> list[list[str]]:
    return [[reading.reference.path for reading in one.readings] for one in find(text)]


def usual(text: str) -> list[str]:
    return [one.usual.reference.path for one in find(text)]


def written(text: str, one: Occurrence) -> str:
    return text[one.usual.start : one.end]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("src/a.py{}", "src/a.py"),
        ("see src/a.py{}.", "src/a.py"),
        ("`src/a.py{}`", "src/a.py"),
        ("[t](src/a.py{})", "src/a.py"),
        ("[[src/a.py{}]]", "src/a.py"),
        ("(src/a.py{}, and so on)", "src/a.py"),
        ("'src/a.py{}'", "src/a.py"),
        ("“src/a.py{}”", "src/a.py"),
        ("**src/a.py{}**", "src/a.py"),
        ("| src/a.py{} |", "src/a.py"),
        ("evidence:src/a.py{}", "src/a.py"),
        ("x=src/a.py{}&y", "src/a.py"),
        ("1)src/a.py{}", "src/a.py"),
        ("app/[id]/(group)/{{slug}}/page.tsx{}", "app/[id]/(group)/{slug}/page.tsx"),
        ("(app/[id].tsx{})", "app/[id].tsx"),
        ("./src/a.py{}", "src/a.py"),
        ("src\\a.py{}", "src/a.py"),
        ('"src\\\\a.py{}"', "src/a.py"),
        ("it's.md{}", "it's.md"),
        ("参见src/a.py{}。", "src/a.py"),
        ("😀src/a.py{}日本", "src/a.py"),
        ("⚠️a.py{}", "a.py"),
        ("参见「文档/说明.md{}」", "文档/说明.md"),
        ("证据：文档/说明.md{}的", "文档/说明.md"),
        ("`docs/my notes.md{}`", "docs/my notes.md"),
        ("a\tsrc/a.py{}", "src/a.py"),
        ("a\u3000src/a.py{}", "src/a.py"),
        ("_\u00a0src/a.py{}", "src/a.py"),
        (".vademecum/MEMORY.md{}", ".vademecum/MEMORY.md"),
        ("@scope/pkg/index.ts{}", "@scope/pkg/index.ts"),
    ],
)
def test_where_a_path_begins(text: str, path: str) -> None:
    assert usual(text.format(f":1-2@{H}")) == [path]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("see docs/my notes.md{}", "docs/my notes.md"),
        ("| docs/my notes.md{} |", "docs/my notes.md"),
        ("(docs/my (old) notes.md{})", "docs/my (old) notes.md"),
        ("key: docs/a b c d.md{}", "docs/a b c d.md"),
        ("请看文档/说明.md{}", "文档/说明.md"),
        ("参见报告2024/a.md{}", "报告2024/a.md"),
        ("a,b;c=d.md{}", "a,b;c=d.md"),
        ("ab:c@d 日本.txt{}", "ab:c@d 日本.txt"),
    ],
)
def test_what_else_may_be_meant_where_there_is_such_a_file(text: str, path: str) -> None:
    (readings,) = paths(text.format(f":1-2@{H}"))
    assert path in readings
    assert readings == sorted(readings, key=len, reverse=True)


@pytest.mark.parametrize(
    "text",
    [
        f"/etc/passwd:1-2@{H}",
        f"see=/etc/passwd:1-2@{H}",
        f"../a.py:1-2@{H}",
        f"a/../../b.py:1-2@{H}",
        f"~/a.py:1-2@{H}",
        f"C:\\a.py:1-2@{H}",
        f"C:a.py:1-2@{H}",
        f"https://example.org/a.py:1-2@{H}",
        f"file:///a.py:1-2@{H}",
        f"a.py:0-2@{H}",
        f"a.py:2-1@{H}",
        f"a.py:1-2@{H}g",
        f"a.py:1-2@{H}_",
        "a.py:1-2@0123456789a",
        f"a.py:1-2@{'0' * 65}",
        f"a.py:1@{H}",
        f":1-2@{H}",
        f"a.py:1234567890-1234567890@{H}",
        f"a.py\n:1-2@{H}",
        "me@0123456789abcdef",
        "",
    ],
)
def test_what_is_no_reference(text: str) -> None:
    assert usual(text) == []


def test_one_after_the_other() -> None:
    text = f"a.py:1-2@{H},b.py:3-4@{H} c.py:5-6@{H}`d.py:7-8@{H}`"
    assert usual(text) == ["a.py", "b.py", "c.py", "d.py"]
    assert all(one.start >= 0 for found in find(text) for one in found.readings)


def test_lines_end_as_editors_end_them() -> None:
    reference = f"a.py:1-2@{H}"
    text = "".join(reference + end for end in ("\n", "\r\n", "\r", "\u2028", "\f", "\x85", "\n\n", ""))
    found = list(find(text))
    assert [one.line for one in found] == [0, 1, 2, 3, 3, 3, 3, 5]
    assert [written(text, one) for one in found] == [reference] * 8
    assert all(text[one.line_start - 1] in "\r\n" for one in found[1:])


def test_no_more_than_asked_for() -> None:
    assert len(list(find(f"a.py:1-2@{H}\n" * 9, limit=4))) == 4


@pytest.mark.parametrize("piece", ["a,", "漢a", "a=", "ab;"])
def test_a_line_that_may_begin_anywhere_is_tried_in_few_ways(piece: str) -> None:
    reference = f"z/a.py:1-2@{H}"
    (found,) = find(piece * 1_500 + "," + reference)
    assert len(found.readings) < 32
    assert str(found.usual.reference) == reference


def test_it_can_be_stopped() -> None:
    cancel = Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        list(find("text", cancel=cancel))


@pytest.mark.parametrize("digits", [12, 16, 64])
@pytest.mark.parametrize("shift", range(-80, 20, 3))
def test_nothing_is_lost_between_the_stretches_of_a_long_text(digits: int, shift: int) -> None:
    reference = "a.py:1-2@" + "0123456789abcdef" * 4
    reference = reference[: len("a.py:1-2@") + digits]
    text = "x" * ((1 << 18) + shift - 1) + " " + reference + " y"
    (one,) = find(text)
    assert written(text, one) == reference
    assert list(find(text[:-2] + "0" * 65)) == []


SEGMENT = st.text("abcXYZ019._-日本é", min_size=1, max_size=8).filter(lambda text: text.strip(".") != "")
PLAIN = st.lists(SEGMENT, min_size=1, max_size=4).map("/".join)
NUMBERS = st.tuples(st.integers(1, 9_999), st.integers(0, 99)).map(lambda pair: (pair[0], pair[0] + pair[1]))
DIGEST = st.text("0123456789abcdef", min_size=12, max_size=64)
AROUND = st.sampled_from(
    [
        ("", ""),
        ("see ", "."),
        ("`", "`"),
        ("(", ")"),
        ("[x](", ")"),
        ('"', '"'),
        ("| ", " |"),
        ("，", "。"),
        ("\r\n", "\r\n"),
    ]
)


@given(PLAIN, NUMBERS, DIGEST, AROUND, st.text("ab 日本.,:;\n\r`|", max_size=30))
def test_what_is_written_is_among_the_readings(
    path: str, numbers: tuple[int, int], digest: str, around: tuple[str, str], before: str
) -> None:
    reference = f"{path}:{numbers[0]}-{numbers[1]}@{digest}"
    lead = f"{before} {around[0]}"
    text = f"{lead}{reference}{around[1]}"
    (one,) = find(text)
    assert one.end == len(lead) + len(reference)
    meant = [reading for reading in one.readings if reading.start == len(lead)]
    assert [reading.reference for reading in meant] == [Reference(path, *numbers, digest)]
    assert all(reading.reference == parse(text[reading.start : one.end]) for reading in one.readings)
    assert one.line == text[: one.end].replace("\r\n", "\n").replace("\r", "\n").count("\n")


@given(st.text("ab/.:@-0123456789abcdef \n\r`'\"()[]{}<>|,=*日（）‘“\0\u2028", max_size=200))
def test_any_text_can_be_searched(text: str) -> None:
    last = 0
    for one in find(text):
        assert one.readings[0].start >= last
        assert one.usual in one.readings
        assert "\n" not in text[one.readings[0].start : one.end]
        last = one.end
