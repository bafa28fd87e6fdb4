"""Fusion: one score for a chunk from what its words say (BM25) and what its meaning says (a cosine).

Each side finds its own candidates, and every candidate is then measured by both: a chunk that only one side found is
not thereby worth nothing to the other. What is not known, because a chunk has no vector yet, counts neither for nor
against it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from attrs import field, frozen, validators

from vademecum.search.candidates import Candidate
from vademecum.search.weights import Fusing

RANK_DAMPING = 60
"""The k of reciprocal rank fusion, 1 / (k + rank), as its authors chose it (Cormack, Clarke and Büttcher 2009)."""


@frozen
class Blend:
    """How the sides are fused.

    :param semantic: weight of the vectors, 0 to 1; the words have the rest.
    """

    how: Fusing
    semantic: float = field(validator=[validators.ge(0.0), validators.le(1.0)])


class Measured(NamedTuple):
    """A candidate as both sides see it.

    :param words: BM25; 0 where no word of the query stands.
    :param meaning: the cosine to the query, -1 to 1; None where there is no vector yet.
    """

    candidate: Candidate
    words: float
    meaning: float | None


def fuse(measured: Sequence[Measured], blend: Blend) -> list[Candidate]:
    """The candidates with one score each, as shares of the best of them; what each side gave is noted."""
    words = _shares([each.words for each in measured], 0.0)
    known = [each.meaning for each in measured if each.meaning is not None]
    scaled = iter(_shares(known, min(known, default=0.0)))
    meaning = [None if each.meaning is None else next(scaled) for each in measured]
    pairs = [(one, one if other is None else other) for one, other in zip(words, meaning, strict=True)]
    if blend.how is Fusing.RECIPROCAL:
        # A chunk without a vector has the rank that its words give it among those that have one.
        pairs = list(zip(_by_rank(words), _by_rank([other for _, other in pairs]), strict=True))
    scores = [(1 - blend.semantic) * one + blend.semantic * other for one, other in pairs]
    best = max(scores, default=0.0) or 1.0
    return [
        _noted(each.candidate, lexical, semantic, score / best)
        for each, lexical, semantic, score in zip(measured, words, meaning, scores, strict=True)
    ]


def _shares(values: Sequence[float], low: float) -> list[float]:
    """Each value's place between the lowest and the best one, 0 to 1; 1 for all when they are equal and not nothing."""
    high = max(values, default=0.0)
    if high <= low:
        return [1.0 if high > 0 else 0.0] * len(values)
    return [(value - low) / (high - low) for value in values]


def _by_rank(shares: Sequence[float]) -> list[float]:
    """1 for the best and less for each that follows; 0 for what has nothing."""
    order = sorted(range(len(shares)), key=lambda at: (-shares[at], at))
    out = [0.0] * len(shares)
    for rank, at in enumerate(order):
        if shares[at] > 0:
            out[at] = (RANK_DAMPING + 1) / (RANK_DAMPING + 1 + rank)
    return out


def _noted(candidate: Candidate, lexical: float, semantic: float | None, score: float) -> Candidate:
    signals = {**candidate.signals, "lexical": lexical}
    if semantic is not None:
        signals["semantic"] = semantic
    return candidate.scored(score, signals)
