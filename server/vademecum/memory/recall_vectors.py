"""The vectors of memories, put together so that a prompt is measured against all of them at once.

A short question is nearer to a keyword or a description than to a paragraph, so a memory has a vector of each of its
fields, of the whole, and of every single keyword: how near it is, is the weighted mean of the fields' cosines and the
best one of a keyword. What all texts have in common (their mean) is taken out, as it tells none from another. What lies
in a crowd of memories that say nearly the same is near to everything, and one that stands alone is likelier meant: how
crowded a memory's place is counts against it (cross-domain similarity local scaling; Conneau and others, 2018).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from vademecum.memory.record import Record
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.embedding.types import Floats

#: Weights of a memory's description, keywords, content and whole, and of its best keyword; together 1. Fitted on the
#: development half of tests/bench/recall, and rounded: any near them are as good. Titles by themselves told nothing.
FIELDS = (0.15, 0.3, 0.15, 0.2)
BEST_KEYWORD = 0.2

#: What few memories have in common is chance, and is not taken out: with so many half of it is.
_FEW = 100

#: Neighbours that make a crowd.
_NEIGHBOURS = 10

#: Memories whose crowds are found out at once, so that no request waits for long.
_AT_ONCE = 20


def texts_of(record: Record) -> tuple[str, ...]:
    """The texts of a memory that get a vector: as many as `FIELDS`, then each keyword."""
    keywords = record.keywords or (record.title,)
    words = ", ".join(record.keywords)
    whole = ". ".join(part for part in (record.title, record.description, words, record.content) if part)
    return (record.description or record.title, words or record.title, record.content, whole, *keywords)


@frozen
class Nearness:
    """What a prompt's vector gives.

    :param scores: how near each memory is, about -0.3 to 1.
    :param known: whether it is known: false for a memory that has no vector yet.
    """

    scores: Floats
    known: Sequence[bool]


class Vectors:
    """The vectors of some memories, in a fixed order. Safe from every thread.

    :param keys: of each memory, one for each of its texts.
    :param vectors: by key, of length 1; what is missing counts as nearness 0.
    """

    def __init__(self, keys: Sequence[Sequence[bytes]], vectors: Mapping[bytes, Floats], dimensions: int) -> None:
        zero = np.zeros(dimensions, np.float32)
        count = len(FIELDS)
        fields = np.array([[vectors.get(key, zero) for key in each[:count]] for each in keys], np.float32)
        fields = fields.reshape(len(keys), count, dimensions)
        there = np.abs(fields).max(axis=2) > 0
        self._mean = fields.sum(axis=(0, 1)) / (there.sum() + _FEW * count)
        centred = _unit(np.where(there[:, :, None], fields - self._mean, 0.0))
        self._fields = np.ascontiguousarray(np.einsum("mfd,f->md", centred, np.array(FIELDS, np.float32)), np.float32)
        self._known = [bool(each) for each in there.any(axis=1)]
        self._directions = _unit(self._fields)
        names = {key: place for place, key in enumerate(dict.fromkeys(key for each in keys for key in each[count:]))}
        words = np.array([vectors.get(key, zero) for key in names], np.float32).reshape(len(names), dimensions)
        there = np.abs(words).max(axis=1, keepdims=True) > 0
        self._words = np.ascontiguousarray(_unit(np.where(there, words - self._mean, 0.0)), np.float32)
        self._of = np.array([names[key] for each in keys for key in each[count:]], np.intp)
        self._starts = np.cumsum([0, *(len(each) - count for each in keys[:-1])]) if keys else np.zeros(0, np.intp)
        self._crowds = np.full(len(keys), np.nan, np.float32)
        self._guard = threading.Lock()

    def near(self, vector: Floats) -> Nearness:
        """How near each memory is to a prompt's vector."""
        prompt = _unit(vector - self._mean)
        best = np.maximum.reduceat(_cosines(self._words, prompt[None])[:, 0][self._of], self._starts)
        fields = _cosines(self._fields, prompt[None])[:, 0]
        return Nearness(np.asarray(fields + BEST_KEYWORD * best, np.float32), self._known)

    def crowds(self, places: Sequence[int]) -> Floats:
        """How crowded the places of some memories are, about 0 to 1: the mean cosine to their ten nearest others.

        100 among 2,000 take some milliseconds, once.
        """
        with self._guard:
            wanted = [place for place in places if np.isnan(self._crowds[place])]
            if wanted:
                cosines = _cosines(self._directions[wanted], self._directions)
                cosines[np.arange(len(wanted)), wanted] = 0.0
                count = min(_NEIGHBOURS, cosines.shape[1])
                nearest = np.partition(cosines, cosines.shape[1] - count, axis=1)[:, -count:]
                self._crowds[wanted] = np.maximum(nearest, 0.0).sum(axis=1) / _NEIGHBOURS
            return self._crowds[list(places)]

    def prepare(self, cancel: Cancel) -> None:
        """Find out beforehand how crowded every place is: 0.3 s for 2,000. Raises Cancelled."""
        for start in range(0, len(self._crowds), _AT_ONCE):
            cancel.check()
            self.crowds(range(start, min(start + _AT_ONCE, len(self._crowds))))

    def likenesses(self, places: Sequence[int]) -> Floats:
        """How alike some memories are, each with each, 0 to 1."""
        some = self._directions[list(places)]
        return _cosines(some, some).clip(0.0, 1.0)


def _cosines(some: Floats, others: Floats) -> Floats:
    # Not by BLAS: its threads wait for each other by spinning, which on a machine with other work takes a hundred times
    # as long as the product itself.
    return np.asarray(np.einsum("ik,jk->ij", some, others), np.float32)


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9), np.float32)
