"""Where in a hit an editor should put the cursor: the best matching word."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate

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
        self._unspaced = tuple(token for token in ask.tokens if len(token) > 1 and has_unspaced(token))
        # The words of code repeat; weighing each once makes an answer several times faster.
        self._weights: dict[str, float] = {}

    def best(self, lines: Sequence[str], first: int) -> Match | None:
        """The word that answers the query best; the earliest of equals. None when there is none.

        :param lines: text as it is shown; columns are those of the file wherever nothing is redacted before them.
        :param first: the one-based number of the first line.
        """
        best, weight = None, 0.0
        for row in self._rows(lines):
            for start, end, text in self._spans(lines[row][:MAX_LINE]):
                found = self._worth(text)
                if found > weight:
                    best, weight = Match(first + row, start, end), found
        return best

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
        lower = [line.lower() for line in lines]
        text = "\n".join(lower)
        rows = set() if text.isascii() else {row for row, line in enumerate(lines) if not line.isascii()}
        starts = list(accumulate((len(line) + 1 for line in lower), initial=0))
        for needle in self._needles:
            place = text.find(needle)
            while 0 <= place < starts[-1]:
                row = bisect_right(starts, place) - 1
                rows.add(row)
                place = text.find(needle, starts[row + 1])
        return sorted(rows)

    def _spans(self, line: str) -> Iterator[tuple[int, int, str]]:
        for found in _WORD.finditer(line):
            yield found.start(), found.end(), found.group()
        # Words of a script without spaces: what the query spells, wherever it stands.
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
            return 0.9 * rarity.get(root, 1.0)
        if parts.isdisjoint(self._words):
            return 0.0
        # `parse_config` answers *parse config* better than `config` does.
        return sum(0.7 * rarity.get(part, 1.0) for part in parts & self._words)


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
