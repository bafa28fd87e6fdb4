"""Short forms of titles that serve as names: in anchors and in the names of files."""

import re
import unicodedata

ANCHOR_CHARACTERS = 80
"""Longest part of an anchor that one heading gives."""

#: What a part of an anchor, or a file, is called when its title has no letter, digit or picture.
FALLBACK = "section"

_FILE_BYTES = 60
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)")


def slug(title: str) -> str:
    """Return letters, marks and digits of any script in lower case, joined by single hyphens.

    A title of pictures alone (emoji) keeps them, since they are all that tells it from others. Marks that only steer
    how neighbours are shown (directions, joiners, variants) are dropped. Never empty, and holds no `/`.
    """
    folded = unicodedata.normalize("NFKC", title).casefold()
    return _joined(folded, "LNM") or _joined(folded, "SNM") or FALLBACK


def file_slug(title: str) -> str:
    """Return a slug that every file system takes as a part of a name."""
    made = _joined(unicodedata.normalize("NFKC", title).casefold(), "LN") or "document"
    cut = made.encode("utf-8", "ignore")[:_FILE_BYTES].decode("utf-8", "ignore").strip("-")
    return "document" if not cut or _DEVICES.fullmatch(cut) else cut


def _joined(text: str, kinds: str) -> str:
    kept = "".join(char if _is_kept(char, kinds) else " " for char in text if unicodedata.category(char) != "Cf")
    return "-".join(kept.split())[:ANCHOR_CHARACTERS].strip("-")


def _is_kept(char: str, kinds: str) -> bool:
    if "\ufe00" <= char <= "\ufe0f":  # how a character is shown, not which one it is
        return False
    return unicodedata.category(char)[0] in kinds
