"""A caller that believes what it is told, and checks it against the files: what it holds, and if that still stands.

How it looks for lines is its own: by searching whole texts, not by hashes.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from attrs import define, field, frozen

Key: TypeAlias = tuple[str, str, int]
"""Path, hash and number of the lines that a reference names."""

Lines: TypeAlias = list[bytes]
Read: TypeAlias = Callable[[str], Lines | None]
"""The lines of a file as they are now, by its path; None when it is not there, or may not be read."""

_REFERENCE = re.compile(r"(?s)(.*):(\d+)-(\d+)@([0-9a-f]+)")


@frozen
class Held:
    """Lines that were given: the snippet that stood for them, and where they were said to stand last."""

    lines: Lines
    snippet: str
    start: int


@define
class Tally:
    """What came of the answers of a conversation."""

    right: int = 0
    """Notices of what had indeed changed."""
    wrong: int = 0
    missed: int = 0
    """Changes that an answer should have told of and did not."""
    given: int = 0
    withheld: int = 0
    stale: int = 0
    """Snippets withheld though the caller did not hold what stands there."""
    faults: list[str] = field(factory=list)


def apart(reference: str) -> tuple[Key, int]:
    """What a reference names, and its first line."""
    match = _REFERENCE.fullmatch(reference)
    assert match is not None, reference
    start, end = int(match[2]), int(match[3])
    return (match[1], match[4][:16], end - start + 1), start


def lines_of(data: bytes) -> Lines:
    """Lines by the documented model: LF, CRLF and CR end them, a mark at the beginning is no text."""
    lines = re.split(rb"\r\n|\r|\n", data.removeprefix(b"\xef\xbb\xbf"))
    return lines[:-1] if not lines[-1] else lines


def stands(lines: Lines | None, wanted: Lines, start: int) -> bool:
    """Whether lines are where they were said to be, or exactly once elsewhere."""
    if lines is None:
        return False
    if lines[start - 1 : start - 1 + len(wanted)] == wanted:
        return True
    text, needle = b"\n" + b"\n".join(lines) + b"\n", b"\n" + b"\n".join(wanted) + b"\n"
    count, place = 0, text.find(needle) if lines else -1
    while place >= 0 and count < 2:
        count, place = count + 1, text.find(needle, place + 1)
    return count == 1


class Conversation:
    """Everything that one session was given."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._held: dict[Key, Held] = {}
        self._missed: set[Key] = set()
        self.tally = Tally()

    def take(self, answer: Mapping[str, Any], items: list[Mapping[str, Any]]) -> dict[str, str]:
        """Believe one answer, judge it, and return the snippets that belong where it withheld them, by reference."""
        placed = {apart(item["reference"])[0]: apart(item["reference"])[1] for item in items}
        news = (answer.get("memory") or {}).get("invalidated", [])
        told = {apart(each["reference"])[0]: each for each in news}
        due = {
            key
            for key, held in self._held.items()
            if key not in placed and not stands(self._read(key[0]), held.lines, held.start)
        }
        self.tally.right += len(told.keys() & due)
        for key in told.keys() - due:
            self.tally.wrong += 1
            self.tally.faults.append(f"told of a change that is none: {told[key]}")
        for key in due - told.keys() - self._missed:
            self.tally.missed += 1
            self._missed.add(key)
            self.tally.faults.append(f"not told of a change: {key}")
        for key in told:
            self._held.pop(key, None)
            self._missed.discard(key)
        put_back = {}
        for item in items:
            snippet = self._take_item(item)
            if snippet is not None:
                put_back[item["reference"]] = snippet
        return put_back

    def _take_item(self, item: Mapping[str, Any]) -> str | None:
        key, start = apart(item["reference"])
        there = (self._read(key[0]) or [])[start - 1 : start - 1 + key[2]]
        held = self._held.get(key)
        if item["snippet"] is not None:
            self.tally.given += 1
            self._held[key] = Held(there, item["snippet"], start)
            return None
        self.tally.withheld += 1
        if held is None or held.lines != there:
            self.tally.stale += 1
            self.tally.faults.append(f"withheld, and not held: {item['reference']}")
            return None
        self._held[key] = Held(there, held.snippet, start)
        return held.snippet
