"""Where in a hit an editor should put the cursor: the best matching word."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from vademecum.lexical.stems import stem
from vademecum.lexical.tokens import fold, has_unspaced, split_identifier
from vademecum.search.asking import Ask
from vademecum.search.entry import squeeze
from vademecum.search.types import Match

MAX_LINE = 2_000
"""Characters of a line that are looked through."""

DEFINES_BONUS = 3.0
"""A named symbol on a line counts so many times a plain word of the query."""

STEM_WEIGHT = 0.9
"""Of a word that shares only its stem with one of the query, beside 1 for that word itself."""

PART_WEIGHT = 0.7
"""Of each word of the query that is part of a longer one: `parse_config` answers *parse config*."""

_WORD = re.compile(r"\w+")


class Matcher:
    """Finds the best matching word of any number of hits of one query.

    :param rarity: how much a token of the query says; tokens that are missing say 1.
    """

    def __init__(self, ask: Ask, rarity: Mapping[str, float]) -> None:
        self._ask = ask
        self._rarity = rarity
        self._words = frozenset(ask.words)
        self._most = max(rarity.values(), default=1.0)
        self._needles = _needles(ask)
        self._ceiling = _ceiling(ask, rarity, self._most)
        self._unspaced = tuple(token for token in ask.tokens if len(token) > 1 and has_unspaced(token))
        # The words of code repeat; weighing each once makes an answer several times faster.
        self._weights: dict[str, float] = {}

    def best(self, lines: Sequence[str], first: int) -> Match | None:
        """The word that answers the query best; the earliest of equals. None when there is none.

        :param lines: text as it is shown; columns are those of the file wherever nothing is redacted before them.
        :param first: the one-based number of the first line.
        """
        best: tuple[int, int, int, int] | None = None
        weight, weights = 0.0, self._weights
        for row in self._rows(lines):
            line = lines[row][:MAX_LINE]
            # Where a word stands is looked for only when it is the best so far: most words of code are not.
            for place, text in enumerate(_WORD.findall(line)):
                found = weights.get(text)
                if found is None:
                    found = self._worth(text)
                if found > weight:
                    best, weight = (row, place, 0, 0), found
            for start, end, text in self._runs(line):
                if (found := self._worth(text)) > weight:
                    best, weight = (row, -1, start, end), found
            if weight >= self._ceiling:
                break  # nothing that follows can be better, and of equals the first counts
        if best is None:
            return None
        row, place, start, end = best
        if place >= 0:
            start, end = next(islice(_WORD.finditer(lines[row][:MAX_LINE]), place, None)).span()
        return Match(first + row, start, end)

    def rows(self, lines: Sequence[str]) -> list[int]:
        """Places in `lines`, from 0, of those that hold words of the query, the best line first."""
        worth = {
            row: max((self._worth(text) for _, _, text in self._spans(lines[row][:MAX_LINE])), default=0.0)
            for row in self._rows(lines)
        }
        return sorted((row for row, weight in worth.items() if weight > 0), key=lambda row: (-worth[row], row))

    def _worth(self, text: str) -> float:
        found = self._weights.get(text)
        if found is None:
            found = self._weights[text] = self._weight(text)
        return found

    def _rows(self, lines: Sequence[str]) -> list[int]:
        """The lines that may hold a matching word: looking for substrings is far cheaper than cutting into words."""
        if not lines:
            return []
        text = "\n".join(lines).lower()
        rows = set() if text.isascii() else {row for row, line in enumerate(lines) if not line.isascii()}
        for needle in self._needles:
            row = start = 0
            while (place := text.find(needle, start)) >= 0:
                row += text.count("\n", start, place)
                rows.add(row)
                end = text.find("\n", place)
                if end < 0:
                    break
                row, start = row + 1, end + 1
        return sorted(rows)

    def _spans(self, line: str) -> Iterator[tuple[int, int, str]]:
        for found in _WORD.finditer(line):
            yield found.start(), found.end(), found.group()
        yield from self._runs(line)

    def _runs(self, line: str) -> Iterator[tuple[int, int, str]]:
        """Words of a script without spaces: what the query spells, wherever it stands."""
        for token in self._unspaced:
            for found in re.finditer(re.escape(token), line):
                yield found.start(), found.end(), token

    def _weight(self, text: str) -> float:
        ask, rarity = self._ask, self._rarity
        lower, root, squeezed, parts = _word_forms(text)
        if squeezed in ask.named:
            return DEFINES_BONUS * self._most
        if lower in ask.tokens:
            return ask.tokens[lower] * rarity.get(lower, 1.0)
        if root in self._words:
            return STEM_WEIGHT * rarity.get(root, 1.0)
        if parts.isdisjoint(self._words):
            return 0.0
        # `parse_config` answers *parse config* better than `config` does.
        return sum(PART_WEIGHT * rarity.get(part, 1.0) for part in parts & self._words)


def _ceiling(ask: Ask, rarity: Mapping[str, float], most: float) -> float:
    """What no word can be worth more than."""
    spelled = (weight * rarity.get(token, 1.0) for token, weight in ask.tokens.items())
    words = [rarity.get(word, 1.0) for word in ask.words]
    named = DEFINES_BONUS * most if ask.named else 0.0
    return max(named, *spelled, STEM_WEIGHT * max(words, default=0.0), PART_WEIGHT * sum(words), 0.0)


def _needles(ask: Ask) -> tuple[str, ...]:
    """Substrings of which any matching word of an ASCII line holds one."""
    # Stems are beginnings of their words, but for a final y that became i.
    roots = {word[:-1] if word.endswith("i") and len(word) > 1 else word for word in ask.words}
    return tuple(roots | ask.tokens.keys())


@lru_cache(maxsize=50_000)
def _word_forms(text: str) -> tuple[str, str, str, frozenset[str]]:
    """A word in lower case, its stem, it squeezed, and the stems of its parts."""
    folded = fold(text)
    lower = folded.strip("_").lower()
    return lower, stem(lower), squeeze(folded), frozenset(stem(part) for part in split_identifier(folded))
