"""The model that a process has: chosen, loaded when first needed, let go when idle, never tried twice in vain."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from attrs import frozen

from vademecum.embedding.settings import EmbeddingSettings
from vademecum.embedding.sources import Source, find
from vademecum.embedding.types import Facts, Kind, Model, NoModel, Role
from vademecum.work import Cancel, give_back_memory

if TYPE_CHECKING:
    from vademecum.embedding.types import Floats

log = logging.getLogger(__name__)


class ModelState(StrEnum):
    """Whether there is a model now."""

    NONE = "none"
    """None is wanted, or none can be had."""
    ASLEEP = "asleep"
    """It lies ready, and is loaded when it is needed."""
    LOADED = "loaded"


@frozen
class ModelStatus:
    """What a process's model is.

    :param reason: why there is none, or not the one that would come first.
    """

    state: ModelState
    facts: Facts | None
    reason: str | None


class Embedder:
    """Chooses and holds a model. May be used from every thread; loads on the thread that first needs it.

    What could not be found or loaded is not tried again: a new one, made after the settings changed, does.
    """

    def __init__(self, settings: EmbeddingSettings, look_for: Callable[[str], Source] = find) -> None:
        self._settings = settings
        self._find = look_for
        self._lock = threading.RLock()
        self._sources: dict[str, Source | NoModel] = {}
        self._wanted: str | None = None
        self._source: Source | None = None
        self._models: dict[str, Model] = {}
        self._used = 0.0
        self._timer: threading.Timer | None = None
        self._closed = False

    def choose(self, chunks: int = 0) -> Facts:
        """The model for so many chunks by the settings; it need not be loaded for that.

        `auto` takes MiniLM, or the static model above `static_above`; the other when that one is not to be had. Once
        static it stays so until there are half as many: a tree about as large as the limit would be embedded over and
        over.

        :raises NoModel: when there is none, or none is wanted.
        """
        with self._lock:
            names = self._names(chunks)
            reasons: list[str] = []
            for name in names:
                source = self._look(name)
                if isinstance(source, Source):
                    self._take(name, source)
                    return source.facts
                reasons.append(source.reason)
            self._take(None, None)
            raise NoModel("; ".join(reasons) or "search by meaning is switched off (search.model is none)")

    def use(self, name: str) -> Facts:
        """Take the model that another process has chosen: a name of its `Facts`, which has to fit the settings.

        What is loaded stays loaded: of several folders one may have one model and one the other.

        :raises NoModel: when it is not to be had here.
        """
        with self._lock:
            wanted = name if self._settings.model == "auto" else self._settings.model
            if wanted not in ("minilm", "static", "multilingual") and wanted == name:
                raise NoModel(f"the index was made with the model {name}, which the settings do not name")
            source = self._look(wanted)
            if isinstance(source, NoModel):
                raise source
            if source.facts.name != name:
                raise NoModel(f"the index was made with the model {name}, the settings name {source.facts.name}")
            self._wanted, self._source = wanted, source
            return source.facts

    @property
    def status(self) -> ModelStatus:
        """What there is now."""
        with self._lock:
            failed = [each.reason for each in self._sources.values() if isinstance(each, NoModel)]
            reason = "; ".join(failed) or None
            if self._source is None:
                return ModelStatus(ModelState.NONE, None, reason)
            state = ModelState.LOADED if self._wanted in self._models else ModelState.ASLEEP
            return ModelStatus(state, self._source.facts, reason)

    def embed(
        self, texts: Sequence[str], cancel: Cancel, role: Role = Role.PASSAGE, facts: Facts | None = None
    ) -> Floats:
        """Vectors by the chosen model; see `Model.embed`. Loads it first when it is asleep.

        :param facts: of the model that is meant, once chosen or used; whoever compares vectors says it, since somebody
            else may have chosen another meanwhile.

        :raises NoModel: when none is chosen or it cannot be loaded; `choose` then finds another, if there is one.
        :raises EmbeddingFailed: when it does not manage these texts.
        :raises Cancelled: when told to stop.
        """
        model = self._load(facts)
        try:
            return model.embed(texts, cancel, role)
        finally:
            self._used = time.monotonic()

    def close(self) -> None:
        """Let the model go, for good."""
        with self._lock:
            self._closed = True
            self._let_go()

    def _names(self, chunks: int) -> tuple[str, ...]:
        if self._settings.model == "none":
            return ()
        if self._settings.model != "auto":
            return (self._settings.model,)
        now_static = self._source is not None and self._source.facts.kind is Kind.STATIC
        limit = self._settings.static_above // 2 if now_static else self._settings.static_above
        return ("static", "minilm") if chunks > limit else ("minilm", "static")

    def _look(self, name: str) -> Source | NoModel:
        if name not in self._sources:
            try:
                self._sources[name] = self._find(name)
            except NoModel as why:
                log.warning("no embedding model %s: %s", name, why.reason)
                self._sources[name] = why
        return self._sources[name]

    def _take(self, name: str | None, source: Source | None) -> None:
        if name != self._wanted:
            self._let_go()
        self._wanted, self._source = name, source

    def _load(self, facts: Facts | None) -> Model:
        with self._lock:
            name, source = self._meant(facts)
            self._used = time.monotonic()
            if name not in self._models:
                try:
                    self._models[name] = source.load(self._settings.model_threads)
                except NoModel as why:
                    log.warning("the embedding model %s cannot be loaded: %s", name, why.reason)
                    self._sources[name] = why
                    if name == self._wanted:
                        self._wanted = self._source = None
                    raise
                if self._timer is None:
                    self._wait(self._settings.model_idle_seconds)
            return self._models[name]

    def _meant(self, facts: Facts | None) -> tuple[str, Source]:
        if not self._closed:
            if self._wanted is not None and self._source is not None and facts in (None, self._source.facts):
                return self._wanted, self._source
            for name, source in self._sources.items():
                if facts is not None and isinstance(source, Source) and source.facts == facts:
                    return name, source
        reasons = "; ".join(each.reason for each in self._sources.values() if isinstance(each, NoModel))
        raise NoModel(reasons or "no embedding model is chosen")

    def _wait(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._look_if_idle)
        self._timer.daemon = True
        self._timer.name = "embedder-idle"
        self._timer.start()

    def _look_if_idle(self) -> None:
        with self._lock:
            if threading.current_thread() is not self._timer or not self._models:
                return
            left = self._used + self._settings.model_idle_seconds - time.monotonic()
            if left > 0:
                self._wait(left)
            else:
                self._let_go()

    def _let_go(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._models:
            self._models.clear()
            give_back_memory()
