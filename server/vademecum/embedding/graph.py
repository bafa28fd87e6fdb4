"""A graph of near neighbours (HNSW) in a file, by usearch."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vademecum.embedding.transformer import runtime
from vademecum.embedding.types import NoModel
from vademecum.work import Cancel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vademecum.embedding.types import Rows

CONNECTIVITY = 16
"""Neighbours that each vector keeps: usearch's and HNSW's own default (Malkov and Yashunin, 2016: 5 to 48)."""

EFFORT_MAKING = 128
"""Candidates looked at for each vector while the graph is made; usearch's default."""

EFFORT_SEARCHING = 256
"""The same for a search: four times the default, still under a millisecond, for answers of some hundred."""

AT_ONCE = 1_000
"""Vectors added between two looks at the cancel."""


class NoGraph(Exception):
    """There is no graph, because usearch or the file is not there or cannot be used; everything works without."""


class Graph:
    """A graph that was made. It is mapped, not read: it takes no memory that the system cannot have back."""

    def __init__(self, index: Any, numbers: frozenset[int]) -> None:
        self._index = index
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def numbers(self) -> frozenset[int]:
        """Those of its vectors."""
        return self._numbers

    def __contains__(self, number: int) -> bool:
        return number in self._numbers

    @classmethod
    def make(cls, path: Path, numbers: NDArray[np.uint64], rows: Rows, threads: int, cancel: Cancel) -> None:
        """Write a graph of these rows to a file, which is replaced in one step.

        :raises NoGraph: when usearch is not installed.
        :raises Cancelled: when told to stop.
        :raises OSError: when the disk refuses.
        """
        index = _index(rows.shape[1])
        for start in range(0, len(rows), AT_ONCE):
            cancel.check()
            index.add(numbers[start : start + AT_ONCE], rows[start : start + AT_ONCE], threads=threads)
        temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
        try:
            try:
                index.save(str(temporary))
            except RuntimeError as error:
                raise OSError(f"the graph of vectors cannot be written: {error}") from error
            temporary.chmod(0o600)
            temporary.replace(path)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)

    @classmethod
    def open(cls, path: Path, dimensions: int) -> Graph:
        """The graph in a file. Raises NoGraph."""
        index = _index(dimensions)
        if not path.is_file():
            raise NoGraph("there is no graph of vectors yet")
        try:
            about = index.metadata(str(path))
            if about is None or int(about["dimensions"]) != dimensions:
                raise NoGraph("the graph of vectors is damaged or of another shape")
            index.view(str(path))
            return cls(index, frozenset(np.asarray(index.keys).tolist()))
        except (RuntimeError, ValueError, KeyError) as error:
            raise NoGraph(f"the graph of vectors cannot be used: {error}") from error

    def nearest(self, row: Rows, wanted: int) -> list[int]:
        """Numbers of rows near to one."""
        return [int(number) for number in self._index.search(row, wanted).keys]


def _index(dimensions: int) -> Any:
    # The wheels of usearch 2.26 and onnxruntime 1.2x do not bear each other in one process unless onnxruntime comes
    # first: loaded after usearch, it ends the process.
    with contextlib.suppress(NoModel):
        runtime()
    try:
        from usearch.index import Index
    except ImportError as error:
        raise NoGraph(f"the package usearch cannot be loaded ({error})") from error
    return Index(
        ndim=dimensions,
        metric="cos",
        dtype="i8",
        connectivity=CONNECTIVITY,
        expansion_add=EFFORT_MAKING,
        expansion_search=EFFORT_SEARCHING,
    )
