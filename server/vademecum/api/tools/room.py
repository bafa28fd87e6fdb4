"""The room that an answer has: what does not fit is left out whole, and counted."""

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")

CHARACTERS = 30_000
"""Longest text of an answer, in code points: about 7,500 tokens. Claude Code warns of answers beyond 10,000 tokens."""

_NOTES = 2_000
"""Kept free for what is said beside the items."""

CUT = "[cut here]"


def fitted(parts: Iterable[tuple[T, str]], characters: int = CHARACTERS - _NOTES) -> tuple[list[tuple[T, str]], int]:
    """The first of `parts` whose texts fit, and how many were left out.

    The first one is taken in any case: whoever makes the parts bounds each of them.
    """
    kept: list[tuple[T, str]] = []
    left = characters
    omitted = 0
    for part, text in parts:
        if kept and (omitted or len(text) > left):
            omitted += 1
            continue
        kept.append((part, text))
        left -= len(text) + 2
    return kept, omitted


def joined(*parts: str) -> str:
    """Parts of an answer with an empty line between them, within the bound."""
    text = "\n\n".join(part for part in parts if part)
    return text if len(text) <= CHARACTERS else shortened(text, CHARACTERS)


def shortened(text: str, characters: int) -> str:
    """The beginning of `text`, cut at the end of a line where one is near, with a mark."""
    if len(text) <= characters:
        return text
    room = characters - len(CUT) - 1
    end = text.rfind("\n", room // 2, room)
    return f"{text[: end if end > 0 else room]}\n{CUT}"
