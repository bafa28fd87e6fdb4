"""What comes out of the gate: the content of a file, or the reason why there is none."""

import codecs
import hashlib
import os
from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property

from attrs import define, field, frozen

from vademecum.files import lines as line_model

#: A NUL byte among this many first bytes makes a file binary (the rule of git and of the system we follow, 4 KiB).
BINARY_PROBE_BYTES = 4096
#: A line longer than this, in bytes, is not written by hand: several screens of unbroken text.
LONG_LINE_BYTES = 5_000
#: A line longer than this, in bytes, can be neither cut into chunks nor shown, whatever else the file holds.
MONSTER_LINE_BYTES = 100_000
#: How old a file's last change must be before equal stamps prove equal bytes, in nanoseconds. File systems keep times
#: in ticks (a few milliseconds on Linux, 2 s on FAT), so a second edit within one tick of the first leaves no trace.
SETTLED_AFTER_NS = 2_500_000_000


class Reason(StrEnum):
    """Why a path is not read."""

    OUTSIDE = "outside"
    SYMLINK = "symlink"
    IGNORED = "ignored"
    VERSION_CONTROL = "versionControl"
    WORKTREE = "worktree"
    OWN = "own"
    DEPENDENCY = "dependency"
    SECRET_NAME = "secretName"
    BAD_NAME = "badName"
    BINARY = "binary"
    ENCODING = "encoding"
    TOO_LARGE = "tooLarge"
    MINIFIED = "minified"
    SPECIAL = "special"
    NO_PERMISSION = "noPermission"
    MISSING = "missing"
    UNREADABLE = "unreadable"
    SILENT = "silent"


@frozen
class Refused:
    """A path that the gate does not let through.

    :param reason: why, from the closed set.
    :param detail: one clause for a person; never holds content, nor a path outside the workspace.
    """

    reason: Reason
    detail: str = ""


@frozen
class Stamp:
    """What `stat` says of a file; two equal stamps mean the same bytes, provided the older one is settled."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> "Stamp":
        """Return the stamp in a result of `stat`."""
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)

    def settled(self, now_ns: int) -> bool:
        """Whether the file was left alone for long enough, at `now_ns` (wall clock), for this stamp to be trusted.

        A stamp from the future (clock set back, restored archive) is never settled.
        """
        return max(self.mtime_ns, self.ctime_ns) + SETTLED_AFTER_NS <= now_ns


@define(frozen=True, slots=False)
class Content:
    """A file's content as it was at one moment.

    :param path: relative to the gate's `top`, with `/`.
    :param data: the real bytes; an unsaved text as UTF-8.
    :param from_buffer: whether this is unsaved text of the editor rather than the disk.
    :param stamp: taken before the bytes were read; None for unsaved text.
    """

    path: str
    data: bytes = field(repr=False)
    from_buffer: bool = False
    stamp: Stamp | None = None

    @cached_property
    def lines(self) -> tuple[bytes, ...]:
        """Its lines by the line model (`vademecum.files.lines`)."""
        return line_model.split(self.data)

    def some_lines(self, start: int, end: int) -> Sequence[bytes]:
        """Lines `start` to `end` (one-based, included) of those, without cutting what follows them."""
        return line_model.normalise(self.data).split(b"\n", end)[start - 1 : end]

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 of the data."""
        return hashlib.sha256(self.data).digest()

    @cached_property
    def text(self) -> str:
        """The content as text: LF line ends, no byte order mark, U+FFFD for bytes that are not UTF-8.

        `text.split("\\n")[n - 1]` is line n.
        """
        return line_model.normalise(self.data).decode("utf-8", errors="replace")


def content(path: str, data: bytes, *, from_buffer: bool = False, stamp: Stamp | None = None) -> Content | Refused:
    """Return the content in `data`, or why it is not read: binary, a foreign encoding, minified."""
    refused = refuse_encoding(data)
    if refused is not None:
        return refused
    if has_long_line(data):
        refused = refuse_lines(line_model.split(data))
        if refused is not None:
            return refused
    return Content(path, data, from_buffer, stamp)


def refuse_encoding(data: bytes) -> Refused | None:
    """Refuse what is not text in an ASCII-compatible encoding.

    UTF-16 and UTF-32 are refused by their mark, though they are text: the line model is one of bytes, and to hash
    something else than the bytes would make references lie.
    """
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return Refused(Reason.ENCODING, "the file is UTF-32; only UTF-8 is read")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Refused(Reason.ENCODING, "the file is UTF-16; only UTF-8 is read")
    if data.find(b"\0", 0, BINARY_PROBE_BYTES) >= 0:
        return Refused(Reason.BINARY, "the file holds NUL bytes")
    return None


def has_long_line(data: bytes) -> bool:
    """Whether some line may be longer than `LONG_LINE_BYTES`; looks at one byte in some thousands of ordinary text.

    Only LF is taken for a line end here, so it says yes too often for a file with lone CRs.
    """
    place = 0
    while len(data) - place > LONG_LINE_BYTES:
        end = data.rfind(b"\n", place, place + LONG_LINE_BYTES + 1)
        if end < 0:
            return True
        place = end + 1
    return False


def refuse_lines(lines: Sequence[bytes]) -> Refused | None:
    """Refuse machine-made text: a monster line, or long lines that make up more than half of the file."""
    long = 0
    total = 0
    for line in lines:
        length = len(line)
        total += length + 1
        if length > LONG_LINE_BYTES:
            if length > MONSTER_LINE_BYTES:
                return Refused(Reason.MINIFIED, f"a line is longer than {MONSTER_LINE_BYTES:,} bytes")
            long += length
    if long * 2 > total:
        return Refused(Reason.MINIFIED, f"most of the file is in lines longer than {LONG_LINE_BYTES:,} bytes")
    return None
