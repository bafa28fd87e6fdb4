"""Between code points, in which this product counts, and the units that an editor counts characters in."""

from vademecum.api.calls import Encoding
from vademecum.api.types.common import Position, Range
from vademecum.errors import InvalidField

_UNIT_BYTES = {"utf-16": 2, "utf-32": 4}


def to_units(line: str, column: int, encoding: Encoding) -> int:
    """How many units of `encoding` the first `column` code points of `line` take."""
    head = line[:column]
    if encoding == "utf-32":
        return len(head)
    if encoding == "utf-8":
        return len(head.encode("utf-8", "surrogatepass"))
    return len(head.encode("utf-16-le", "surrogatepass")) // _UNIT_BYTES[encoding]


def whole_lines(start: int, end: int, last_line: str, encoding: Encoding) -> Range:
    """The range of the one-based lines `start` to `end`, both included; `last_line` is the text of line `end`."""
    return Range(Position(start - 1, 0), Position(end - 1, to_units(last_line, len(last_line), encoding)))


def touched_lines(span: Range) -> tuple[int, int]:
    """The one-based first and last line that `span` touches.

    A range that ends before the first character of a line, as when whole lines are selected, does not touch it.

    :raises InvalidField: when a number is negative or the end lies before the start.
    """
    start, end = span.start, span.end
    if min(start.line, start.character, end.line, end.character) < 0:
        raise InvalidField("range", "must not hold negative numbers")
    if (end.line, end.character) < (start.line, start.character):
        raise InvalidField("range", "must not end before it starts")
    last = end.line if end.character > 0 or end.line == start.line else end.line - 1
    return start.line + 1, last + 1
