"""A place as it is written in a terminal: a file and lines of it."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

from vademecum.cli.outcome import Failed
from vademecum.errors import ErrorKind, VademecumError

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


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Around a request about a file or folder that the command line names: one that is not there is named as it was
    understood.

    :raises Failed: when the request finds none.
    """
    try:
        yield
    except VademecumError as error:
        if error.kind is ErrorKind.NOT_FOUND and not os.path.lexists(path):
            raise Failed(f"there is no such file or folder: {path}") from error
        raise
