"""How well the words of a prompt are answered by memories: BM25 over all their fields, and which words met.

A few thousand memories are scored from postings in memory in two milliseconds; these are made anew when a memory
changed, from what was counted of the others. Questions in Chinese also ask for the English names of their words, and
Chinese memories are found by theirs.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache

from attrs import frozen

from vademecum.lexical.tokens import has_unspaced, prose_tokens
from vademecum.memory.recall_english import in_english, terms
from vademecum.memory.recall_kinds import familiar
from vademecum.memory.record import Record

#: BM25's saturation, and less weight of length than usual: memories are all short.
_K1 = 1.2
_B = 0.5

#: What a word counts in each field, and what a translated one counts of that.
_TITLE, _KEYWORDS, _DESCRIPTION, _CONTENT = 3.0, 3.0, 2.0, 1.0
_TRANSLATED = 0.5

#: Weight of single characters of an unspaced script, and of a word's English name, of which so many are asked for.
_SINGLE = 0.25
_NAME = 0.6
_NAMES = 3

#: Longest prompt of bare words, in words; a word of four Chinese characters has seven tokens.
_BARE = 7

#: What stands in every question and tells nothing of what is asked for.
_FILLERS = (
    "a an and are as at be been by can could do does did for from get go had has have he her here him his how i if in"
    " into is it its just let like make may me might must my need no not of off on or our out over put she should so"
    " some such than that the their them then there these they this those to up us was we were what when where which"
    " while who whom whose why will with would you your any anything something give tell show explain please want about"
    " again also am because before after being between both each few more most other own same only very too"
    " use used using way thing things"
    " 的 了 吗 呢 吧 啊 是 在 有 和 我 你 他 它 们 这 那 怎么 什么 怎样 哪里 应该 可以 如何 该 用 为什么 没有"
)


#: A content of so many characters says no more than a title does.
_SHORT = 80
#: What a word says that stands elsewhere than in the head of a memory, beside one that stands there.
_ELSEWHERE = 0.5


@frozen
class Counts:
    """The weighted words of one memory, their sum, and those of its head: title, keywords and a short content."""

    record: Record
    words: Mapping[str, float]
    length: float
    head: frozenset[str]

    @classmethod
    def of(cls, record: Record) -> "Counts":
        """Count the words of a memory."""
        words = _counts(record)
        short = record.content if len(record.content) <= _SHORT else ""
        head = frozenset(prose_tokens(" ".join((record.title, *record.keywords, short))))
        return cls(record, words, sum(words.values()), head)


@frozen
class Worded:
    """What the words of a prompt give: for each memory a share in [0, 1] of what they could give.

    :param asked: the words that count, each with the memories that hold it.
    :param evidence: of each memory, how much the words that it meets say: for each the logarithm of how rare it is
        among memories and prompts, half of that where it is not in the head.
    :param most: what all words of the prompt would say.
    :param content: how many words the prompt has that count, translated ones by their part.
    :param is_bare: whether it is nothing but such words, and few: what one types into a search box.
    """

    scores: Sequence[float]
    asked: Mapping[str, frozenset[int]]
    evidence: Sequence[float]
    most: float
    content: float
    is_bare: bool

    def met(self, place: int) -> tuple[str, ...]:
        """The words that a memory has in common with the prompt."""
        return tuple(word for word, places in self.asked.items() if place in places)


class Words:
    """The words of some memories, in a fixed order. Never changed once made; safe from every thread.

    :param before: of earlier memories; what is in both is not counted again.
    """

    def __init__(self, records: Sequence[Record], before: "Words | None" = None) -> None:
        counted = before._counted if before is not None else {}
        self._counted: dict[int, Counts] = {}
        self._postings: dict[str, tuple[list[int], list[float], list[float]]] = {}
        lengths = []
        for place, record in enumerate(records):
            counts = counted.get(id(record))
            if counts is None or counts.record is not record:
                counts = Counts.of(record)
            self._counted[id(record)] = counts
            lengths.append(counts.length)
            for word, count in counts.words.items():
                places, weights, says = self._postings.setdefault(word, ([], [], []))
                places.append(place)
                weights.append(count)
                says.append(1.0 if word in counts.head else _ELSEWHERE)
        average = sum(lengths) / len(lengths) if lengths else 1.0
        damping = [_K1 * (1 - _B + _B * length / (average or 1.0)) for length in lengths]
        for places, weights, _ in self._postings.values():
            weights[:] = [
                count * (_K1 + 1) / (count + damping[place]) for place, count in zip(places, weights, strict=True)
            ]
        self._total = len(lengths)

    def answer(self, prompt: str) -> Worded:
        """Score every memory by the words of a prompt."""
        scores, evidence = [0.0] * self._total, [0.0] * self._total
        asked: dict[str, frozenset[int]] = {}
        often, prompts = familiar()
        most = whole = 0.0
        words = _asked(prompt)
        for word, weight in words.items():
            places, weights, says = self._postings.get(word, ((), (), ()))
            # What a word says is judged among memories and prompts: of a few memories, each word would be a rare one.
            held, total = len(places) + often.get(word, 0), self._total + prompts
            rarity = weight * math.log(1 + (total - held + 0.5) / (held + 0.5))
            whole += rarity
            most += rarity * (_K1 + 1)
            for place, share, part in zip(places, weights, says, strict=True):
                scores[place] += rarity * share
                evidence[place] += rarity * part
            if places:
                asked[word] = frozenset(places)
        shares = [score / most for score in scores] if most else scores
        return Worded(shares, asked, evidence, whole, sum(words.values()), _is_bare(prompt))


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
        if word not in _fillers():
            asked[word] = max(asked.get(word, 0.0), weight)

    for word in prose_tokens(prompt):
        ask(word, _SINGLE if len(word) == 1 and has_unspaced(word) else 1.0)
    if has_unspaced(prompt):
        for term in terms(prompt):
            for place, name in enumerate(term.names[:_NAMES] if term.chinese else ()):
                words = prose_tokens(name)
                for word in words:
                    ask(word, _NAME / (1 + place / 2) / len(words))
    return asked


def _is_bare(prompt: str) -> bool:
    words = prose_tokens(prompt)
    return len(set(words)) > 1 and len(words) <= _BARE and "?" not in prompt and not _fillers().intersection(words)


@cache
def _fillers() -> frozenset[str]:
    return frozenset(prose_tokens(_FILLERS))
