"""The nearest vectors to a query: all of them compared while they are few, a graph when they are many.

Vectors lie in memory, packed (`vademecum.embedding.rows`), under numbers that the caller chooses: `number_of` a content
hash, so that the same content has the same number in every process. Single ones are added and removed without writing
anything. A graph (HNSW) is made of what is there, saved in one file, and mapped by whoever searches; what came after it
was made is compared exactly, what went is left out of its answers, until so much has changed that it is made anew.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from vademecum.embedding.compare import best_rows, lengths_of
from vademecum.embedding.graph import Graph
from vademecum.embedding.rows import packed, unpacked
from vademecum.work import Cancel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vademecum.embedding.types import Floats, Rows

GRAPH_ABOVE = 30_000
"""Vectors above which a graph is worth making. Measured with 54,000 of 256 numbers in the middle of queries: comparing
all takes 0.5 ms alone and 0.9 to 1.6 where others use the processor's cache, 14 MB of which it takes from what follows;
a search in a graph takes 0.25 to 0.75 and finds 90 in 100 of the nearest 60 of words chosen by chance."""

GRAPH_STALE = 0.1
"""Share of what a graph holds that may have come or gone since, before it is made anew; until then what came is
compared exactly, in the time that as few vectors take."""

SPARE = 32
"""Rows looked at beyond those asked for, because eight bits order near-equals by chance and the last step, in 32 bits,
does not."""


@frozen
class Near:
    """A vector near to a query: its number and the cosine, -1 to 1."""

    number: int
    score: float


class Neighbours:
    """Vectors in memory, to be searched. May be used from every thread.

    :param threads: how many the making of a graph may use.
    """

    def __init__(self, dimensions: int, threads: int = 1) -> None:
        self._dimensions = dimensions
        self._threads = threads
        self._lock = threading.RLock()
        self._in_graph = _Block(dimensions)
        self._rest = _Block(dimensions)
        self._graph: Graph | None = None

    def __len__(self) -> int:
        """How many vectors there are."""
        return len(self._in_graph) + len(self._rest)

    def __contains__(self, number: int) -> bool:
        return number in self._in_graph.at or number in self._rest.at

    def put(self, numbers: Sequence[int], rows: Rows) -> None:
        """Add vectors, packed as the store gives them; numbers that are there already stay as they are."""
        with self._lock:
            fresh = [place for place, number in enumerate(numbers) if number not in self]
            known = [place for place in fresh if self._graph is not None and numbers[place] in self._graph]
            for block, places in ((self._in_graph, known), (self._rest, sorted(set(fresh).difference(known)))):
                block.put([numbers[place] for place in places], rows[places])

    def put_vectors(self, numbers: Sequence[int], vectors: Floats) -> None:
        """The same with unit vectors."""
        self.put(numbers, packed(vectors))

    def remove(self, numbers: Iterable[int]) -> None:
        """Take vectors out; numbers that are not there are passed over."""
        with self._lock:
            for number in numbers:
                (self._in_graph if number in self._in_graph.at else self._rest).remove(number)

    def vectors(self, numbers: Sequence[int]) -> Floats:
        """Unit vectors of these numbers, in their order; zeros for one that is not there."""
        with self._lock:
            return unpacked(self._rows(numbers))

    def search(self, query: Floats, limit: int, cancel: Cancel, allowed: Collection[int] | None = None) -> list[Near]:
        """The nearest, best first, equals by number; the same for the same vectors, in whichever order they came.

        With a graph some of the nearest may be missed; with `allowed` fewer than half, none is.

        :param query: one unit vector.
        :param allowed: the numbers that count; None for all.
        :raises Cancelled: when told to stop.
        """
        cancel.check()
        if not np.any(query) or limit <= 0:
            return []
        row = packed(query)
        with self._lock:
            wanted = limit + SPARE
            found = self._nearest(row, wanted) if allowed is None else self._nearest_of(row, wanted, allowed)
            cancel.check()
            scores = unpacked(self._rows(found)) @ query
        order = sorted(zip((-scores).tolist(), found, strict=True))[:limit]
        return [Near(number, -score) for score, number in order]

    # The graph

    @property
    def wants_graph(self) -> bool:
        """Whether a graph should be made now: there are many, and none or an outdated one."""
        with self._lock:
            if len(self) <= GRAPH_ABOVE:
                return False
            if self._graph is None:
                return True
            changed = len(self._rest) + len(self._graph) - len(self._in_graph)
            return changed > GRAPH_STALE * len(self._graph)

    def make_graph(self, path: Path, cancel: Cancel) -> None:
        """Make a graph of what is there now, and put it in place of a file; takes minutes, and does not hold up others.

        :raises NoGraph: when it cannot be made here.
        :raises Cancelled: when told to stop; the former file stays.
        :raises OSError: when the disk refuses.
        """
        with self._lock:
            numbers = np.concatenate([self._in_graph.numbers, self._rest.numbers])
            rows = np.concatenate([self._in_graph.rows, self._rest.rows])
        order = np.argsort(numbers)
        Graph.make(path, numbers[order], rows[order], self._threads, cancel)

    def take_graph(self, path: Path) -> None:
        """Search through the graph in a file from now on. Raises NoGraph; the former one then stays."""
        graph = Graph.open(path, self._dimensions)
        with self._lock:
            numbers = np.concatenate([self._in_graph.numbers, self._rest.numbers])
            rows = np.concatenate([self._in_graph.rows, self._rest.rows])
            self._graph, self._in_graph, self._rest = graph, _Block(self._dimensions), _Block(self._dimensions)
            self.put(numbers.tolist(), rows)

    def drop_graph(self) -> None:
        """Compare all vectors from now on, and let the file go."""
        with self._lock:
            self._graph = None
            self._rest.put(self._in_graph.numbers.tolist(), self._in_graph.rows)
            self._in_graph = _Block(self._dimensions)

    def _nearest(self, row: Rows, wanted: int) -> list[int]:
        if self._graph is None:
            return self._rest.nearest(row, wanted)
        # What went since the graph was made takes places in its answer.
        met = self._graph.nearest(row, wanted + min(wanted, len(self._graph) - len(self._in_graph)))
        return [number for number in met if number in self._in_graph.at] + self._rest.nearest(row, wanted)

    def _nearest_of(self, row: Rows, wanted: int, allowed: Collection[int]) -> list[int]:
        here = [number for number in allowed if number in self]
        if 2 * len(here) > len(self):
            # Most are allowed: look among all, and again among the allowed ones when too few of those were.
            kept = frozenset(here)
            found = [number for number in self._nearest(row, 4 * wanted) if number in kept]
            if len(found) >= min(wanted, len(here)):
                return found
        here.sort()
        places = best_rows(self._rows(here), row, wanted)
        return [here[place] for place in places]

    def _rows(self, numbers: Sequence[int]) -> Rows:
        rows: Rows = np.zeros((len(numbers), self._dimensions), np.int8)
        for block in (self._in_graph, self._rest):
            if not block.at:
                continue
            pairs = [(place, at) for place, number in enumerate(numbers) if (at := block.at.get(number)) is not None]
            if pairs:
                places, ats = zip(*pairs, strict=True)
                rows[list(places)] = block.rows[list(ats)]
        return rows


class _Block:
    """Rows without gaps, each under its number."""

    def __init__(self, dimensions: int) -> None:
        self._rows: Rows = np.zeros((64, dimensions), np.int8)
        self._numbers: NDArray[np.uint64] = np.zeros(64, np.uint64)
        self._lengths: Floats = np.zeros(64, np.float32)
        self.at: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.at)

    @property
    def rows(self) -> Rows:
        return self._rows[: len(self.at)]

    @property
    def numbers(self) -> NDArray[np.uint64]:
        return self._numbers[: len(self.at)]

    def put(self, numbers: Sequence[int], rows: Rows) -> None:
        count = len(self.at)
        need = count + len(numbers)
        if need > len(self._rows):
            room = max(need, len(self._rows) * 3 // 2)
            grown: Rows = np.zeros((room, self._rows.shape[1]), np.int8)
            grown[:count] = self.rows
            more: NDArray[np.uint64] = np.zeros(room, np.uint64)
            more[:count] = self.numbers
            lengths: Floats = np.zeros(room, np.float32)
            lengths[:count] = self._lengths[:count]
            self._rows, self._numbers, self._lengths = grown, more, lengths
        for number, row, length in zip(numbers, rows, lengths_of(rows), strict=True):
            if number not in self.at:
                place = len(self.at)
                self._rows[place] = row
                self._numbers[place] = number
                self._lengths[place] = length
                self.at[number] = place

    def remove(self, number: int) -> None:
        place = self.at.pop(number, None)
        if place is None:
            return
        last = len(self.at)
        if place != last:
            self._rows[place] = self._rows[last]
            self._numbers[place] = self._numbers[last]
            self._lengths[place] = self._lengths[last]
            self.at[int(self._numbers[place])] = place

    def nearest(self, row: Rows, wanted: int) -> list[int]:
        found: list[int] = self._numbers[best_rows(self.rows, row, wanted, self._lengths[: len(self.at)])].tolist()
        return found
