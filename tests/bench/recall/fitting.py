"""Fits the odds by which memories are recalled, on prompts that are for that, and tells what they are worth.

A logistic model of what is known of a prompt and of a memory (see `recall_ranking.Odds`), from the memory that answers
each prompt, where it is among the first five, and for each prompt that nothing answers from the memory that would be
told first. What it is worth is told by ten-fold cross-validation; a prompt is in one part with all collections.
"""

import random
from collections.abc import Mapping, Sequence

import numpy as np
from attrs import astuple, fields, frozen
from numpy.typing import NDArray

from bench.recall.data_files import Row
from vademecum.memory.recall_kinds import by_words
from vademecum.memory.recall_meaning import Meaning
from vademecum.memory.recall_ranking import BESIDE, ENOUGH, SHARE_BEHIND, WORDS, Odds, apart, bound, rank
from vademecum.memory.recall_words import Worded
from vademecum.memory.service import Memories

_PARTS = 10
#: The memory that would be told first depends on the odds, so these are fitted so many times.
_ROUNDS = 3
#: What keeps weights small.
_RIDGE = 0.005
#: What a false recall weighs beside a missed one.
_FALSE = 2.0
#: Signs of which words alone know nothing.
_OF_MEANING = ("side", "nearer", "usual", "near", "apart")
#: Places that are looked at, as `recall` does.
_PLACES = 20

#: The floor that is fitted for; `recall.minScore` without settings.
_FLOOR = 0.5

#: Odds of what is never told.
_NEVER = 50.0

Floats = NDArray[np.float64]


@frozen
class Judged:
    """A prompt with the first memories for it: the signs of each, whether it answers, the most that its odds may be."""

    prompt: str
    related: bool
    signs: Floats
    answers: Sequence[bool]
    most: Floats


def judged(memories: Memories, prompts: Sequence[Row], *, by_meaning: bool) -> list[Judged]:
    """Ask every prompt; by words alone without `by_meaning`."""
    recaller = memories._recaller
    told = recaller._told()
    found = []
    for each in prompts:
        worded = told.words.answer(each["prompt"])
        meaning = (
            recaller._meanings.meaning(told.records, each["prompt"]) if by_meaning and recaller._meanings else None
        )
        first = rank(told.entries, told.scripts, each["prompt"], worded, meaning).order[:_PLACES]
        of_each, most = _signs(each["prompt"], worded, meaning)
        answers = [told.entries[place].id in each["gold"] for place in first]
        found.append(Judged(each["prompt"], bool(each["gold"]), of_each[first], answers, most[first]))
    return found


def passes(one: Judged, odds: Odds) -> bool:
    """Whether a memory that answers is told, or any where none answers."""
    return _passes(one, np.array(astuple(odds)))


def fitted(way: str, prompts: Sequence[Judged]) -> str:
    """Fit the odds; return them with what they are worth as text."""
    names = [each.name for each in fields(Odds)][:-1]
    used = [place for place, name in enumerate(names) if way == "both" or name not in _OF_MEANING]
    asked = sorted({one.prompt for one in prompts})
    random.Random(1).shuffle(asked)
    part_of: Mapping[str, int] = {prompt: place % _PARTS for place, prompt in enumerate(asked)}
    right = [0, 0]
    for part in range(_PARTS):
        odds = _learn([one for one in prompts if part_of[one.prompt] != part], used)
        for one in prompts:
            if part_of[one.prompt] == part:
                right[one.related] += _passes(one, odds)
    related = sum(one.related for one in prompts)
    whole = ", ".join(
        f"{name}={value:.3g}" for name, value in zip([*names, "added"], _learn(prompts, used), strict=True)
    )
    return (
        f"{way}: Odds({whole}); cross-validated hit@5 {right[1] / related:.3f}, "
        f"false {right[0]}/{len(prompts) - related}"
    )


def _signs(prompt: str, worded: Worded, meaning: Meaning | None) -> tuple[Floats, Floats]:
    """Of each memory what the fields of `Odds` weigh, and the most that its odds may be."""
    evidence = np.array(worded.evidence)
    scores = meaning.near.scores if meaning is not None else np.zeros(len(evidence), np.float32)
    share = evidence / (worded.most or 1.0)
    kind = meaning.kind if meaning is not None else None
    of_prompt = (kind.side, kind.nearer, kind.usual) if kind is not None else (0.0, 0.0, 0.0)
    columns = [
        *(np.full(len(evidence), each) for each in (by_words(prompt), *of_prompt, min(worded.content, ENOUGH))),
        scores,
        apart(scores) if meaning is not None else scores,
        evidence,
        share,
        share * worded.is_bare,
    ]
    shares = np.array(worded.scores)
    if meaning is not None:
        return np.column_stack(columns), bound((scores + WORDS * shares).astype(np.float32)).astype(np.float64)
    is_told = (evidence > 0) & (shares >= shares.max() * SHARE_BEHIND)
    return np.column_stack(columns), np.where(is_told, np.inf, -_NEVER)


def _passes(one: Judged, odds: Floats) -> bool:
    likely = 1 / (1 + np.exp(-np.clip(_told(one, odds), -_NEVER, _NEVER)))
    told = np.flatnonzero(likely >= BESIDE * _FLOOR)[:5] if likely.max(initial=0.0) >= _FLOOR else np.array([], int)
    return any(one.answers[place] for place in told) if one.related else bool(len(told))


def _told(one: Judged, odds: Floats) -> Floats:
    return np.asarray(np.minimum(one.signs @ odds[:-1] + odds[-1], one.most), np.float64)


def _learn(prompts: Sequence[Judged], used: Sequence[int]) -> Floats:
    odds: Floats | None = None
    for _ in range(_ROUNDS):
        chosen = [(one, _chosen(one, odds)) for one in prompts]
        rows = np.array([one.signs[place] for one, place in chosen if place is not None])
        answered = np.array([one.related for one, place in chosen if place is not None])
        few = _fit(rows[:, used], answered)
        odds = np.zeros(rows.shape[1] + 1)
        odds[[*used, -1]] = few
    assert odds is not None
    return odds


def _chosen(one: Judged, odds: Floats | None) -> int | None:
    """Which memory a prompt is learnt from; none where it cannot teach anything."""
    places = [place for place in range(len(one.answers)) if one.most[place] > -_NEVER]
    if one.related:
        places = [place for place in places[:5] if one.answers[place]]
    if not places:
        return None
    return places[0] if odds is None else max(places, key=_told(one, odds).__getitem__)


def _fit(rows: Floats, answered: NDArray[np.bool_]) -> Floats:
    """Weights of the columns and what is added, by Newton's method on standardised columns."""
    middle, spread = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-9)
    given = np.c_[(rows - middle) / spread, np.ones(len(rows))]
    share = np.where(answered, 1.0, _FALSE)
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
