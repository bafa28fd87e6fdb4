"""The side of a search that goes by meaning: the vectors of one index in memory, and the vectors of queries.

Vectors are made by the indexer and kept on the disk by content; here they are held for searching, brought up to what
was published in a thread of its own, so that no query waits for that. What a query needs of the model is made here.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen
from cachetools import LRUCache

from vademecum.embedding.embedder import Embedder
from vademecum.embedding.keys import number_of
from vademecum.embedding.types import EmbeddingFailed, Facts, NoModel, Role
from vademecum.search.build import CATALOGUE
from vademecum.search.catalogue import read_vectors
from vademecum.search.published import Published
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.embedding.neighbours import Neighbours
    from vademecum.embedding.store import Store
    from vademecum.embedding.types import Floats

log = logging.getLogger(__name__)

FOLLOW_SECONDS = 1.0
"""Least time between two times that vectors are brought up to what was published."""

FOLLOW_SHARE = 0.05
"""Share of the time that this may take: a large index is followed less often."""

FIRST_SECONDS = 0.5
"""How long the first query waits for vectors that are on the disk already; 50,000 are read in that time."""

AT_ONCE = 5_000
"""Vectors read from the store at once; queries go on between."""

QUERIES_KEPT = 256
"""Query vectors remembered: an editor asks the same again for the next page, or while typing back and forth."""


@frozen
class Meaning:
    """What a query means, and how to measure texts by it.

    :param facts: the model that made it.
    """

    facts: Facts
    vector: Floats
    neighbours: Neighbours

    def nearest(self, limit: int, cancel: Cancel) -> list[int]:
        """Numbers of the nearest vectors, best first."""
        return [near.number for near in self.neighbours.search(self.vector, limit, cancel)]

    def cosines(self, keys: Sequence[bytes]) -> list[float | None]:
        """The cosine of each key's vector to the query, -1 to 1; None where there is no vector."""
        numbers = [number_of(key) for key in keys]
        scores = (self.neighbours.vectors(numbers) @ self.vector).tolist()
        return [score if number in self.neighbours else None for number, score in zip(numbers, scores, strict=True)]


class Semantics:
    """Holds the vectors of one folder's index. May be used from every thread.

    :param home: the index's folder.
    :param vectors: the folder of the repository's vectors.
    :param embedder: the model of this process.
    :param threads: how many one search may use.
    """

    def __init__(self, home: Path, vectors: Path, embedder: Embedder, threads: int) -> None:
        self._home = home
        self._vectors = vectors
        self._embedder = embedder
        self._threads = threads
        self._queries: LRUCache[tuple[str, str], Floats] = LRUCache(QUERIES_KEPT)
        self._lock = threading.Lock()
        self._news = threading.Condition(self._lock)
        self._wanted: Published | None = None
        self._done: Published | None = None
        self._held: tuple[Facts, Neighbours, Store] | None = None
        self._reason: str | None = None
        self._graph: str | None = None
        self._closed = False
        self._thread: threading.Thread | None = None

    def follow(self, published: Published) -> None:
        """Hold the vectors of what was published, soon. Returns at once."""
        with self._news:
            if self._closed:
                return
            if published.vectors.name is None:
                # There is no model any more, or none yet.
                self._wanted = self._done = self._held = None
                self._reason = published.vectors.reason
                return
            self._wanted = published
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="vectors", daemon=True)
                self._thread.start()
            self._news.notify_all()

    def close(self) -> None:
        """Let everything go."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        if self._thread is not None:
            self._thread.join(2.0)

    @property
    def reason(self) -> str | None:
        """Why there is no meaning to search by, for a person; None when there is, or will be in a moment."""
        return self._reason

    def meaning(self, text: str, cancel: Cancel) -> Meaning | None:
        """What a text means; None while there is no model or there are no vectors yet.

        :raises Cancelled: when told to stop.
        """
        held = self._now(cancel)
        if held is None:
            return None
        facts, neighbours, _ = held
        with self._lock:
            vector = self._queries.get((facts.id, text))
        if vector is None:
            try:
                vector = self._embedder.embed([text], cancel, Role.QUERY, facts)[0]
            except EmbeddingFailed as why:
                log.warning("the query has no vector: %s", why)
                return None
            except NoModel as why:
                with self._lock:
                    # Not tried again, and every answer says why.
                    if self._held is held:
                        self._held, self._reason = None, why.reason
                return None
            with self._lock:
                self._queries[(facts.id, text)] = vector
        return Meaning(facts, vector, neighbours)

    def meaning_of(self, key: bytes, text: str, cancel: Cancel) -> Meaning | None:
        """What a piece of code means, by the key of its text; None while there is no model or there are no vectors yet.

        :raises Cancelled: when told to stop.
        """
        held = self._now(cancel)
        if held is None:
            return None
        facts, neighbours, _ = held
        if number_of(key) not in neighbours:
            self.embed_now([(key, text)], 0.1, cancel)
        if number_of(key) not in neighbours:
            return None
        return Meaning(facts, neighbours.vectors([number_of(key)])[0], neighbours)

    def _now(self, cancel: Cancel) -> tuple[Facts, Neighbours, Store] | None:
        """What is held; waits a little for the first time that it is brought up."""
        deadline = time.monotonic() + FIRST_SECONDS
        with self._news:
            while self._held is None and self._wanted is not None and self._done is None and not self._closed:
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                self._news.wait(min(left, 0.02))
                cancel.check()
            return self._held

    def likenesses(self, keys: Sequence[bytes]) -> list[list[float]] | None:
        """How alike the texts of some keys are, 0 to 1, each with each; None unless all of them have vectors."""
        with self._lock:
            held = self._held
        numbers = [number_of(key) for key in keys]
        if held is None or not all(number in held[1] for number in numbers):
            return None
        vectors = held[1].vectors(numbers)
        return (vectors @ vectors.T).clip(0.0, 1.0).tolist()  # type: ignore[no-any-return]

    def embed_now(self, texts: Iterable[tuple[bytes, str]], seconds: float, cancel: Cancel) -> int:
        """Make vectors of texts that have none yet, by their keys, for so long; what was made is kept for good.

        :return: how many were made.
        :raises Cancelled: when told to stop.
        """
        with self._lock:
            held = self._held
        if held is None:
            return 0
        facts, neighbours, store = held
        deadline = time.monotonic() + seconds
        keys: list[bytes] = []
        vectors: list[Floats] = []
        for key, text in texts:
            if time.monotonic() >= deadline:
                break
            if number_of(key) in neighbours:
                continue
            try:
                vectors.append(self._embedder.embed([text], cancel, facts=facts)[0])
            except NoModel:
                break
            except EmbeddingFailed:
                continue
            keys.append(key)
        if keys:
            import numpy as np

            made = np.stack(vectors)
            neighbours.put_vectors([number_of(key) for key in keys], made)
            try:
                store.add(keys, made)
            except OSError as error:
                log.warning("vectors cannot be kept: %s", error)
        return len(keys)

    # Following

    def _run(self) -> None:
        numbers: set[int] = set()
        while True:
            with self._news:
                self._news.wait_for(lambda: self._closed or self._wanted is not self._done)
                if self._closed:
                    break
                wanted = self._wanted
            assert wanted is not None
            began = time.monotonic()
            try:
                if self._done is None or self._held is None or _changed(self._done, wanted):
                    numbers = self._bring_up(wanted, numbers)
                reason = None
            except NoModel as why:
                reason = why.reason
            except (OSError, ImportError) as error:
                log.warning("vectors cannot be read: %s", error)
                reason = f"its vectors cannot be read ({error})"
            except Exception:
                # Words answer meanwhile; what is published next is tried again.
                log.exception("vectors could not be brought up")
                reason = "its vectors cannot be used; the log says why"
            if reason is not None:
                self._drop(reason)
            with self._news:
                if self._wanted is None:
                    # Meanwhile it was published that there is no model.
                    self._held = None
                else:
                    self._done, self._reason = wanted, reason
                self._news.notify_all()
            took = time.monotonic() - began
            with self._news:
                self._news.wait_for(lambda: self._closed, max(FOLLOW_SECONDS, took / FOLLOW_SHARE))
        self._drop(None)

    def _drop(self, reason: str | None) -> None:
        with self._lock:
            held, self._held, self._reason = self._held, None, reason
        if held is not None:
            held[2].close()

    def _bring_up(self, wanted: Published, numbers: set[int]) -> set[int]:
        """Hold what the published build uses; returns the numbers of its vectors."""
        from vademecum.embedding.neighbours import Neighbours
        from vademecum.embedding.store import Store

        made = wanted.vectors
        assert made.name is not None
        facts = self._embedder.use(made.name)
        if facts.id != made.id:
            raise NoModel(f"the index was made with another version of the model {facts.name}")
        held = self._held
        if held is None or held[0].id != facts.id:
            self._drop(None)
            self._graph, numbers = None, set()
            held = (facts, Neighbours(facts.dimensions, self._threads), Store(self._vectors, facts))
        _, neighbours, store = held
        keys = {number_of(key): key for key in read_vectors(self._home / wanted.build / CATALOGUE)}
        neighbours.remove(numbers - keys.keys())
        missing = [key for number, key in keys.items() if number not in neighbours]
        for start in range(0, len(missing), AT_ONCE):
            part = missing[start : start + AT_ONCE]
            there, rows = store.get(part)
            at = there.nonzero()[0]
            neighbours.put([number_of(part[place]) for place in at], rows[at])
            if self._closed:
                break
        self._take_graph(neighbours, wanted)
        with self._lock:
            self._held = held
        return set(keys)

    def _take_graph(self, neighbours: Neighbours, wanted: Published) -> None:
        """Search through the graph that was published; without one, or a broken one, all vectors are compared."""
        from vademecum.embedding.graph import NoGraph

        graph = wanted.vectors.graph
        if graph == self._graph:
            return
        try:
            if graph is None:
                neighbours.drop_graph()
            else:
                neighbours.take_graph(self._home / graph)
            self._graph = graph
        except NoGraph as why:
            log.warning("the graph of vectors cannot be used: %s", why)


def _changed(before: Published, now: Published) -> bool:
    """Whether other vectors are in use, or more of them are there."""
    return (before.build, before.generation, before.vectors.id, before.vectors.generation, before.vectors.graph) != (
        now.build,
        now.generation,
        now.vectors.id,
        now.vectors.generation,
        now.vectors.graph,
    )
