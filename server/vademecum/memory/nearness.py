"""Finding, among many texts, those that come close to one, without comparing it to all of them."""

import math
from collections import Counter
from collections.abc import Iterable

from vademecum.memory import alike

#: What rounding may add to a product.
_EXACT = 1e-9


class Nearness:
    """Sets of words by id. Texts that share `least` of their words share a rare one, so only those are looked at."""

    def __init__(self, least: float = alike.SIMILAR) -> None:
        self._least = least
        self._words: dict[str, frozenset[str]] = {}
        self._holding: dict[str, list[str]] = {}
        self._often: Counter[str] = Counter()

    def add(self, id: str, words: frozenset[str]) -> None:
        """Take in a text; one that is added under an id twice counts as it was first."""
        if id in self._words:
            return
        self._words[id] = words
        for word in words:
            self._holding.setdefault(word, []).append(id)
            self._often[word] += 1

    def words(self, id: str) -> frozenset[str]:
        """Return the words of a text that was taken in."""
        return self._words[id]

    def near(self, words: frozenset[str], limit: int, besides: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the ids of the texts that share at least the least share of all words with this one, best first."""
        candidates = self._candidates(words).difference(besides)
        # Of two sets of words the smaller may be all that they share, so it is no smaller than the least share.
        least, most = self._least * len(words) - _EXACT, len(words) / self._least + _EXACT
        fitting = (id for id in candidates if least <= len(self._words[id]) <= most)
        shares = ((alike.share(words, self._words[id]), id) for id in fitting)
        found = [(-share, id) for share, id in shares if share >= self._least]
        return tuple(id for _, id in sorted(found)[:limit])

    def _candidates(self, words: frozenset[str]) -> set[str]:
        # Of n words a text must hold at least `least` * n to share that much, so it holds one of any n - that + 1.
        needed = len(words) - math.ceil(self._least * len(words)) + 1
        rarest = sorted(words, key=lambda word: (self._often[word], word))[:needed]
        return {id for word in rarest for id in self._holding.get(word, ())}
