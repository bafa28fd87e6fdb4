"""Which memories answer a prompt, best first: words and meaning put together, with a floor under which nothing does.

Every figure here was fitted on the development sets of tests/bench/recall and rounded; `python -m bench.recall.harder
--fit` fits those of the scores again, and tells by cross-validation what they are worth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from vademecum.lexical.tokens import has_unspaced
from vademecum.memory import alike
from vademecum.memory.claims import is_copy
from vademecum.memory.library import Entry
from vademecum.memory.recall_kinds import Kind, by_words
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
#: fast odds fall there. What lies further behind than 0.18 was given up at first, since nothing of the development half
#: does; four memories that answer the second development set do.
_LEAST_NEAR = 0.17
_BEHIND = 0.25
_STEEP = 40.0

#: With words alone: the share of the best one's words that a memory must have.
SHARE_BEHIND = 0.3

#: The share of the floor that suffices for a memory beside one that reaches it. Most of what a score has to tell is
#: whether the prompt asks for anything of memory, and by then that is known.
BESIDE = 0.4

#: Nearness from which on meaning is given as a reason.
_TELLING = 0.25


@frozen
class Odds:
    """A logistic model of whether a memory answers a prompt: what each sign weighs, and what is added.

    :param kind: of what kind the prompt is by its words; `recall_kinds.by_words`.
    :param side: the same by its vector; with `nearer` and `usual`, `recall_kinds.Kind`.
    :param content: how many words of the prompt say anything: of "go on" nothing can be recalled.
    :param near: how near the memory is.
    :param apart: how far that stands out from all memories, in their standard deviations.
    :param evidence: how much the words that both have in common say, which two usual ones do as well as a rare one.
    :param share: the same, of what all words of the prompt would say.
    :param bare: the same once more, for a prompt that is nothing but a few such words.
    """

    kind: float
    side: float
    nearer: float
    usual: float
    content: float
    near: float
    apart: float
    evidence: float
    share: float
    bare: float
    added: float

    def of_prompt(self, kind_words: float, kind: Kind | None, content: float) -> float:
        """The part that is the same for all memories."""
        told = self.kind * kind_words + self.content * min(content, ENOUGH) + self.added
        if kind is not None:
            told += self.side * kind.side + self.nearer * kind.nearer + self.usual * kind.usual
        return told

    def of_evidence(self, worded: Worded) -> float:
        """What a memory gains for each unit of evidence."""
        return self.evidence + (self.share + self.bare * worded.is_bare) / (worded.most or 1.0)


#: Words past which a prompt says no more of whether it asks for anything.
ENOUGH = 8.0

#: With a model, and with words alone. A false recall weighs as much as two that are missed (with words alone: four).
BY_BOTH = Odds(0.88, 1.08, 9.6, -4.5, 0.2, 5.0, 0.15, 0.086, 0.4, 2.5, -1.93)
BY_WORDS = Odds(1.35, 0.0, 0.0, 0.0, 0.26, 0.0, 0.0, 0.226, 1.6, 3.4, -4.1)

#: How near memories are to a prompt, as if of so many more memories, 0 in the mean and so far apart: what a few are
#: cannot be told from the few.
_AS_IF, _AS_IF_APART = 30, 0.08


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
    """

    entries: Sequence[Entry]
    order: Sequence[int]
    odds: Sequence[float]
    worded: Worded
    near: Sequence[float] | None

    def best(self, places: Iterable[int]) -> float:
        """The highest score of some places; 0 of none."""
        return _logistic(max((self.odds[place] for place in places), default=-_LEAST))

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
    of_words = BY_WORDS.of_prompt(kind, None, worded.content)
    weight = BY_WORDS.of_evidence(worded)
    alone = [of_words + weight * said if said > 0 else -_LEAST for said in worded.evidence]
    if meaning is None:
        least = max(worded.scores, default=0.0) * SHARE_BEHIND
        odds = [told if share >= least else -_LEAST for told, share in zip(alone, worded.scores, strict=True)]
        order = sorted(range(len(entries)), key=odds.__getitem__, reverse=True)
        return Ranking(entries, order, odds, worded, None)
    import numpy as np

    evidence, shares = np.asarray(worded.evidence), np.asarray(worded.scores)
    scores = meaning.near.scores
    known = np.asarray(meaning.near.known)
    near = scores + WORDS * shares
    fits = near.copy()
    fits[np.asarray(scripts) == has_unspaced(prompt)] += _SAME_SCRIPT
    pool = np.argsort(-fits, kind="stable")[:_POOL]
    crowds = np.ones(len(fits))  # the others stay behind the pool
    crowds[pool] = meaning.vectors.crowds(pool.tolist())
    fits -= _CROWD * crowds
    of_prompt = BY_BOTH.of_prompt(kind, meaning.kind, worded.content)
    told = of_prompt + BY_BOTH.near * scores + BY_BOTH.apart * apart(scores)
    told += BY_BOTH.of_evidence(worded) * evidence
    # What has no vector yet is judged by its words.
    told = np.where(known, np.minimum(told, bound(near.astype(np.float32))), np.asarray(alone))
    fits = np.where(known, fits, (np.asarray(alone) - of_prompt) / BY_BOTH.near)
    order = _spread(np.argsort(-fits, kind="stable").tolist(), fits.astype(np.float32), meaning)
    return Ranking(entries, order, told.tolist(), worded, scores.tolist())


def bound(near: Floats) -> Floats:
    """The most that odds may be: whatever kind of prompt it is, what is far from it is no answer, and neither is what
    is far behind the nearest.

    :param near: how near each memory is, by meaning and words.
    """
    import numpy as np

    above = np.minimum(near, near - near.max(initial=0.0) + _LEAST_NEAR + _BEHIND) - _LEAST_NEAR
    return np.asarray(_STEEP * above, np.float32)


def apart(scores: Floats) -> Floats:
    """How far each memory stands out from all of them, in standard deviations."""
    import numpy as np

    count = len(scores)
    mean = float(scores.sum()) / (count + _AS_IF)
    spread = float((scores**2).sum()) + _AS_IF * _AS_IF_APART**2
    return np.asarray((scores - mean) / math.sqrt(max(spread / (count + _AS_IF) - mean**2, 1e-9)), np.float32)


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


def above(ranked: Sequence[Ranked], floor: float) -> list[Ranked]:
    """Return, in their order, those that a floor lets pass: none where none reaches it, else what is near it, too."""
    if all(each.score < floor for each in ranked):
        return []
    return [each for each in ranked if each.score >= BESIDE * floor]


def distinct(ranked: Iterable[Ranked], limit: int) -> list[Ranked]:
    """Return the best of them without near-copies; where two say the same, the project's stands for the user's."""
    kept: list[Ranked] = []
    for each in ranked:
        content = each.entry.item.record.content
        for place, other in enumerate(kept):
            before = other.entry.item.record.content
            if alike.normal(content) == alike.normal(before) or is_copy(content, before):
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
