"""Charters, the curated files that are always told in full: reading them, and cutting what outgrew its bound."""

import re
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from vademecum.memory import frames
from vademecum.memory.access import CannotRead, Corner
from vademecum.memory.record import NotText, decode
from vademecum.memory.registry import SHARED_FOLDER
from vademecum.memory.types import Scope, StoreKind

USER_CHARTER = "USER.md"
PROJECT_CHARTER = "PROJECT.md"

_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@frozen
class Charter:
    """A charter's text. `source` is how the block names it, and tells two of the same name apart."""

    source: str
    scope: Scope
    text: str


@frozen
class CharterFile:
    """A charter as its file has it."""

    name: str
    """`PROJECT.md` or `USER.md`; also the id under which `memory/history` and `memory/restore` know the former."""
    scope: Scope
    place: StoreKind
    """`shared` for one that lies in the repository."""
    content: str
    """Empty when there is no file."""
    revision: str
    """The first 16 hex digits of its bytes' SHA-256; empty when there is no file."""
    characters: int
    uri: str
    notices: tuple[str, ...] | None = None
    """What its user should look at: that the charters have outgrown what a prompt block tells of them."""


def source_of(kind: StoreKind, root: Path | None, *, several: bool) -> str:
    """Return how the block names a charter of that place, with its folder's name where several projects are open."""
    if kind is StoreKind.USER:
        return USER_CHARTER
    of = f" of {frames.inline(root.name)}" if several and root is not None else ""
    return f"{SHARED_FOLDER}/{PROJECT_CHARTER}{of}" if kind is StoreKind.SHARED else f"{PROJECT_CHARTER}{of}"


def outgrown(charters: Sequence[Charter], limit: int) -> str | None:
    """Return what to tell the user of charters that are longer than `limit` and so are told cut; else None."""
    if sum(len(_framed(charter, frames.margined(charter.text))) + 1 for charter in charters) <= limit:
        return None
    sizes = ", ".join(f"{charter.source} has {len(charter.text):,}" for charter in charters)
    return f"The charters have outgrown their {limit:,} characters and are told cut; shorten them ({sizes})."


def read_charter(corner: Corner, name: str, source: str, scope: Scope) -> Charter | str | None:
    """Return the charter in a folder, None when there is none or it is blank, or why it cannot be read."""
    try:
        data = corner.read(name)
        text = decode(data)[1].strip() if data else ""
    except (CannotRead, NotText) as error:
        return str(error)
    return Charter(source, scope, text) if text else None


def render_charters(charters: Sequence[Charter], limit: int) -> tuple[str, ...]:
    """Return the framed charters, which with the line ends between them are at most `limit` characters long.

    What does not fit is cut, and says so: each charter has an equal share, and what one does not need the others get.
    One for which not even the notice fits is left out.
    """
    whole = {charter.source: _framed(charter, frames.margined(charter.text)) for charter in charters}
    rendered: dict[str, str] = {}
    room = limit
    waiting = sorted(charters, key=lambda charter: len(whole[charter.source]))
    for left, charter in zip(range(len(waiting), 0, -1), waiting, strict=True):
        share = room // left - 1
        text = whole[charter.source]
        if len(text) > share:
            text = _cut(charter, share)
        if text:
            rendered[charter.source] = text
            room -= len(text) + 1
    return tuple(rendered[charter.source] for charter in charters if charter.source in rendered)


def _framed(charter: Charter, body: str) -> str:
    return f"{frames.charter_open(charter.source)}\n{body}\n{frames.CHARTER_CLOSE}"


def _cut(charter: Charter, limit: int) -> str:
    """The charter's beginning up to a heading, or up to a line when no heading fits; never inside a code fence."""
    notice = f"(Cut: {charter.source} has {len(charter.text):,} characters; read the file for the rest.)"
    room = limit - len(_framed(charter, "")) - len(notice) - 1
    if room < 0:
        return ""
    lines = frames.margined(charter.text).split("\n")
    fence = ""
    size = 0
    at_heading = at_line = 0
    for number, line in enumerate(lines):
        text = line.removeprefix(frames.MARGIN)
        if not fence:
            at_line = number
            if number and _HEADING.match(text):
                at_heading = number
        if found := _FENCE.match(text):
            fence = "" if fence and found[1].startswith(fence) else fence or found[1]
        size += len(line) + 1
        if size > room:
            break
    kept = lines[: at_heading or at_line]
    return _framed(charter, "\n".join([*kept, notice]))
