"""The order of a query's candidates: the stages after gathering, each a pure function with its constants named.

gather (`sides`) → fuse (`fusion`) → definitions, paths, coherence, penalties (`rules`) → age (`decay`) → rerank →
further chunks (`rules`) → diversity → at most so many of a file in place. What decides how well a chunk answers comes
before what decides how many answers of one kind are shown.
"""

import time
from collections.abc import Callable, Mapping, Sequence

from attrs import frozen

from vademecum.search.asking import Ask
from vademecum.search.candidates import Candidate
from vademecum.search.decay import decayed
from vademecum.search.diversity import HEAD, Likeness, diverse
from vademecum.search.fusion import Blend, Measured, fuse
from vademecum.search.rules import further_chunks, in_place, ordered, ranked
from vademecum.search.weights import Reranker, Weights

Opinion = Callable[[Sequence[Candidate]], Sequence[float | None]]
"""What a reranking model thinks of candidates: a number for each, the higher the better; None where it has none."""


@frozen
class Means:
    """What the stages may ask besides the candidates; each is asked only when its stage is on.

    :param likeness: how alike the texts of two candidates are.
    :param changed: when the files of some paths were last changed, in seconds of the epoch.
    :param opinion: what the reranking model thinks.
    """

    likeness: Callable[[Sequence[Candidate]], Likeness]
    changed: Callable[[Sequence[str]], Mapping[str, float]]
    opinion: Opinion


def order(measured: Sequence[Measured], ask: Ask, blend: Blend, weights: Weights, means: Means) -> list[Candidate]:
    """The candidates in the order of an answer, best first; the same for the same arguments and the same files."""
    current = ranked(fuse(measured, blend), ask, weights)
    if weights.decay > 0 and current:
        paths = list(dict.fromkeys(each.path for each in current))
        now = time.time()
        current = ordered(decayed(current, means.changed(paths), now, weights.half_life_days, weights.decay))
    if weights.reranker is not Reranker.RULES and current:
        current = reranked(current, means.opinion, weights.rerank_top, weights.rerank_weight)
    current = ordered(further_chunks(current, ask, weights))
    if weights.diversity < 1 and len(current) > 2:
        current = diverse(current, weights.diversity, means.likeness(current[:HEAD]))
    return in_place(current, weights.per_file)


def reranked(candidates: Sequence[Candidate], opinion: Opinion, top: int, weight: float) -> list[Candidate]:
    """The candidates with the best `top` of them in an order that also heeds an opinion.

    Scores and opinions are each taken from the worst to the best of these candidates; one without an opinion keeps its
    score.
    """
    head = list(candidates[:top])
    opinions = opinion(head)
    known = [each for each in opinions if each is not None]
    if len(known) < 2:
        return list(candidates)
    low, span = min(known), (max(known) - min(known)) or 1.0
    least, spread = head[-1].score, (head[0].score - head[-1].score) or 1.0
    out = []
    for each, thought in zip(head, opinions, strict=True):
        if thought is None:
            out.append(each)
            continue
        share = (1 - weight) * (each.score - least) / spread + weight * (thought - low) / span
        out.append(each.with_signal("rerank", (thought - low) / span, least + share * spread))
    return [*ordered(out), *candidates[top:]]
