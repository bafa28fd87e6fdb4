"""Edits of open documents: the same text that the editor has, whatever ends its lines and however it counts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import Position, Range

from vademecum.api.calls import Encoding
from vademecum.lsp import texts
from vademecum.lsp.texts import edited, offset

CHARACTERS = "ab\n\r\f\u2028\x85日😀é"


def units(text: str, encoding: Encoding) -> int:
    size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    return len(text.encode("utf-8" if size == 1 else f"{encoding}-le")) // size


def position(text: str, place: int, encoding: Encoding) -> Position:
    """As an editor counts it: every line end of LSP, and nothing else."""
    if text[place - 1 : place + 1] == "\r\n":
        place -= 1  # between the two no editor can be
    lines = re.split(r"\r\n|\r|\n", text[:place])
    return Position(len(lines) - 1, units(lines[-1], encoding))


@given(st.text(CHARACTERS, max_size=40), st.data(), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_an_edit_does_what_the_editor_did(text: str, data: st.DataObject, encoding: Encoding) -> None:
    places = st.integers(0, len(text)).filter(lambda place: text[place - 1 : place + 1] != "\r\n")
    start, end = sorted((data.draw(places), data.draw(places)))
    new = data.draw(st.text(CHARACTERS, max_size=5))
    span = Range(position(text, start, encoding), position(text, end, encoding))
    assert edited(text, span, new, encoding) == text[:start] + new + text[end:]


@given(st.text(CHARACTERS, max_size=40), st.integers(0, 9), st.integers(0, 60))
def test_a_place_past_an_end_is_that_end(text: str, line: int, character: int) -> None:
    for encoding in ("utf-8", "utf-16", "utf-32"):
        place = offset(text, Position(line, character), encoding)
        assert 0 <= place <= len(text)
        lines = re.split(r"\r\n|\r|\n", text)
        if line >= len(lines):
            assert place == len(text)
        elif character >= units(lines[line], encoding):
            assert position(text, place, encoding) == Position(line, units(lines[line], encoding))


@pytest.mark.parametrize(
    ("encoding", "character", "place"), [("utf-16", 1, 0), ("utf-16", 2, 1), ("utf-8", 3, 0), ("utf-8", 4, 1)]
)
def test_a_place_within_a_character_is_its_beginning(encoding: Encoding, character: int, place: int) -> None:
    assert offset("😀x", Position(0, character), encoding) == place


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("stretch", [1, 2, 3, 5, 64])
def test_long_texts_are_counted_in_stretches(monkeypatch: pytest.MonkeyPatch, end: str, stretch: int) -> None:
    monkeypatch.setattr(texts, "_STRETCH", stretch)
    lines = [f"line {number}" for number in range(30)]
    text = end.join(lines)
    for number, line in enumerate(lines):
        place = offset(text, Position(number, 0), "utf-16")
        assert text[place:].startswith(line + end) or text[place:] == line
    assert offset(text, Position(30, 0), "utf-16") == len(text)


def test_half_a_pair_in_the_text_spoils_nothing() -> None:
    assert edited("\ud83dx\ny", Range(Position(0, 1), Position(0, 2)), "z", "utf-16") == "\ud83dz\ny"
