"""Lists of instructions, as people keep them in `CLAUDE.md`, `AGENTS.md` or `copilot-instructions.md`.

Each item of a list at its outer level becomes a memory, with what is indented below it: a rule when it says what is to
be done, else knowledge. Paragraphs are explanation and stay where they are.
"""

import re
from collections.abc import Iterator

from vademecum.files import frontmatter
from vademecum.memory.record import Record, one_line
from vademecum.memory.transfer.markdown import Block, blocks, title_below
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

#: CodeBuddy's own places for such a file, from the top of a project.
RULES = frozenset({".codebuddy/rules.md", ".codebuddy/rules/index.md"})


#: Words by which an item says what is to be done, wherever they stand; and verbs that begin a demand.
_NORM = re.compile(
    r"\b(?:must|never|always|should|shall|may not|do not|don['’]t|cannot|avoid|prefer|only|required?|ensure|make sure"
    r"|instead of|rather than|forbidden|allowed|no \w+|not)\b"
    r"|必须|不要|不得|不能|禁止|总是|务必|避免|优先|应该|应当|一律|尽量",
    re.IGNORECASE,
)
_DEMAND = re.compile(
    r"(?:please )?(?:add|apply|ask|be|break|call|check|choose|commit|consider|create|declare|define|delete|describe"
    r"|document|do|drop|end|explain|export|extract|fix|focus|follow|format|give|group|handle|import|include|indent|inspect"
    r"|keep|leave|limit|link|lint|log|look|make|match|mention|merge|mock|move|name|open|pass|pick|place|pin|put|read"
    r"|remove|rename|replace|report|return|reuse|review|rewrite|run|search|set|show|sort|split|start|state|stay|stick"
    r"|store|test|treat|update|use|validate|verify|wait|work|wrap|write)\b"
    r"|请|使用|用|保持|遵循|遵守|运行|检查|确保|编写",
    re.IGNORECASE,
)
_MARKS = re.compile(r"^[\s*_`~\"'(\[]+")


def parse(source: SourceText) -> Iterator[Parsed]:
    """Yield a memory for each item of a list; a file without any is told."""
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
    category = Category.RULE if is_norm(block.text) else Category.KNOWLEDGE
    return Record(id=None, title=one_line(title_below(block)), content=block.text, category=category, type="")


def is_norm(text: str) -> bool:
    """Whether a text says what is to be done rather than what there is."""
    return bool(_NORM.search(text) or _DEMAND.match(_MARKS.sub("", text)))


def _scope(source: SourceText) -> Scope | None:
    """What lies in the user's own folder of a program holds everywhere."""
    return Scope.USER if source.above[-1:] in ((".claude",), (".codex",), (".gemini",)) and not source.inside else None
