"""Columns in the editor's units, and which lines a selection means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.api.calls import Encoding
from vademecum.api.positions import to_units, touched_lines
from vademecum.api.types.common import Position, Range
from vademecum.errors import InvalidField

WIDTHS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 12), ("utf-16", 10), ("utf-32", 9)])
def test_columns_after_an_emoji(encoding: Encoding, column: int) -> None:
    line = 's = "😀"; foo()'
    assert to_units(line, line.index("foo"), encoding) == column


@given(st.text(), st.integers(0, 50), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_units_are_those_of_the_encoded_head(line: str, column: int, encoding: Encoding) -> None:
    expected = len(line[:column].encode(WIDTHS[encoding], "surrogatepass")) // BYTES[encoding]
    assert to_units(line, column, encoding) == expected


def span(a: int, b: int, c: int, d: int) -> Range:
    return Range(Position(a, b), Position(c, d))


@pytest.mark.parametrize(
    ("selected", "lines"),
    [
        (span(0, 0, 0, 0), (1, 1)),
        (span(2, 3, 2, 9), (3, 3)),
        (span(2, 3, 4, 1), (3, 5)),
        (span(2, 0, 4, 0), (3, 4)),
    ],
)
def test_lines_of_a_selection(selected: Range, lines: tuple[int, int]) -> None:
    assert touched_lines(selected) == lines


@pytest.mark.parametrize("selected", [span(-1, 0, 0, 0), span(2, 0, 1, 0), span(1, 5, 1, 4)])
def test_impossible_selections_are_refused(selected: Range) -> None:
    with pytest.raises(InvalidField):
        touched_lines(selected)
