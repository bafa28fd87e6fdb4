"""Reading a section page by page. A cursor names the revision and the section it belongs to, and where to go on."""

import hashlib
import re
import unicodedata

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.knowledge.types import PAGE_CHARACTERS

_CURSOR = re.compile(r"([0-9a-f]{16})\.([0-9a-f]{8})\.([1-9][0-9]{0,8})")


def page_end(text: str, start: int) -> int:
    """Return where the page that begins at `start` ends: after a line in its second half, else at the bound.

    No page is empty, none has more than `PAGE_CHARACTERS`, and none begins with a mark that belongs to the character
    before it, unless there are hundreds of them.
    """
    end = start + PAGE_CHARACTERS
    if end >= len(text):
        return len(text)
    line = text.rfind("\n", start + PAGE_CHARACTERS // 2, end)
    if line >= 0:
        return line + 1
    for back in range(64):
        if not _belongs_to_former(text, end - back):
            return end - back
    return end


def page_of(text: str, start: int) -> str:
    """Return the page of a text that begins at `start`; the pages one after the other are the text."""
    return text[start : page_end(text, start)]


def cursor(revision: str, anchor: str, offset: int) -> str:
    """Return the cursor for the page that begins at `offset` of a section."""
    return f"{revision}.{_short(anchor)}.{offset}"


def read_cursor(text: str, revision: str, anchor: str, length: int) -> int:
    """Return where the page of a cursor begins.

    :param length: of the section's text.
    :raises InvalidField: `cursor`, for what no page of this section gave.
    :raises VademecumError: `conflict`, when the document has another revision by now.
    """
    found = _CURSOR.fullmatch(text)
    if found is None:
        raise InvalidField("cursor", "must be one that an earlier page gave")
    if found[1] != revision:
        raise VademecumError(
            ErrorKind.CONFLICT,
            "The document has a newer revision, so the next page would not follow the last. Read the section again from"
            " its beginning.",
            revision=revision,
        )
    if found[2] != _short(anchor) or int(found[3]) >= length:
        raise InvalidField("cursor", "must be one that an earlier page of this section gave")
    return int(found[3])


def _short(anchor: str) -> str:
    return hashlib.sha256(anchor.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _belongs_to_former(text: str, place: int) -> bool:
    char, before = text[place], text[place - 1]
    if before == "\u200d" or char == "\u200d" or "\U0001f3fb" <= char <= "\U0001f3ff":  # joined or tinted emoji
        return True
    return unicodedata.category(char) in ("Mn", "Mc", "Me")
