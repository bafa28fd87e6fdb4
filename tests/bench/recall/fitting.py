"""Fits the odds by which memories are recalled, on the development half alone, and tells what they are worth.

A logistic model of two kinds' evidence and of how well a memory fits (see `recall_ranking.Odds`), from the best memory
that answers each prompt, where it is among the first five, and from the first memory for each prompt that nothing fits.
What it is worth is told by ten-fold cross-validation; prompts about one memory are in one part.
"""

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.recall.data_files import Row
from vademecum.memory.recall_kinds import by_words
from vademecum.memory.recall_ranking import BY_BOTH, BY_WORDS, Odds, rank
from vademecum.memory.service import Memories

_PARTS = 10
_ROUNDS = 5
#: What keeps weights small: a quarter of a thousand prompts is little to fit them by.
_RIDGE = 0.005

Floats = NDArray[np.float64]


def fitted(memories: Memories, prompts: Sequence[Row]) -> str:
    """Fit the odds by words and meaning and those by words alone; return both as text."""
    return "\n".join((_fitted(memories, prompts, BY_BOTH, 2.0), _fitted(memories, prompts, BY_WORDS, 4.0)))


def _fitted(memories: Memories, prompts: Sequence[Row], odds: Odds, weight: float) -> str:
    """:param weight: what a false recall weighs beside a missed one."""
    recaller = memories._recaller
    told = recaller._told()
    features, best, answered, groups = [], [], [], []
    for each in prompts:
        meaning = recaller._meanings.meaning(told.records, each["prompt"]) if recaller._meanings else None
        meaning = meaning if odds is BY_BOTH else None
        ranking = rank(told.entries, told.scripts, each["prompt"], told.words.answer(each["prompt"]), meaning)
        kinds = (by_words(each["prompt"]), meaning.kind if meaning is not None else 0.0)
        first = ranking.order[:5]
        gold = [place for place in first if ranking.entries[place].id in each["gold"]]
        features.append((*kinds, max(ranking.fits[place] for place in gold or first[:1])))
        best.append(bool(gold))
        answered.append(bool(each["gold"]))
        groups.append(min(each["gold"], default=each["prompt"]))
    rows, hit, related = np.array(features), np.array(best), np.array(answered)
    used = hit | ~related
    hits, false = [], []
    for seed in range(_ROUNDS):
        names = sorted(set(groups))
        random.Random(seed).shuffle(names)
        part_of = {name: place % _PARTS for place, name in enumerate(names)}
        parts = np.array([part_of[name] for name in groups])
        told_so = np.zeros(len(rows))
        for part in range(_PARTS):
            learnt = used & (parts != part)
            told_so[parts == part] = _told(rows[parts == part], _fit(rows[learnt], related[learnt], weight))
        hits.append((hit & (told_so >= 0)).sum() / related.sum())
        false.append((~related & (told_so >= 0)).sum())
    all_of_it = _fit(rows[used], related[used], weight)
    return (
        f"{'both' if odds is BY_BOTH else 'words'}: Odds({', '.join(f'{value:.2f}' for value in all_of_it)});"
        f" cross-validated hit@5 {np.mean(hits):.3f}, false {np.mean(false):.1f}/{(~related).sum()}"
    )


def _told(rows: Floats, weights: Floats) -> Floats:
    return np.asarray(rows @ weights[:-1] + weights[-1])


def _fit(rows: Floats, answered: NDArray[np.bool_], weight: float) -> Floats:
    """Weights of the columns and what is added, by Newton's method on standardised columns."""
    middle, spread = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-9)
    given = np.c_[(rows - middle) / spread, np.ones(len(rows))]
    share = np.where(answered, 1.0, weight)
    share /= share.sum()
    ridge = np.diag([2 * _RIDGE] * rows.shape[1] + [1e-9])
    weights = np.zeros(given.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-np.clip(given @ weights, -30, 30)))
        slope = given.T @ (share * (likely - answered)) + ridge @ weights
        bend = (given * (share * likely * (1 - likely))[:, None]).T @ given + ridge
        weights -= np.clip(np.linalg.solve(bend, slope), -2, 2)
    scaled = weights[:-1] / spread
    return np.append(scaled, weights[-1] - scaled @ middle)
