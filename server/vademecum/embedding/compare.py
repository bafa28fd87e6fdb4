"""A row against all others: by the kernels of numkong where it is installed, else by numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from vademecum.embedding.types import Floats, Rows

AT_ONCE = 8_192
"""Rows that numpy widens at once: 12 MB with 384 numbers, which a processor's cache nearly holds."""


SAMPLED = 16
"""One of so many distances is looked at to tell where the least of them end."""


def best_rows(rows: Rows, row: Rows, wanted: int) -> list[int]:
    """Places of the rows nearest by cosine, in no order that means anything; all when there are no more."""
    if len(rows) <= wanted:
        return list(range(len(rows)))
    distances_of = _kernel()
    if distances_of is not None:
        # usearch's own exact search has the same kernels, but puts all rows in order, which takes five times as long as
        # comparing them (54,000 rows of 256: 4.1 ms of one thread, and so 0.9).
        distances = np.asarray(distances_of(rows, row[None], metric="angular")).ravel()
        return _least(distances, wanted)
    scores = np.empty(len(rows), np.float32)
    query = row.astype(np.float32)
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE].astype(np.float32)
        norms = np.sqrt(np.einsum("ij,ij->i", part, part))
        np.divide(part @ query, norms, out=scores[start : start + AT_ONCE], where=norms > 0)
        scores[start : start + AT_ONCE][norms == 0] = -np.inf
    return [int(place) for place in np.argpartition(-scores, wanted)[:wanted]]


def _least(distances: Floats, wanted: int) -> list[int]:
    """Places of the `wanted` least distances, of which there are more."""
    # A sample tells about where the least end, and only what is below that need be put in order: of 54,000 distances
    # this takes 0.1 ms, and partitioning them all 0.45, most of it for the memory that it wants.
    sample, rank = distances[::SAMPLED], 2 * wanted // SAMPLED + 8
    if rank < len(sample):
        near = np.flatnonzero(distances <= np.partition(sample, rank)[rank])
        if len(near) > wanted:
            return near[np.argpartition(distances[near], wanted)[:wanted]].tolist()  # type: ignore[no-any-return]
    return np.argpartition(distances, wanted)[:wanted].tolist()  # type: ignore[no-any-return]


def _kernel() -> Any:
    try:
        from numkong import cdist
    except ImportError:
        return None
    return cdist
