"""Which memories answer a prompt, best first: words and meaning put together, with a floor under which nothing does.

Every figure here was fitted on the development half of tests/bench/recall and rounded; `python -m bench.recall --fit`
fits those of the scores again, and tells by cross-validation what they are worth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from vademecum.lexical.tokens import has_unspaced
from vademecum.memory import alike
from vademecum.memory.library import Entry
from vademecum.memory.recall_kinds import by_words
from vademecum.memory.recall_meaning import Meaning
from vademecum.memory.recall_words import Worded
from vademecum.memory.types import Scope

if TYPE_CHECKING:
    from vademecum.embedding.types import Floats

#: What a full match of words counts beside a full match of meaning; from 0.15 to 0.3 is as good.
WORDS = 0.2

#: What counts for a memory in a script of the prompt's kind: people ask in the language in which they remember, and of
#: what the others mean less is known.
_SAME_SCRIPT = 0.12

#: What counts against a memory for how crowded its place is; from 0.2 to 0.4 is as good.
_CROWD = 0.3

#: So many memories, the best without it, are looked at for that.
_POOL = 100

#: What counts against a memory for how alike one before it is (maximal marginal relevance; Carbonell and Goldstein,
#: 1998): of five of one kind the fifth seldom is what the first four are not. Done for so many places, among so many.
_ALIKE = 0.1
_SPREAD, _SPREAD_POOL = 10, 60

#: Log odds of what has nothing in common with a prompt; the score is 0.
_LEAST = 50.0

#: How near a memory must be, by meaning and words, whatever else; how far behind the nearest one it may be; and how
#: fast odds fall there. No memory of the development half that was found lies outside.
_LEAST_NEAR = 0.17
_BEHIND = 0.18
_STEEP = 40.0

#: With words alone: the share of the best one's words that a memory must have.
_SHARE_BEHIND = 0.3

#: Nearness from which on meaning is given as a reason.
_TELLING = 0.25


@frozen
class Odds:
    """A logistic model of whether a memory answers a prompt: weights of the prompt's kind by words and by meaning, and
    of how well the memory fits, and what is added."""

    kind_words: float
    kind_meaning: float
    fit: float
    added: float

    def of_prompt(self, kind_words: float, kind_meaning: float) -> float:
        """The part that is the same for all memories."""
        return self.kind_words * kind_words + self.kind_meaning * kind_meaning + self.added


#: With a model, and with words alone; there a fit is the share of the prompt's words. A false recall weighs as much as
#: two that are missed (with words alone: four).
BY_BOTH = Odds(0.6, 2.3, 9.7, -2.9)
BY_WORDS = Odds(0.8, 0.0, 6.2, -2.3)


@frozen
class Ranked:
    """A memory with its score in [0, 1], the word stems that it has in common with the prompt, and its nearness."""

    entry: Entry
    score: float
    words: tuple[str, ...]
    meaning: float | None


@frozen
class Ranking:
    """All memories as they answer a prompt.

    :param order: their places, best first; ties by the order of the entries.
    :param odds: the log odds that each answers, by its place.
    :param fits: how well each fits, by its place, before it is asked what kind of prompt it is.
    """

    entries: Sequence[Entry]
    order: Sequence[int]
    odds: Sequence[float]
    fits: Sequence[float]
    worded: Worded
    near: Sequence[float] | None

    def at(self, place: int) -> Ranked:
        """A memory with its score, and why it has that."""
        words = self.worded.met(place)
        near = None if self.near is None else round(self.near[place], 3)
        meaning = near if near is not None and (near >= _TELLING or not words) else None
        return Ranked(self.entries[place], _logistic(self.odds[place]), words, meaning)


def rank(
    entries: Sequence[Entry], scripts: Sequence[bool], prompt: str, worded: Worded, meaning: Meaning | None
) -> Ranking:
    """Rank memories for a prompt.

    :param entries: the memories; of two that fit as well the first comes first.
    :param scripts: of each, whether it is in a script that is written without spaces.
    """
    kind = by_words(prompt)
    by_words_alone = BY_WORDS.of_prompt(kind, 0.0)
    if meaning is None:
        least = max(max(worded.scores, default=0.0) * _SHARE_BEHIND, 1e-9)
        odds = [by_words_alone + BY_WORDS.fit * share if share >= least else -_LEAST for share in worded.scores]
        order = sorted(range(len(entries)), key=odds.__getitem__, reverse=True)
        return Ranking(entries, order, odds, worded.scores, worded, None)
    import numpy as np

    shares = np.asarray(worded.scores)
    near = meaning.near.scores + WORDS * shares
    fits = near.copy()
    fits[np.asarray(scripts) == has_unspaced(prompt)] += _SAME_SCRIPT
    pool = np.argsort(-fits, kind="stable")[:_POOL]
    crowds = np.ones(len(fits))  # the others stay behind the pool
    crowds[pool] = meaning.vectors.crowds(pool.tolist())
    fits -= _CROWD * crowds
    told = BY_BOTH.of_prompt(kind, meaning.kind) + BY_BOTH.fit * fits
    # What has no vector yet is judged by its words.
    alone = np.where(shares > 0, by_words_alone + BY_WORDS.fit * shares, -_LEAST)
    told = np.where(meaning.near.known, told, alone)
    order = _spread(np.argsort(-told, kind="stable").tolist(), (told / BY_BOTH.fit).astype(np.float32), meaning)
    # Whatever kind of prompt it is, what is far from it is no answer, and neither is what is far behind the best.
    above = np.minimum(near, near - near.max(initial=0.0) + _LEAST_NEAR + _BEHIND) - _LEAST_NEAR
    told = np.where(meaning.near.known, np.minimum(told, _STEEP * above), told)
    return Ranking(entries, order, told.tolist(), fits.tolist(), worded, meaning.near.scores.tolist())


def _spread(order: list[int], fits: Floats, meaning: Meaning) -> list[int]:
    """The same order with its first places given to memories that are not all alike."""
    import numpy as np

    pool = order[:_SPREAD_POOL]
    alike_each = meaning.vectors.likenesses(pool)
    left = fits[pool]
    before = np.zeros(len(pool))
    first: list[int] = []
    for _ in range(min(_SPREAD, len(pool))):
        best = int(np.argmax(left - _ALIKE * before))
        first.append(best)
        left[best] = -np.inf
        before = np.maximum(before, alike_each[best])
    chosen = [pool[best] for best in first]
    return [*chosen, *(place for place in pool if place not in chosen), *order[_SPREAD_POOL:]]


def distinct(ranked: Iterable[Ranked], limit: int) -> list[Ranked]:
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


def _logistic(odds: float) -> float:
    return round(1 / (1 + math.exp(-max(-_LEAST, min(_LEAST, odds)))), 6)
