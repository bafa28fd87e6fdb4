"""A row against all others: by the kernels of numkong where it is installed, else by numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from vademecum.embedding.types import Rows

AT_ONCE = 8_192
"""Rows that numpy widens at once: 12 MB with 384 numbers, which a processor's cache nearly holds."""


def best_rows(rows: Rows, row: Rows, wanted: int) -> list[int]:
    """Places of the rows nearest by cosine, in no order that means anything; all when there are no more."""
    if len(rows) <= wanted:
        return list(range(len(rows)))
    distances_of = _kernel()
    if distances_of is not None:
        # usearch's own exact search has the same kernels, but puts all rows in order, which takes five times as long as
        # comparing them (54,000 rows of 256: 4.1 ms of one thread, and so 0.9).
        distances = np.asarray(distances_of(rows, row[None], metric="angular")).ravel()
        return np.argpartition(distances, wanted)[:wanted].tolist()  # type: ignore[no-any-return]
    scores = np.empty(len(rows), np.float32)
    query = row.astype(np.float32)
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE].astype(np.float32)
        norms = np.sqrt(np.einsum("ij,ij->i", part, part))
        np.divide(part @ query, norms, out=scores[start : start + AT_ONCE], where=norms > 0)
        scores[start : start + AT_ONCE][norms == 0] = -np.inf
    return [int(place) for place in np.argpartition(-scores, wanted)[:wanted]]


def _kernel() -> Any:
    try:
        from numkong import cdist
    except ImportError:
        return None
    return cdist
