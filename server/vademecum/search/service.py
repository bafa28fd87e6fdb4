"""Code search over one folder: what the rest of the server talks to."""

import logging
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from attrs import evolve

from vademecum.embedding.embedder import Embedder
from vademecum.errors import ErrorKind, VademecumError
from vademecum.files.content import Content
from vademecum.files.gate import Gate
from vademecum.lexical.index import Snapshot, Unusable
from vademecum.search.build import CATALOGUE
from vademecum.search.catalogue import read_skipped
from vademecum.search.defined import Defined, defined, defined_in, paths
from vademecum.search.freshness import Rereader, Shown
from vademecum.search.home import index_home, vectors_home
from vademecum.search.indexing import POLL, Indexing
from vademecum.search.notices import OFF, notices
from vademecum.search.pipeline import NO_PAGE, Page, Reading, answer, page, rarity
from vademecum.search.published import Published
from vademecum.search.ranker import Ranker
from vademecum.search.reader import Reader, View
from vademecum.search.related import Place, Wanted, ask_of, sample
from vademecum.search.semantic import Semantics
from vademecum.search.settings import SearchSettings
from vademecum.search.spare import Spare
from vademecum.search.types import (
    Answer,
    IndexState,
    Mode,
    Query,
    Reindexed,
    SkippedFile,
    SkippedPage,
    Status,
)
from vademecum.search.weights import Weights
from vademecum.work import Cancel, Progress, silent

log = logging.getLogger(__name__)

T = TypeVar("T")


class Search:
    """Searches one folder, and has its index kept.

    May be used from every thread. Several of them, in one process or in many, may share a folder and a cache.

    :param root: the opened folder.
    :param gate: decides about its files; its buffers hold the editor's unsaved texts.
    :param cache: this product's cache folder, shared by all folders.
    :param on_status: called, from a thread of this object, whenever `status` would answer something else.
    :param weights: the constants of ranking.
    :param embedder: the model of this process; without one search goes by words alone.
    :param spare: an indexer that was started ahead, for whichever folder comes first.
    """

    def __init__(
        self,
        root: Path,
        gate: Gate,
        cache: Path,
        settings: SearchSettings,
        on_status: Callable[[Status], None],
        weights: Weights | None = None,
        embedder: Embedder | None = None,
        spare: Spare | None = None,
    ) -> None:
        self._gate = gate
        self._settings = settings
        self.home = index_home(cache, root, gate.prefix)
        self.vectors_home = vectors_home(cache, gate)
        self._reader = Reader(self.home)
        self._shown = Shown()
        self._semantics: Semantics | None = None
        self._no_meaning = "search by meaning is switched off (search.model is none)"
        if embedder is not None and settings.model != "none":
            self._semantics = Semantics(self.home, self.vectors_home, embedder, settings.model_threads)
        self._ranker = Ranker(gate, self._shown, weights or Weights(), self._semantics, settings.model_threads)
        self._indexing = Indexing(
            gate, cache, self.home, self.vectors_home, settings, self._reader, self._refresh, on_status, spare
        )

    def start(self) -> None:
        """Answer from what is on the disk, and start the indexer. Does nothing when search is switched off."""
        if not self._settings.enabled:
            return
        self._indexing.note_root()
        self._refresh(None)
        self._indexing.start()

    def close(self) -> None:
        """End the indexer; returns within about a second. What was waiting for it fails as busy."""
        self._indexing.close()
        if self._semantics is not None:
            self._semantics.close()

    def query(self, query: Query, cancel: Cancel) -> Answer:
        """The best places for a query, as they are now.

        Never waits for the index, but for a moment when there is none at all: while the first one is being made, the
        answer is `partial` and says so.

        :raises InvalidField: for filters that cannot be understood.
        :raises Cancelled: when told to stop.
        """

        def found(reading: Reading) -> Page:
            return answer(
                reading,
                query,
                lambda ask, kept, known, rereader: self._ranker.pool(
                    reading, query, ask, kept, known, rereader, cancel
                ),
                cancel,
            )

        return self._answered(query.mode, found, cancel)

    def related(self, place: Place, content: Content, wanted: Wanted, cancel: Cancel) -> Answer:
        """The code most like what stands at a place of a file, that itself left out.

        Its pages end with the ranked pool: what comes after that shares a word with it at best.

        :param content: the file as it is now.
        :raises Cancelled: when told to stop.
        """
        first = wanted.offset

        def found(reading: Reading) -> Page:
            snapshot, rereader = reading.view.snapshot, Rereader(self._gate)
            like = sample(snapshot, content, place, rereader, self._shown)
            ask = ask_of(snapshot, like.text)
            known = rarity(reading.view, ask)
            pool = self._ranker.alike(reading, like, ask, known, first > 0, rereader, cancel)
            places = iter(pool.candidates[first:])
            # The index may have that code at other lines still, where it would not be known for itself.
            given = {like.path: [(like.start, like.end)]}
            return page(reading, ask, known, wanted.paging, places, pool.strength, rereader, cancel, first, given)

        if not content.lines:
            return self._answered(Mode.LEXICAL, lambda reading: NO_PAGE, cancel)
        return self._answered(Mode.HYBRID, found, cancel)

    def symbols(self, asked: str, limit: int, cancel: Cancel) -> list[Defined]:
        """Symbols by a piece of their name, the likest first, where they stand now; what is indexed by now, at once.

        :raises Cancelled: when told to stop.
        """
        return self._listed(lambda snapshot: defined(snapshot, self._gate, asked, limit, cancel))

    def symbols_in(self, path: str, cancel: Cancel) -> list[Defined]:
        """Symbols that a file (relative, as hits name it) defines, by line; what is indexed by now, at once.

        :raises Cancelled: when told to stop.
        """
        return self._listed(lambda snapshot: defined_in(snapshot, self._gate, path, cancel))

    def paths(self, begin: str, limit: int) -> list[str]:
        """Files whose path begins with a text, by name; what is indexed by now, at once."""
        return self._listed(lambda snapshot: paths(snapshot, begin, limit))

    def _listed(self, listed: Callable[[Snapshot], list[T]]) -> list[T]:
        view = self._reader.view if self._settings.enabled else None
        if view is None:
            return []
        try:
            return listed(view.snapshot)
        except Unusable as error:
            self._indexing.found_damaged(view.published.build, error)
            return []

    def rank_by(self, weights: Weights) -> None:
        """Rank by other constants from now on."""
        self._ranker.weights = weights

    def _answered(self, mode: Mode, found: Callable[[Reading], Page], cancel: Cancel) -> Answer:
        """An answer from what `found` finds in the index as it is now, with what there is to say of it."""
        if not self._settings.enabled:
            state = self.status().state
            return Answer(hits=(), next_offset=None, partial=False, notices=(OFF,), generation=0, state=state)
        view = self._view(cancel)
        if view is None:
            told = tuple(notices(mode, self.status(), self._indexing.has_told, None, cut=False))
            return Answer(
                hits=(), next_offset=None, partial=True, notices=told, generation=0, state=IndexState.STARTING
            )
        try:
            got = found(Reading(view, self._gate, self._shown))
        except Unusable as error:
            self._indexing.found_damaged(view.published.build, error)
            got = NO_PAGE
            view = View(view.snapshot, evolve(view.published, complete=False))
        if got.behind:
            self.changed(got.behind)
        status = self.status()
        reason = self._no_meaning if self._semantics is None else self._semantics.reason
        return Answer(
            hits=got.hits,
            next_offset=got.next_offset,
            partial=not view.published.complete,
            notices=tuple(notices(mode, status, self._indexing.has_told, reason, got.cut)),
            generation=view.published.generation,
            state=status.state,
            strength=got.strength,
        )

    def status(self) -> Status:
        """How the index is, as its writer last said, whichever process that is."""
        return self._indexing.status()

    def skipped(self, offset: int, limit: int) -> SkippedPage:
        """Files and folders that are not indexed, by path, with reasons.

        :raises VademecumError: BUSY while the catalogue cannot be read.
        """
        view = self._reader.view
        if view is None:
            return SkippedPage((), 0)
        try:
            items, total = read_skipped(self.home / view.published.build / CATALOGUE, offset, limit)
        except OSError as error:
            raise VademecumError(ErrorKind.BUSY, "The index is being replaced. Ask again in a moment.") from error
        return SkippedPage(tuple(SkippedFile(path, reason) for path, reason in items), total)

    def reindex(self, force: bool, cancel: Cancel, progress: Progress = silent) -> Reindexed:
        """Compare the whole folder with the index now; with `force`, make the index anew while the old one answers.

        :raises VademecumError: BUSY when no indexer can be reached, or it cannot work now.
        :raises Cancelled: when told to stop; the index is as good as before.
        """
        return self._indexing.reindex(force, cancel, progress)

    def changed(self, paths: Iterable[str]) -> None:
        """Files (relative, as hits name them) that somebody has reason to believe changed; a hint, nothing more."""
        self._indexing.changed(paths)

    @property
    def indexer_pid(self) -> int | None:
        """The process that indexes for this object; None while there is none."""
        return self._indexing.pid

    def _view(self, cancel: Cancel) -> View | None:
        """What there is to search; a little patience when there is nothing at all."""
        view = self._reader.view
        deadline = time.monotonic() + self._settings.first_answer_ms / 1000
        while (view is None or (not view.snapshot.count and not view.published.complete)) and self._can_wait(deadline):
            cancel.check()
            view = self._reader.wait(POLL, view)
        return view

    def _can_wait(self, deadline: float) -> bool:
        return time.monotonic() < deadline and self._indexing.is_running

    def _refresh(self, published: Published | None) -> None:
        """Take over what was published: words at once, vectors soon."""
        self._reader.refresh(published)
        view = self._reader.view
        if view is not None and self._semantics is not None:
            self._semantics.follow(view.published)
