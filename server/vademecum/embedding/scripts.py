"""Which scripts a text is written in, and which ones a vocabulary can read."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Set
from enum import StrEnum


class Script(StrEnum):
    """The scripts that are told apart; letters of any other are `OTHER`."""

    LATIN = "latin"
    HAN = "han"
    KANA = "kana"
    HANGUL = "hangul"
    CYRILLIC = "cyrillic"
    GREEK = "greek"
    ARABIC = "arabic"
    HEBREW = "hebrew"
    DEVANAGARI = "devanagari"
    THAI = "thai"
    OTHER = "other"


# First code point of a block and its script (Unicode 16, Blocks.txt); a block lasts until the next entry.
_BLOCKS: tuple[tuple[int, Script], ...] = (
    (0x0000, Script.LATIN),
    (0x0370, Script.GREEK),
    (0x0400, Script.CYRILLIC),
    (0x0530, Script.OTHER),
    (0x0590, Script.HEBREW),
    (0x0600, Script.ARABIC),
    (0x0780, Script.OTHER),
    (0x0900, Script.DEVANAGARI),
    (0x0980, Script.OTHER),
    (0x0E00, Script.THAI),
    (0x0E80, Script.OTHER),
    (0x1100, Script.HANGUL),
    (0x1200, Script.OTHER),
    (0x1E00, Script.LATIN),
    (0x1F00, Script.GREEK),
    (0x2000, Script.OTHER),
    (0x2E80, Script.HAN),
    (0x3040, Script.KANA),
    (0x3100, Script.HAN),
    (0x3130, Script.HANGUL),
    (0x3190, Script.HAN),
    (0x31F0, Script.KANA),
    (0x3200, Script.HAN),
    (0xA000, Script.OTHER),
    (0xAC00, Script.HANGUL),
    (0xD800, Script.OTHER),
    (0xF900, Script.HAN),
    (0xFB00, Script.LATIN),
    (0xFB13, Script.OTHER),
    (0xFB1D, Script.HEBREW),
    (0xFB50, Script.ARABIC),
    (0xFE00, Script.OTHER),
    (0xFE70, Script.ARABIC),
    (0xFF00, Script.LATIN),
    (0xFF65, Script.KANA),
    (0xFFA0, Script.HANGUL),
    (0xFFE0, Script.OTHER),
    (0x20000, Script.HAN),
    (0x323B0, Script.OTHER),
)
_STARTS = [start for start, _ in _BLOCKS]

# Written without spaces: two characters are about one word.
_WITHOUT_SPACES = frozenset({Script.HAN, Script.KANA, Script.THAI})

READS_WORDS = 500
"""Tokens of an alphabet that a vocabulary has when it holds its words, not just its letters (BERT's English one has at
most 100 of any but Latin, a multilingual one thousands of each)."""

READS_HAN = 3_000
"""Characters and words of Han that make it readable: 3,500 characters are what everyday Chinese needs (the List of
Commonly Used Characters); vocabularies made for Western text carry up to 700."""


def script_of(char: str) -> Script | None:
    """The script of a letter; None for what is no letter."""
    return _BLOCKS[bisect_right(_STARTS, ord(char)) - 1][1] if char.isalpha() else None


def words(text: str) -> dict[Script, float]:
    """About how many words of each script a text has."""
    found: dict[Script, float] = {}
    before: Script | None = None
    for char in text:
        script = script_of(char)
        if script is not None and (script in _WITHOUT_SPACES or script is not before):
            found[script] = found.get(script, 0.0) + (0.5 if script in _WITHOUT_SPACES else 1.0)
        before = script
    return found


def share_read(scripts: Set[Script], text: str) -> float:
    """Which part of a text's words is in one of these scripts, 0 to 1; 1 for a text without letters."""
    found = words(text)
    total = sum(found.values())
    return sum(count for script, count in found.items() if script in scripts) / total if total else 1.0


def read_by(vocabulary: Iterable[str]) -> frozenset[Script]:
    """The scripts that a tokenizer's vocabulary was made for, judged by how many of its tokens are in each."""
    tokens: Counter[Script] = Counter()
    for token in vocabulary:
        met = {script for char in token if (script := script_of(char)) is not None}
        if len(met) == 1:
            tokens.update(met)
    return frozenset(
        script
        for script, count in tokens.items()
        if script is not Script.OTHER and count >= (READS_HAN if script is Script.HAN else READS_WORDS)
    )


def from_bytes_alphabet(token: str) -> str:
    """A token of a byte-level vocabulary as text; GPT-2's alphabet writes each byte as a printable character."""
    try:
        return bytes(_BYTES[char] for char in token).decode("utf-8", "ignore")
    except KeyError:
        return token


def _bytes_alphabet() -> dict[str, int]:
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + number): byte for number, byte in enumerate(rest)}


_BYTES = _bytes_alphabet()
