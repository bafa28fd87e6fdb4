"""What a word that is nearly right was meant to be, and what a file's name says of the memory in it."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from vademecum.memory.folder_store import SHORT_ID
from vademecum.memory.library import LETTERS
from vademecum.memory.schema import BY_NAME, KEYS

#: How like two words must be to be taken for one another, as difflib counts; `keyword`, `titel` and `catagory` are.
_LIKE = 0.75

_ALSO = {name: key.name for key in KEYS for name in key.also}

# A word of ordinary writing is seldom eight letters of ours with a digit among them. Digits of a hash are left out:
# they also stand where a file was given a name beside another's.
_SHORT = re.compile(rf"-((?=[a-z]*[0-9])(?=[0-9a-f]*[g-z])[{LETTERS}]{{{SHORT_ID}}})")


def nearest(word: str, among: Iterable[str] | None = None) -> str | None:
    """Return the key (or the one of `among`) that a word was meant to be, None when it is like none of them."""
    plain = word.strip().lower().replace(" ", "").replace("_", "").replace("-", "")
    names = tuple(BY_NAME if among is None else among)
    if plain in names:
        return plain
    if among is None and plain in _ALSO:
        return _ALSO[plain]
    found = get_close_matches(plain[:80], names, 1, _LIKE)
    return found[0] if found else None


def short_id_in(stem: str) -> str | None:
    """Return the beginning of an id in which a file's name ends, as Vademecum names files; None when it has none."""
    found = _SHORT.fullmatch(stem, max(0, len(stem) - SHORT_ID - 1))
    return found[1] if found else None
