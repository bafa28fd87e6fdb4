"""CodeWhale's notes: `MEMORY.md` with a line for each, and what `/memory native export` makes of all of them.

The export puts each file under a heading that is its path; `global` holds everywhere, `workspace/<id>` belongs to the
repository whose origin has that SHA-256. The journal of retired notes is no memory.
"""

import re
from collections.abc import Iterator

from vademecum.memory.note import title_of
from vademecum.memory.record import Record
from vademecum.memory.transfer.markdown import Block, Heading, blocks, first_paragraph
from vademecum.memory.transfer.types import Incoming, Parsed, SourceText
from vademecum.memory.types import Category, Scope

FILE = "MEMORY.md"

#: A heading of an export: the path of the file whose text follows.
_EXPORTED = re.compile(r"^(?:.*[/\\])?(?:(global)|workspace[/\\]([0-9a-f]{8,128}))[/\\](MEMORY|JOURNAL)\.md$")
_JOURNAL = re.compile(r"^(?:.*[/\\])?JOURNAL\.md$")


def wants(path: str) -> bool:
    """Whether a file of the store's folder holds notes."""
    return path.rpartition("/")[2] == FILE


def is_exported(heading: str) -> bool:
    """Whether a heading is one that an export puts above each file."""
    return bool(_EXPORTED.match(heading) or _JOURNAL.match(heading))


def parse(source: SourceText) -> Iterator[Parsed]:
    """Yield the notes of a file, or of an export of several. Headings are none."""
    scope, project = _place(source)
    is_journal = False
    for block in blocks(source.text):
        if isinstance(block, Heading):
            if found := _EXPORTED.match(block.text):
                scope = Scope.USER if found[1] else Scope.PROJECT
                project = found[2] or ""
                is_journal = found[3] == "JOURNAL"
            elif _JOURNAL.match(block.text):
                is_journal = True
        elif isinstance(block, Block) and not is_journal:
            for line, text in _notes(block):
                record = Record(
                    id=None, title=title_of(first_paragraph(text)), content=text, category=Category.KNOWLEDGE, type=""
                )
                yield Incoming(record, f"{source.path or 'text'} line {line}", scope, project)


def _notes(block: Block) -> Iterator[tuple[int, str]]:
    """An item of the list is a note; so is each line of what somebody wrote below by hand without marks."""
    if block.listed or "```" in block.text or "~~~" in block.text:
        yield block.line, block.text
        return
    for offset, line in enumerate(block.text.split("\n")):
        if line.strip():
            yield block.line + offset, line.strip()


def _place(source: SourceText) -> tuple[Scope | None, str]:
    folders = source.folders
    if folders[-1:] == ("global",):
        return Scope.USER, ""
    if folders[-2:-1] == ("workspace",):
        # Whoever names the file or its folder says which one is meant; in the whole store the path says it.
        return Scope.PROJECT, folders[-1] if "/" in source.path else ""
    return None, ""
