"""A second opinion on the best candidates of a query: a stronger model than the one that found them."""

import logging
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cachetools import LRUCache

from vademecum.embedding.embedder import Embedder
from vademecum.embedding.settings import EmbeddingSettings
from vademecum.embedding.types import EmbeddingFailed, NoModel, Role
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.embedding.types import Floats

log = logging.getLogger(__name__)

SECONDS = 1.5
"""How long one query may take for texts that the model has not met yet; the others keep their scores."""

KEPT = 5_000
"""Vectors remembered, by the key of their text."""


class Second:
    """A reranking model, loaded when it is first asked and let go when idle. May be used from every thread.

    :param name: of the model, as the setting `search.model` has it.
    """

    def __init__(self, name: str, threads: int) -> None:
        self.name = name
        self._embedder = Embedder(EmbeddingSettings(model=name, model_threads=threads))
        self._vectors: LRUCache[bytes, Floats] = LRUCache(KEPT)
        self._lock = threading.Lock()
        self._failed = False

    def opinion(self, query: str, texts: Sequence[tuple[bytes, str | None]], cancel: Cancel) -> Sequence[float | None]:
        """The cosine of each text to the query; None for one that there was no time for, or that has no text.

        :param texts: by their keys.
        :raises Cancelled: when told to stop.
        """
        nothing: list[float | None] = [None] * len(texts)
        if self._failed:
            return nothing
        try:
            self._embedder.choose()
            asked = self._embedder.embed([query], cancel, Role.QUERY)[0]
            deadline = time.monotonic() + SECONDS
            return [self._score(asked, key, text, deadline, cancel) for key, text in texts]
        except (NoModel, EmbeddingFailed) as why:
            log.warning("the reranking model %s gives no opinion: %s", self.name, why)
            self._failed = isinstance(why, NoModel)
            return nothing

    def _score(self, asked: "Floats", key: bytes, text: str | None, deadline: float, cancel: Cancel) -> float | None:
        with self._lock:
            vector = self._vectors.get(key)
        if vector is None:
            if text is None or time.monotonic() > deadline:
                return None
            vector = self._embedder.embed([text], cancel)[0]
            with self._lock:
                self._vectors[key] = vector
        return float(vector @ asked)

    def close(self) -> None:
        """Let the model go."""
        self._embedder.close()
