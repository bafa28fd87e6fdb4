"""A document's file: front matter of ours, then its text as it was imported, with LF line ends.

The text begins on the line after our front matter and is the source's line by line, its own front matter included. A
file without ours is a document all the same, one that waits for review. A published text is served only as long as it
is the one that was published: its revision stands in the front matter.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

import attrs
from attrs import frozen

from vademecum.files import frontmatter, lines
from vademecum.files.frontmatter import Broken
from vademecum.knowledge.source import revision_of
from vademecum.knowledge.types import SUMMARY_CHARACTERS, TITLE_CHARACTERS, DocumentForm, DocumentStatus

#: What an id may look like: it is a part of names of files.
_ID = re.compile(r"[A-Za-z0-9_-]{2,64}")
#: As `written` gives it; such dates are compared as they are.
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_KEYS = ("id", "title", "source", "key", "form", "status", "revision", "updated", "summary")


class NotADocument(Exception):
    """The file cannot be read as one; the message says why."""


@frozen
class Head:
    """What is kept of a document beside its text.

    :param id: None where the file has no front matter of ours.
    :param key: of its source on the machine that imported it (`Source.key`).
    :param revision: of the text that is there.
    :param summary: empty for none.
    """

    id: str | None
    title: str
    source: str
    key: str
    form: DocumentForm
    status: DocumentStatus
    revision: str
    updated: str
    summary: str = ""


def parse(data: bytes, stem: str) -> tuple[Head, str]:
    """Return what a file says of its document, and the text.

    :param stem: the name of the file, for what it does not say.
    :raises NotADocument: when it is not UTF-8, or its front matter is ours and cannot be read.
    """
    if b"\0" in data:
        raise NotADocument("it holds NUL bytes")
    try:
        text = lines.normalise(data).decode("utf-8")
    except UnicodeDecodeError:
        raise NotADocument("it is not UTF-8") from None
    parts = frontmatter.split(text)
    values: dict[str, str] = {}
    if parts.head is not None and _may_be_ours(parts.head):
        try:
            read = frontmatter.read(parts.head)
        except Broken as error:
            raise NotADocument(f"its front matter cannot be read ({error})") from error
        values = {key: value for key in _KEYS if isinstance(value := read.get(key), str)}
    if not _ID.fullmatch(values.get("id", "")) or "revision" not in values:
        return Head(None, stem, "", "", DocumentForm.MARKDOWN, DocumentStatus.PENDING, revision_of(text), ""), text
    actual = revision_of(parts.body)
    is_reviewed = values["revision"] == actual
    ready = is_reviewed and values.get("status") == DocumentStatus.READY
    return Head(
        id=values["id"],
        title=" ".join(values.get("title", "").split())[:TITLE_CHARACTERS] or stem,
        source=values.get("source", ""),
        key=values.get("key", ""),
        form=DocumentForm.TEXT if values.get("form") == DocumentForm.TEXT else DocumentForm.MARKDOWN,
        status=DocumentStatus.READY if ready else DocumentStatus.PENDING,
        revision=actual,
        updated=values["updated"] if _DATE.fullmatch(values.get("updated", "")) else "",
        summary=values.get("summary", "")[:SUMMARY_CHARACTERS] if is_reviewed else "",
    ), parts.body


def render(head: Head, text: str, before: bytes | None = None) -> bytes:
    """Return the bytes of a document's file.

    :param before: what the file held: keys of others and comments in its front matter stay.
    """
    values = _values(head)
    kept = _kept(before, values) if before is not None else None
    if kept is None:
        kept = _own(values)
    return f"---\n{kept}---\n{text}".encode()


def written(time: datetime) -> str:
    """A time as it is written down: ISO 8601, UTC, milliseconds."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03}Z"


def _kept(before: bytes, values: Mapping[str, str]) -> str | None:
    try:
        parts = frontmatter.split(lines.normalise(before).decode("utf-8"))
        if parts.head is None or not _may_be_ours(parts.head):
            return None
        found = frontmatter.read(parts.head)
        if _own({key: value for key in _KEYS if isinstance(value := found.get(key), str)}) == parts.head:
            return None  # nothing of anybody else's is there, as in nearly all files
        return frontmatter.change(parts.head, {key: value or None for key, value in values.items()}, "\n")
    except (UnicodeDecodeError, Broken):
        return None


def _own(values: Mapping[str, str]) -> str:
    return "".join(f"{frontmatter.line_of(key, value)}\n" for key, value in values.items() if value)


def _may_be_ours(head: str) -> bool:
    found = frontmatter.read_leniently(head)
    return "id" in found and "revision" in found


def _values(head: Head) -> dict[str, str]:
    given = attrs.asdict(head)
    return {key: str(given[key] or "") for key in _KEYS}
