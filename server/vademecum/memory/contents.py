"""`MEMORY.md`, the table of contents of a private memory folder: made from the files, for people who read the folder.

It is no memory and nothing is read from it. It is written whenever it is not what the files give: under the lock of
its folder, by whoever changed a file there, and by the next request after a change by hand. A `MEMORY.md` that does not
begin with our mark is somebody's own file, and is left alone.
"""

import logging
import os
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from vademecum.errors import VademecumError
from vademecum.files import durable
from vademecum.files.redact import redact
from vademecum.memory.access import CannotRead, Corner, Stamp
from vademecum.memory.folder_store import FolderStore
from vademecum.memory.lock import hold
from vademecum.memory.places import Placed, Places
from vademecum.memory.record import GENERATED_MARK, is_generated, seen_line
from vademecum.memory.store import Item, Scan
from vademecum.memory.types import MemoryStatus, Scope, StoreKind, Type

logger = logging.getLogger(__name__)

FILE_NAME: Final = "MEMORY.md"

#: Longest description that an entry shows, in characters.
_DESCRIPTION = 150

#: How long a request that only noticed a change waits for a writer, in seconds: not at all, since the writer, who sees
#: the same files, writes the table itself.
_NO_WAIT = 0.0

_HEAD = f"{GENERATED_MARK}. Rewritten after every change: change the memories, not this list. -->"
_TITLES = {Scope.USER: "# Your memories", Scope.PROJECT: "# Memories of this project"}
_SPECIAL = re.compile(r"([\\`*_\[\]<>&#|~])")


def render(scope: Scope, items: Iterable[Item]) -> bytes | None:
    """Return the table of contents, None when there is nothing to list.

    The usual types come first, then labels of the user's own, then what waits for review; by title within each. What
    was superseded is left out. Secrets that somebody wrote into a title by hand are, too.
    """
    parts: dict[str, list[str]] = {}
    waiting: list[str] = []
    for item in sorted(items, key=lambda item: (item.record.title.casefold(), item.name)):
        if item.record.status is MemoryStatus.PENDING:
            waiting.append(_entry(item))
        elif item.record.status is not MemoryStatus.SUPERSEDED:
            parts.setdefault(item.record.type.lower(), []).append(_entry(item))
    if not parts and not waiting:
        return None
    usual = [type.value for type in Type]
    lines = [_HEAD, _TITLES[scope]]
    for type in (*usual, *sorted(parts.keys() - set(usual))):
        if type in parts:
            lines += ["", f"## {_escaped(type)}", "", *parts[type]]
    if waiting:
        lines += ["", "## Waiting for your review", "", *waiting]
    return ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace")


class Contents:
    """Keeps the tables of the private folders as the files are. Safe for use from several threads."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._right: dict[str, tuple[Scan, Stamp | None]] = {}

    def write(self, placed: Placed) -> None:
        """Write the table of a place as its files are now, if it has one. The caller holds the lock of the place.

        A file system that refuses costs the table, never what was asked for.
        """
        if _has_table(placed):
            self._write(placed, placed.store.scan())

    def follow(self, placed: Placed, scan: Scan) -> None:
        """Write the table if the files are not what they were when it was written last; the lock is taken for that.

        When another program is writing there, that one sees to the table; the next request looks again.
        """
        if not _has_table(placed) or self._is_right(placed, scan):
            return
        if self._is_on_disk(placed, scan):
            return
        try:
            with hold(self._places.home, placed.store.path, wait=_NO_WAIT):
                self._write(placed, placed.store.scan())
        except VademecumError as error:
            logger.debug("the table of contents was left for later: %s", error.message)

    def _is_right(self, placed: Placed, scan: Scan) -> bool:
        right = self._right.get(str(placed.store.path))
        return right is not None and right[0] is scan and right[1] == _corner(placed).stamp(FILE_NAME)

    def _is_on_disk(self, placed: Placed, scan: Scan) -> bool:
        """Whether nothing is to be written, which is found out without the lock, so that a read takes none."""
        stamp = _corner(placed).stamp(FILE_NAME)
        there, is_ours = _there(placed)
        if there is not None and not is_ours:
            return True
        if there != render(placed.store.scope, scan.items):
            return False
        self._right[str(placed.store.path)] = (scan, stamp)
        return True

    def _write(self, placed: Placed, scan: Scan) -> None:
        corner = _corner(placed)
        there, is_ours = _there(placed)
        if there is not None and not is_ours:
            return
        wanted = render(placed.store.scope, scan.items)
        try:
            if wanted is None and there is not None:
                durable.remove(corner.target(FILE_NAME))
            elif wanted is not None and wanted != there:
                durable.write(corner.target(FILE_NAME), wanted, private=True)
        except (OSError, CannotRead) as error:
            logger.warning("%s cannot be written: %s", FILE_NAME, getattr(error, "strerror", None) or error)
            return
        # Having written it, the folder has changed, and the store gives a new scan of the same memories.
        self._right[str(placed.store.path)] = (placed.store.scan(), corner.stamp(FILE_NAME))


def _has_table(placed: Placed) -> bool:
    return isinstance(placed.store, FolderStore) and placed.store.kind is not StoreKind.SHARED


def _corner(placed: Placed) -> Corner:
    return Corner(placed.store.path)


def _there(placed: Placed) -> tuple[bytes | None, bool]:
    """The bytes of the file that is there, and whether it is ours. One that cannot be read is not."""
    corner = _corner(placed)
    try:
        data = corner.read(FILE_NAME)
    except CannotRead:
        return b"", False
    if data is None and os.path.lexists(corner.path / FILE_NAME):
        return b"", False  # a link that leads nowhere
    return data, data is not None and is_generated(data)


def _entry(item: Item) -> str:
    record = item.record
    return _line(item.name, record.title, record.description, record.pinned)


@lru_cache(maxsize=16_384)  # looking for secrets takes most of the time
def _line(name: str, title: str, description: str, pinned: bool) -> str:
    text = redact(description)
    if len(text) > _DESCRIPTION:
        text = text[: _DESCRIPTION - 1].rstrip() + "…"
    link = quote(os.fsencode(name), safe="")
    tail = f" — {_escaped(text)}" if text else ""
    return f"- [{_escaped(redact(title))}]({link}){' (pinned)' if pinned else ''}{tail}"


def _escaped(text: str) -> str:
    """The text in one line, of which Markdown and HTML make nothing."""
    return _SPECIAL.sub(r"\\\1", seen_line(text))
