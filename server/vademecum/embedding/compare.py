"""A row against all others: by the kernels of numkong where it is installed, else by numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vademecum.embedding.types import Floats, Rows

AT_ONCE = 8_192
"""Rows that numpy widens at once: 12 MB with 384 numbers, which a processor's cache nearly holds."""

SAMPLED = 16
"""One of so many distances is looked at to tell where the least of them end."""


def lengths_of(rows: Rows) -> Floats:
    """The length of each row; not a number for a row of zeros, which is near to nothing."""
    wide = rows.astype(np.float32)
    lengths: Floats = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    lengths[lengths == 0] = np.nan
    return lengths


def best_rows(rows: Rows, row: Rows, wanted: int, lengths: Floats | None = None) -> list[int]:
    """Places of the rows nearest by cosine, in no order that means anything; all when there are no more.

    :param lengths: `lengths_of` the rows, where they are known.
    """
    if len(rows) <= wanted:
        return list(range(len(rows)))
    dots_of = _kernel()
    if dots_of is not None:
        # 54,000 rows of 256: 0.5 ms. Its cosines of pairs take 0.9; and usearch's own exact search, which has the same
        # kernels, puts all rows in order, which takes five times as long as comparing them.
        dots = dots_of(rows, row)
        return _least(np.divide(dots, -(lengths_of(rows) if lengths is None else lengths)), wanted)
    distances: Floats = np.empty(len(rows), np.float32)
    query = row.astype(np.float32)
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE].astype(np.float32)
        norms = lengths_of(rows[start : start + AT_ONCE])
        np.divide(part @ query, -norms, out=distances[start : start + AT_ONCE])
    return _least(distances, wanted)


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


def _kernel() -> Callable[[Rows, Rows], NDArray[np.int32]] | None:
    """The dot products of rows and one row, exactly; None where there is no kernel for them."""
    try:
        from numkong import dots_pack, dots_packed
    except ImportError:
        return None
    return lambda rows, row: np.asarray(dots_packed(rows, dots_pack(row[None], dtype="int8"))).ravel()
