"""A memory as YottaCode and Claude Code keep it: a Markdown file whose head gives `name`, `description` and `type`."""

import re

from attrs import evolve

from vademecum.memory.record import Record, from_values, one_line, parse
from vademecum.memory.transfer.markdown import head_of, nested
from vademecum.memory.transfer.types import SourceText
from vademecum.memory.types import Category, Type

_SLUG = re.compile(r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*")


def read(source: SourceText) -> Record:
    """Return the memory in a file, empty content included. What is missing is made of the body or the file's name.

    Feedback is what the user wants done otherwise from now on, and so a rule.
    """
    values, head, body = head_of(source.text)
    stem = source.name.removesuffix(".md")
    record = from_values({key: value for key, value in values.items() if key != "id"}, _body(body))
    label = record.type if isinstance(values.get("type"), str) and values["type"] else nested(head, "type")
    name = values.get("name")
    title = record.title or readable(name if isinstance(name, str) and name.strip() else "")
    if not title:
        title = parse(body.encode("utf-8", "replace"), readable(stem) or stem).title
    category = record.category
    if "category" not in values and label.lower() == Type.FEEDBACK:
        category = Category.RULE
    return evolve(
        record, title=one_line(title), type=label, category=category, updated=record.updated or record.created
    )


def readable(name: str) -> str:
    """Return a name as a title: `feedback_testing` is `Feedback testing`; one in words stays as it is."""
    name = name.strip()
    if not _SLUG.fullmatch(name) or not re.search(r"[-_]", name):
        return name
    words = re.sub(r"[-_]+", " ", name)
    return words[:1].upper() + words[1:]


def _body(body: str) -> str:
    lines = body.rstrip().split("\n")
    while len(lines) > 1 and not lines[0].strip():
        del lines[0]
    return "\n".join(lines)
