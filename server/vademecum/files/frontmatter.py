"""The head of a Markdown file: finding it, reading it, and changing some of its values while all else stays.

A change replaces the lines of the keys it is about and no other byte, so that comments, order, quoting, unknown keys
and line ends of a hand-written head survive. What was written is read back before it is believed.
"""

import io
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import frozen

from vademecum.files import plain_yaml
from vademecum.files.plain_yaml import Value

if TYPE_CHECKING:
    from ruamel.yaml.nodes import MappingNode, Node

#: Longest head that is read, in characters. Past it it is no head of ours, and YAML is slow to read.
LONGEST = 65_536

#: Deepest nesting of brackets; more is not front matter and would exhaust the reader's stack.
_DEEPEST = 40

#: Keys whose values are a flag or a time to whoever reads the head as YAML; ours have a form that needs no quotes.
_UNQUOTED = frozenset({"pinned", "created", "updated"})

_OPEN = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_CLOSE = re.compile(r"(?:^|(?<=\n)|(?<=\r))(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)")
_COMMENT = re.compile(r"[:]?[ \t]+#[^\r\n]*")
_LINE_END = re.compile(r"\r\n|\n|\r")
_COLON = re.compile(r"(?:[ \t]*:)?")
_LENIENT = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*):[ \t]*(.*)$")


class Broken(Exception):
    """The head cannot be read as YAML, or not changed without harm; the message is for the person who mends it.

    :param place: where in the head it is wrong, in characters; None where no one place is.
    """

    def __init__(self, message: str, place: int | None = None) -> None:
        super().__init__(message)
        self.place = place


@frozen
class Entry:
    """A key of a head with its value, and where both stand, in characters of the head.

    :param value: as `read` gives it.
    :param value_start: where the value begins; the same as `value_end` where there is none.
    :param items: where the items of a list of texts are.
    :param lines_end: where its lines end; comments on lines of their own that follow belong to what comes next.
    """

    key: str
    start: int
    end: int
    value: Value
    value_start: int
    value_end: int
    items: tuple[tuple[int, int], ...]
    lines_end: int


@frozen
class Parts:
    """A file's text in its parts; joined they are the text. `head` is None without front matter."""

    opening: str
    head: str | None
    closing: str
    body: str

    @property
    def newline(self) -> str:
        """The line end that the file uses."""
        found = _LINE_END.search(self.opening + self.body)
        return found[0] if found else "\n"


def split(text: str) -> Parts:
    """Split the text of a file (without a byte order mark). A `---` that is never closed is a line, not a head."""
    opening = _OPEN.match(text)
    if opening:
        closing = _CLOSE.search(text, opening.end())
        if closing:
            head = text[opening.end() : closing.start()]
            return Parts(opening[0], head, closing[0], text[closing.end() :])
    return Parts("", None, "", text)


def read(head: str) -> dict[str, Value]:
    """Return the top-level values as text.

    :raises Broken: when it is not a YAML mapping.
    """
    plain = head.replace("\r\n", "\n").replace("\r", "\n")
    if (values := plain_yaml.read(plain)) is not None:
        return values
    return read_fully(plain)


def read_leniently(head: str) -> dict[str, Value]:
    """Return what can be made out of a head that is not YAML: its lines of the form `key: text`."""
    values: dict[str, Value] = {}
    for line in head.splitlines():
        if found := _LENIENT.match(line):
            values.setdefault(found[1], found[2].strip().strip("\"'"))
    return values


def read_fully(head: str) -> dict[str, Value]:
    """Return the top-level values as text, by the full YAML reader. Same errors as `read`."""
    node = _compose(head)
    values: dict[str, Value] = {}
    for key, value in node.value if node else ():
        if key.id == "scalar":
            if key.value in values:
                raise Broken(f"the key {key.value[:60]!r} is there twice")
            values[key.value] = _text_of(value)
    return values


def entries(head: str) -> tuple[Entry, ...]:
    """Return the keys with their values and places, in their order, also those that are there twice.

    :raises Broken: when it is not a YAML mapping.
    """
    node = _compose(head)
    found = []
    for key, value in node.value if node else ():
        if key.id == "scalar":
            start, end = _place(head, key)
            value_start, value_end = _place(head, value)
            if (
                value_start < end or value_start == value_end
            ):  # what an alias stands for is elsewhere, and so is nothing
                value_start = value_end = end + len(_COLON.match(head, end)[0])  # type: ignore[index]  # it may be empty
            items = tuple(_place(head, item) for item in value.value) if value.id == "sequence" else ()
            text = _text_of(value)
            lines_end = _lines_end(head, start, max(value.end_mark.index, key.end_mark.index))
            found.append(Entry(key.value, start, end, text, value_start, value_end, items, lines_end))
    return tuple(found)


def change(head: str, changes: Mapping[str, str | tuple[str, ...] | None], newline: str) -> str:
    """Return the head with some values replaced, added (at its end) or, for None, removed.

    :raises Broken: when the head cannot be read, or not changed without changing more than was asked.
    """
    before = read(head)
    out = head
    for key, value in changes.items():
        if key in before and before[key] == value:
            continue
        line = None if value is None else line_of(key, value)
        out = _replace(out, key, line, newline)
    expected: dict[str, Value] = {key: value for key, value in before.items() if key not in changes}
    expected |= {key: value for key, value in changes.items() if value is not None}
    if read(out) != expected:
        raise Broken("its form does not allow this change; write one key a line")
    return out


def line_of(key: str, value: str | tuple[str, ...]) -> str:
    """Return the line for a key and its value, without a line end."""
    if not isinstance(value, str):
        return f"{key}: {plain_yaml.emit_list(value)}"
    return f"{key}: {value if key in _UNQUOTED else plain_yaml.emit(value)}"


def _replace(head: str, key: str, line: str | None, newline: str) -> str:
    span = _span(head, key)
    if span is not None:
        start, value_end, end = span
        comment = _COMMENT.match(head, value_end)
        kept = comment[0].rstrip() if comment else ""
        return head[:start] + ("" if line is None else line + kept + newline) + head[end:]
    if line is None:
        return head
    gap = "" if not head or head.endswith(("\n", "\r")) else newline
    return head + gap + line + newline


def _span(head: str, key: str) -> tuple[int, int, int] | None:
    """Where the lines of a key and its value begin, where the value ends, and where the lines end.

    Comments on lines of their own that follow belong to what comes next.
    """
    # The reader counts characters of what it was given, so it is given the head as it stands; it takes CRLF and CR.
    node = _compose(head)
    for key_node, value_node in node.value if node else ():
        if key_node.id == "scalar" and key_node.value == key:
            if node is None or node.flow_style or key_node.start_mark.column != 0:
                raise Broken("its form does not allow this change; write one key a line")
            start = key_node.start_mark.index
            value_end = max(value_node.end_mark.index, key_node.end_mark.index)
            return start, value_end, _lines_end(head, start, value_end)
    return None


def _lines_end(head: str, start: int, end: int) -> int:
    """Where the lines end of a key that begins at `start` and whose value ends at `end`."""
    if end == 0 or head[end - 1] not in "\r\n":
        # The rest of a value's last line can only be a comment.
        found = _LINE_END.search(head, end)
        end = found.end() if found else len(head)
    lines = head[start:end].splitlines(keepends=True)
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].startswith("#")):
        end -= len(lines.pop())
    return end


def _place(head: str, node: "Node") -> tuple[int, int]:
    """Where a node stands, without the blanks and line ends after it that the reader counts in."""
    start, end = node.start_mark.index, node.end_mark.index
    return start, max(start, start + len(head[start:end].rstrip()))


def _compose(head: str) -> "MappingNode | None":
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    if len(head) > LONGEST:
        raise Broken("it is too long")
    if max(head.count(bracket) for bracket in "[{-?") > 4 * _DEEPEST and _depth(head) > _DEEPEST:
        raise Broken("it is nested too deeply")
    try:
        node = YAML(typ="safe", pure=True).compose(io.StringIO(head))
    except MarkedYAMLError as error:
        # What is never ended is wrong where it begins, not where the reader gave up.
        begun = error.context in ("while scanning a simple key", "while scanning a quoted scalar")
        mark = (begun and error.context_mark) or error.problem_mark
        line = mark.line + 2 if mark else 1  # the opening line counts
        raise Broken(f"line {line}: {error.problem}", mark.index if mark else None) from error
    except (YAMLError, RecursionError, ValueError) as error:
        raise Broken("it is not YAML") from error
    if node is not None and node.id != "mapping":
        raise Broken("it holds no `key: value` lines")
    return node  # type: ignore[no-any-return]


def _depth(head: str) -> int:
    deepest = depth = 0
    for char in head:
        depth += (char in "[{") - (char in "]}")
        deepest = max(deepest, depth)
    indents = (len(line) - len(line.lstrip(" -?")) for line in head.splitlines())
    return max(deepest, max(indents, default=0) // 2)


def _text_of(node: object) -> Value:
    kind = getattr(node, "id", None)
    if kind == "scalar":
        return _scalar(node)
    if kind == "sequence":
        items = [
            _scalar(item) if getattr(item, "id", None) == "scalar" else None for item in getattr(node, "value", ())
        ]
        return None if None in items else tuple(str(item) for item in items)
    return None


def _scalar(node: object) -> str:
    text = str(getattr(node, "value", ""))
    # Only the plain words for null are null; in quotes they are text.
    if getattr(node, "style", None) is None and text in ("", "~", "null", "Null", "NULL"):
        return ""
    return text
