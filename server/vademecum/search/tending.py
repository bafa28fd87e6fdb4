"""What is done for vectors when nothing else is: old ones go, and many are put into a graph."""

import contextlib
import logging
import math
import secrets
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.embedding.keys import number_of
from vademecum.search.catalogue import read_vectors
from vademecum.search.settings import SearchSettings
from vademecum.work import Cancel, give_back_memory

if TYPE_CHECKING:
    from vademecum.embedding.store import Store
    from vademecum.embedding.types import Facts

log = logging.getLogger(__name__)

EVERY = 86_400.0
"""Seconds between two collections of one repository's vectors."""

MARK = "tended"
"""Beside the stores: its time is that of the last collection, by whichever process."""

GRAPH = "graph-"
"""Beginning of the names of graphs; the id of their model follows."""

GRAPH_SHARE = 0.05
"""Share of the time that looking at the graph, and making it, may take."""

QUIET = 5.0
"""Seconds that vectors have been left alone before the room that their journal takes is given back, and it is looked
whether they need a graph."""


class Tending:
    """Tends the vectors of one index. Belongs to one thread.

    :param home: the index's folder; holds the graph.
    :param folder: of the repository's vectors.
    """

    def __init__(self, home: Path, folder: Path, settings: SearchSettings, cancel: Cancel) -> None:
        self._home = home
        self._folder = folder
        self._settings = settings
        self._cancel = cancel
        self._collect_at = math.inf
        self._graph_at = math.inf
        self._tidy_at = math.inf
        self._graph_not_before = 0.0
        self.graph: str | None = None
        """Name of the file of the newest graph, in the index's folder."""

    def begin(self, graph: str | None, model: str) -> None:
        """Begin with a model's vectors.

        Where nobody tells of a graph there may be one all the same, of a time before the model was switched off. How
        well it fits is seen as with any other: it is kept while little has come or gone.

        :param graph: that was made of them before.
        :param model: its id.
        """
        told = graph if graph is not None and (self._home / graph).is_file() else None
        self.graph = told or self._left(model)
        self._collect_at = time.monotonic() + EVERY - self._age()

    def changed(self, total: int) -> None:
        """Vectors may have come or gone; there are so many texts now."""
        from vademecum.embedding.neighbours import GRAPH_ABOVE

        self._tidy_at = time.monotonic() + QUIET
        if total > GRAPH_ABOVE or self.graph is not None:
            self._graph_at = max(time.monotonic() + QUIET, self._graph_not_before)

    def due_in(self) -> float:
        """Seconds until there is something to do."""
        return min(self._graph_at, self._collect_at, self._tidy_at) - time.monotonic()

    def tend(self, catalogue: Path, facts: "Facts", store: "Store") -> None:
        """Do what is due.

        :raises Cancelled: when told to stop.
        :raises OSError: when the disk refuses.
        """
        now = time.monotonic()
        if now >= self._graph_at:
            self._graph_at = math.inf
            self._look_at_graph(read_vectors(catalogue), facts, store)
            self._graph_not_before = time.monotonic() + (time.monotonic() - now) / GRAPH_SHARE
        if now >= self._collect_at:
            self._collect_at = now + EVERY
            self._collect(read_vectors(catalogue), facts, store)
        if now >= self._tidy_at:
            self._tidy_at = math.inf
            store.tidy()

    def _left(self, model: str) -> str | None:
        """The newest graph of a model's vectors that lies there."""
        found = [path for path in self._home.glob(f"{GRAPH}{model}-*") if not path.suffix]
        with contextlib.suppress(OSError):
            return max(found, key=lambda path: path.stat().st_mtime_ns).name if found else None
        return None

    def _age(self) -> float:
        """Seconds since the last collection, or since for ever."""
        try:
            return max(0.0, time.time() - (self._folder / MARK).stat().st_mtime)
        except OSError:
            return EVERY

    def _collect(self, keys: Collection[bytes], facts: "Facts", store: "Store") -> None:
        from vademecum.embedding.discarding import discard_models

        store.touch(keys)
        self._cancel.check()
        days, most = self._settings.unused_vectors_days, self._settings.unused_vectors_bytes
        store.collect(keys, days, most)
        discard_models(self._folder, {facts.id}, days)
        (self._folder / MARK).touch(mode=0o600)

    def _look_at_graph(self, keys: Sequence[bytes], facts: "Facts", store: "Store") -> None:
        """Make a graph when there are many vectors, and none or one of which much has come or gone since."""
        import numpy as np

        from vademecum.embedding.graph import Graph, NoGraph
        from vademecum.embedding.neighbours import GRAPH_ABOVE, GRAPH_STALE

        former = self.graph
        if len(keys) <= GRAPH_ABOVE:
            self.graph = None
        else:
            try:
                known = self._known(facts)
                changed = len(known.symmetric_difference(map(number_of, keys)))
                if known and changed <= GRAPH_STALE * len(known):
                    return
                there, rows = store.get(keys)
                numbers = np.fromiter(map(number_of, keys), np.uint64, len(keys))[there]
                name = f"{GRAPH}{facts.id}-{secrets.token_hex(6)}"
                Graph.make(self._home / name, numbers, rows[there], self._settings.model_threads, self._cancel)
                self.graph = name
            except NoGraph as why:
                log.info("vectors are compared one by one: %s", why)
                return
            finally:
                give_back_memory()
        if self.graph != former:
            self._drop_others()

    def _known(self, facts: "Facts") -> frozenset[int]:
        """The numbers in the graph that there is."""
        from vademecum.embedding.graph import Graph, NoGraph

        if self.graph is None:
            return frozenset()
        try:
            return Graph.open(self._home / self.graph, facts.dimensions).numbers
        except NoGraph:
            return frozenset()

    def _drop_others(self) -> None:
        """Delete former graphs; where somebody reads one, some systems keep it until the next time."""
        for path in self._home.glob(f"{GRAPH}*"):
            if path.name != self.graph:
                with contextlib.suppress(OSError):
                    path.unlink()
