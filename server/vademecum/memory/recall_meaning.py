"""What memories mean: vectors of their fields, made in the background and kept by content, and how near a prompt is.

A memory has a vector for each of its fields and one for the whole, since a short question is nearer to a title or a
keyword than to a paragraph. What all memories have in common is taken out (the mean), as it tells none from another.
Vectors tell of the text that they were made of: where memories are deleted or purged, all kept ones go at once.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.embedding.embedder import Embedder
from vademecum.embedding.keys import key_of
from vademecum.embedding.scripts import share_read
from vademecum.embedding.types import EmbeddingFailed, Facts, NoModel, Role
from vademecum.lexical.glossary import in_english
from vademecum.memory.record import Record
from vademecum.work import Cancel, Cancelled

if TYPE_CHECKING:
    from vademecum.embedding.store import Store
    from vademecum.embedding.types import Floats

log = logging.getLogger(__name__)

FOLDER = "memory-vectors"
_VERSION = 1
_AT_ONCE = 32
#: What few memories have in common is chance, and is not taken out: with so many half of it is.
_FEW = 100
#: Share of a text that a model must be able to read; below, what is known of it in English stands for it.
_READ = 0.5


class Meanings:
    """The vectors of the memories of this process. Safe from every thread.

    :param folder: where vectors are kept; it is removed when memories are.
    :param embedder: gives the process's model; it may be another after settings changed.
    """

    def __init__(self, folder: Path, embedder: Callable[[], Embedder]) -> None:
        self._folder = folder
        self._embedder = embedder
        self._guard = threading.Lock()
        self._cancel = Cancel()
        self._facts: Facts | None = None
        self._vectors: dict[bytes, Floats] = {}
        self._generation = 0
        self._spare: dict[bytes, Floats] = {}
        self._thread: threading.Thread | None = None
        self._wanted: Sequence[Record] = ()
        self._said = False
        self._matrix: tuple[Sequence[Record], int, Floats, Floats] | None = None

    def near(self, records: Sequence[Record], prompt: str) -> list[float] | None:
        """How near each memory is to a prompt, about -0.3 to 1, 0 where that is not known; None without any vectors.

        What has no vector yet gets one in the background.
        """
        self.follow(records)
        with self._guard:
            facts = self._facts
            if facts is None or not self._vectors:
                return None
        text = _legible(facts, prompt)
        if not text:
            return None
        try:
            query = self._embedder().embed([text], self._cancel, Role.QUERY)[0]
        except (NoModel, EmbeddingFailed, Cancelled) as why:
            log.warning("a prompt has no vector: %s", why)
            return None
        import numpy as np

        held, means = self._held(records, facts)
        centred = query[None, :] - means
        centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-9)
        return [float(score) for score in held @ centred.reshape(-1) / len(means)]

    def follow(self, records: Sequence[Record]) -> None:
        """Make what these memories lack, soon. Returns at once."""
        with self._guard:
            if records is self._wanted or self._cancel.is_set:
                return
            self._wanted = records
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="memory-vectors", daemon=True)
                self._thread.start()

    def settle(self, seconds: float) -> None:
        """Wait until what was asked for is made, at most so long."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def drop(self) -> None:
        """Forget every vector, here and on the disk: what memories were deleted must not be told by them.

        Those of memories that are still there are written again from memory, without the model.
        """
        with self._guard:
            self._spare |= self._vectors
            self._vectors = {}
            self._generation += 1
            self._matrix = None
            self._wanted = ()
            shutil.rmtree(self._folder, ignore_errors=True)

    def close(self) -> None:
        """Stop what is being made."""
        self._cancel.set()
        self.settle(2.0)

    def _held(self, records: Sequence[Record], facts: Facts) -> tuple[Floats, Floats]:
        import numpy as np

        with self._guard:
            kept, count = self._matrix, len(self._vectors)
            if kept is not None and kept[0] is records and kept[1] == count:
                return kept[2], kept[3]
            vectors = dict(self._vectors)
        zero = np.zeros(facts.dimensions, np.float32)
        keys = [[key_of(text, _VERSION) for text in _texts(facts, record)] for record in records]
        fields = np.stack([[vectors.get(key, zero) for key in row] for row in keys])
        there = np.abs(fields).max(axis=2, keepdims=True) > 0
        means = fields.sum(axis=0) / (there.sum(axis=0) + _FEW)
        fields = np.where(there, fields - means[None], 0.0)
        fields /= np.maximum(np.linalg.norm(fields, axis=2, keepdims=True), 1e-9)
        held = np.ascontiguousarray(fields.reshape(len(records), -1), np.float32)
        means = means.astype(np.float32)
        with self._guard:
            self._matrix = (records, count, held, means)
        return held, means

    def _run(self) -> None:
        try:
            while True:
                with self._guard:
                    wanted = self._wanted
                self._make(wanted)
                with self._guard:
                    if wanted is self._wanted:
                        self._thread = None
                        return
        except Cancelled:
            return
        except NoModel as why:
            if not self._said:
                self._said = True
                log.info("memories are recalled by words alone: %s", why.reason)
        except (OSError, EmbeddingFailed, ImportError) as error:
            log.warning("memories have no vectors: %s", error)

    def _make(self, records: Sequence[Record]) -> None:
        import numpy as np

        from vademecum.embedding.rows import unpacked
        from vademecum.embedding.store import Store

        embedder = self._embedder()
        facts = embedder.choose()
        with self._guard:
            if self._facts is None or self._facts.id != facts.id:
                self._facts, self._vectors, self._matrix = facts, {}, None
            generation = self._generation
            texts = {
                key: text
                for record in records
                for text in _texts(facts, record)
                if text and (key := key_of(text, _VERSION)) not in self._vectors
            }
        if not texts:
            return
        store = Store(self._folder, facts)
        try:
            keys = list(texts)
            there, rows = store.get(keys)
            found = unpacked(rows[there])
            self._put([key for key, known in zip(keys, there, strict=True) if known], found, generation, None)
            missing = [key for key, known in zip(keys, there, strict=True) if not known]
            with self._guard:
                spare = {key: self._spare[key] for key in missing if key in self._spare}
                self._spare = {}
            if spare:
                self._put(list(spare), np.stack(list(spare.values())), generation, store)
                missing = [key for key in missing if key not in spare]
            for start in range(0, len(missing), _AT_ONCE):
                part = missing[start : start + _AT_ONCE]
                vectors = embedder.embed([texts[key] for key in part], self._cancel)
                if not self._put(part, np.asarray(vectors), generation, store):
                    return
                time.sleep(0.002)  # queries go first
        finally:
            store.close()

    def _put(self, keys: Sequence[bytes], vectors: Floats, generation: int, store: Store | None) -> bool:
        with self._guard:
            if generation != self._generation:
                return False
            if store is not None and store.is_there:
                store.add(keys, vectors)
            self._vectors.update(zip(keys, vectors, strict=True))
            return True


def _texts(facts: Facts, record: Record) -> tuple[str, ...]:
    """The texts of a memory that get a vector, '' where there is none; always as many."""
    words = ", ".join(record.keywords)
    whole = ". ".join(part for part in (record.title, record.description, words, record.content) if part)
    fields = (record.title, record.description or record.title, record.content, words or record.title, whole)
    return tuple(_legible(facts, text) for text in fields)


def _legible(facts: Facts, text: str) -> str:
    if share_read(facts.scripts, text) >= _READ:
        return text
    return in_english(text)
