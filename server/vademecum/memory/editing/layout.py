"""Where the parts of a memory's text are: its front matter, the keys in it, and the body."""

import re
from collections.abc import Iterator

from attrs import frozen

from vademecum.files import frontmatter
from vademecum.files.frontmatter import Broken, Entry
from vademecum.memory.schema import BY_NAME

_MARK = "\ufeff"
_OPENING = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_KEY_LINE = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?=[ \t\r\n]|\Z)")
_GOES_ON = re.compile(r"[ \t]+\S|-[ \t]|#|\]")
_WORD_LINE = re.compile(r"[A-Za-z_][\w-]*[ \t]*(?:\r\n|\n|\r|\Z)")


@frozen
class Line:
    """A line of the head, in characters of the text; `end` is before its line end, `after` behind it."""

    start: int
    end: int
    after: int


@frozen
class Layout:
    """A text in its parts.

    :param text: all of it.
    :param start: where the head begins, behind its opening line; 0 or 1 where there is none.
    :param end: where the head ends, before its closing line.
    :param body: where the body begins.
    :param has_head: whether there is one.
    :param is_closed: whether it is ended; if not, the loader takes all of the text for the body.
    :param newline: the line end that the text uses.
    :param entries: the keys, with places counted in the head; None where it is no YAML.
    :param broken: why it is none.
    """

    text: str
    start: int
    end: int
    body: int
    has_head: bool
    is_closed: bool
    newline: str
    entries: tuple[Entry, ...] | None
    broken: Broken | None = None

    @property
    def head(self) -> str:
        """The head without the lines around it."""
        return self.text[self.start : self.end]

    def lines(self) -> Iterator[Line]:
        """The lines of the head."""
        place = self.start
        while place < self.end:
            found = _LINE.match(self.text, place, self.end)
            assert found is not None  # it matches anything
            yield Line(place, place + len(found[0].rstrip("\r\n")), found.end())
            place = found.end()

    def keys(self) -> tuple[str, ...]:
        """The keys that are there, as far as can be told where it is no YAML."""
        if self.entries is not None:
            return tuple(entry.key for entry in self.entries)
        found = (_KEY_LINE.match(self.text, line.start, line.end) for line in self.lines())
        return tuple(match[1] for match in found if match)


def lay_out(text: str) -> Layout:
    """Find the parts of a text. Never fails; a head that is being written counts before it is ended."""
    mark = len(_MARK) if text.startswith(_MARK) else 0
    plain = text[mark:]
    parts = frontmatter.split(plain)
    if parts.head is not None:
        start = mark + len(parts.opening)
        entries, broken = _read(parts.head)
        end = start + len(parts.head)
        return Layout(text, start, end, end + len(parts.closing), True, True, parts.newline, entries, broken)
    opening = _OPENING.match(plain)
    if opening is not None and (end := _unclosed(plain, opening.end())) > opening.end():
        start = mark + opening.end()
        entries, broken = _read(plain[opening.end() : end])
        return Layout(text, start, mark + end, mark + end, True, False, parts.newline, entries, broken)
    return Layout(text, mark, mark, mark, False, False, parts.newline, ())


def _unclosed(text: str, start: int) -> int:
    """Where a head that is not ended yet ends: before the first line that does not look like one of it.

    Nowhere when no line is like one of our keys, since a text may begin with a rule across the page.
    """
    place, ours = start, False
    while place < len(text):
        found = _LINE.match(text, place)
        assert found is not None
        key = _KEY_LINE.match(text, place)
        word = _WORD_LINE.match(text, place)
        if key is None and word is None and not _GOES_ON.match(text, place):
            break
        name = key[1] if key else found[0].strip() if word else ""
        ours = ours or name in BY_NAME or any(word is not None and each.startswith(name) for each in BY_NAME if name)
        place = found.end()
    return place if ours else start


def _read(head: str) -> tuple[tuple[Entry, ...] | None, Broken | None]:
    try:
        return frontmatter.entries(head), None
    except Broken as broken:
        return None, broken
