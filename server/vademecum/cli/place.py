"""A place as it is written in a terminal: a file and lines of it."""

import re

from attrs import frozen

_PLACE = re.compile(r"(?P<file>.+):(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9}))?", re.DOTALL)


@frozen
class Place:
    """Lines of a file, one-based, the last one included."""

    file: str
    first: int
    last: int


def place_of(text: str) -> Place | None:
    """The place in `src/shapes.py:10-20` or `src/shapes.py:10`; None when the text is none."""
    found = _PLACE.fullmatch(text)
    if found is None:
        return None
    first, last = int(found["first"]), int(found["last"] or found["first"])
    return Place(found["file"], first, last) if 1 <= first <= last else None
