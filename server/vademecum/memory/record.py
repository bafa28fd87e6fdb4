"""A memory as it is kept: what a Markdown file says, and how the file is written and changed.

The format is described in docs/files.md. Reading never fails for a text: what is missing gets its default, and a head
that is not YAML is read as far as possible and reported. Changing such a file is refused, so that nothing is lost.
"""

import codecs
import re
from collections.abc import Mapping

from attrs import evolve, frozen

from vademecum.files import frontmatter
from vademecum.files.frontmatter import Broken
from vademecum.files.plain_yaml import Value
from vademecum.memory import schema
from vademecum.memory.schema import TITLE_CHARACTERS
from vademecum.memory.types import Category, MemoryStatus, Origin, Provenance, Type

#: No text of their own, and yet part of it: the joiners of emoji, Persian and Indic scripts.
_JOINERS = "\u200c\u200d"

#: Stands at the head of files that Vademecum generates itself, such as tables of contents. They are no memories.
GENERATED_MARK = "<!-- vademecum:generated"

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")

#: The title of a memory that has none at all.
UNTITLED = "Untitled"

#: Keys whose new values a change may hold; None removes the key.
Change = Mapping[str, str | tuple[str, ...] | None]


class NotText(Exception):
    """The bytes are no text; the message says why."""


@frozen
class Record:
    """What one memory's file (or JSON item) holds. `id` is None when it names none that can be used.

    `foreign`: the text came with a repository and was moved to a private place since; it stays a stranger's.
    """

    id: str | None
    title: str
    content: str
    category: Category
    type: str
    description: str = ""
    keywords: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    pinned: bool = False
    provenance: Provenance = Provenance.MANUAL
    status: MemoryStatus = MemoryStatus.ACTIVE
    created: str | None = None
    updated: str | None = None
    supersedes: str = ""
    foreign: bool = False
    problem: str | None = None


def decode(data: bytes) -> tuple[str, str]:
    """Return the byte order mark (or nothing) and the text of a file.

    :raises NotText: when it is not UTF-8 or holds NUL.
    """
    mark = "\ufeff" if data.startswith(codecs.BOM_UTF8) else ""
    try:
        text = data[len(codecs.BOM_UTF8) if mark else 0 :].decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotText(f"not UTF-8 text (byte {error.start})") from None
    if "\0" in text:
        raise NotText("not text (it holds NUL)")
    return mark, text


def is_generated(data: bytes) -> bool:
    """Whether the file is one of our own making rather than a memory: it begins with our mark."""
    return data.removeprefix(codecs.BOM_UTF8).startswith(GENERATED_MARK.encode())


def parse(data: bytes, stem: str) -> Record:
    """Read a file's bytes; `stem` is its name without the suffix, the last resort for a title.

    :raises NotText: when the bytes are no text.
    """
    _, text = decode(data)
    parts = frontmatter.split(text)
    problem = None
    values: Mapping[str, Value] = {}
    if parts.head is not None:
        try:
            values = frontmatter.read(parts.head)
        except Broken as error:
            problem = f"its front matter cannot be read: {error}"
            values = frontmatter.read_leniently(parts.head[: frontmatter.LONGEST])
    content = _body(parts.body)
    record = from_values(values, content)
    if not record.title:
        title = _first_heading(content) or stem.replace("-", " ").replace("_", " ")
        record = evolve(record, title=one_line(title) or UNTITLED)
    return record if problem is None else evolve(record, problem=problem)


def from_values(values: Mapping[str, Value], content: str) -> Record:
    """Return the record of a mapping of texts; without a title its title is empty."""

    def text(key: str) -> str:
        value = values.get(key)
        return value.strip() if isinstance(value, str) else ""

    return Record(
        id=schema.id(text("id")),
        title=one_line(text("title")),
        content=content,
        category=schema.category(text("category")) or Category.KNOWLEDGE,
        type=text("type") or Type.REFERENCE.value,
        description=" ".join(text("description").split()),
        keywords=listed(values.get("keywords")),
        evidence=listed(values.get("evidence"), split=None),
        pinned=schema.flag(text("pinned")) or False,
        provenance=schema.provenance(text("provenance")) or Provenance.MANUAL,
        status=schema.status(text("status")) or MemoryStatus.ACTIVE,
        created=schema.time(text("created")),
        updated=schema.time(text("updated")),
        supersedes=text("supersedes"),
        foreign=schema.origin(text("origin")) is Origin.REPOSITORY,
    )


def keys_of(record: Record) -> dict[str, str | tuple[str, ...] | None]:
    """Return the keys that a file of this record holds, in their order; None for those it does without."""
    return {
        "id": record.id,
        "title": record.title,
        "category": record.category.value,
        "type": record.type,
        "description": record.description or None,
        "keywords": record.keywords or None,
        "pinned": "true" if record.pinned else None,
        "provenance": record.provenance.value,
        "status": None if record.status is MemoryStatus.ACTIVE else record.status.value,
        "created": record.created,
        "updated": record.updated,
        "evidence": record.evidence or None,
        "supersedes": record.supersedes or None,
        "origin": "repository" if record.foreign else None,
    }


def render(record: Record) -> bytes:
    """Return the bytes of a new file."""
    lines = ["---"]
    for key, value in keys_of(record).items():
        if value is not None:
            lines.append(frontmatter.line_of(key, value))
    return "\n".join([*lines, "---", record.content, ""]).encode("utf-8")


def rewrite(data: bytes, changes: Change, content: str | None) -> bytes:
    """Return a file's bytes with some keys changed, and the body when `content` is given; all else stays as it is.

    :raises NotText: when the bytes are no text.
    :raises Broken: when the head cannot be changed without harm.
    """
    mark, text = decode(data)
    parts = frontmatter.split(text)
    newline = parts.newline
    if parts.head is None:
        head = frontmatter.change("", {key: value for key, value in changes.items() if value is not None}, newline)
        opening, closing = f"---{newline}", f"---{newline}"
    else:
        head = frontmatter.change(parts.head, changes, newline)
        opening, closing = parts.opening, parts.closing
    if not closing.endswith(("\n", "\r")):
        closing += newline
    body = parts.body if content is None else content.replace("\n", newline) + newline
    return (mark + opening + head + closing + body).encode("utf-8")


def one_line(text: str) -> str:
    """Return the text as one line without control characters, cut to the longest title."""
    line = seen_line(text)
    return line if len(line) <= TITLE_CHARACTERS else line[: TITLE_CHARACTERS - 1].rstrip() + "…"


def seen_line(text: str) -> str:
    """Return the text in one line, with a space in the place of every character that is neither seen nor a joiner."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() or char in _JOINERS else " " for char in text)
        if not text.strip(f"{_JOINERS} "):
            return ""  # there is nothing that they join
    return " ".join(text.split())


def _body(body: str) -> str:
    """The content without the blank lines around it; the indentation of its first line stays."""
    lines = body.replace("\r\n", "\n").replace("\r", "\n").rstrip().split("\n")
    while len(lines) > 1 and not lines[0].strip():
        del lines[0]
    return "\n".join(lines)


def _first_heading(content: str) -> str:
    fence = ""
    for line in content.split("\n"):
        if found := _FENCE.match(line):
            if not fence:
                fence = found[1]
            elif found[1].startswith(fence):
                fence = ""
        elif not fence and (heading := _HEADING.match(line)):
            return heading[1]
    return ""


def listed(value: Value, split: str | None = r"[|,\n]") -> tuple[str, ...]:
    """Return the texts of a list, or of a text that is one; blanks around them, and empty ones, go."""
    if isinstance(value, str):
        value = tuple(re.split(split, value)) if split else (value,)
    return tuple(text for item in value or () if (text := " ".join(item.split())))
