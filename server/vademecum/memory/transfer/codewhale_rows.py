"""The lines of JSON that CodeWhale's later store exports, and the packet of memories that it hands to a model."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from vademecum.memory.note import title_of
from vademecum.memory.record import Record, one_line
from vademecum.memory.schema import stamp
from vademecum.memory.transfer.types import Incoming, Malformed, Parsed, SourceText
from vademecum.memory.types import Category, MemoryStatus, Scope

ROW = "codewhale.memory.export.v1"
PACKET = "codewhale.memory.context.v1"

_CATEGORIES = {
    "preference": Category.RULE,
    "constraint": Category.RULE,
    "procedure": Category.EXPERIENCE,
    "lesson": Category.EXPERIENCE,
    "episode": Category.EXPERIENCE,
}
#: What its store keeps without using it any more.
_GONE = {"stale": "its file or its time has passed", "superseded": "it was replaced", "rejected": "it was rejected"}


def is_exported(text: str) -> bool:
    """Whether a text is one of the two forms."""
    first = text.lstrip()[:4_096]
    return first.startswith("{") and (ROW in first or PACKET in first)


def parse(source: SourceText) -> Iterator[Parsed]:
    """Yield the memories of an export, a line each, or those of a packet; what is neither is told by its line."""
    name = source.path or "text"
    try:
        packet = json.loads(source.text)
    except (ValueError, RecursionError):
        packet = None
    if isinstance(packet, dict) and packet.get("schema") == PACKET:
        memories = packet.get("memories")
        for number, value in enumerate(memories if isinstance(memories, list) else (), 1):
            yield _read(value, f"{name} memory {number}")
        return
    for number, line in enumerate(source.text.split("\n"), 1):
        if line.strip():
            yield _line(line, f"{name} line {number}")


def _line(line: str, where: str) -> Parsed:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return Malformed(where, "it is not JSON")
    if not isinstance(row, dict) or row.get("schema") != ROW:
        return Malformed(where, f"it is not of the form {ROW}")
    return _read(row.get("memory"), where)


def _read(value: object, where: str) -> Parsed:
    if not isinstance(value, dict):
        return Malformed(where, "it holds no memory")
    draft = value.get("draft")
    fields: Mapping[str, object] = value if not isinstance(draft, dict) else {**value, **draft}
    body = _text(fields, "body")
    if not body.strip():
        return Malformed(where, "it has no text `body`")
    status = _text(fields, "status").lower()
    if status in _GONE:
        return Malformed(where, f"CodeWhale does not use it any more: {_GONE[status]}")
    kind = _text(fields, "kind").lower()
    tags = fields.get("tags")
    created = _moment(fields.get("created_at"))
    record = Record(
        id=None,
        title=one_line(_text(fields, "title")) or title_of(body),
        content=body,
        category=_CATEGORIES.get(kind, Category.KNOWLEDGE),
        type=kind,
        keywords=tuple(_plain(tag) for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        status=MemoryStatus.PENDING if status == "candidate" else MemoryStatus.ACTIVE,
        created=created,
        updated=_moment(fields.get("updated_at")) or created,
    )
    scope = fields.get("scope")
    is_bound = isinstance(scope, dict) and bool(scope.get("workspace"))
    return Incoming(record, where, (Scope.PROJECT if is_bound else Scope.USER) if isinstance(scope, dict) else None)


def _text(fields: Mapping[str, object], key: str) -> str:
    value = fields.get(key)
    return _plain(value) if isinstance(value, str) else ""


def _plain(text: str) -> str:
    """The text without halves of surrogate pairs, which JSON can hold and no file."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _moment(value: object) -> str | None:
    """A time in seconds, or in milliseconds as its later versions have it."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return stamp(datetime.fromtimestamp(value / 1_000 if value > 100_000_000_000 else value, UTC))
    except (OverflowError, ValueError, OSError):
        return None
