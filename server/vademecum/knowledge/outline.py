"""The structure of a document: its sections, with anchors that stay the same under edits elsewhere.

A section is a heading and the text up to the next heading, whichever level that has; what stands before the first
heading is a section of its own. Sections lie in one another by their levels, and a skipped level is nobody. An anchor
is the slug of each heading on the way down, joined by `/`; a heading that repeats one of its siblings gets `-2`, `-3`,
…. So an anchor depends on the headings above it and on earlier siblings of the same name, and on nothing else.

Headings are found by a CommonMark parser: `#` in code, HTML, lists or quotations is none.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from attrs import frozen

from vademecum.files import frontmatter
from vademecum.files.plain_yaml import Value
from vademecum.knowledge.slug import slug
from vademecum.knowledge.types import MOST_LINES, TITLE_CHARACTERS, DocumentForm
from vademecum.work import Cancel

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

OUTLINE_VERSION = 2
"""Raised whenever the same text gets another outline; outlines kept by another version are made again."""

TOP_ANCHOR = "_top"
"""The anchor of what stands before the first heading. No slug begins with `_`."""

# {#id .class} after a heading, as several writers of documentation have it.
_ATTRIBUTES = re.compile(r"\{:?[ \t]*[#.][^{}]*\}")
# A line of front matter that is not quite YAML, such as a template's.
_HEAD_LINE = re.compile(r"[A-Za-z_][\w-]*:(?:\s|$)|[ \t#]|- |$")
_LONGEST_HEADING = 10_000
_MARKUP = re.compile(r"[\\`*_\[\]<>&!~]")
_UNSPACED = re.compile("[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]")


@frozen
class Heading:
    """A heading as it was found: its level, the line it begins at (from 1) and its text without markup."""

    level: int
    line: int
    title: str


@frozen
class Section:
    """One section.

    :param path: titles of the headings above it, from the top.
    :param parent: the place of the section it lies in, or -1.
    :param start: its first line, from 1: that of the heading.
    :param end: its last line that is not blank, included; `start` - 1 for an empty top section.
    """

    anchor: str
    title: str
    level: int
    path: tuple[str, ...]
    parent: int
    start: int
    end: int
    characters: int
    tokens: int


@frozen
class Outline:
    """The sections of a document in the order of its text. `title` is what the document calls itself, if it does."""

    title: str | None
    sections: tuple[Section, ...]

    @property
    def characters(self) -> int:
        """Of all sections."""
        return sum(section.characters for section in self.sections)

    @property
    def tokens(self) -> int:
        """Of all sections, estimated."""
        return sum(section.tokens for section in self.sections)

    def place(self, anchor: str) -> int | None:
        """Return which section has this anchor."""
        return next((place for place, section in enumerate(self.sections) if section.anchor == anchor), None)

    def children(self, place: int) -> tuple[Section, ...]:
        """Return the sections right below one."""
        return tuple(section for section in self.sections[place + 1 :] if section.parent == place)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with LF line ends, by the line model of `vademecum.files.lines`."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def headings_of(text: str, cancel: Cancel) -> tuple[str | None, int, tuple[Heading, ...]]:
    """Return the title in the front matter, how many lines that takes, and the headings of a Markdown text.

    None are looked for in a text of more than `MOST_LINES`, which is not imported, but may have been put there by hand.

    :raises Cancelled: soon after `cancel` is set, however long the text is.
    """
    if text.count("\n") > MOST_LINES:
        return None, 0, ()
    parts = frontmatter.split(text)
    title, skipped, body = None, 0, text
    values: Mapping[str, Value]
    if parts.head is not None:
        try:
            values = frontmatter.read(parts.head)
        except frontmatter.Broken:
            values = _read_leniently(parts.head)
        if values:
            named = values.get("title")
            title = " ".join(named.split())[:TITLE_CHARACTERS] if isinstance(named, str) else None
            body = parts.body
            skipped = len(lines_of(text[: len(text) - len(body)]))
    tokens = _parser().parse(body, {"cancel": cancel})
    headings = []
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            line = skipped + token.map[0] + 1
            headings.append(Heading(int(token.tag[1]), line, _plain(tokens[place + 1].content)))
    return title or None, skipped, tuple(headings)


def _read_leniently(head: str) -> Mapping[str, Value]:
    """What a head says that is no YAML; nothing where it is a text between two rules."""
    if len(head) > frontmatter.LONGEST or not all(map(_HEAD_LINE.match, head.split("\n"))):
        return {}
    return frontmatter.read_leniently(head)


def outline(text: str, title: str | None, skipped: int, headings: Sequence[Heading]) -> Outline:
    """Return the outline of a text whose headings are known.

    :param text: with LF line ends.
    :param skipped: lines of front matter, which belong to no section.
    """
    lines = lines_of(text)
    sections: list[Section] = []
    first = headings[0].line if headings else len(lines) + 1
    start = skipped + 1
    while start < first and not lines[start - 1].strip():
        start += 1
    if start < first or not headings:
        sections.append(_section(lines, TOP_ANCHOR, title or "", 0, (), -1, start, first - 1))
    above: list[int] = []
    taken: dict[int, dict[str, int]] = {}
    for number, heading in enumerate(headings):
        while above and sections[above[-1]].level >= heading.level:
            above.pop()
        parent = above[-1] if above else -1
        part = _free(slug(heading.title), taken.setdefault(parent, {TOP_ANCHOR: 1}))
        anchor = f"{sections[parent].anchor}/{part}" if above else part
        path = (*sections[parent].path, sections[parent].title) if above else ()
        last = headings[number + 1].line - 1 if number + 1 < len(headings) else len(lines)
        sections.append(_section(lines, anchor, heading.title, heading.level, path, parent, heading.line, last))
        above.append(len(sections) - 1)
    if title is None:
        title = next((heading.title for heading in headings if heading.level == 1 and heading.title), None)
    return Outline(title, tuple(sections))


def read_outline(text: str, form: DocumentForm, cancel: Cancel) -> Outline:
    """Return the outline of a text with LF line ends; a plain text is one section."""
    if form is DocumentForm.TEXT:
        return outline(text, None, 0, ())
    return outline(text, *headings_of(text, cancel))


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a language model takes `text` for: one for four characters, or for one of CJK."""
    unspaced = 0 if text.isascii() else len(_UNSPACED.findall(text))
    return unspaced + (len(text) - unspaced + 3) // 4


def _section(
    lines: Sequence[str], anchor: str, title: str, level: int, path: tuple[str, ...], parent: int, start: int, end: int
) -> Section:
    while end > start and not lines[end - 1].strip():
        end -= 1
    text = "\n".join(lines[start - 1 : end])
    return Section(anchor, title, level, path, parent, start, end, len(text), estimated_tokens(text))


def _free(part: str, taken: dict[str, int]) -> str:
    """Take a name that no sibling has. `taken` tells for each the last number that was tried with it, so that ten
    thousand headings of one name need no hundred million looks.
    """
    free, number = part, taken.get(part, 1)
    while free in taken:
        number += 1
        free = f"{part}-{number}"
    taken[part] = number
    taken.setdefault(free, 1)
    return free


def _plain(content: str) -> str:
    """The text of a heading without its markup, on one line."""
    content = content[:_LONGEST_HEADING].rstrip()
    if content.endswith("}") and (found := _ATTRIBUTES.fullmatch(content, content.rfind("{"))):
        content = content[: found.start()]
    if _MARKUP.search(content):
        pieces: list[str] = []
        _collect(_inline_parser().parseInline(content)[0].children or (), pieces)
        content = "".join(pieces)
    return " ".join(content.split())[:TITLE_CHARACTERS]


def _collect(tokens: Sequence[Any], pieces: list[str]) -> None:
    for token in tokens:
        if token.type == "image":
            _collect(token.children or (), pieces)
        elif token.type in ("text", "code_inline", "text_special"):
            pieces.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            pieces.append(" ")


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock

    def stop_when_cancelled(state: StateBlock, _start: int, _end: int, _silent: bool) -> bool:
        state.env["cancel"].check()
        return False

    # What stands within a line makes no heading, and takes most of a parser's time.
    parser = MarkdownIt("commonmark").disable("inline")
    parser.block.ruler.before("code", "cancel", stop_when_cancelled)
    return parser


@cache
def _inline_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")
