"""Claude Code's memory folders: a file a memory, with `MEMORY.md` as the table of contents.

In older folders `MEMORY.md` holds the notes themselves, and topics are files without a head.
"""

import re
from collections.abc import Iterator

from vademecum.memory.record import Record, one_line
from vademecum.memory.transfer import headed
from vademecum.memory.transfer.listed import FILES
from vademecum.memory.transfer.markdown import Block, blocks, head_of, title_below
from vademecum.memory.transfer.types import Incoming, Malformed, Parsed, SourceText
from vademecum.memory.types import Category, Scope, Type

INDEX = "MEMORY.md"

#: What else lies in Claude's own folder.
_OTHERS = frozenset({"agents", "commands", "hooks", "output-styles", "plugins", "projects", "rules", "skills"})

#: A line of the table of contents: it begins with a link to a file beside it.
_LINK = re.compile(r"^\**\[[^\]]*\]\((?!\w+:)[^)\s]+\.md(?:#[^)]*)?\)|^`[^`\s]+\.md`")


def wants(path: str) -> bool:
    """Whether a file below the named folder is a memory, or the table of contents."""
    *folders, name = path.split("/")
    if not name.lower().endswith(".md") or name.lower() in FILES or any(part.startswith(".") for part in folders):
        return False
    # In Claude's own folder, and in `projects`, only what lies in a folder `memory` is meant.
    return "memory" in folders or not folders or (len(folders) == 1 and folders[0] not in _OTHERS)


def parse(source: SourceText) -> Iterator[Parsed]:
    """Yield the memory that a file is, or the notes in `MEMORY.md` that are no links to files."""
    if source.name == INDEX:
        yield from _notes(source)
        return
    where = source.path or "text"
    record = headed.read(source)
    if not record.content.strip():
        yield Malformed(where, "it has no text below its head")
        return
    # A folder belongs to a project; what is about the user holds everywhere.
    scope = Scope.USER if record.type.lower() == Type.USER else Scope.PROJECT
    yield Incoming(record, where, scope, _project(source))


def is_memory(source: SourceText) -> bool:
    """Whether a file has the head of a memory."""
    values, head, _ = head_of(source.text)
    return bool(head) and "name" in values and ("description" in values or "type" in values)


def _notes(source: SourceText) -> Iterator[Parsed]:
    for block in blocks(source.text):
        if not isinstance(block, Block) or _LINK.match(block.text):
            continue
        title = one_line(title_below(block))
        record = Record(id=None, title=title, content=block.text, category=Category.KNOWLEDGE, type="")
        yield Incoming(record, f"{source.path or 'text'} line {block.line}", Scope.PROJECT, _project(source))


def _project(source: SourceText) -> str:
    """The name of the project's folder in `projects/`, where the named folder holds several."""
    *folders, _ = source.path.split("/")
    if "memory" in folders[1:]:
        return folders[folders.index("memory", 1) - 1]
    return ""
