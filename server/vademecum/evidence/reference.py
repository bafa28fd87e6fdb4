"""Evidence references: `path:start-end@hash`, naming exact lines of a file by their bytes.

The path is relative to the top of the repository, with `/`. The hash is the SHA-256 of the lines joined by LF, by the
line model of `vademecum.files.lines`; 16 hex digits are printed, 12 to 64 are accepted. A reference comes from
anywhere (a chat, a memory file of a stranger's repository), so everything about it is checked here, before any file
is touched.
"""

import re

from attrs import frozen

from vademecum.errors import ErrorKind, VademecumError
from vademecum.files.content import Content
from vademecum.files.lines import span_hash

#: How many hex digits of a hash are printed: 64 bits, which do not collide within one file.
PRINTED_DIGITS = 16
#: How many digits a hash must have to be taken.
LEAST_DIGITS = 12
#: The longest reference that is looked at, in characters: the longest path of common systems, and the rest.
MAX_CHARACTERS = 4_200

# Read from the right: a path may itself hold `:` and `@`. Line numbers of up to 9 digits reach beyond any file read.
_REFERENCE = re.compile(r"(?s)(.+):([1-9][0-9]{0,8})-([1-9][0-9]{0,8})@([0-9a-fA-F]{12,64})")
_LINES = re.compile(r"(?s)(.+):([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?")
_DRIVE = re.compile(r"[A-Za-z]:")


@frozen
class Reference:
    """Lines of a file.

    :param path: relative to the top of the repository, normalised.
    :param start: first line, from 1.
    :param end: last line, included.
    :param digest: 12 to 64 lower-case hex digits, the beginning of the span's SHA-256.
    """

    path: str
    start: int
    end: int
    digest: str

    @property
    def line_count(self) -> int:
        """How many lines are named."""
        return self.end - self.start + 1

    def __str__(self) -> str:
        # A file may be called `c:x` or `a\\b`; written so, it is taken neither for a drive letter nor for a folder.
        path = f"./{self.path}" if _DRIVE.match(self.path) or "\\" in self.path else self.path
        return f"{path}:{self.start}-{self.end}@{self.digest[:PRINTED_DIGITS]}"


def parse(text: str) -> Reference:
    """Return the reference written in `text`.

    Backslashes count as `/` and `.` parts are dropped, as references may have been written on Windows; but after a
    leading `./` a backslash is part of a name, as it may be elsewhere.

    :raises VademecumError: `invalidReference` for anything else than a well-formed reference to a plain relative path.
    """
    if len(text) > MAX_CHARACTERS:
        raise _invalid(f"a reference has at most {MAX_CHARACTERS:,} characters")
    match = _REFERENCE.fullmatch(text)
    if match is None:
        raise _invalid("write it as path:start-end@hash, with lines from 1 and 12 to 64 hex digits")
    start, end = int(match[2]), int(match[3])
    if end < start:
        raise _invalid("its last line comes before its first")
    return Reference(parse_path(match[1]), start, end, match[4].lower())


def parse_lines(text: str) -> tuple[str, int, int] | None:
    """Return path, first and last line of a reference without its hash, `path:start-end` or `path:line`.

    None when it has one, or is something else altogether.

    :raises VademecumError: `invalidReference` for lines or a path that no reference can name.
    """
    match = _LINES.fullmatch(text) if len(text) <= MAX_CHARACTERS else None
    if match is None:
        return None
    start = int(match[2])
    end = int(match[3] or start)
    if end < start:
        raise _invalid("its last line comes before its first")
    return parse_path(match[1]), start, end


def parse_path(text: str) -> str:
    """Return the normalised form of a path that came from outside.

    :raises VademecumError: `invalidReference` for an empty or absolute path, a drive letter, `..`, or a NUL.
    """
    if "\0" in text:
        raise _invalid("its path holds a NUL")
    path = text if text.startswith("./") else text.replace("\\", "/")
    if path.startswith("/"):
        raise _invalid("its path is absolute; paths are relative to the top of the repository")
    if _DRIVE.match(path):
        raise _invalid("its path has a drive letter; paths are relative to the top of the repository")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise _invalid("its path holds '..'")
    if not parts:
        raise _invalid("its path is empty")
    return "/".join(parts)


def mint(content: Content, start: int, end: int) -> Reference:
    """Return the reference to lines `start` to `end` of what was read.

    :raises VademecumError: `invalidReference` when there are no such lines.
    """
    digest = span_hash(content.lines, start, end)
    if digest is None:
        raise _invalid(f"lines {start}-{end} are not in the file, which has {len(content.lines)}")
    return Reference(content.path, start, end, digest)


def _invalid(why: str) -> VademecumError:
    return VademecumError(ErrorKind.INVALID_REFERENCE, f"Not a usable evidence reference: {why}.")
