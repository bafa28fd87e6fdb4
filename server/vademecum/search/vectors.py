"""Makes the vectors of an index's chunks: in a thread of its own, after the words, and only when those need nothing.

What has a vector already, from another branch, under another name or in another worktree, is not embedded again
(`vademecum.embedding.store`). Texts are read through the gate and count only when they are those that were indexed.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve

from vademecum.embedding.embedder import Embedder
from vademecum.embedding.types import EmbeddingFailed, Facts, NoModel
from vademecum.files.gate import Gate
from vademecum.search.catalogue import count_vectors
from vademecum.search.lacking import Lacking, Place
from vademecum.search.settings import SearchSettings
from vademecum.search.tending import Tending
from vademecum.search.texts import Texts
from vademecum.search.types import VectorsState, VectorsStatus
from vademecum.search.worker import lower_thread_priority
from vademecum.work import Cancelled, Polite, give_back_memory

if TYPE_CHECKING:
    from vademecum.embedding.store import Store
    from vademecum.embedding.types import Floats

log = logging.getLogger(__name__)

BATCH_FIRST, BATCH_LEAST, BATCH_MOST = 16, 8, 1_024
"""Texts embedded and kept at once; as many as take about `BATCH_SECONDS` by the last batch."""

BATCH_SECONDS = 1.0
"""Each batch is one wait for the disk, and what a kill in its middle loses."""

TELL_EVERY = 1.0
"""Seconds between two words on how far it is."""

LOOK_SHARE = 0.05
"""Share of the time that looking what lacks a vector may take while files change again and again."""

MANY_PATHS = 500
"""Changed files past which everything is looked at, which takes no longer."""

MUCH = 2_000
"""Texts embedded past which memory is given back at the end."""

RETRY_FIRST, RETRY_LAST = 2.0, 60.0
"""Seconds until work that the disk refused is tried again, doubled each time."""

CLOSE_WITHIN = 2.0
"""Seconds that closing waits for the thread."""


class Vectors:
    """Keeps the vectors of one index. Its methods may be called from every thread, and return at once.

    :param home: the index's folder.
    :param folder: of the repository's vectors.
    :param before: what was published last, by whichever process; counts go on from there.
    :param news: called, from this object's thread, when `status` has become another.
    :param embedder: the model; by default one by the settings.
    :ivar texts: reads what is embedded.
    """

    def __init__(
        self,
        home: Path,
        folder: Path,
        gate: Gate,
        settings: SearchSettings,
        before: VectorsStatus | None,
        news: Callable[[], None],
        embedder: Embedder | None = None,
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._news = news
        self._embedder = embedder or Embedder(settings)
        self._condition = threading.Condition()
        self._cancel = Polite(self._condition, lambda: self._held > 0)
        self._held = 0
        self._catalogue: Path | None = None
        self._everything = False
        self._paths: set[str] = set()
        self._look_at = 0.0
        self._thread: threading.Thread | None = None
        self._status = evolve(before or VectorsStatus(), state=VectorsState.WAITING, failed=0, reason=None)
        self._wanted = settings.model != "none"
        if not self._wanted:
            self._status = self._without("search by meaning is switched off (search.model is none)")
        self._told_at = 0.0
        self._facts: Facts | None = None
        self._store: Store | None = None
        self._lacking: Lacking | None = None
        self._tending = Tending(home, folder, settings, self._cancel)
        self._batch = BATCH_FIRST
        self._made = 0
        self._added = False
        self.texts = Texts(gate)
        self._retry, self._retry_at = RETRY_FIRST, 0.0
        self.embedded = 0
        """Texts that were embedded since this began."""

    @property
    def status(self) -> VectorsStatus:
        """How far it is."""
        return self._status

    def follow(self, catalogue: Path) -> None:
        """Make the vectors of a build whose words are all indexed; does nothing for one that is followed already."""
        with self._condition:
            if not self._wanted or catalogue == self._catalogue or self._cancel.is_set:
                return
            self._catalogue, self._everything = catalogue, True
            self._status = evolve(self._status, state=VectorsState.WAITING)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="vectors", daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def changed(self, paths: Iterable[str]) -> None:
        """The chunks of these files are others now, or gone."""
        with self._condition:
            self._paths.update(paths)
            if len(self._paths) > MANY_PATHS:
                self._everything = True
                self._paths.clear()
            self._condition.notify_all()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Make none meanwhile: what this process does for the words goes first."""
        with self._condition:
            self._held += 1
        try:
            yield
        finally:
            with self._condition:
                self._held -= 1
                self._condition.notify_all()

    def close(self) -> None:
        """Stop in the middle of anything; what was made and not kept yet is lost."""
        with self._condition:
            self._cancel.set()
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join(CLOSE_WITHIN)

    # The thread

    def _run(self) -> None:
        with contextlib.suppress(OSError):
            lower_thread_priority()
        # Set apart from the settings, so that a tree about as large as the limit keeps the model that it has.
        if self._status.name is not None:
            with contextlib.suppress(NoModel):
                self._embedder.use(self._status.name)
        try:
            while True:
                self._wait()
                try:
                    self._work()
                    self._retry = RETRY_FIRST
                except _Again:
                    continue
                except OSError as error:
                    self._put_off(f"the vectors cannot be kept at present ({error})")
        except Cancelled:
            return
        except NoModel as why:
            self._none(why.reason)
        except Exception:
            log.exception("vectors are not made any more")
            self._none("making vectors failed; the log says how")
        finally:
            self._embedder.close()
            self._forget_build()
            if self._store is not None:
                self._store.close()

    def _wait(self) -> None:
        """Until there is something to do. Raises Cancelled."""
        with self._condition:
            while True:
                self._cancel.check()
                seconds = self._idle_seconds()
                if seconds <= 0:
                    return
                self._condition.wait(seconds)

    def _idle_seconds(self) -> float:
        now = time.monotonic()
        if self._everything or self._lacking is None:
            return self._retry_at - now
        waits = [self._tending.due_in()]
        if self._paths:
            waits.append(self._look_at - now)
        if (due := self._lacking.due_in()) is not None:
            waits.append(due)
        return max(self._retry_at - now, min(waits))

    def _work(self) -> None:
        self._look()
        lacking, store = self._lacking, self._store
        assert lacking is not None
        assert store is not None
        if lacking.exhausted:
            lacking.survey()
        if lacking.due_in() == 0.0:
            self._tell(VectorsState.EMBEDDING)
            self._embed_some(lacking, store)
            if lacking.due_in() == 0.0:
                self._tell(VectorsState.EMBEDDING)
                return
        # Nothing is left to do for now, which may be for long: it is told at once.
        self._told_at = 0.0
        self._tell(VectorsState.EMBEDDING if lacking.count else VectorsState.READY)
        self.texts.forget()
        if self._made > MUCH:
            give_back_memory()
        self._made = 0
        if self._tending.due_in() <= 0:
            assert self._facts is not None
            assert self._catalogue is not None
            self._tending.tend(self._catalogue, self._facts, store)
            self._tell(self._status.state)

    def _look(self) -> None:
        """See what lacks a vector now."""
        with self._condition:
            catalogue, everything, paths = self._catalogue, self._everything, self._paths
            self._everything, self._paths = False, set()
        assert catalogue is not None
        began = time.monotonic()
        if everything or paths:
            self.texts.forget()
        if self._store is not None and not self._store.is_there:
            log.warning("the vectors were removed; they are made again")
            self._facts, everything = None, True
        try:
            if everything or self._lacking is None:
                self._begin(catalogue)
            elif paths:
                self._lacking.look(paths)
                if self._choose(self._lacking.total):
                    self._begin(catalogue)
        except BaseException:
            self._everything = True
            raise
        if everything or paths:
            took = time.monotonic() - began
            self._look_at = time.monotonic() + took / LOOK_SHARE
            assert self._lacking is not None
            self._tending.changed(self._lacking.total)

    def _begin(self, catalogue: Path) -> None:
        """Look at a whole build."""
        self._forget_build()
        self._choose(count_vectors(catalogue))
        assert self._store is not None
        self._lacking = Lacking(catalogue, self._store)
        self._store.touch(self._lacking.survey())

    def _choose(self, total: int) -> bool:
        """Take the model for so many texts; returns whether it is another one. Raises NoModel."""
        facts = self._embedder.choose(total)
        if self._facts is not None and facts.id == self._facts.id:
            return False
        # Only here, since it needs numpy, without which there is no model.
        from vademecum.embedding.store import Store

        self._facts = None
        self._forget_build()
        if self._store is not None:
            self._store.close()
        self._store = Store(self._folder, facts)
        before, self._facts = self._status, facts
        if before.id != facts.id:
            self._status = evolve(
                before,
                name=facts.name,
                id=facts.id,
                kind=facts.kind,
                dimensions=facts.dimensions,
                embedded=0,
                generation=before.generation + 1,
                graph=None,
                former=before.name or before.former,
            )
        self._tending.begin(self._status.graph, facts.id)
        return True

    def _forget_build(self) -> None:
        lacking, self._lacking = self._lacking, None
        if lacking is not None:
            lacking.close()

    # Embedding

    def _embed_some(self, lacking: Lacking, store: "Store") -> None:
        began = time.monotonic()
        asked = lacking.next(self._batch)
        # A server that answered a query may have made some meanwhile.
        missing = set(store.missing(key for key, _ in asked))
        lacking.done([key for key, _ in asked if key not in missing])
        texts = self.texts.read([each for each in asked if each[0] in missing], lacking)
        self._cancel.check()
        keys, vectors = self._vectors(texts, lacking)
        if keys:
            store.add(keys, vectors)
            lacking.done(keys)
            self._added = True
            self._made += len(keys)
            self.embedded += len(keys)
        took = time.monotonic() - began
        if len(texts) >= self._batch // 2:
            wanted = self._batch * 2 if took < BATCH_SECONDS / 2 else int(self._batch * BATCH_SECONDS / took)
            self._batch = min(BATCH_MOST, max(BATCH_LEAST, wanted))

    def _vectors(self, texts: dict[bytes, tuple[str, Place]], lacking: Lacking) -> "tuple[list[bytes], Floats]":
        import numpy as np

        keys = list(texts)
        try:
            return keys, self._embed([texts[key][0] for key in keys])
        except EmbeddingFailed as why:
            log.warning("some texts could not be embedded together, and are taken one by one: %s", why)
        done: dict[bytes, Floats] = {}
        for key, (text, place) in texts.items():
            try:
                done[key] = self._embed([text])
            except EmbeddingFailed:
                lacking.put_off(key, place, failed=True)
        assert self._facts is not None
        return list(done), np.concatenate([np.zeros((0, self._facts.dimensions), np.float32), *done.values()])

    def _embed(self, texts: Sequence[str]) -> "Floats":
        try:
            return self._embedder.embed(texts, self._cancel)
        except NoModel:
            # It lies there, but cannot be loaded; there may be another, whose vectors lie elsewhere.
            assert self._lacking is not None
            self._choose(self._lacking.total)
            self._everything = True
            raise _Again from None

    # What is told

    def _tell(self, state: VectorsState) -> None:
        now = time.monotonic()
        before = self._status
        if state is before.state is VectorsState.EMBEDDING and now - self._told_at < TELL_EVERY:
            return
        lacking = self._lacking
        assert lacking is not None
        status = evolve(
            before,
            state=state,
            embedded=lacking.total - lacking.count,
            total=lacking.total,
            failed=lacking.failed,
            generation=before.generation + self._added,
            graph=self._tending.graph,
            former=None if state is VectorsState.READY else before.former,
            reason=None,
        )
        self._added, self._told_at = False, now
        if status != before:
            self._status = status
            self._news()

    def _put_off(self, reason: str) -> None:
        log.warning("%s", reason)
        self._retry_at = time.monotonic() + self._retry
        self._retry = min(RETRY_LAST, 2 * self._retry)
        self._everything = True
        self._status = evolve(self._status, reason=reason)
        self._news()

    def _none(self, reason: str) -> None:
        """There is no model, and there will be none until settings or packages change, which begins this anew."""
        self._status = self._without(reason)
        self._news()

    def _without(self, reason: str) -> VectorsStatus:
        had_one = self._status.name is not None
        return VectorsStatus(state=VectorsState.NONE, generation=self._status.generation + had_one, reason=reason)


class _Again(Exception):
    """Another model was taken in the middle of a batch."""
