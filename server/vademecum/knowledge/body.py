"""What is told of a text: the text without its secrets, and its outline. Made once for a revision and kept for a while.

Everything that leaves this room is made of the told text. Secrets are replaced line for line, so that lines have the
numbers they have in the source; hashes of evidence references alone are of the real text.
"""

import re
import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Collection
from functools import cached_property

from attrs import define, field

from vademecum.files.redact import redact
from vademecum.files.secrets import find
from vademecum.knowledge.outline import Outline, Section, lines_of
from vademecum.knowledge.types import DocumentForm
from vademecum.work import Cancel

MOST_CHARACTERS = 64 * 1024 * 1024
"""How much text is kept in memory; what was used longest ago goes first, and is read again when it is asked for."""


@define(frozen=True, slots=False)
class Body:
    """A text, as it is and as it is told."""

    text: str = field(repr=False)
    told: str = field(repr=False)
    outline: Outline
    redacted: int

    @cached_property
    def lines(self) -> list[str]:
        """The told text's lines."""
        return lines_of(self.told)

    @cached_property
    def real_lines(self) -> list[bytes]:
        """The real text's lines."""
        return [line.encode("utf-8") for line in lines_of(self.text)]

    def section_text(self, section: Section) -> str:
        """The told text of a section."""
        return "\n".join(self.lines[section.start - 1 : section.end])

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """The text of each section for finding phrases in: case folded, one blank for any white space."""
        return tuple(fold_phrase(self.section_text(section)) for section in self.outline.sections)

    @cached_property
    def unmarked(self) -> tuple[str, ...]:
        """The same without the marks of emphasis, code and links, as whoever reads the page sees it."""
        return tuple(map(without_marks, self.folded))


def fold_phrase(text: str) -> str:
    """A text as phrases are compared: whatever the case, however it is broken into lines, and whether a letter and its
    accent are one character or two.
    """
    plain = text if text.isascii() else unicodedata.normalize("NFC", text)
    return " ".join(plain.casefold().split())


_LINK = re.compile(r"!?\[([^\[\]]*+)\]\([^()\s]*+(?: [^()]*+)?\)")
_MARKS = re.compile(r"\*++|`++|~~|(?<!\w)_++(?=\w)|(?<=[^\W_])_++(?!\w)")


def without_marks(folded: str) -> str:
    """What `fold_phrase` gave, without Markdown's marks inside a line; a name such as `snake_case` keeps its own."""
    if not any(mark in folded for mark in "*`~_["):
        return folded
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", folded)).split())


def make_body(
    text: str, form: DocumentForm, read_outline: Callable[[str, DocumentForm, Cancel], Outline], cancel: Cancel
) -> Body:
    """Return what is told of a text."""
    secrets = len(find(text))
    told = redact(text) if secrets else text
    return Body(text, told, read_outline(told, form, cancel), secrets)


class Bodies:
    """The bodies used last, by key. Safe to use from several threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._bodies: OrderedDict[str, Body] = OrderedDict()
        self._characters = 0

    def get(self, key: str) -> Body | None:
        """Return the body kept under a key."""
        with self._guard:
            body = self._bodies.get(key)
            if body is not None:
                self._bodies.move_to_end(key)
            return body

    def keep(self, key: str, body: Body) -> None:
        """Keep a body, and let go of those used longest ago where there is too much."""
        with self._guard:
            if key in self._bodies:
                return
            self._bodies[key] = body
            self._characters += len(body.text)
            while self._characters > MOST_CHARACTERS and len(self._bodies) > 1:
                _, gone = self._bodies.popitem(last=False)
                self._characters -= len(gone.text)

    def retain(self, kept: Collection[str]) -> None:
        """Let go of all but these keys."""
        with self._guard:
            for key in [key for key in self._bodies if key not in kept]:
                self._characters -= len(self._bodies.pop(key).text)
