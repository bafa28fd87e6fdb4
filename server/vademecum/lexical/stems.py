"""English stems, so that *indexing* finds *index*; by the Snowball project's English stemmer."""

import re
import threading
from functools import lru_cache

import Stemmer

SHORTEST = 4
"""Words below this many letters are left alone: *as*, *is*, *his* lose more by stemming than they gain."""

LONGEST = 32
"""Words above this many letters are identifiers run together, not English."""

_ENGLISH_WORD = re.compile(rf"[a-z]{{{SHORTEST},{LONGEST}}}")
# In C: the same words in pure Python take a third of the time that cutting files into tokens does.
_STEMMER = Stemmer.Stemmer("english")
_lock = threading.Lock()


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The English stem of a word in lower case; whatever is not plain letters comes back unchanged."""
    if _ENGLISH_WORD.fullmatch(word) is None:
        return word
    # A stemmer keeps the word it works on as its own state.
    with _lock:
        return str(_STEMMER.stemWord(word))
