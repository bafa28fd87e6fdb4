"""A row against all others: by usearch's kernels where it is installed, else by numpy."""

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
    kernels = _kernels()
    if kernels is not None:
        search, cosine = kernels
        # Each row is asked for its nearest among one: asked the other way round, usearch puts all rows in order, which
        # takes five times as long as comparing them (54,000 rows of 256: 4.1 ms of one thread, and so 0.7).
        distances = search(row[None], rows, 1, cosine, exact=True, threads=1).distances.ravel()
        return np.argpartition(distances, wanted)[:wanted].tolist()  # type: ignore[no-any-return]
    scores = np.empty(len(rows), np.float32)
    query = row.astype(np.float32)
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE].astype(np.float32)
        norms = np.sqrt(np.einsum("ij,ij->i", part, part))
        np.divide(part @ query, norms, out=scores[start : start + AT_ONCE], where=norms > 0)
        scores[start : start + AT_ONCE][norms == 0] = -np.inf
    return [int(place) for place in np.argpartition(-scores, wanted)[:wanted]]


def _kernels() -> tuple[Any, Any] | None:
    try:
        from usearch.compiled import MetricKind
        from usearch.index import search
    except ImportError:
        return None
    return search, MetricKind.Cos
