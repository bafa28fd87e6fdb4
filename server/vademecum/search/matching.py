"""Where in a hit an editor should put the cursor: the best matching word."""

import re
from collections.abc import Mapping, Sequence

from vademecum.lexical.stems import stem
from vademecum.lexical.tokens import fold, has_unspaced, split_identifier
from vademecum.search.asking import Ask
from vademecum.search.entry import squeeze
from vademecum.search.types import Match

MAX_LINE = 2_000
"""Characters of a line that are looked through."""

DEFINES_BONUS = 3.0
"""A named symbol on a line counts so many times a plain word of the query."""

_WORD = re.compile(r"\w+")


def best_match(lines: Sequence[str], first: int, ask: Ask, rarity: Mapping[str, float]) -> Match | None:
    """The word of the lines that answers the query best; the earliest of equals. None when there is none.

    :param lines: text as it is shown; columns are those of the file wherever nothing is redacted before them.
    :param first: the one-based number of the first line.
    :param rarity: how much a token of the query says; tokens that are missing say 1.
    """
    best: tuple[float, Match] | None = None
    words = frozenset(ask.words)
    for row, line in enumerate(lines):
        for start, end, text in _spans(line[:MAX_LINE], ask):
            weight = _weight(text, ask, words, rarity)
            if weight > 0 and (best is None or weight > best[0]):
                best = weight, Match(first + row, start, end)
    return None if best is None else best[1]


def _spans(line: str, ask: Ask) -> list[tuple[int, int, str]]:
    spans = [(found.start(), found.end(), found.group()) for found in _WORD.finditer(line)]
    if has_unspaced(line):
        # Words of a script without spaces: what the query spells, wherever it stands.
        for token in ask.tokens:
            if len(token) > 1 and has_unspaced(token):
                spans += [(found.start(), found.end(), token) for found in re.finditer(re.escape(token), line)]
    return spans


def _weight(text: str, ask: Ask, words: frozenset[str], rarity: Mapping[str, float]) -> float:
    folded = fold(text)
    lower = folded.strip("_").lower()
    if squeeze(folded) in ask.named:
        return DEFINES_BONUS * max(rarity.values(), default=1.0)
    if lower in ask.tokens:
        return ask.tokens[lower] * rarity.get(lower, 1.0)
    if stem(lower) in words:
        return 0.9 * rarity.get(stem(lower), 1.0)
    parts = {stem(part) for part in split_identifier(folded)} & words
    return max((0.7 * rarity.get(part, 1.0) for part in parts), default=0.0)
