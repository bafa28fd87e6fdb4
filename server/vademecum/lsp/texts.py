"""The texts of open documents, edited as the Language Server Protocol counts lines.

pygls cuts lines where Python does: at form feeds, NEL and U+2028 too, so that an edit below one of them lands on the
wrong line; and it goes through every line of a document for every keystroke. Here lines are those of the line model
(`vademecum.files.lines`), and an edit costs the copy of the text, some milliseconds for many megabytes.
"""

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from vademecum.api.calls import Encoding

#: Line ends are counted in stretches of this many characters, and looked at one by one in the last of them only.
_STRETCH = 1 << 16

_UNIT_BYTES = {"utf-8": 1, "utf-16": 2}


class Texts(Workspace):
    """pygls' workspace, with texts that are edited right."""

    def __init__(self, before: Workspace, encoding: Encoding) -> None:
        super().__init__(before.root_uri, before._sync_kind, list(before.folders.values()), before.position_encoding)
        self._encoding = encoding

    def _create_text_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> TextDocument:
        made = _Text(doc_uri, source, version, language_id, True, self._sync_kind, self.position_codec)
        made.encoding = self._encoding
        return made


class _Text(TextDocument):
    encoding: Encoding

    def _apply_incremental_change(self, change: types.TextDocumentContentChangePartial) -> None:
        self._source = edited(self.source, change.range, change.text, self.encoding)


def edited(text: str, span: types.Range, new: str, encoding: Encoding) -> str:
    """Return `text` with `new` in place of `span`. A place past the end of a line, or of the text, is that end."""
    start = offset(text, span.start, encoding)
    end = max(start, offset(text, span.end, encoding))
    return "".join((text[:start], new, text[end:]))


def offset(text: str, position: types.Position, encoding: Encoding) -> int:
    """Return where `position` is in `text`, in code points; a place within a character is its beginning."""
    start = line_start(text, max(position.line, 0))
    most = text[start : start + max(position.character, 0)]  # a character takes one unit at least
    for end in ("\n", "\r"):
        most = most.partition(end)[0]
    if encoding == "utf-32" or most.isascii():
        return start + len(most)
    units = position.character * _UNIT_BYTES[encoding]
    if encoding == "utf-8":
        data = most.encode("utf-8", "surrogatepass")
        while 0 < units < len(data) and data[units] & 0xC0 == 0x80:
            units -= 1
        return start + len(data[:units].decode("utf-8", "surrogatepass"))
    data = most.encode("utf-16-le", "surrogatepass")
    if 2 <= units < len(data) and data[units + 1] & 0xFC == 0xDC and data[units - 1] & 0xFC == 0xD8:
        units -= 2
    return start + len(data[:units].decode("utf-16-le", "surrogatepass"))


def line_start(text: str, line: int, place: int = 0) -> int:
    """Where a line begins, counted from 0 at `place`, which begins one; the end of the text when it has fewer."""
    left = line
    while left:
        stop = min(place + _STRETCH, len(text))
        if text[stop - 1 : stop] == "\r" and text[stop : stop + 1] == "\n":
            stop += 1
        ends = text.count("\n", place, stop)
        if returns := text.count("\r", place, stop):
            ends += returns - text.count("\r\n", place, stop)
        if ends >= left or stop == len(text):
            return _after(text, place, stop, left)
        place, left = stop, left - ends
    return place


def _after(text: str, place: int, stop: int, ends: int) -> int:
    """The offset after so many line ends from `place` on; `stop` when there are fewer before it."""
    for _ in range(ends):
        feed = text.find("\n", place, stop)
        back = text.find("\r", place, stop if feed < 0 else feed)
        if back >= 0:
            place = back + (2 if text.startswith("\r\n", back) else 1)
        elif feed >= 0:
            place = feed + 1
        else:
            return stop
    return place
