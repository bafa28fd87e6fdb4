"""Lists of instructions, as people keep them in `CLAUDE.md`, `AGENTS.md` or `copilot-instructions.md`.

Each item of a list at its outer level becomes a rule, with what is indented below it. Paragraphs are explanation and
stay where they are.
"""

from collections.abc import Iterator

from vademecum.files import frontmatter
from vademecum.memory.note import title_of
from vademecum.memory.record import Record, one_line
from vademecum.memory.transfer.markdown import Block, blocks
from vademecum.memory.transfer.types import Incoming, Malformed, Parsed, SourceText
from vademecum.memory.types import Category, Scope

#: Files of instructions, by their names in lower case.
FILES = frozenset(
    {
        "claude.md",
        "claude.local.md",
        "agents.md",
        "agent.md",
        "gemini.md",
        "codebuddy.md",
        "copilot-instructions.md",
        ".cursorrules",
        ".windsurfrules",
        ".clinerules",
        ".codebuddyrules",
    }
)


def parse(source: SourceText) -> Iterator[Parsed]:
    """Yield a rule for each item of a list; a file without any is told."""
    parts = frontmatter.split(source.text)
    before = (parts.opening + (parts.head or "") + parts.closing).count("\n")
    body = parts.body
    found = False
    for block in blocks(body):
        if not isinstance(block, Block) or not block.listed:
            continue
        found = True
        where = f"{source.path or 'text'} line {block.line + before}"
        if block.text.startswith("@") and len(block.text.split()) == 1:
            yield Malformed(where, f"it refers to another file; import {block.text[1:200]} itself")
        else:
            yield Incoming(_record(block), where, _scope(source))
    if not found:
        yield Malformed(source.path or "text", "there is no list in it; only items of lists are imported")


def _record(block: Block) -> Record:
    title = title_of(block.text)
    # The heading at the top names the document; the one right above says what the item is about.
    about = block.headings[-1] if len(block.headings) > 1 else ""
    title = one_line(f"{about}: {title}" if about else title)
    return Record(id=None, title=title, content=block.text, category=Category.RULE, type="")


def _scope(source: SourceText) -> Scope | None:
    """What lies in the user's own folder of a program holds everywhere."""
    return Scope.USER if source.above[-1:] in ((".claude",), (".codex",), (".gemini",)) and not source.inside else None
