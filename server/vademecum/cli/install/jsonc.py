"""Small changes to a JSON file that people write by hand: comments, trailing commas and layout stay as they are.

A file is read into a tree of spans; a change is the replacement of a few characters, and nothing else is touched. What
cannot be read is refused, never guessed at.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field, frozen

MAX_DEPTH = 100
"""Levels of nesting that are read; no configuration comes near it."""

_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)")


class Unreadable(ValueError):
    """A text that is no JSON, even with comments and trailing commas; or whose shape is not what a change needs."""


@frozen
class Value:
    """A value in the text: where it is, and what is in it.

    :param end: after its last character.
    :param members: of an object: by key.
    :param items: of an array.
    :param data: what it says, as `json.loads` would have it.
    """

    start: int
    end: int
    data: Any
    members: "Mapping[str, Member] | None" = None
    items: "Sequence[Member] | None" = None


@frozen
class Member:
    """A member of an object, or an item of an array.

    :param start: where its key begins; of an item its value.
    :param comma: where the comma after it is; None when there is none.
    """

    start: int
    value: Value
    comma: int | None = field(default=None)


def read(text: str) -> Value:
    """The root of a text; an empty one, or one of comments alone, is an empty object that is not there yet.

    :raises Unreadable: telling the line.
    """
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        return Value(start, start, {}, members={})
    value = _value(text, start, 0)
    if _skip(text, value.end) != len(text):
        raise _wrong(text, _skip(text, value.end))
    return value


def put(text: str, path: Sequence[str], data: Any) -> str:
    """The text with `data` at a path of keys; objects on the way are made where there are none.

    :raises Unreadable: when the text cannot be read, or something on the way is no object.
    """
    here = read(text)
    if here.members is not None and here.start == here.end:
        return text + _lay_out(_nested(path, data), "", _indent(text), _line_end(text)) + _line_end(text)
    for depth, key in enumerate(path):
        if here.members is None:
            raise Unreadable(f"{'.'.join(path[:depth]) or 'the file'} is no object")
        member = here.members.get(key)
        if member is None:
            inner = _nested(path[depth + 1 :], data)
            return _inserted(text, here, list(here.members.values()), inner, key)
        here = member.value
    if here.data == data:
        return text
    return (
        text[: here.start]
        + _lay_out(data, _indent_of(text, here.start), _indent(text), _line_end(text))
        + text[here.end :]
    )


def append(text: str, path: Sequence[str], data: Any) -> str:
    """The text with `data` as a further item of the array at a path, which is made where there is none.

    :raises Unreadable: when the text cannot be read, or what is there is no array.
    """
    found = find(read(text), path)
    if found is None:
        return put(text, path, [data])
    if found.items is None:
        raise Unreadable(f"{'.'.join(path)} is no array")
    return _inserted(text, found, list(found.items), data, None)


def take(text: str, path: Sequence[str | int]) -> str:
    """The text without the member or item at a path, and without what held nothing else; unchanged where there is none.

    :raises Unreadable: when the text cannot be read.
    """
    root = read(text)
    if not path or find(root, path) is None:
        return text
    parent = find(root, path[:-1])
    assert parent is not None
    siblings = list((parent.members or {}).values()) if parent.members is not None else list(parent.items or ())
    if len(siblings) == 1 and len(path) > 1:
        return take(text, path[:-1])
    key = path[-1]
    member = (parent.members or {})[key] if isinstance(key, str) else (parent.items or ())[key]
    place = siblings.index(member)
    if len(siblings) == 1:
        inside = (
            text[parent.start + 1 : member.start] + text[(member.comma or member.value.end - 1) + 1 : parent.end - 1]
        )
        kept = inside if inside.strip() else ""
        return text[: parent.start + 1] + kept + text[parent.end - 1 :]
    if member.comma is not None:
        return _cut(text, member.start, member.comma + 1)
    before = siblings[place - 1].comma
    assert before is not None
    return _cut(text[:before] + text[before + 1 :], member.start - 1, member.value.end - 1)


def find(root: Value, path: Sequence[str | int]) -> Value | None:
    """The value at a path of keys and places; None when there is none."""
    here = root
    for step in path:
        member: Member | None = None
        if isinstance(step, str) and here.members is not None:
            member = here.members.get(step)
        elif isinstance(step, int) and here.items is not None and step < len(here.items):
            member = here.items[step]
        if member is None:
            return None
        here = member.value
    return here


# Reading ----------------------------------------------------------------------------------------------------------


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _wrong(text: str, place: int) -> Unreadable:
    return Unreadable(f"line {text.count(chr(10), 0, place) + 1} is not the JSON that was expected there")


def _value(text: str, place: int, depth: int) -> Value:
    if depth > MAX_DEPTH:
        raise Unreadable("it is nested too deeply")
    if text.startswith("{", place):
        return _object(text, place, depth)
    if text.startswith("[", place):
        return _array(text, place, depth)
    found = _STRING.match(text, place) or _SCALAR.match(text, place)
    if found is None:
        raise _wrong(text, place)
    try:
        return Value(place, found.end(), json.loads(found.group()))
    except ValueError as error:
        raise _wrong(text, place) from error


def _object(text: str, start: int, depth: int) -> Value:
    members: dict[str, Member] = {}
    place = _skip(text, start + 1)
    comma: int | None = -1
    while not text.startswith("}", place):
        found = _STRING.match(text, place)
        if found is None or comma is None:
            raise _wrong(text, place)
        try:
            key = json.loads(found.group())
        except ValueError as error:
            raise _wrong(text, place) from error
        colon = _skip(text, found.end())
        if not text.startswith(":", colon) or key in members:  # which of two equal keys counts is anybody's guess
            raise _wrong(text, place)
        value = _value(text, _skip(text, colon + 1), depth + 1)
        after = _skip(text, value.end)
        comma = after if text.startswith(",", after) else None
        members[key] = Member(place, value, comma)
        place = after if comma is None else _skip(text, comma + 1)
    return Value(start, place + 1, {key: one.value.data for key, one in members.items()}, members=members)


def _array(text: str, start: int, depth: int) -> Value:
    items: list[Member] = []
    place = _skip(text, start + 1)
    comma: int | None = -1
    while not text.startswith("]", place):
        if comma is None:
            raise _wrong(text, place)
        value = _value(text, place, depth + 1)
        after = _skip(text, value.end)
        comma = after if text.startswith(",", after) else None
        items.append(Member(place, value, comma))
        place = after if comma is None else _skip(text, comma + 1)
    return Value(start, place + 1, [one.value.data for one in items], items=items)


# Writing ----------------------------------------------------------------------------------------------------------


def _nested(path: Sequence[str], data: Any) -> Any:
    for key in reversed(path):
        data = {key: data}
    return data


def _inserted(text: str, parent: Value, siblings: list[Member], data: Any, key: str | None) -> str:
    """A further member or item, behind the others, in the layout of the text around it."""
    unit, line_end = _indent(text), _line_end(text)
    outer = _indent_of(text, parent.start)
    label = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    close = parent.end - 1
    if not siblings:
        inside = text[parent.start + 1 : close].rstrip()  # comments, if anything
        new = f"{line_end}{outer}{unit}{label}{_lay_out(data, outer + unit, unit, line_end)}{line_end}{outer}"
        return text[: parent.start + 1] + inside + new + text[close:]
    last = siblings[-1]
    end = last.value.end
    body_end = len(text[:close].rstrip())
    comma = "" if last.comma is not None else ","
    trailing = "," if last.comma is not None else ""
    if "\n" not in text[parent.start : siblings[0].start] and "\n" not in text[end:close]:
        new = f" {label}{json.dumps(data, ensure_ascii=False)}{trailing}"
        return text[:end] + comma + text[end:body_end] + new + text[body_end:]
    inner = _indent_of(text, siblings[0].start) if "\n" in text[parent.start : siblings[0].start] else outer + unit
    new = f"{line_end}{inner}{label}{_lay_out(data, inner, unit, line_end)}{trailing}"
    return text[:end] + comma + text[end:body_end] + new + text[body_end:]


def _lay_out(data: Any, indent: str, unit: str, line_end: str) -> str:
    """A value over several lines, the first without its indent."""
    text = json.dumps(data, ensure_ascii=False, indent=unit)
    return text.replace("\n", f"{line_end}{indent}")


def _indent_of(text: str, place: int) -> str:
    """The blanks that the line of a place begins with."""
    start = text.rfind("\n", 0, place) + 1
    return text[start : start + len(text[start:place]) - len(text[start:place].lstrip(" \t"))]


def _indent(text: str) -> str:
    """What one level is indented by: as the first indented line has it."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    if found is None:
        return "  "
    return "\t" if found[1].startswith("\t") else found[1][:8]


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _cut(text: str, start: int, end: int) -> str:
    """The text without a span, and without its line where nothing else is on it."""
    line = text.rfind("\n", 0, start) + 1
    after = text.find("\n", end)
    after = len(text) if after < 0 else after
    if not text[line:start].strip() and not text[end:after].strip() and line > 0:
        before = line - 2 if text.startswith("\r\n", line - 2) else line - 1
        return text[:before] + text[after - 1 if text.startswith("\r\n", after - 1) else after :]
    tail = (
        text[end:].lstrip(" \t")
        if text[end : end + 1] in (" ", "\t") and text[start - 1 : start] in " \t{["
        else text[end:]
    )
    head = (
        text[:start].rstrip(" \t") if tail[:1] in ("}", "]", "\r", "\n") and text[line:start].strip() else text[:start]
    )
    return head + tail
