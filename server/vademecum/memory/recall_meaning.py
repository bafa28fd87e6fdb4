"""What memories mean: vectors of their texts, made in the background and kept by content, and how near a prompt is.

Vectors tell of the text that they were made of: where memories are deleted or purged, all kept ones go at once.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from vademecum.embedding.embedder import Embedder
from vademecum.embedding.keys import key_of
from vademecum.embedding.scripts import Script, share_read
from vademecum.embedding.types import EmbeddingFailed, Facts, NoModel, Role
from vademecum.errors import VademecumError
from vademecum.memory import recall_kinds
from vademecum.memory.recall_english import in_english
from vademecum.memory.record import Record
from vademecum.work import Cancel, Cancelled

if TYPE_CHECKING:
    from vademecum.embedding.store import Store
    from vademecum.embedding.types import Floats
    from vademecum.memory.recall_kinds import Divide, Kind
    from vademecum.memory.recall_vectors import Nearness, Vectors

log = logging.getLogger(__name__)

FOLDER = "memory-vectors"

#: Of the way in which texts are made here, raised when that changes: other texts have other vectors.
_VERSION = 2
#: Texts that get their vectors at once: of memories few, as queries wait for that; of the example prompts, without
#: which there is nothing to ask for, more, since that takes less time, least of all where other programs run.
_AT_ONCE = {Role.PASSAGE: 32, Role.QUERY: 128}
#: Share of a text that a model must be able to read where nothing of the rest is known in English.
_READ = 0.5


@frozen
class Meaning:
    """What a prompt means beside some memories.

    :param near: how near each of them is.
    :param kind: whether it is of the kind that memories answer.
    """

    near: Nearness
    kind: Kind
    vectors: Vectors


@frozen
class _Made:
    """What was put together of the vectors of some memories, as long as no more were made."""

    records: Sequence[Record]
    count: int
    vectors: Vectors


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
        self._asked: Callable[[], Sequence[Record]] | None = None
        self._said = False
        self._keys: dict[int, tuple[Record, tuple[bytes, ...]]] = {}
        self._divide: Divide | None = None
        self._made: _Made | None = None

    def meaning(self, records: Sequence[Record], prompt: str) -> Meaning | None:
        """What a prompt means beside memories; None while there is no model, or where it cannot read the prompt.

        What has no vector yet gets one in the background.
        """
        self.follow(records)
        with self._guard:
            facts, divide = self._facts, self._divide
        if facts is None or divide is None:
            return None
        text = _legible(facts, prompt)
        if not text:
            return None
        try:
            vector = self._embedder().embed([text], self._cancel, Role.QUERY, facts)[0]
        except (NoModel, EmbeddingFailed, Cancelled) as why:
            log.warning("a prompt has no vector: %s", why)
            return None
        vectors = self._put_together(records, facts)
        return Meaning(vectors.near(vector), divide.of(vector), vectors)

    def follow(self, records: Sequence[Record]) -> None:
        """Make what these memories lack, soon. Returns at once."""
        with self._guard:
            if records is self._wanted or self._cancel.is_set:
                return
            self._wanted, self._asked = records, None
            self._start()

    def begin(self, told: Callable[[], Sequence[Record]]) -> None:
        """Make soon what is lacking for the memories that `told` returns, which is asked for them in the background.

        Nothing where that has begun before. Returns at once.
        """
        with self._guard:
            if self._cancel.is_set or self._wanted or self._asked is not None:
                return
            self._asked = told
            self._start()

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
            self._made = None
            self._wanted = ()
            shutil.rmtree(self._folder, ignore_errors=True)

    def close(self) -> None:
        """Stop what is being made."""
        self._cancel.set()
        self.settle(2.0)

    def _start(self) -> None:
        """Start the one thread that makes vectors, unless it runs; with the guard held."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="memory-vectors", daemon=True)
            self._thread.start()

    def _put_together(self, records: Sequence[Record], facts: Facts) -> Vectors:
        from vademecum.memory.recall_vectors import Vectors

        with self._guard:
            made, count = self._made, len(self._vectors)
            if made is not None and made.records is records and made.count == count:
                return made.vectors
            vectors = dict(self._vectors)
        put = Vectors(self._keys_of(facts, records), vectors, facts.dimensions)
        with self._guard:
            if facts is self._facts:
                self._made = _Made(records, count, put)
        return put

    def _keys_of(self, facts: Facts, records: Sequence[Record]) -> list[tuple[bytes, ...]]:
        """The keys of the texts of memories; those of memories that are still the same are known."""
        before = self._keys
        now = {}
        for record in records:
            known = before.get(id(record))
            if known is None or known[0] is not record:
                known = (record, tuple(map(_key, _texts(facts, record))))
            now[id(record)] = known
        self._keys = now
        return [now[id(record)][1] for record in records]

    def _run(self) -> None:
        """Make what is wanted, until nothing more is; the thread ends then, or once `close` says so."""
        while True:
            with self._guard:
                wanted, asked = self._wanted, self._asked
            try:
                if asked is not None:
                    wanted = asked()
                    with self._guard:
                        if asked is self._asked:
                            self._wanted, self._asked = wanted, None
                self._make(wanted)
            except NoModel as why:
                if not self._said:
                    self._said = True
                    log.info("memories are recalled by words alone: %s", why.reason)
            except VademecumError as error:
                log.warning("memories cannot be read: %s", error.kind)
            except (OSError, EmbeddingFailed, ImportError) as error:
                log.warning("memories have no vectors: %s", error)
            except Cancelled:
                pass
            with self._guard:
                if asked is self._asked:
                    self._asked = None
                if self._cancel.is_set or (wanted is self._wanted and self._asked is None):
                    self._thread = None
                    return

    def _make(self, records: Sequence[Record]) -> None:
        from vademecum.embedding.store import Store

        embedder = self._embedder()
        facts = self._choose(embedder)
        with self._guard:
            if self._facts is None or self._facts.id != facts.id:
                self._facts, self._vectors, self._made, self._divide = facts, {}, None, None
                self._keys = {}
            generation = self._generation
        store = Store(self._folder, facts)
        try:
            own, general = ([_legible(facts, text) for text in kind] for kind in recall_kinds.examples())
            prompts = {_key(text, Role.QUERY): text for text in (*own, *general) if text}
            if not self._fill(embedder, facts, prompts, Role.QUERY, generation, store):
                return
            self._part(facts, own, general)
            texts = {_key(text): text for record in records for text in _texts(facts, record) if text}
            made = self._fill(embedder, facts, texts, Role.PASSAGE, generation, store)
        finally:
            store.close()
        if made:
            self._put_together(records, facts).prepare(self._cancel)

    def _part(self, facts: Facts, own: Sequence[str], general: Sequence[str]) -> None:
        """Find what parts the kinds of prompts, once for a model."""
        import numpy as np

        with self._guard:
            if self._divide is not None or facts is not self._facts:
                return
            kinds = [[self._vectors.get(_key(text, Role.QUERY)) for text in kind if text] for kind in (own, general)]
        own_vectors, general_vectors = ([vector for vector in kind if vector is not None] for kind in kinds)
        if own_vectors and general_vectors:
            divide = recall_kinds.divide(np.stack(own_vectors), np.stack(general_vectors))
            with self._guard:
                self._divide = divide

    def _fill(
        self,
        embedder: Embedder,
        facts: Facts,
        texts: Mapping[bytes, str],
        role: Role,
        generation: int,
        store: Store,
    ) -> bool:
        """Have the vectors of some texts: from the disk, from what was dropped just now, or newly made.

        :return: false when all vectors were dropped meanwhile.
        """
        import numpy as np

        from vademecum.embedding.rows import unpacked

        with self._guard:
            keys = [key for key in texts if key not in self._vectors]
        if not keys:
            return True
        there, rows = store.get(keys)
        found = unpacked(rows[there])
        if not self._put([key for key, known in zip(keys, there, strict=True) if known], found, generation, None):
            return False
        missing = [key for key, known in zip(keys, there, strict=True) if not known]
        with self._guard:
            spare = {key: self._spare.pop(key) for key in missing if key in self._spare}
        if spare:
            if not self._put(list(spare), np.stack(list(spare.values())), generation, store):
                return False
            missing = [key for key in missing if key not in spare]
        missing.sort(key=lambda key: len(texts[key]))  # padding is work, too
        for start in range(0, len(missing), _AT_ONCE[role]):
            part = missing[start : start + _AT_ONCE[role]]
            vectors = embedder.embed([texts[key] for key in part], self._cancel, role, facts)
            if not self._put(part, np.asarray(vectors), generation, store):
                return False
            time.sleep(0.002)  # queries go first
        return True

    def _choose(self, embedder: Embedder) -> Facts:
        """The model that was taken first, as long as it is to be had; others here may have chosen another."""
        with self._guard:
            before = self._facts
        if before is not None:
            try:
                return embedder.use(before.name)
            except NoModel:
                pass  # the settings name another now
        return embedder.choose()

    def _put(self, keys: Sequence[bytes], vectors: Floats, generation: int, store: Store | None) -> bool:
        with self._guard:
            if generation != self._generation:
                return False
            if store is not None and store.is_there:
                store.add(keys, vectors)
            self._vectors.update(zip(keys, vectors, strict=True))
            return True


def _texts(facts: Facts, record: Record) -> tuple[str, ...]:
    """The texts of a memory that get a vector, as the model can read them, '' where it can read nothing."""
    from vademecum.memory.recall_vectors import texts_of

    return tuple(_legible(facts, text) for text in texts_of(record))


def _key(text: str, role: Role = Role.PASSAGE) -> bytes:
    return key_of(text if role is Role.PASSAGE else f"{role.value}\0{text}", _VERSION)


def _legible(facts: Facts, text: str) -> str:
    if text.isascii() and Script.LATIN in facts.scripts:
        return text
    read = share_read(facts.scripts, text)
    if read == 1.0:
        return text
    return in_english(text) or (text if read >= _READ else "")
