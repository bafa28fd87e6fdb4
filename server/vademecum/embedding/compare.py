"""A row against all others: by usearch's kernels where it is installed, else by numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from vademecum.embedding.types import Rows

AT_ONCE = 8_192
"""Rows that numpy widens at once: 12 MB with 384 numbers, which a processor's cache nearly holds."""


FEW = 4_096
"""Rows below which one thread is done before others are awake: 0.3 ms."""


def best_rows(rows: Rows, row: Rows, wanted: int, threads: int) -> list[int]:
    """Places of the rows nearest by cosine, in no order that means anything; all when there are no more."""
    if len(rows) <= wanted:
        return list(range(len(rows)))
    kernels = _kernels()
    if kernels is not None:
        search, cosine = kernels
        found = search(rows, row, wanted, cosine, exact=True, threads=1 if len(rows) < FEW else threads)
        return [int(place) for place in found.keys]
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
