"""The small part of YAML that Vademecum itself writes, read a hundred times faster than by a full YAML reader.

`read` gives exactly what the full reader gives, or None for whatever it is not sure of; a property test compares them.
`emit` writes values so that any YAML reader gives the same text back.
"""

import json
import re
from collections.abc import Sequence

#: A value of a front matter as text; `None` stands for a value of another shape (a nested mapping, say).
Value = str | tuple[str, ...] | None

_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*):(?: +(.*?))? *$")
_LETTERS = r"[^\s\-?:,\[\]{}#&*!|>'\"%@`=~<.]"
_PLAIN = re.compile(rf"{_LETTERS}(?:[^:#]|:(?=[^\s,\[\]{{}}])|(?<=[^\s])#)*")
_ITEM = re.compile(rf"{_LETTERS}[^,\[\]{{}}:#'\"]*")
_QUOTED = re.compile(r'"(?:[^"\\]|\\["\\/bfnrt])*"')
_SINGLE = re.compile(r"'(?:[^']|'')*'")
#: What YAML takes as it is; anything else (controls, other line breaks, the byte order mark) goes to the full reader.
_UNUSUAL = re.compile("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_NULL = frozenset({"null", "Null", "NULL"})
#: Words and shapes that YAML readers take for something other than text.
_TYPED = re.compile(
    r"(?i:null|true|false|yes|no|on|off|y|n|\.inf|\.nan|~)$|[-+.]?\d[\d_.,:eExXoO+\-a-fA-F]*(?:[Tt ].*)?$|=$|<<$"
)


def read(text: str) -> dict[str, Value] | None:
    """Return the top-level values of a front matter (lines joined by LF), or None when it needs the full reader."""
    if _UNUSUAL.search(text):
        return None
    values: dict[str, Value] = {}
    for line in text.split("\n"):
        if not line:
            continue
        found = _LINE.match(line)
        if found is None or found[1] in values or _TYPED.match(found[1]):
            return None
        raw = found[2] or ""
        value = _read_list(raw) if raw.startswith("[") else _read_scalar(raw)
        if value is None:
            return None
        values[found[1]] = value
    return values


def emit(value: str) -> str:
    """Return a scalar as YAML text in one line: plain when that is unmistakable, else in double quotes."""
    plain = _PLAIN.fullmatch(value) and not _UNUSUAL.search(value) and not _TYPED.match(value)
    if plain and "\n" not in value and not value.endswith((" ", ":")):
        return value
    return _quote(value)


def emit_list(values: Sequence[str]) -> str:
    """Return a list of scalars as a YAML flow sequence in one line."""
    items = (text if _ITEM.fullmatch(text := emit(value)) else _quote(value) for value in values)
    return f"[{', '.join(items)}]"


def _quote(value: str) -> str:
    return _UNUSUAL.sub(_escape, json.dumps(value, ensure_ascii=False).replace("\x7f", "\\x7f"))


def _read_scalar(raw: str) -> str | None:
    if not raw or raw in _NULL:
        return ""
    if raw[0] == '"':
        return str(json.loads(raw, strict=False)) if _QUOTED.fullmatch(raw) else None
    if raw[0] == "'":
        return raw[1:-1].replace("''", "'") if _SINGLE.fullmatch(raw) else None
    return raw if _PLAIN.fullmatch(raw) and not raw.endswith(":") else None


def _read_list(raw: str) -> tuple[str, ...] | None:
    if raw[-1] != "]":
        return None
    inner = raw[1:-1].strip(" ")
    items = []
    at = 0
    while at < len(inner):
        found = _QUOTED.match(inner, at) or _SINGLE.match(inner, at) or _ITEM.match(inner, at)
        if found is None:
            return None
        item = _read_scalar(found[0].rstrip(" "))
        if item is None or found[0].rstrip(" ") in _NULL:
            return None
        items.append(item)
        at = found.end()
        while at < len(inner) and inner[at] == " ":
            at += 1
        if at < len(inner):
            if inner[at] != ",":
                return None
            at += 1
            while at < len(inner) and inner[at] == " ":
                at += 1
            if at == len(inner):
                return None
    return tuple(items)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
