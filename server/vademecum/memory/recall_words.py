"""How well the words of a prompt are answered by memories: BM25 over all their fields, and which words met.

A few thousand memories are scored from postings in memory in some milliseconds; they are made anew when one changed.
Questions in Chinese also ask for the English names of developers' terms, and Chinese memories are found by theirs.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache

from attrs import frozen

from vademecum.lexical.glossary import in_english, terms
from vademecum.lexical.tokens import has_unspaced, prose_tokens
from vademecum.memory.record import Record

#: BM25's saturation, and less weight of length than usual: memories are all short.
_K1 = 1.2
_B = 0.5

#: What a word counts in each field, and what a translated one counts of that.
_TITLE, _KEYWORDS, _DESCRIPTION, _CONTENT = 3.0, 3.0, 2.0, 1.0
_TRANSLATED = 0.5

#: Weight of a question's filler words, of single characters of an unspaced script, and of a term's English name.
_FILLER = 0.1
_SINGLE = 0.25
_NAME = 0.6
_NAMES = 3

_FILLERS = (
    "a an and are as at be been by can could do does did for from get go had has have he her here him his how i if in"
    " into is it its just let like make may me might must my need no not of off on or our out over put she should so"
    " some such than that the their them then there these they this those to up us was we were what when where which"
    " while who whom whose why will with would you your any anything something give tell show explain please want about"
    " again also am because before after being between both each few more most other own same only very too"
    " 的 了 吗 呢 吧 啊 是 在 有 和 我 你 他 它 们 这 那 怎么 什么 怎样 哪里 应该 可以 如何 该 用 为什么 没有"
)


@frozen
class Worded:
    """What the words of a prompt give: for each memory a share in [0, 1] of what they could give, and what met."""

    scores: Sequence[float]
    met: Sequence[tuple[str, ...]]


class Words:
    """The words of some memories, in a fixed order. Never changed once made; safe from every thread."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._postings: dict[str, list[tuple[int, float]]] = {}
        lengths = []
        for place, record in enumerate(records):
            counts = _counts(record)
            lengths.append(sum(counts.values()))
            for word, count in counts.items():
                self._postings.setdefault(word, []).append((place, count))
        average = sum(lengths) / len(lengths) if lengths else 1.0
        self._damping = [_K1 * (1 - _B + _B * length / (average or 1.0)) for length in lengths]

    def answer(self, prompt: str) -> Worded:
        """Score every memory by the words of a prompt."""
        total = len(self._damping)
        scores = [0.0] * total
        met: list[tuple[str, ...]] = [()] * total
        most = 0.0
        for word, weight in _asked(prompt).items():
            postings = self._postings.get(word, ())
            rarity = weight * math.log(1 + (total - len(postings) + 0.5) / (len(postings) + 0.5))
            most += rarity * (_K1 + 1)
            for place, count in postings:
                scores[place] += rarity * count * (_K1 + 1) / (count + self._damping[place])
                if weight > _FILLER:
                    met[place] = (*met[place], word)
        return Worded([score / most for score in scores] if most else scores, met)


def _counts(record: Record) -> Mapping[str, float]:
    weighted: dict[str, float] = {}
    for weight, text in (
        (_TITLE, record.title),
        (_KEYWORDS, " ".join(record.keywords)),
        (_DESCRIPTION, record.description),
        (_CONTENT, record.content),
    ):
        for word in prose_tokens(text):
            weighted[word] = weighted.get(word, 0.0) + weight
        if has_unspaced(text):
            for word in prose_tokens(in_english(text)):
                weighted[word] = weighted.get(word, 0.0) + weight * _TRANSLATED
    return weighted


def _asked(prompt: str) -> Mapping[str, float]:
    asked: dict[str, float] = {}

    def ask(word: str, weight: float) -> None:
        asked[word] = max(asked.get(word, 0.0), _FILLER * weight if word in _fillers() else weight)

    for word in prose_tokens(prompt):
        ask(word, _SINGLE if len(word) == 1 and has_unspaced(word) else 1.0)
    if has_unspaced(prompt):
        for term in terms(prompt):
            for place, name in enumerate(term.names[:_NAMES] if term.chinese else ()):
                words = prose_tokens(name)
                for word in words:
                    ask(word, _NAME / (1 + place / 2) / len(words))
    return asked


@cache
def _fillers() -> frozenset[str]:
    return frozenset(prose_tokens(_FILLERS))
