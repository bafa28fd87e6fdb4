"""Other memories that the body of a memory's file, or the table of contents, speaks of: by id, title or file."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from attrs import frozen

from vademecum.memory import alike
from vademecum.memory.editing.types import Neighbour, Subject
from vademecum.memory.schema import ID

#: So many characters before and after a place are looked at; no mention is longer.
_NEAR = 1_000

#: `[[title]]`, as notes are linked elsewhere, with what comes after a bar or a number sign left out.
_NOTE = re.compile(r"\[\[([^\[\]\r\n|#]+)(?:[|#][^\[\]\r\n]*)?\]\]")
#: `[text](target)`; a target in angle brackets may hold blanks.
_LINK = re.compile(r"\[(?:[^\[\]\\\r\n]|\\.)*\]\((?:<([^<>\r\n]+)>|([^\s()<>]+))[^()\r\n]*\)")
_WORD = re.compile(r"[A-Za-z0-9_-]+")


@frozen
class Mention:
    """That the text from `start` to `end` means another memory."""

    start: int
    end: int
    memory: Neighbour


def mention(text: str, body: int, place: int, subject: Subject) -> Mention | None:
    """Return which other memory is meant at a place of the text; None where none is.

    :param body: where the body begins; nothing before it counts.
    """
    low, high = max(body, place - _NEAR), place + _NEAR
    line = max(low, *(text.rfind(end, low, place) + 1 for end in "\r\n"))
    for pattern, meant in ((_NOTE, _by_title), (_LINK, _by_file), (_WORD, _by_id)):
        for found in pattern.finditer(text, line, high):
            if found.start() > place:
                break
            if place <= found.end():
                name = next(group for group in found.groups() or (found[0],) if group)
                memory = min(meant(name.strip(), subject), key=lambda each: _rank(each, subject), default=None)
                if memory is not None:
                    return Mention(found.start(), found.end(), memory)
    return None


def _by_title(name: str, subject: Subject) -> Iterator[Neighbour]:
    wanted = alike.normal(name)
    yield from (each for each in subject.others if alike.normal(each.title) == wanted)
    yield from _by_id(name, subject)
    yield from _by_file(name, subject)
    yield from _by_file(f"{name}.md", subject)


def _by_id(name: str, subject: Subject) -> Iterator[Neighbour]:
    if ID.fullmatch(name):
        yield from (each for each in subject.others if name in (each.id, each.written))


def _by_file(target: str, subject: Subject) -> Iterator[Neighbour]:
    file = Path(unquote(target.split("#", 1)[0], errors="surrogateescape"))  # as `os.fsdecode` has names
    if file.suffix.lower() == ".md":
        wanted = os.path.normpath(subject.file.parent / file)
        yield from (each for each in subject.others if each.alone and str(each.file) == wanted)


def _rank(memory: Neighbour, subject: Subject) -> tuple[bool, bool, str]:
    """What is nearest: a memory in the same folder, else of the same scope."""
    return memory.file.parent != subject.file.parent, memory.scope is not subject.scope, memory.id
