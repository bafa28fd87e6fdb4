"""What text is found by: identifiers whole and in parts, words with their English stems, CJK characters and pairs.

Nothing here knows what the text is for; memory, code search and knowledge share it. Index and query must be cut by the
same functions, so a change of their output has to raise `TOKENS_VERSION`.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator

from vademecum.lexical.stems import stem

TOKENS_VERSION = 1
"""Raised whenever any function here gives other tokens for the same text; indexes made by another version are stale."""

MAX_TOKEN = 64
"""Longest token kept, in characters. What is longer is a hash, a blob or a line of dashes, and nobody asks for it."""

MAX_PARTS = 24
"""Most parts taken from one identifier: past it, it is generated or encoded text."""

MEMO_ENTRIES = 200_000
"""Identifiers whose tokens are remembered; about 40 MB when full, then it starts afresh."""

_ASCII_WORD = re.compile(r"[A-Za-z0-9_]+")
_WORD = re.compile(r"\w+")
# XML2Json -> XML 2 Json; parseHTTPResponse -> parse HTTP Response; v2 -> v 2.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_UNICODE_PART = re.compile(r"[^\W\d_]+|\d+")
# Scripts written without spaces between words: Han, kana, Hangul and jamo, bopomofo; Thai, Lao, Myanmar and Khmer with
# their vowel signs, which \w does not take for letters.
_UNSPACED = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u30ff\u3100-\u318f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u0e01-\u0e4e\u0e80-\u0ece\u1000-\u103f\u1780-\u17d3"
)
WORD_CHARACTER = rf"[^\W{_UNSPACED}]"
"""Pattern of one character of a word in a script that puts spaces between its words."""

_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_RUN_OR_WORD = re.compile(f"[{_UNSPACED}]+|[^\\W{_UNSPACED}]+")
_ACCENT = re.compile("[\u0300-\u036f]")


def fold(text: str) -> str:
    """The same text with full-width forms, ligatures and accents reduced to their plain letters; case is kept.

    Hangul syllables and kana with voicing marks stay whole: only the Latin, Greek and Cyrillic accents go.
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFKD", text)))


def has_unspaced(text: str) -> bool:
    """Whether the text holds characters of a script that is written without spaces (Chinese, Japanese, Thai, …)."""
    return not text.isascii() and _UNSPACED_RUN.search(text) is not None


def apart(text: str) -> str:
    """The text with spaces around what is written in scripts without them: 实现Session的 holds a word Session."""
    return text if text.isascii() else _UNSPACED_RUN.sub(r" \g<0> ", text)


def code_tokens(text: str) -> list[str]:
    """Tokens of source code, in order and with repeats: each identifier whole, in lower case, and its parts.

    `parseHTTPResponse` gives parsehttpresponse, parse, http, response; `MAX_SIZE2` gives max_size2, max, size, 2. Runs
    of unspaced scripts give each character and each pair of neighbours. Never fails, and no token holds white space.
    """
    return [token for word in _words(text) for token in _cut(word)]


def prose_tokens(text: str) -> list[str]:
    """Tokens of prose, in order and with repeats: the English stem of each word, and of each part of an identifier.

    Words in other scripts stay as they are, in lower case; unspaced scripts as in `code_tokens`.
    """
    return [stem(token) for token in code_tokens(text)]


def index_text(text: str) -> str:
    """What an index of code holds for this text: `code_tokens` and the stems that differ from them, joined by spaces.

    Meant for a field with a white-space tokenizer. Much faster than joining lists, since a word is cut only once.
    """
    if text.isascii():
        return " ".join(filter(None, map(_MEMO.__getitem__, _ASCII_WORD.findall(text))))
    return " ".join(filter(None, map(_MEMO.__getitem__, _words(text))))


def prose_text(text: str) -> str:
    """What an index of prose holds for this text: `prose_tokens`, joined by spaces; as fast as `index_text`."""
    words = _ASCII_WORD.findall(text) if text.isascii() else _words(text)
    return " ".join(filter(None, map(_PROSE_MEMO.__getitem__, words)))


def query_tokens(text: str) -> dict[str, float]:
    """The distinct tokens a query asks for in text made by `index_text`, each with a weight in (0, 2].

    A plain word weighs 1. An identifier of several parts weighs 2 and each part 0.3, so that `user_id` comes before
    every `user` and every `id` in however short a text. A stem weighs half of its word; a single character of a longer
    CJK run 0.2, as its pairs carry the meaning.
    """
    weights: dict[str, float] = {}

    def add(token: str, weight: float) -> None:
        if weights.get(token, 0.0) < weight:
            weights[token] = weight

    for word in _words(text):
        if _UNSPACED_RUN.fullmatch(word):
            for token in _unspaced(word):
                add(token, 0.2 if len(token) == 1 < len(word) else 1.0)
            continue
        tokens = _cut(word)
        for position, token in enumerate(tokens):
            weight = 1.0 if len(tokens) == 1 else 2.0 if position == 0 else 0.3
            add(token, weight)
            root = stem(token)
            if root != token and (position or len(tokens) == 1):
                add(root, 0.5 * weight)
    return weights


def forget() -> None:
    """Give back the memory that remembered identifiers take; the next text is cut a little slower."""
    _MEMO.clear()
    _PROSE_MEMO.clear()


def split_identifier(identifier: str) -> list[str]:
    """The parts of one identifier in lower case: at underscores, changes of case, and between letters and digits."""
    if not identifier.isascii():
        return [part.lower() for part in _UNICODE_PART.findall(identifier)]
    return [part.lower() for part in _PART.findall(identifier)]


def _words(text: str) -> Iterator[str]:
    if text.isascii():
        yield from _ASCII_WORD.findall(text)
        return
    folded = fold(text)
    if _UNSPACED_RUN.search(folded) is None:
        yield from _WORD.findall(folded)
    else:
        yield from _RUN_OR_WORD.findall(folded)


def _cut(word: str) -> list[str]:
    """The tokens of one word as `_words` gives it, the whole of it first."""
    if not word.isascii() and _UNSPACED_RUN.fullmatch(word):
        return _unspaced(word)
    whole = word.strip("_").lower()
    if not whole:
        return []
    if len(whole) <= 2 or (whole == word and whole.isascii() and whole.isalpha()):
        return [whole] if len(whole) <= MAX_TOKEN else []
    parts = split_identifier(word)
    if len(parts) > MAX_PARTS:
        return [whole] if len(whole) <= MAX_TOKEN else []
    tokens = [whole, *parts] if len(parts) > 1 else [whole]
    return [token for token in tokens if len(token) <= MAX_TOKEN]


def _unspaced(run: str) -> list[str]:
    return [*run, *(run[start : start + 2] for start in range(len(run) - 1))]


def _joined(word: str) -> str:
    tokens = _cut(word)
    # An identifier of several parts is no English word, its parts are.
    words = tokens[1:] if len(tokens) > 1 else tokens
    return " ".join([*tokens, *(root for token in words if (root := stem(token)) != token)])


def _stems(word: str) -> str:
    return " ".join(map(stem, _cut(word)))


class _Memo(dict[str, str]):
    """Word -> its joined tokens. A plain dict, since looking up is what tokenising mostly does."""

    def __init__(self, joined: Callable[[str], str]) -> None:
        super().__init__()
        self._joined = joined

    def __missing__(self, word: str) -> str:
        joined = self._joined(word)
        # Long words are mostly unique (hashes, sentences without spaces): keeping them would only push out the others.
        if len(word) <= 40:
            if len(self) >= MEMO_ENTRIES:
                self.clear()
            self[word] = joined
        return joined


_MEMO = _Memo(_joined)
_PROSE_MEMO = _Memo(_stems)
