"""An open document as it was at one moment, and the places in it as the client counts them."""

from collections.abc import Iterable
from pathlib import Path

from attrs import evolve, frozen
from lsprotocol import types

from vademecum.api.calls import Encoding
from vademecum.api.positions import to_units
from vademecum.evidence.occurrences import Occurrence, Reading, find
from vademecum.lsp.texts import line_start
from vademecum.work import Cancel

#: How many references of one document are looked at; those after them are text like any other.
MAX_REFERENCES = 500

# As editors call it; `markdown` is LSP's own name.
_MARKDOWN = frozenset({"markdown", "md", "mdx", "gfm", "rmd", "quarto"})
_PLAIN = frozenset({"", "text", "plaintext", "txt", "fundamental"})


@frozen
class Snapshot:
    """What a document held.

    :param path: the file it is of; None for what lies in no file, such as `untitled:`.
    :param encoding: how the client counts characters.
    :param language: what the client calls its language; None where it says nothing.
    """

    uri: str
    version: int | None
    text: str
    path: Path | None
    encoding: Encoding
    language: str | None = None

    @property
    def is_markdown(self) -> bool:
        """Whether it is Markdown, by what the client calls its language, else by its name."""
        language = (self.language or "").lower()
        if language in _MARKDOWN:
            return True
        # Emacs and Vim call Markdown plain text where nothing for Markdown is installed.
        return language in _PLAIN and self.path is not None and self.path.suffix.lower() in (".md", ".markdown")

    def occurrences(self, cancel: Cancel) -> tuple[Occurrence, ...]:
        """The references in it, the first `MAX_REFERENCES` of them.

        :raises Cancelled: when told to stop.
        """
        return tuple(find(self.text, MAX_REFERENCES, cancel))

    def occurrences_on(self, first: int, last: int, cancel: Cancel) -> tuple[Occurrence, ...]:
        """The references on the lines `first` to `last` (from 0, both included), at most `MAX_REFERENCES`.

        :raises Cancelled: when told to stop.
        """
        start = line_start(self.text, first)
        end = line_start(self.text, last - first + 1, start)
        return tuple(
            evolve(
                one,
                end=one.end + start,
                line=one.line + first,
                line_start=one.line_start + start,
                readings=tuple(_moved(reading, start) for reading in one.readings),
                usual=_moved(one.usual, start),
            )
            for one in find(self.text[start:end], MAX_REFERENCES, cancel)
        )

    def ranges(self, spans: Iterable[tuple[Occurrence, int, int]]) -> list[types.Range]:
        """The LSP ranges of spans of text, each on the line of its occurrence; given in the order of the text.

        A line is counted through once, however many spans are on it and however long it is.
        """
        told: list[types.Range] = []
        line, offset, units = -1, 0, 0
        for occurrence, start, end in spans:
            if occurrence.line != line or start < offset:
                line, offset, units = occurrence.line, occurrence.line_start, 0
            edges = []
            for place in (start, end):
                units += self.units(offset, place)
                offset = place
                edges.append(types.Position(line, units))
            told.append(types.Range(*edges))
        return told

    def span(self, start: int, end: int) -> types.Range:
        """The LSP range of the text from `start` to `end`, which may be on different lines."""
        return types.Range(self._position(start), self._position(end))

    def _position(self, place: int) -> types.Position:
        before = self.text[:place]
        line = before.count("\n") + before.count("\r") - before.count("\r\n")
        start = max(before.rfind("\n"), before.rfind("\r")) + 1
        return types.Position(line, self.units(start, place))

    def units(self, start: int, end: int) -> int:
        """How many of the client's characters the text from `start` to `end` takes."""
        piece = self.text[start:end]
        return to_units(piece, len(piece), self.encoding)


def _moved(reading: Reading, by: int) -> Reading:
    return evolve(reading, start=reading.start + by)
