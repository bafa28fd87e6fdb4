from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest
from attrs import define, field

from vademecum.embedding.embedder import Embedder, ModelState
from vademecum.embedding.scripts import Script
from vademecum.embedding.settings import EmbeddingSettings
from vademecum.embedding.sources import Source
from vademecum.embedding.types import Facts, Kind, Model, NoModel, Role
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.embedding.types import Floats


@define
class Shelf:
    """Sources whose finding and loading are counted."""

    missing: set[str] = field(factory=set)
    broken: set[str] = field(factory=set)
    found: list[str] = field(factory=list)
    loaded: list[str] = field(factory=list)

    def find(self, name: str) -> Source:
        self.found.append(name)
        if name in self.missing:
            raise NoModel(f"{name} is not installed")
        kind = Kind.STATIC if name == "static" else Kind.TRANSFORMER
        facts = Facts(name, f"{name}-1", "", 2, kind, frozenset({Script.LATIN}), 128)

        def load(threads: int) -> Model:
            self.loaded.append(name)
            if name in self.broken:
                raise NoModel(f"{name} is broken")
            return Ones(facts)

        return Source(facts, load)


@define
class Ones:
    facts: Facts

    def embed(self, texts: Sequence[str], cancel: Cancel, role: Role = Role.PASSAGE) -> Floats:
        return np.ones((len(texts), self.facts.dimensions), np.float32)


def until(condition: object, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_auto_takes_the_transformer_and_for_large_trees_the_static_model() -> None:
    embedder = Embedder(EmbeddingSettings(static_above=1000), Shelf().find)
    assert embedder.choose(10).name == "minilm"
    assert embedder.choose(1000).name == "minilm"
    assert embedder.choose(1001).name == "static"
    assert embedder.choose(900).name == "static", "near the limit it does not change back and forth"
    assert embedder.choose(500).name == "minilm"


def test_auto_takes_the_other_when_one_is_not_to_be_had() -> None:
    embedder = Embedder(EmbeddingSettings(), Shelf(missing={"minilm"}).find)
    assert embedder.choose(10).name == "static"
    assert embedder.status.reason == "minilm is not installed"


def test_a_named_model_is_not_replaced_by_another() -> None:
    embedder = Embedder(EmbeddingSettings(model="minilm"), Shelf(missing={"minilm"}).find)
    with pytest.raises(NoModel, match="not installed"):
        embedder.choose(10)
    assert embedder.status.state is ModelState.NONE


def test_none_means_none() -> None:
    shelf = Shelf()
    with pytest.raises(NoModel, match="switched off"):
        Embedder(EmbeddingSettings(model="none"), shelf.find).choose(10)
    assert shelf.found == []


def test_what_failed_once_is_not_tried_again() -> None:
    shelf = Shelf(missing={"static"}, broken={"minilm"})
    embedder = Embedder(EmbeddingSettings(), shelf.find)
    assert embedder.choose(10).name == "minilm"
    with pytest.raises(NoModel, match="broken"):
        embedder.embed(["a"], Cancel())
    for _ in range(5):
        with pytest.raises(NoModel, match="minilm is broken; static is not installed"):
            embedder.choose(10)
        with pytest.raises(NoModel):
            embedder.embed(["a"], Cancel())
    assert shelf.loaded == ["minilm"]
    assert shelf.found == ["minilm", "static"]


def test_choosing_does_not_load_and_many_threads_load_once() -> None:
    shelf = Shelf()
    embedder = Embedder(EmbeddingSettings(), shelf.find)
    embedder.choose(10)
    assert shelf.loaded == []
    assert embedder.status.state is ModelState.ASLEEP
    threads = [threading.Thread(target=embedder.embed, args=(["a"], Cancel())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shelf.loaded == ["minilm"]
    assert embedder.status.state is ModelState.LOADED
    embedder.close()


def test_an_idle_model_is_let_go_and_comes_back() -> None:
    shelf = Shelf()
    embedder = Embedder(EmbeddingSettings(model_idle_seconds=0.05), shelf.find)
    embedder.choose(10)
    embedder.embed(["a"], Cancel())
    until(lambda: embedder.status.state is ModelState.ASLEEP)
    until(lambda: not any(thread.name == "embedder-idle" for thread in threading.enumerate()))
    assert embedder.embed(["a"], Cancel()).shape == (1, 2)
    assert shelf.loaded == ["minilm", "minilm"]
    embedder.close()


def test_a_model_in_use_stays() -> None:
    idle = 0.3
    while True:
        shelf = Shelf()
        embedder = Embedder(EmbeddingSettings(model_idle_seconds=idle), shelf.find)
        embedder.choose(10)
        began = last = time.monotonic()
        rested = 0.0
        while last < began + 3 * idle:
            embedder.embed(["a"], Cancel())
            time.sleep(0.01)
            rested, last = max(rested, time.monotonic() - last), time.monotonic()
        embedder.close()
        if rested < idle:  # else the machine was so busy that the model was in truth not used for long
            break
    assert shelf.loaded == ["minilm"]


def test_another_process_names_the_model() -> None:
    embedder = Embedder(EmbeddingSettings(), Shelf().find)
    assert embedder.use("static").kind is Kind.STATIC
    with pytest.raises(NoModel, match="do not name"):
        embedder.use("somebody-elses")
    with pytest.raises(NoModel, match="settings name static"):
        Embedder(EmbeddingSettings(model="static"), Shelf().find).use("minilm")


def test_who_names_the_model_gets_that_one_whichever_another_folder_has_chosen_since() -> None:
    shelf = Shelf()
    embedder = Embedder(EmbeddingSettings(), shelf.find)
    first = embedder.use("minilm")
    embedder.use("static")
    embedder.embed(["a"], Cancel(), facts=first)
    assert shelf.loaded == ["minilm"]
    embedder.embed(["a"], Cancel())
    embedder.use("minilm")
    embedder.embed(["a"], Cancel())
    assert shelf.loaded == ["minilm", "static"]
    embedder.close()


def test_why_a_model_is_not_there_is_said_each_time() -> None:
    embedder = Embedder(EmbeddingSettings(model="minilm"), Shelf(broken={"minilm"}).find)
    embedder.choose(1)
    for _ in range(2):
        with pytest.raises(NoModel, match="minilm is broken"):
            embedder.embed(["a"], Cancel())


def test_closed_is_closed() -> None:
    embedder = Embedder(EmbeddingSettings(), Shelf().find)
    embedder.choose(10)
    embedder.close()
    with pytest.raises(NoModel):
        embedder.embed(["a"], Cancel())


@pytest.mark.parametrize("value", ["", "bert", "../models/x", "relative/folder", "MINILM"])
def test_a_model_that_is_no_name_and_no_full_path_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="'model'"):
        EmbeddingSettings(model=value)
