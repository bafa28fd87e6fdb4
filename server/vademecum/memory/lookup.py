"""Finding memories by words: BM25 over title, keywords, description and content, and whatever holds the very query.

Words are OR-joined with a floor, so that a question in plain words finds something. A few thousand memories are scored
in a millisecond without an index to keep, so nothing here can be out of date.
"""

import math
import threading
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from vademecum.lexical.tokens import prose_text, prose_tokens
from vademecum.memory.record import Record
from vademecum.memory.store import Item

#: BM25's usual constants (Robertson and Zaragoza, 2009): how fast repeats saturate, how much length counts.
_K1 = 1.2
_B = 0.75

#: What a word counts in each field.
_TITLE, _KEYWORDS, _DESCRIPTION, _CONTENT = 3, 3, 2, 1

#: Of what all words of the query could give, the part that a memory must reach to be an answer: one rare word of a
#: natural question suffices, one of its filler words does not.
FLOOR = 0.2

#: How much of the way to a full score a memory is lifted for holding the query as it was typed.
_LITERAL = 0.5


class Lookup:
    """Scores memories; keeps the words of those it has seen by the revision of their bytes."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._counts: dict[str, Counter[str]] = {}
        self._folded: dict[str, tuple[str, ...]] = {}

    def rank(self, query: str, items: Mapping[str, Item]) -> list[tuple[str, float]]:
        """Return the ids that answer the query with their scores in (0, 1], best first, ties by id."""
        with self._guard:
            self._keep(items)
            asked = Counter(prose_tokens(query))
            scores = self._bm25(asked, items)
            needle = fold(query)
            for id, item in items.items():
                if any(needle in text for text in self._folded[item.revision]):
                    score = scores.get(id, 0.0)
                    scores[id] = score + (1 - score) * _LITERAL
        return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))

    def holding(self, demands: Sequence[tuple[frozenset[str], int]], items: Mapping[str, Item]) -> set[str]:
        """Return the ids that meet one of the demands, each for so many of some words, in whichever field."""
        with self._guard:
            self._keep(items)
            found = set()
            for id, item in items.items():
                counts = self._counts[item.revision]
                if any(sum(map(counts.__contains__, words)) >= least for words, least in demands):
                    found.add(id)
        return found

    def forget(self) -> None:
        """Drop what is kept of memories seen before."""
        with self._guard:
            self._counts.clear()
            self._folded.clear()

    def _bm25(self, asked: Counter[str], items: Mapping[str, Item]) -> dict[str, float]:
        holding = {word: sum(word in self._counts[item.revision] for item in items.values()) for word in asked}
        weights = {
            word: math.log(1 + (len(items) - held + 0.5) / (held + 0.5)) * asked[word] for word, held in holding.items()
        }
        most = sum(weights.values()) * (_K1 + 1)
        if not most or not items:
            return {}
        lengths = {id: self._counts[item.revision].total() for id, item in items.items()}
        average = sum(lengths.values()) / len(lengths) or 1.0
        scores = {}
        for id, item in items.items():
            counts = self._counts[item.revision]
            damping = _K1 * (1 - _B + _B * lengths[id] / average)
            score = 0.0
            reached = 0.0
            for word, weight in weights.items():
                if count := counts.get(word, 0):
                    score += weight * count * (_K1 + 1) / (count + damping)
                    reached += weight * (_K1 + 1)
            if reached >= FLOOR * most:
                scores[id] = min(1.0, score / most)
        return scores

    def _keep(self, items: Mapping[str, Item]) -> None:
        wanted = {item.revision: item.record for item in items.values()}
        for revision, record in wanted.items():
            if revision not in self._counts:
                self._counts[revision] = _count(record)
                self._folded[revision] = tuple(map(fold, (record.title, record.content, "|".join(record.keywords))))
        if len(self._counts) > 2 * len(wanted) + 1_000:  # versions of long ago
            for revision in self._counts.keys() - wanted.keys():
                del self._counts[revision], self._folded[revision]


def fold(text: str) -> str:
    """Return the text without the difference of upper and lower case."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


def _count(record: Record) -> Counter[str]:
    counts: Counter[str] = Counter()
    fields: Sequence[tuple[int, str]] = (
        (_TITLE, record.title),
        (_KEYWORDS, " ".join(record.keywords)),
        (_DESCRIPTION, record.description),
        (_CONTENT, record.content),
    )
    for weight, text in fields:
        for word, count in Counter(prose_text(text).split()).items():
            counts[word] += weight * count
    return counts
