"""English stems, so that *indexing* finds *index*; by the Snowball project's English stemmer."""

import re
import threading
from collections.abc import Callable
from functools import lru_cache

SHORTEST = 4
"""Words below this many letters are left alone: *as*, *is*, *his* lose more by stemming than they gain."""

LONGEST = 32
"""Words above this many letters are identifiers run together, not English."""

_ENGLISH_WORD = re.compile(rf"[a-z]{{{SHORTEST},{LONGEST}}}")
_lock = threading.Lock()


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    # Imported late: the package brings every language's tables along, and the server must start fast.
    import snowballstemmer

    stem_word: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord
    return stem_word


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The English stem of a word in lower case; whatever is not plain letters comes back unchanged."""
    if _ENGLISH_WORD.fullmatch(word) is None:
        return word
    # A stemmer keeps the word it works on as its own state.
    with _lock:
        return _stemmer()(word)
