"""The one line model: what a line of a file is, for the indexer, the verifier and the editor alike.

- LF, CRLF and a lone CR each end a line, as in the Language Server Protocol. Nothing else does: form feed, vertical
  tab, NEL, U+2028 and U+2029 are ordinary characters inside a line.
- Line ends are not part of a line, so a conversion between them changes no line, and neither does adding or removing
  the final line end: `a`, `a\\n` and `a\\r\\n` are one line `a`. Empty data has no line, a lone line end one.
- A UTF-8 byte order mark at the very start of a file is a mark, not text: editors never show it, so no line holds it.
- Nothing else is normalised: blanks, tabs, case and Unicode forms all count.

Lines are numbered from 1, and ranges include both ends.
"""

import codecs
import hashlib
from collections.abc import Sequence

BYTE_ORDER_MARK = codecs.BOM_UTF8


def normalise(data: bytes) -> bytes:
    """Return `data` without a leading UTF-8 byte order mark and with LF for every line end.

    A parser that is fed this sees the same line numbers as everyone else.
    """
    if data.startswith(BYTE_ORDER_MARK):
        data = data[len(BYTE_ORDER_MARK) :]
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data


def split(data: bytes) -> tuple[bytes, ...]:
    """Return the lines of `data`, without their ends."""
    lines = normalise(data).split(b"\n")
    if not lines[-1]:
        lines.pop()
    return tuple(lines)


def span(lines: Sequence[bytes], start: int, end: int) -> bytes | None:
    """Return lines `start` to `end` joined by LF, without a final one; None when the range is not inside `lines`."""
    if not 1 <= start <= end <= len(lines):
        return None
    return b"\n".join(lines[start - 1 : end])


def span_hash(lines: Sequence[bytes], start: int, end: int) -> str | None:
    """Return the SHA-256 of `span(lines, start, end)` as 64 lower-case hex digits; None when the range is outside."""
    text = span(lines, start, end)
    return None if text is None else hashlib.sha256(text).hexdigest()
