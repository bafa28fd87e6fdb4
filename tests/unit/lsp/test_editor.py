"""The pieces of the editor's references that need no server: what a client can, bounds, words for every verdict."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.protocol import default_converter

from vademecum.evidence.occurrences import find
from vademecum.evidence.reference import mint
from vademecum.evidence.verdicts import Verdict, Verified
from vademecum.files.content import Content
from vademecum.files.gate import Gate
from vademecum.lsp.editor import judging
from vademecum.lsp.editor.client import ClientCan
from vademecum.lsp.editor.diagnostics import SEVERITIES, diagnostics
from vademecum.lsp.editor.judging import Judged, judge
from vademecum.lsp.editor.snapshot import Snapshot
from vademecum.lsp.editor.words import hover, told
from vademecum.work import Cancel, Cancelled

LINES = "".join(f"line {n}\n" for n in range(1, 11))
DIGEST = "0123456789abcdef"


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    (tmp_path / "notes.txt").write_text(LINES)
    return Gate(tmp_path)


def cited(gate: Gate, start: int, end: int) -> str:
    content = gate.read("notes.txt")
    assert isinstance(content, Content)
    return str(mint(content, start, end))


def one(text: str, gate: Gate) -> Judged:
    (judged,) = judge(list(find(text)), [gate], Cancel())
    return judged


PUSHED: dict[str, Any] = {"textDocument": {"publishDiagnostics": {}}}
ASKED: dict[str, Any] = {"textDocument": {"diagnostic": {}}}
REFRESHED: dict[str, Any] = {"workspace": {"diagnostics": {"refreshSupport": True}}}
BOTH: dict[str, Any] = {"textDocument": {"publishDiagnostics": {}, "diagnostic": {}}}


@pytest.mark.parametrize(
    ("capabilities", "push", "pull", "refresh"),
    [
        ({}, False, False, False),
        (PUSHED, True, False, False),
        (PUSHED | REFRESHED, True, False, False),
        (ASKED, False, True, False),
        (ASKED | REFRESHED, False, True, True),
        (BOTH, True, False, False),
        (BOTH | REFRESHED, False, True, True),
    ],
)
def test_diagnostics_go_one_way(capabilities: dict[str, Any], push: bool, pull: bool, refresh: bool) -> None:
    can = ClientCan.of(default_converter().structure(capabilities, types.ClientCapabilities))
    assert (can.push, can.pull, can.refresh) == (push, pull, refresh)


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_words_and_all_but_valid_a_severity(verdict: Verdict, gate: Gate) -> None:
    text = cited(gate, 2, 3)
    judged = one(text, gate)
    moved = judged.reference if verdict is Verdict.RELOCATED else None
    judged = Judged(judged.occurrence, judged.reading, gate, Verified(judged.reference, verdict, moved))
    assert "notes.txt" in told(judged)
    assert told(judged).endswith(".")
    shown = diagnostics(Snapshot("untitled:1", 1, text, None, "utf-16"), [judged])
    assert [item.code for item in shown] == ([] if verdict is Verdict.VALID else [verdict.value])
    assert (verdict in SEVERITIES) == (verdict is not Verdict.VALID)


@pytest.mark.parametrize("markdown", [True, False])
def test_a_hover_never_ends_its_own_block(gate: Gate, markdown: bool) -> None:
    gate.absolute("notes.txt").write_text("````\n<b>*x*</b>\n`````\n")
    judged = one(cited(gate, 1, 3), gate)
    text = hover(judged, gate.read("notes.txt"), markdown)
    assert text.endswith("``````\n````\n<b>*x*</b>\n`````\n``````" if markdown else "\n\n````\n<b>*x*</b>\n`````")


def test_a_path_is_no_markup(gate: Gate) -> None:
    judged = one(f"_a_b[c](d).txt:1-1@{DIGEST}", gate)
    assert "\\_a\\_b\\[c\\](d).txt" in hover(judged, gate.read(judged.reference.path), markdown=True)


def test_judging_ends_in_time_and_when_told(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    found = list(find(f"{cited(gate, 2, 3)} {cited(gate, 4, 4)}"))
    assert len(judge(found, [gate], Cancel())) == 2
    assert judge(found, [], Cancel()) == ()
    stopped = Cancel()
    stopped.set()
    with pytest.raises(Cancelled):
        judge(found, [gate], stopped)
    monkeypatch.setattr(judging, "MAX_SECONDS", -1.0)
    assert judge(found, [gate], Cancel()) == ()


def test_the_lines_that_still_hold_win_over_the_folder_that_comes_first(gate: Gate, tmp_path: Path) -> None:
    text = cited(gate, 2, 3)
    others = []
    for name, content in (("changed", "other\n"), ("moved", "a\n" + LINES), ("empty", None)):
        (tmp_path / name).mkdir()
        if content is not None:
            (tmp_path / name / "notes.txt").write_text(content)
        others.append(Gate(tmp_path / name))
    changed, moved, empty = others
    for asked, verdict, by in (
        ([changed, gate], Verdict.VALID, gate),
        ([empty, changed], Verdict.CHANGED, changed),
        ([changed, moved, empty], Verdict.RELOCATED, moved),
        ([empty], Verdict.DELETED, empty),
    ):
        (judged,) = judge(list(find(text)), asked, Cancel())
        assert (judged.verdict, judged.gate) == (verdict, by)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_some_lines_of_a_document_are_read_as_the_whole_is(gate: Gate, end: str) -> None:
    text = end.join(["first", "😀 " + cited(gate, 2, 3), "", f"x {cited(gate, 4, 4)} {cited(gate, 5, 5)}", "last"])
    snapshot = Snapshot("untitled:1", 1, text, None, "utf-16")
    whole = snapshot.occurrences(Cancel())
    assert len(whole) == 3
    for first in range(6):
        for last in range(first, 6):
            some = snapshot.occurrences_on(first, last, Cancel())
            assert some == tuple(one for one in whole if first <= one.line <= last)


def test_ranges_on_one_line_are_counted_on() -> None:
    text = f"日😀 a.py:1-1@{DIGEST} 😀 b.py:1-1@{DIGEST}"
    snapshot = Snapshot("untitled:1", 1, text, None, "utf-16")
    found = snapshot.occurrences(Cancel())
    spans = [(one, one.usual.start, one.end) for one in found]
    assert [(span.start.character, span.end.character) for span in snapshot.ranges(spans)] == [(4, 29), (33, 58)]
