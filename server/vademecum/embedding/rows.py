"""Vectors in eight bits a number.

A row is a unit vector times 127 divided by its largest number, rounded. The scale is not kept: the cosine does not need
it, and vectors are unit vectors, so dividing by the length gives them back. Against 32 bits the cosine of two chunks
moves by 0.0004 in the mean and 0.0024 at most (MiniLM and the static model on this repository, whose cosines spread by
0.14), and a quarter of the bytes is moved for each comparison.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from vademecum.embedding.types import Floats, Rows


def packed(vectors: Floats) -> Rows:
    """Rows of unit vectors, or of zeros."""
    most = np.abs(vectors).max(axis=-1, keepdims=True)
    scaled = vectors * np.divide(127.0, most, out=np.zeros_like(most), where=most > 0)
    rows: Rows = np.rint(scaled).astype(np.int8)
    return rows


def unpacked(rows: Rows) -> Floats:
    """Unit vectors, or zeros, of rows."""
    vectors: Floats = rows.astype(np.float32)
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    np.divide(vectors, norms, out=vectors, where=norms > 0)
    return vectors
