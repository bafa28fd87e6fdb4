"""What the Markdown formats of other systems have in common: heads, items of lists, paragraphs."""

import re
from collections.abc import Iterator, Mapping

from attrs import frozen

from vademecum.files import frontmatter
from vademecum.files.frontmatter import Broken
from vademecum.files.plain_yaml import Value
from vademecum.memory.note import title_of

_ITEM = re.compile(r"^(?P<indent> {0,3})(?:[-*+]|\d{1,3}[.)])(?P<gap>[ \t]+|$)(?P<text>.*)$")
_HEADING = re.compile(r"^ {0,3}(?P<level>#{1,6})[ \t]+(?P<text>.+?)(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_CHECKBOX = re.compile(r"^\[[ xX]\][ \t]+")
_RULE = re.compile(r"^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
#: A key one level down, as in `metadata:` of Claude Code's later files.
_NESTED = r"^[ \t]+{key}:[ \t]*[\"']?([^\"'#\r\n]*?)[\"']?[ \t]*(?:#.*)?$"


@frozen
class Heading:
    """A heading, and its line counted from one."""

    level: int
    text: str
    line: int


@frozen
class Block:
    """An item of a list with all that is indented below it, or (`listed` false) a paragraph; `line` counts from one.

    :param headings: the texts of the headings that it stands under, the outermost first.
    """

    text: str
    line: int
    listed: bool
    headings: tuple[str, ...]


def head_of(text: str) -> tuple[Mapping[str, Value], str, str]:
    """Return the values of a file's front matter (as far as it can be read), the head itself, and the body."""
    parts = frontmatter.split(text)
    if parts.head is None:
        return {}, "", text
    head = parts.head[: frontmatter.LONGEST]
    try:
        return frontmatter.read(parts.head), head, parts.body
    except Broken:
        return frontmatter.read_leniently(head), head, parts.body


def nested(head: str, key: str) -> str:
    """Return the text of a key that stands one level down in a head, else nothing."""
    found = re.search(_NESTED.format(key=re.escape(key)), head, re.MULTILINE)
    return found[1].strip() if found else ""


def blocks(text: str) -> Iterator[Block | Heading]:
    """Yield the headings, the items of lists and the paragraphs of a text, in order. Comments are left out.

    An item ends where the next one of its level begins, at a line that is less indented after a blank one, at a
    heading or a rule; a fence within it is part of it whatever is in it.
    """
    yield from _Reader(_COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)).run()


def title_below(block: Block) -> str:
    """Return a title for a block: its first sentence, after the heading that it stands under.

    The heading at the top names the document; only one below it says what the block is about.
    """
    about = block.headings[-1] if len(block.headings) > 1 else ""
    title = title_of(first_paragraph(block.text))
    return f"{about}: {title}" if about else title


def first_paragraph(text: str) -> str:
    """Return the first paragraph of a text in one line, since whoever wrote it may have broken it anywhere."""
    lines: list[str] = []
    for line in text.strip().split("\n"):
        if lines and (not line.strip() or _ITEM.match(line) or _FENCE.match(line) or _HEADING.match(line)):
            break
        lines.append(line.strip())
    return " ".join(lines)


class _Reader:
    """Goes through the lines of a text once."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._headings: list[Heading] = []
        self._pieces: list[str] = []
        self._began = 0
        self._margin: int | None = None  # how far what belongs to the open item is indented; None outside of a list
        self._column = 0  # where the text of the open item begins
        self._fence = ""

    def run(self) -> Iterator[Block | Heading]:
        blank = True
        for number, line in enumerate(self._lines, 1):
            if self._fence:
                self._keep(line, number)
                if (found := _FENCE.match(line)) and found[1].startswith(self._fence):
                    self._fence = ""
                continue
            if not line.strip():
                blank = True
                if self._margin is None:
                    yield from self._close()
                elif self._pieces:
                    self._pieces.append("")
                continue
            belongs = self._margin is not None and _indent(line) >= self._margin
            if not belongs and (heading := _HEADING.match(line)):
                yield from self._close()
                yield self._enter(Heading(len(heading["level"]), heading["text"].strip(), number))
            elif not belongs and _RULE.match(line):
                yield from self._close()
            elif not belongs and (item := _ITEM.match(line)):
                yield from self._close()
                self._margin = len(item["indent"]) + 2
                self._column = item.start("text") if len(item["gap"]) <= 4 else self._margin
                self._began = number
                self._pieces.append(_CHECKBOX.sub("", item["text"]))
            else:
                if self._margin is not None and not belongs and blank:
                    yield from self._close()
                self._keep(line, number)
                if found := _FENCE.match(line):
                    self._fence = found[1]
            blank = False
        yield from self._close()

    def _keep(self, line: str, number: int) -> None:
        if not self._pieces:
            self._began = number
        text = line.lstrip(" \t")
        self._pieces.append(" " * max(0, _indent(line) - self._column) + text)

    def _enter(self, heading: Heading) -> Heading:
        self._headings = [above for above in self._headings if above.level < heading.level] + [heading]
        return heading

    def _close(self) -> Iterator[Block]:
        text = "\n".join(self._pieces).strip("\n").rstrip()
        if text.strip():
            headings = tuple(heading.text for heading in self._headings)
            yield Block(text, self._began, self._margin is not None, headings)
        self._pieces = []
        self._margin = None
        self._column = 0


def _indent(line: str) -> int:
    space = line[: len(line) - len(line.lstrip(" \t"))]
    return len(space.expandtabs(4))
