"""Which files are documents: Markdown and UTF-8 text. All else is refused, with what it is and what makes it one."""

import posixpath
import re
from itertools import pairwise

from vademecum.errors import ErrorKind, VademecumError
from vademecum.files import lines
from vademecum.files.content import Reason, refuse_encoding
from vademecum.knowledge.types import DocumentForm

MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdx"})
TEXT = frozenset({".txt", ".text"})

_PANDOC = "convert it to Markdown first, for example with `pandoc -t gfm`"
_PDF = "save it as text first, for example with `pdftotext`"
_OFFICE = "save it as Markdown or text first, in the program that made it"
#: Formats that hold text in a form of their own, and what to do about it.
FOREIGN = {
    **dict.fromkeys((".pdf", ".ps"), _PDF),
    **dict.fromkeys((".docx", ".odt", ".rtf", ".epub", ".pptx"), _PANDOC),
    **dict.fromkeys((".doc", ".xls", ".xlsx", ".ods", ".ppt", ".odp", ".pages"), _OFFICE),
    **dict.fromkeys((".htm", ".html", ".xhtml"), _PANDOC),
    **dict.fromkeys((".rst", ".adoc", ".asciidoc", ".org", ".tex", ".textile", ".ipynb", ".typ"), _PANDOC),
}

#: How the bytes of such formats begin, whatever the file is called.
_BEGINNINGS = (
    (re.compile(rb"%PDF-"), "a PDF file", _PDF),
    (re.compile(rb"\{\\rtf"), "a rich text file (RTF)", _PANDOC),
    (re.compile(rb"PK\x03\x04"), "an archive (ZIP), as office files and e-books are", _PANDOC),
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an office file", _OFFICE),
    (re.compile(rb"(?:\xef\xbb\xbf)?\s{0,64}<(?:!doctype\s+html|html[\s>])", re.IGNORECASE), "an HTML file", _PANDOC),
)
_PROBE_BYTES = 4_096
# Of ASCII text in UTF-16 every other byte is NUL; of other text far fewer, and still on one side.
_LEAST_NULS = 0.1


def form_of(name: str) -> DocumentForm:
    """Return how the structure of a file of that name is read.

    :raises VademecumError: `excluded` (`reason: format`) for a name of another format.
    """
    suffix = posixpath.splitext(name)[1].lower()
    if suffix in FOREIGN:
        raise _excluded("format", f"{name} is neither Markdown nor plain text: {FOREIGN[suffix]}.")
    return DocumentForm.MARKDOWN if suffix in MARKDOWN else DocumentForm.TEXT


def decoded(data: bytes) -> str:
    """Return the text of a file with LF line ends.

    :raises VademecumError: `excluded` with the reason `format`, `encoding` or `binary`.
    """
    for beginning, what, advice in _BEGINNINGS:
        if beginning.match(data):
            raise _excluded("format", f"It is {what}, neither Markdown nor plain text: {advice}.")
    refused = refuse_encoding(data)
    if refused is not None and refused.reason is Reason.ENCODING:
        name = "UTF-32" if "UTF-32" in refused.detail else "UTF-16"
        raise _excluded("encoding", f"It is {name}; convert it first: `iconv -f {name} -t UTF-8`.")
    if refused is not None or b"\0" in data:
        wide = _unmarked_utf16(data)
        if wide is not None:
            raise _excluded(
                "encoding", f"It seems to be UTF-16 without a mark; convert it first: `iconv -f {wide} -t UTF-8`."
            )
        raise _excluded("binary", "It is a binary file; only Markdown and UTF-8 text are documents.")
    plain = lines.normalise(data)
    try:
        return plain.decode("utf-8")
    except UnicodeDecodeError as error:
        line = plain.count(b"\n", 0, error.start) + 1
        raise _excluded("encoding", f"It is not UTF-8 (line {line:,}); {_conversion(plain)}.") from None


def _unmarked_utf16(data: bytes) -> str | None:
    probe = data[: _PROBE_BYTES & ~1]
    even, odd = probe[::2].count(0), probe[1::2].count(0)
    many, few = max(even, odd), min(even, odd)
    if len(data) % 2 or many < _LEAST_NULS * len(probe) / 2 or few * 20 > many:
        return None
    name = "UTF-16LE" if odd > even else "UTF-16BE"
    try:
        data.decode(name)
    except UnicodeDecodeError:
        return None
    return name


def _conversion(data: bytes) -> str:
    """What converts it. Where bytes that are not ASCII mostly stand side by side, they write a script of its own; else
    they are letters with accents among others.
    """
    high = [byte > 0x7F for byte in data[: 16 * _PROBE_BYTES]]
    beside = sum(one and other for one, other in pairwise(high))
    if beside * 2 >= sum(high):
        return (
            "convert it first with `iconv -f ENCODING -t UTF-8`, where ENCODING is mostly GB18030 or BIG5 for Chinese,"
            " SHIFT_JIS or EUC-JP for Japanese, EUC-KR for Korean, WINDOWS-1251 for Cyrillic"
        )
    return "convert it first, for example with `iconv -f ISO-8859-1 -t UTF-8`"


def _excluded(reason: str, message: str) -> VademecumError:
    return VademecumError(ErrorKind.EXCLUDED, message, reason=reason)
