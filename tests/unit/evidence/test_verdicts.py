"""Verdicts against every kind of edit: never `valid` for other bytes, never lost when the bytes are still there."""

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.files.trees import repository, write
from vademecum.evidence.reference import Reference, mint, parse
from vademecum.evidence.spans import MAX_LINE_STEPS, Spans
from vademecum.evidence.verdicts import (
    Verdict,
    Verified,
    all_valid,
    relocate,
    verify,
    verify_all,
    verify_each,
    verify_in,
)
from vademecum.files.buffers import Buffers
from vademecum.files.content import Content, Refused
from vademecum.files.gate import Gate
from vademecum.files.lines import split
from vademecum.files.settings import FileSettings
from vademecum.work import Cancel, Cancelled

LINES = st.lists(
    st.sampled_from(["a", "b", "c", "", "  a", "a ", "x = 1", "é", "\f", "a\u2028b", "a\x85b", "a\vb", "日本"]),
    min_size=1,
    max_size=10,
)


def content(text: str | bytes, path: str = "a.py") -> Content:
    data = text.encode() if isinstance(text, str) else text
    return Content(path, data)


def cite(lines: list[str], start: int, end: int) -> Reference:
    return parse(str(mint(content("\n".join(lines) + "\n"), start, end)))


@st.composite
def cited(draw: st.DrawFn) -> tuple[list[str], int, int]:
    lines = draw(LINES)
    start = draw(st.integers(1, len(lines)))
    return lines, start, draw(st.integers(start, len(lines)))


def expected(lines: list[str], reference: Reference, span: list[str]) -> Verdict:
    """What the verdict is by its definition, found the slow way."""
    count = len(span)
    if lines[reference.start - 1 : reference.end] == span:
        return Verdict.VALID
    places = sum(lines[at : at + count] == span for at in range(len(lines) - count + 1))
    return {0: Verdict.CHANGED, 1: Verdict.RELOCATED}.get(places, Verdict.AMBIGUOUS)


@given(cited(), LINES)
def test_any_other_file_gets_the_verdict_of_the_definition(case: tuple[list[str], int, int], after: list[str]) -> None:
    lines, start, end = case
    reference = cite(lines, start, end)
    verified = verify_in(reference, content("\n".join(after) + "\n"))
    assert verified.verdict is expected(after, reference, lines[start - 1 : end])


@given(
    cited(),
    st.lists(st.tuples(st.sampled_from(["insert", "delete", "replace", "swap"]), st.integers(0, 20)), max_size=5),
)
def test_edits_get_the_verdict_of_the_definition(
    case: tuple[list[str], int, int], edits: list[tuple[str, int]]
) -> None:
    lines, start, end = case
    reference = cite(lines, start, end)
    span = lines[start - 1 : end]
    now = list(lines)
    for kind, where in edits:
        at = where % (len(now) + 1)
        if kind == "insert":
            now.insert(at, "inserted")
        elif now and kind == "delete":
            del now[at % len(now)]
        elif now and kind == "replace":
            now[at % len(now)] += "!"
        elif now:
            other = (at + 1) % len(now)
            now[at % len(now)], now[other] = now[other], now[at % len(now)]
    after = content("\n".join(now) + "\n" if now else "")
    verified = verify_in(reference, after)
    assert verified.verdict is expected(now, reference, span)
    if verified.relocated_to is not None:
        moved = verified.relocated_to
        assert now[moved.start - 1 : moved.end] == span
        assert verify_in(moved, after).verdict is Verdict.VALID
    assert (verified.relocated_to is not None) == (verified.verdict is Verdict.RELOCATED)


@given(cited(), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.booleans())
def test_line_ends_and_marks_change_no_verdict(
    case: tuple[list[str], int, int], end_of_line: str, final: bool, mark: bool
) -> None:
    lines, start, end = case
    text = ("\ufeff" if mark else "") + end_of_line.join(lines) + (end_of_line if final or not lines[-1] else "")
    assert verify_in(cite(lines, start, end), content(text)).verdict is Verdict.VALID


@given(cited(), st.integers(1, 5))
def test_lines_shifted_by_an_edit_above_are_never_valid_at_the_old_place(
    case: tuple[list[str], int, int], more: int
) -> None:
    lines, start, end = case
    unique = [f"{number}:{line}" for number, line in enumerate(lines)]
    verified = verify_in(cite(unique, start, end), content("\n".join(["above"] * more + unique)))
    assert verified.verdict is Verdict.RELOCATED
    assert verified.relocated_to is not None
    assert (verified.relocated_to.start, verified.relocated_to.end) == (start + more, end + more)


def test_repeated_lines_that_moved_are_ambiguous() -> None:
    reference = cite(["x", "same", "y"], 2, 2)
    assert verify_in(reference, content("same\nz\nsame\n")).verdict is Verdict.AMBIGUOUS
    assert verify_in(reference, content("same\nsame\n")).verdict is Verdict.VALID  # it stands where it stood


@pytest.mark.parametrize("change", [" x = 1", "x = 1 ", "x  = 1", "X = 1", "x = 1\f", "x = 1\u2028", "x = \uff11"])
def test_nothing_but_line_ends_is_normalised(change: str) -> None:
    assert verify_in(cite(["x = 1"], 1, 1), content(change + "\n")).verdict is Verdict.CHANGED


def test_looking_for_moved_lines_has_a_limit() -> None:
    lines = [str(number) for number in range(1000)]
    reference = cite(lines, 1, 300)
    assert MAX_LINE_STEPS < 701 * 300
    assert verify_in(reference, content("\n".join(["new", *lines[:999]]))).verdict is Verdict.CHANGED
    hint = hashlib.sha256(b"0").hexdigest()[:16]
    assert verify_in(reference, content("\n".join(["new", *lines])), hint).verdict is Verdict.RELOCATED
    short = cite(lines, 1, 20)
    assert verify_in(short, content("\n".join(["new", *lines]))).verdict is Verdict.RELOCATED


def test_looking_is_never_slow() -> None:
    data = b"\n" * 1_000_000
    before = time.monotonic()
    for count in (1, 2, 1000, 500_000, 999_999):
        relocate(split(data), "0" * 16, count)
    assert time.monotonic() - before < 60


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write(repository(tmp_path / "tree"), {"a.py": "one\ntwo\nthree\n", ".gitignore": "*.log\n"})


def reference_to(gate: Gate, path: str, start: int, end: int) -> Reference:
    read = gate.read(path)
    assert isinstance(read, Content)
    return mint(read, start, end)


def test_what_the_gate_says_becomes_the_verdict(tree: Path) -> None:
    gate = Gate(tree, FileSettings(max_file_bytes=1000))
    reference = reference_to(gate, "a.py", 1, 2)

    def of(path: str) -> Verdict:
        return verify(Reference(path, 1, 2, reference.digest), gate).verdict

    write(
        tree, {"x.log": "one\ntwo\n", ".env": "one\ntwo\n", "bin": b"one\ntwo\0", "big": "x\n" * 1000, "m": b"x" * 900}
    )
    (tree / "link.py").symlink_to("a.py")
    (tree / "out.py").symlink_to("/etc/passwd")
    os.mkfifo(tree / "fifo")
    assert of("a.py") is Verdict.VALID
    excluded = ["x.log", ".env", "bin", "big", "link.py", "out.py", "fifo", ".git/config", ".vademecum/a"]
    assert {path: of(path) for path in excluded} == dict.fromkeys(excluded, Verdict.EXCLUDED)
    assert of("none.py") is Verdict.DELETED
    assert of("a.py/b") is Verdict.DELETED
    (tree / "a.py").unlink()
    assert of("a.py") is Verdict.DELETED
    (tree / "a.py").mkdir()
    assert of("a.py") is Verdict.EXCLUDED


def test_a_file_that_becomes_ignored_is_excluded(tree: Path) -> None:
    gate = Gate(tree)
    reference = reference_to(gate, "a.py", 1, 2)
    assert verify(reference, gate).verdict is Verdict.VALID
    write(tree, {".gitignore": "a.py\n"})
    assert verify(reference, gate).verdict is Verdict.EXCLUDED


def test_an_edit_that_keeps_size_and_times_is_seen(tree: Path) -> None:
    gate = Gate(tree)
    reference = reference_to(gate, "a.py", 1, 1)
    before = (tree / "a.py").stat()
    write(tree, {"a.py": "eno\ntwo\nthree\n"})
    os.utime(tree / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert verify(reference, gate).verdict is Verdict.CHANGED


def test_unsaved_text_counts_as_the_file(tree: Path) -> None:
    buffers = Buffers()
    gate = Gate(tree, buffers=buffers)
    reference = reference_to(gate, "a.py", 2, 2)
    buffers.set(tree / "a.py", "zero\r\none\r\ntwo\r\n", 1)
    verified = verify(reference, gate)
    assert verified.verdict is Verdict.RELOCATED
    assert verified.relocated_to == Reference("a.py", 3, 3, reference.digest)
    buffers.set(tree / "a.py", "one\ntwo!\n", 2)
    assert verify(reference, gate).verdict is Verdict.CHANGED
    buffers.drop(tree / "a.py")
    assert verify(reference, gate).verdict is Verdict.VALID


def test_many_at_once_are_as_one_by_one_and_read_each_file_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, {f"{n}.py": "".join(f"{n}.{line}\n" for line in range(50)) for n in range(20)})
    gate = Gate(tree)
    references = [reference_to(gate, f"{n % 20}.py", n // 20 + 1, n // 20 + 1) for n in range(1000)]
    references.append(Reference("none.py", 1, 1, "0" * 16))
    one_by_one = [verify(reference, gate) for reference in references]
    read: list[str] = []
    really = Gate.read

    def counted(self: Gate, path: str) -> Content | Refused:
        read.append(path)
        return really(self, path)

    monkeypatch.setattr(Gate, "read", counted)
    assert verify_all(references, gate) == one_by_one
    assert len(read) == 21


@given(LINES, LINES, st.data())
def test_many_into_one_file_are_as_one_by_one(before: list[str], after: list[str], data: st.DataObject) -> None:
    references: dict[Reference, None] = {}
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(1, len(before)))
        whole = mint(content("\n".join(before) + "\n"), start, data.draw(st.integers(start, len(before))))
        digits = data.draw(st.sampled_from([12, 16, 40, 64]))
        references[Reference(whole.path, whole.start, whole.end, whole.digest[:digits])] = None
    now = content("\n".join(after) + "\n")
    told = {verified.reference: verified for verified in verify_each(references, now)}
    assert told == {reference: verify_in(reference, now) for reference in references}
    hints = {
        one: hashlib.sha256(before[one.start - 1].encode()).hexdigest()[:16] if data.draw(st.booleans()) else None
        for one in references
    }
    assert {verified.reference: verified for verified in verify_each(references, now, hints)} == told


def test_the_file_is_gone_through_once_for_all_that_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many lengths they have: of 1,000 lengths in 900 lines each had a pass, which took 16 seconds."""
    begun: list[int] = []
    really = Spans._hashes

    def counted(self: Spans, start: int, counts: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        begun.append(start)
        return really(self, start, counts)

    monkeypatch.setattr(Spans, "_hashes", counted)
    lines = [f"row {number}" for number in range(900)]
    references = [cite(lines, 1 + number % 100, 1 + number % 100 + number % 800) for number in range(1_000)]
    now = content("\n".join(["new", *lines]))
    told = {verified.reference: verified for verified in verify_each(references, now)}
    assert len(begun) <= 100 + len(lines) + 1, "where they stood, then everywhere"
    for reference in references:
        too_far = (902 - reference.line_count) * reference.line_count > MAX_LINE_STEPS
        assert told[reference].verdict is (Verdict.CHANGED if too_far else Verdict.RELOCATED)


def test_looking_can_be_stopped() -> None:
    lines = [f"row {number}" for number in range(900)]
    stop = Cancel()
    told = verify_each([cite(lines, 1, 5), cite(lines, 2, 5)], content("\n".join(["new", *lines])), cancel=stop)
    stop.set()
    with pytest.raises(Cancelled):
        list(told)


def test_all_valid_needs_something_to_be_valid() -> None:
    reference = Reference("a", 1, 1, "0" * 16)

    def of(*verdicts: Verdict) -> bool:
        return all_valid([Verified(reference, verdict) for verdict in verdicts])

    assert not of()
    assert of(Verdict.VALID, Verdict.RELOCATED)
    for verdict in set(Verdict) - {Verdict.VALID, Verdict.RELOCATED}:
        assert not of(Verdict.VALID, verdict)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_thousands_of_random_edits_give_no_wrong_valid(data: st.DataObject) -> None:
    """In small what the benchmark does at length: after every edit every verdict is the defined one."""
    lines = [data.draw(st.sampled_from(["a", "b", "c", "def f():", "    pass", ""])) for _ in range(30)]
    cites = [(cite(lines, start, start + 2), lines[start - 1 : start + 2]) for start in range(1, 28, 3)]
    for _ in range(10):
        at = data.draw(st.integers(0, len(lines) - 1))
        if data.draw(st.booleans()):
            lines.insert(at, data.draw(st.sampled_from(["a", "", "new"])))
        else:
            del lines[at]
        now = content("\n".join(lines) + "\n")
        for reference, span in cites:
            assert verify_in(reference, now).verdict is expected(lines, reference, span)
