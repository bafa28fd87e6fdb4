"""Names for files and folders that a person can read and every file system takes."""

import re
import unicodedata

#: Longest readable part, in bytes of UTF-8: with what is put behind it, every file system's 255 bytes are far away.
_SLUG_BYTES = 60

#: Names that Windows keeps for devices.
_DEVICES = re.compile(r"^(?:con|prn|aux|nul|com\d|lpt\d)$")


def slug(text: str, fallback: str) -> str:
    """Return lower-case letters and digits of any script, joined by single hyphens; `fallback` when it has none."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    joined = re.sub(r"[\W_]+", "-", folded).strip("-")
    cut = joined.encode("utf-8", "ignore")[:_SLUG_BYTES].decode("utf-8", "ignore").strip("-")
    return fallback if not cut or _DEVICES.match(cut) else cut


def printable(name: str) -> str:
    """Return a path or name as text that every store and protocol takes; bytes that are not UTF-8 become escapes."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
