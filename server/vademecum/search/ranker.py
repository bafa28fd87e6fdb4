"""Ranks the queries of one folder: owns what the stages ask for, and keeps the pools that somebody pages through."""

import threading
from collections.abc import Mapping, Sequence

from attrs import evolve
from cachetools import LRUCache

from vademecum.files.gate import Gate
from vademecum.search.asking import Ask
from vademecum.search.candidates import Candidate, Filters
from vademecum.search.decay import History
from vademecum.search.diversity import Likeness
from vademecum.search.entry import vector_key, vector_text
from vademecum.search.freshness import Freshness, Rereader, Shown
from vademecum.search.fusion import Measured
from vademecum.search.pipeline import Pool, Reading, strength
from vademecum.search.ranking import Means, order
from vademecum.search.related import Sample
from vademecum.search.second import Second
from vademecum.search.semantic import Meaning, Semantics
from vademecum.search.sides import blend, gather
from vademecum.search.sketch import alike, numbers
from vademecum.search.types import IndexState, Mode, Query
from vademecum.search.weights import Weights
from vademecum.work import Cancel

POOLS_KEPT = 32
"""Ranked pools remembered: a page is asked for soon after the one before it, or not at all."""

FILL_SECONDS = 0.06
"""How long a query embeds what its best candidates still lack: about five chunks with MiniLM on two fast cores. More
would be felt; what is left comes with the next query, or from the indexer."""

FILL_MOST = 20
"""Candidates that are looked at for that; what comes after them is hardly shown."""


class Ranker:
    """May be used from every thread.

    :param weights: may be exchanged at any time.
    :param semantics: the vectors and the model; None where search goes by words alone.
    :param threads: how many a reranking model computes with.
    """

    def __init__(self, gate: Gate, shown: Shown, weights: Weights, semantics: Semantics | None, threads: int) -> None:
        self.weights = weights
        self._threads = threads
        self._shown = shown
        self._semantics = semantics
        self._history = History(gate.top)
        self._pools: LRUCache[tuple[object, ...], Pool] = LRUCache(POOLS_KEPT)
        self._second: Second | None = None
        self._lock = threading.Lock()

    def pool(
        self,
        reading: Reading,
        query: Query,
        ask: Ask,
        kept: Filters,
        rarity: Mapping[str, float],
        rereader: Rereader,
        cancel: Cancel,
    ) -> Pool:
        """The ranked pool of a query; the same one for every page of it within a generation.

        :raises Cancelled: when told to stop.
        """
        published = reading.view.published
        shared = evolve(query, limit=1, offset=0, token_budget=None, explain=False)
        key = (published.build, published.generation, self.weights, shared)
        with self._lock:
            known = self._pools.get(key)
        if known is not None and query.offset:
            return known
        meaning = None
        if self._semantics is not None and query.mode is not Mode.LEXICAL:
            meaning = self._semantics.meaning(ask.meant, cancel)
        snapshot = reading.view.snapshot
        sparing = snapshot.count > self.weights.sparing_above
        measured: Sequence[Measured] = gather(snapshot, ask, kept, query.mode, meaning, cancel, sparing=sparing)
        if meaning is not None and published.state is IndexState.READY:
            measured = self._filled(measured, meaning, rereader, cancel)
        made = self._ranked(reading, ask.meant, ask, rarity, measured, meaning, rereader, cancel)
        with self._lock:
            self._pools[key] = made
        return made

    def alike(
        self,
        reading: Reading,
        sample: Sample,
        ask: Ask,
        rarity: Mapping[str, float],
        goes_on: bool,
        rereader: Rereader,
        cancel: Cancel,
    ) -> Pool:
        """The ranked pool of code like a sample, without that itself; the same one for every page within a generation.

        :param goes_on: whether a later page than the first is asked for.
        :raises Cancelled: when told to stop.
        """
        text = sample.text
        published = reading.view.published
        key = (published.build, published.generation, self.weights, sample.path, sample.start, sample.end, text)
        with self._lock:
            known = self._pools.get(key)
        if known is not None and goes_on:
            return known
        meaning = None
        if self._semantics is not None:
            meaning = self._semantics.meaning_of(vector_key(sample.symbol, sample.lines), text, cancel)
        measured = gather(reading.view.snapshot, ask, Filters((), ()), Mode.HYBRID, meaning, cancel)
        others = [each for each in measured if not sample.holds(each.candidate)]
        made = self._ranked(reading, text, ask, rarity, others, meaning, rereader, cancel)
        with self._lock:
            self._pools[key] = made
        return made

    def _ranked(
        self,
        reading: Reading,
        text: str,
        ask: Ask,
        rarity: Mapping[str, float],
        measured: Sequence[Measured],
        meaning: Meaning | None,
        rereader: Rereader,
        cancel: Cancel,
    ) -> Pool:
        means = Means(
            likeness=self._likeness,
            changed=lambda paths: self._changed(paths, cancel),
            opinion=lambda head: self._opinion(text, head, rereader, cancel),
        )
        snapshot = reading.view.snapshot
        how = blend(self.weights, ask, meaning, measured, lambda token: snapshot.frequency("body", token) > 0)
        ranked = order(measured, ask, how, self.weights, means)
        strongest = strength([each.words for each in measured], ask, rarity)
        if not strongest and measured:
            strongest = max(0.0, *(each.meaning or 0.0 for each in measured))
        return Pool(tuple(ranked), strongest)

    # What the stages ask for

    def _filled(
        self, measured: Sequence[Measured], meaning: Meaning, rereader: Rereader, cancel: Cancel
    ) -> Sequence[Measured]:
        """The candidates with vectors made, in a moment, for the best of those that have none yet."""
        lacking = [each.candidate for each in measured[:FILL_MOST] if each.meaning is None]
        if not lacking or self._semantics is None:
            return measured
        texts = ((each.vector, text) for each in lacking if (text := self._text(each, rereader)) is not None)
        if not self._semantics.embed_now(texts, FILL_SECONDS, cancel):
            return measured
        cosines = meaning.cosines([each.candidate.vector for each in measured])
        return [each._replace(meaning=cosine) for each, cosine in zip(measured, cosines, strict=True)]

    def _text(self, candidate: Candidate, rereader: Rereader) -> str | None:
        """The text that a candidate's vector is made of; None when its lines are not what was indexed any more."""
        current = rereader.current(candidate)
        if current is None or current.freshness is Freshness.CHANGED:
            return None
        lines = self._shown.lines(current.content, current.start, current.end, candidate.clean)
        if vector_key(candidate.symbol, lines) != candidate.vector:
            return None
        return vector_text(candidate.symbol, lines)

    def _likeness(self, head: Sequence[Candidate]) -> Likeness:
        known = None if self._semantics is None else self._semantics.likenesses([each.vector for each in head])
        if known is not None:
            return lambda one, other: known[one][other]
        words = [numbers(each.words) for each in head]
        return lambda one, other: alike(words[one], words[other])

    def _changed(self, paths: Sequence[str], cancel: Cancel) -> Mapping[str, float]:
        return self._history.changed(self.weights.half_life_days, paths, cancel)

    def _opinion(
        self, text: str, head: Sequence[Candidate], rereader: Rereader, cancel: Cancel
    ) -> Sequence[float | None]:
        if self._second is None or self._second.name != self.weights.reranker.value:
            self._second = Second(self.weights.reranker.value, self._threads)
        texts = [(each.vector, self._text(each, rereader)) for each in head]
        return self._second.opinion(text, texts, cancel)
