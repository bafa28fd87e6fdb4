"""The ways to mend what is amiss: each is a few edits, after which the fault is gone and the rest is as it was."""

import re

from vademecum.files import frontmatter
from vademecum.files.frontmatter import Entry
from vademecum.files.plain_yaml import emit
from vademecum.memory.editing.layout import Layout
from vademecum.memory.editing.names import nearest
from vademecum.memory.editing.types import Edit, Fix, Subject
from vademecum.memory.library import new_id
from vademecum.memory.schema import Form, Key

#: Stands where a secret was: plain in YAML wherever a value may be, and no value of a password to whoever looks.
REMOVED = "(redacted)"

_PAIR = re.compile(r"([A-Za-z_][\w-]*:[ \t]+)([^\r\n]*)")
_LINE_END = re.compile(r"\r\n|\n|\r|\Z")


def rename(layout: Layout, entry: Entry, name: str) -> Fix:
    """The key is called otherwise."""
    return Fix(f"Rename to `{name}`", (_edit(layout, entry.start, entry.end, name),), preferred=True)


def remove(layout: Layout, entry: Entry, title: str) -> Fix:
    """The key goes with its lines; one that shares a line with others, with what is between it and the next."""
    start, end = entry.start, entry.lines_end
    line = layout.head.rfind("\n", 0, start) + 1
    line = max(line, layout.head.rfind("\r", 0, start) + 1)
    entries = layout.entries or ()
    shared = line != start or any(start < other.start < end for other in entries)
    if shared:  # a mapping in braces
        after = [other.start for other in entries if other.start > start]
        end = min(after) if after else max(entry.value_end, entry.end)
        before = [max(other.value_end, other.end) for other in entries if other.start < start]
        start = start if after or not before else max(before)
    return Fix(title, (_edit(layout, start, end, ""),))


def value(layout: Layout, entry: Entry, text: str, title: str | None = None, preferred: bool = True) -> Fix:
    """The key has another value."""
    written = emit(text) if entry.key not in ("pinned", "created", "updated") else text
    gap = "" if layout.head[entry.value_start - 1 : entry.value_start] in (" ", "\t", "\n", "\r") else " "
    edit = _edit(layout, entry.value_start, entry.value_end, gap + written)
    return Fix(title or f"Change to `{text}`", (edit,), preferred)


def values(layout: Layout, entry: Entry, key: Key, subject: Subject) -> tuple[Fix, ...]:
    """Each value that the key may have, the nearest first."""
    match key.form:
        case Form.TIME:
            return (value(layout, entry, subject.now, "Change to the time now"),)
        case Form.ID:
            return new_identity(layout, entry)
        case _:
            near = nearest(str(entry.value), [choice.text.lower() for choice in key.choices])
            texts = sorted((choice.text for choice in key.choices), key=lambda text: text.lower() != near)
            return tuple(value(layout, entry, text, preferred=text.lower() == near) for text in texts)


def new_identity(layout: Layout, entry: Entry) -> tuple[Fix, ...]:
    """The memory has an id of its own."""
    return (value(layout, entry, new_id(), "Give this memory an id of its own"),)


def as_text(layout: Layout, entry: Entry, key: Key) -> tuple[Fix, ...]:
    """The texts of a list in one, where the key may hold that."""
    text = " ".join(" ".join(entry.value).split()) if isinstance(entry.value, tuple) else ""
    if not text or not key.is_readable(text):
        return ()
    return (value(layout, entry, text, "Make it a text"),)


def drop_item(layout: Layout, entry: Entry, place: tuple[int, int]) -> Fix:
    """The list without one of its items; the key goes with its last one."""
    title = "Remove the reference"
    if len(entry.items) < 2:
        return remove(layout, entry, title)
    start, end = place
    head = layout.head
    if head[entry.value_start : entry.value_start + 1] == "[":
        at = entry.items.index(place)
        if at + 1 < len(entry.items):
            end = entry.items[at + 1][0]
        else:
            start = entry.items[at - 1][1]
        return Fix(title, (_edit(layout, start, end, ""),))
    line = max(head.rfind("\n", 0, start), head.rfind("\r", 0, start)) + 1
    found = _LINE_END.search(head, end)
    assert found is not None  # the end of the text is one
    return Fix(title, (_edit(layout, line, found.end(), ""),))


def add(layout: Layout, key: str, text: str) -> tuple[Fix, ...]:
    """A key more, at its place at the head; with a front matter where there is none."""
    if layout.head.lstrip().startswith("{"):
        return ()
    line = frontmatter.line_of(key, text) + layout.newline
    if not layout.has_head:
        line = f"---{layout.newline}{line}---{layout.newline}"
    return (Fix(f"Add `{key}: {text}`", (Edit(layout.start, layout.start, line),), preferred=True),)


def close(layout: Layout) -> Fix:
    """The line that ends the front matter."""
    gap = "" if layout.text[layout.end - 1 : layout.end] in ("\n", "\r") else layout.newline
    return Fix("End the front matter", (Edit(layout.end, layout.end, f"{gap}---{layout.newline}"),), preferred=True)


def quote(layout: Layout, place: int) -> tuple[Fix, ...]:
    """The value of the line in quotes, where that makes YAML of the head: most of all, `title: Use this: that`."""
    text = layout.text
    line = max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1
    found = _PAIR.match(text, max(line, layout.start), layout.end)
    if found is None or not found[2].strip():
        return ()
    raw = found[2].rstrip()
    inner = raw.strip("\"'") if raw[0] in "\"'" else raw
    edit = Edit(found.start(2), found.start(2) + len(raw), emit(inner))
    changed = text[layout.start : edit.start] + edit.text + text[edit.end : layout.end]
    try:
        frontmatter.read(changed)
    except frontmatter.Broken:
        return ()
    return (Fix("Put the value in quotes", (edit,), preferred=True),)


def take_out(layout: Layout, start: int, end: int, rule: str) -> Fix:
    """A note in place of a secret; its lines stay as many as they were."""
    if start < layout.body:
        instead = REMOVED
    else:
        instead = f"[redacted: {rule}]" + "".join(re.findall(r"\r\n|\n|\r", layout.text[start:end]))
    return Fix("Take the secret out", (Edit(start, end, instead),), preferred=True)


def _edit(layout: Layout, start: int, end: int, text: str) -> Edit:
    return Edit(layout.start + start, layout.start + end, text)
