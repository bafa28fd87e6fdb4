"""Which memories answer a prompt, best first: words and meaning put together, with a floor under which nothing does."""

import math
from collections.abc import Sequence

from attrs import frozen

from vademecum.memory import alike
from vademecum.memory.library import Entry
from vademecum.memory.recall_words import Worded
from vademecum.memory.types import Scope

#: What a full match of words counts beside a full match of meaning; measured on the development half of
#: tests/bench/recall, where anything from 0.5 to 1 is as good.
WORDS = 0.7

#: Where a score is one half, and how fast it rises: with meaning and words, and with words alone. The default floor
#: (`memory.recallMinScore`) lies there; a first setting by the development half.
_MIDDLE, _MIDDLE_WORDS = 0.50, 0.30
_SLOPE = 12.0

#: Nearness from which on meaning is given as a reason.
_TELLING = 0.25


@frozen
class Ranked:
    """A memory with its score in [0, 1], the word stems that it has in common with the prompt, and its nearness."""

    entry: Entry
    score: float
    words: tuple[str, ...]
    meaning: float | None


def rank(entries: Sequence[Entry], worded: Worded, near: Sequence[float] | None) -> list[Ranked]:
    """Return all memories, best first; ties by project before user, then by id."""
    ranked = []
    for place, entry in enumerate(entries):
        words = worded.scores[place]
        if near is None:
            score, meaning = _logistic(words - _MIDDLE_WORDS), None
        else:
            score = _logistic(near[place] + WORDS * words - _MIDDLE)
            meaning = round(near[place], 3) if near[place] >= _TELLING else None
        ranked.append(Ranked(entry, score, worded.met[place], meaning))
    ranked.sort(key=lambda each: (-each.score, each.entry.scope is not Scope.PROJECT, each.entry.id))
    return ranked


def distinct(ranked: Sequence[Ranked], limit: int) -> list[Ranked]:
    """Return the best of them without near-copies; where two say the same, the project's stands for the user's."""
    kept: list[Ranked] = []
    for each in ranked:
        content = each.entry.item.record.content
        for place, other in enumerate(kept):
            before = other.entry.item.record.content
            if alike.normal(content) == alike.normal(before) or alike.is_copy(
                alike.words(content), alike.words(before)
            ):
                if each.entry.scope is Scope.PROJECT and other.entry.scope is Scope.USER:
                    kept[place] = Ranked(each.entry, other.score, each.words, each.meaning)
                break
        else:
            if len(kept) == limit:
                break
            kept.append(each)
    return kept


def _logistic(above: float) -> float:
    return round(1 / (1 + math.exp(-_SLOPE * above)), 6)
