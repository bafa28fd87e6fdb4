"""Changing one item of a JSON array in its text, so that every other byte of the file stays as its writer left it."""

import json
import re
from collections.abc import Iterator

from attrs import frozen

_SPACE = re.compile(r"[ \t\r\n]*")
_LONE = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder()


class NotAnArray(Exception):
    """The text is no JSON array; the message says where it ceases to be one."""


@frozen
class Element:
    """An element of the array: its value, and where its text lies."""

    start: int
    end: int
    value: object


def elements(text: str) -> tuple[Element, ...]:
    """Return the elements of the array that `text` is.

    :raises NotAnArray: when it is anything else; blank text is no array either.
    """
    return tuple(_elements(text))


def replace(text: str, element: Element, value: object) -> str:
    """Return the text with one element replaced."""
    return text[: element.start] + _dump(value, _newline(text)) + text[element.end :]


def append(text: str, *values: object) -> str:
    """Return the text with elements added at its end."""
    newline = _newline(text)
    there = elements(text)
    added = f",{newline}  ".join(_dump(value, newline) for value in values)
    if there:
        end = there[-1].end
        return f"{text[:end]},{newline}  {added}{text[end:]}"
    opening = text.index("[") + 1
    return f"{text[:opening]}{newline}  {added}{newline}{text[text.rindex(']') :]}"


def remove(text: str, element: Element) -> str:
    """Return the text without one element, and without the comma that it no longer needs."""
    there = elements(text)
    at = next(index for index, other in enumerate(there) if other.start == element.start)
    if len(there) == 1:
        return text[: text.index("[") + 1] + text[text.rindex("]") :]
    if at + 1 < len(there):
        return text[: element.start] + text[there[at + 1].start :]
    return text[: there[at - 1].end] + text[element.end :]


def _elements(text: str) -> Iterator[Element]:
    at = _skip(text, 1 if text.startswith("\ufeff") else 0)
    if text[at : at + 1] != "[":
        raise NotAnArray(_where(text, at))
    at = _skip(text, at + 1)
    first = True
    while text[at : at + 1] != "]":
        if not first:
            if text[at : at + 1] != ",":
                raise NotAnArray(_where(text, at))
            at = _skip(text, at + 1)
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError, ValueError) as error:
            raise NotAnArray(_where(text, getattr(error, "pos", at))) from None
        yield Element(at, end, value)
        first = False
        at = _skip(text, end)
    rest = _skip(text, at + 1)
    if rest != len(text):
        raise NotAnArray(_where(text, rest))


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _where(text: str, at: int) -> str:
    return f"it ceases to be a JSON array in line {text.count(chr(10), 0, at) + 1}"


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _dump(value: object, newline: str) -> str:
    """An element as its writers lay it out: two spaces a level, inside an array that is itself at the first level."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    if _LONE.search(text):  # half a surrogate pair, which only the escaped form can hold
        text = json.dumps(value, indent=2)
    return text.replace("\n", f"{newline}  ")
