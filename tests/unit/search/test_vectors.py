"""Vectors of an index: made once, of what was indexed, by one model; and what happens when they cannot be made."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from attrs import define, field

from unit.search.support import eventually, write
from vademecum.embedding.embedder import Embedder
from vademecum.embedding.scripts import Script
from vademecum.embedding.sources import Source
from vademecum.embedding.store import Store
from vademecum.embedding.types import EmbeddingFailed, Facts, Kind, NoModel, Role
from vademecum.files.buffers import Buffers
from vademecum.files.gate import Gate
from vademecum.files.settings import FileSettings
from vademecum.search import lacking as lacking_module
from vademecum.search import tending
from vademecum.search.build import CATALOGUE, Build, create
from vademecum.search.catalogue import read_vectors
from vademecum.search.home import vectors_home
from vademecum.search.keeper import Keeper
from vademecum.search.settings import SearchSettings
from vademecum.search.types import VectorsState, VectorsStatus
from vademecum.search.vectors import Vectors
from vademecum.work import Cancel, silent

if TYPE_CHECKING:
    from vademecum.embedding.types import Floats

WIDTH = 8


@define
class Shelf:
    """Models that count what they are given, and can be made to fail."""

    texts: list[str] = field(factory=list)
    found: list[str] = field(factory=list)
    loaded: list[str] = field(factory=list)
    absent: set[str] = field(factory=set)
    broken: set[str] = field(factory=set)
    poison: str | None = None
    barrier: threading.Event | None = None

    def find(self, name: str) -> Source:
        self.found.append(name)
        if name in self.absent:
            raise NoModel(f"{name} is not installed")
        kind = Kind.STATIC if name == "static" else Kind.TRANSFORMER
        facts = Facts(name, f"{name}-1", "", WIDTH, kind, frozenset({Script.LATIN}), 128)

        def load(threads: int) -> Counting:
            self.loaded.append(name)
            if name in self.broken:
                raise NoModel(f"{name} is broken")
            return Counting(facts, self)

        return Source(facts, load)


@define
class Counting:
    facts: Facts
    shelf: Shelf

    def embed(self, texts: Sequence[str], cancel: Cancel, role: Role = Role.PASSAGE) -> Floats:
        cancel.check()
        if self.shelf.poison is not None and any(self.shelf.poison in text for text in texts):
            raise EmbeddingFailed("it chokes on this")
        if self.shelf.barrier is not None:
            self.shelf.barrier.wait(60)
        self.shelf.texts += texts
        made: Floats = np.zeros((len(texts), WIDTH), np.float32)
        for row, text in zip(made, texts, strict=True):
            row[len(text) % WIDTH] = 1.0
        return made


@define
class Kept:
    """One folder with its words and its vectors, in this process."""

    root: Path
    home: Path
    cache: Path
    settings: SearchSettings
    shelf: Shelf
    before: VectorsStatus | None = None
    gate: Gate = field(init=False)
    build: Build = field(init=False)
    keeper: Keeper = field(init=False)
    vectors: Vectors = field(init=False)
    told: list[VectorsStatus] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        self.gate = Gate(self.root, FileSettings(), Buffers())
        self.build = create(self.home, self.settings)
        self.keeper = Keeper(self.build, self.gate, self.settings, str(self.home / "grammars"), lambda: None)
        embedder = Embedder(self.settings, self.shelf.find)
        self.vectors = Vectors(self.home, self.folder, self.gate, self.settings, self.before, self._news, embedder)

    @property
    def folder(self) -> Path:
        return vectors_home(self.cache, self.gate)

    def _news(self) -> None:
        self.told.append(self.vectors.status)

    def index(self) -> Kept:
        with self.vectors.held():
            self.keeper.reconcile(Cancel(), silent)
        self.vectors.changed(self.keeper.take_changed())
        self.vectors.follow(self.build.folder / CATALOGUE)
        return self

    def update(self, *paths: str) -> Kept:
        with self.vectors.held():
            self.keeper.update(paths, Cancel())
        self.vectors.changed(self.keeper.take_changed())
        return self

    def keys(self) -> list[bytes]:
        return read_vectors(self.build.folder / CATALOGUE)

    def ready(self) -> Kept:
        """Wait until everything has a vector, and this is said."""

        def done() -> bool:
            status = self.vectors.status
            if status.state is not VectorsState.READY or not status.embedded == status.total == len(self.keys()):
                return False
            assert status.name is not None
            store = Store(self.folder, Shelf().find(status.name).facts)
            try:
                return store.missing(self.keys()) == []
            finally:
                store.close()

        eventually(done, f"all vectors ({self.vectors.status})")
        return self

    def close(self) -> None:
        self.vectors.close()
        self.build.close()


Keep = Callable[..., Kept]


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def keep(tmp_path: Path, workspace: Path, grammars: Path, shelf: Shelf) -> Iterator[Keep]:
    kept: list[Kept] = []

    def make(
        root: Path | None = None, before: VectorsStatus | None = None, home: Path | None = None, **settings: object
    ) -> Kept:
        one = Kept(
            root or workspace,
            home or tmp_path / f"home-{len(kept)}",
            tmp_path / "cache",
            SearchSettings(**settings),  # type: ignore[arg-type]
            shelf,
            before,
        )
        kept.append(one)
        return one

    yield make
    for each in kept:
        each.close()


def functions(*names: str) -> str:
    return "\n\n".join(f"def {name}():\n    return '{name}'" for name in names) + "\n"


def test_every_text_is_embedded_once_however_often_it_stands_there(workspace: Path, keep: Keep, shelf: Shelf) -> None:
    write(workspace, {"a.py": functions("alpha"), "b.py": functions("beta"), "copy.py": functions("alpha")})
    kept = keep().index().ready()
    assert len(shelf.texts) == len(set(shelf.texts)) == 2
    assert kept.vectors.status.total == 2
    assert (kept.vectors.status.name, kept.vectors.status.kind) == ("minilm", Kind.TRANSFORMER)


def test_the_file_that_was_changed_last_comes_first(workspace: Path, keep: Keep, shelf: Shelf) -> None:
    import os

    write(workspace, {f"{name}.py": functions(name) for name in ("first", "second", "third")})
    for age, name in enumerate(("second", "first", "third")):
        os.utime(workspace / f"{name}.py", (1_700_000_000 - age, 1_700_000_000 - age))
    keep().index().ready()
    order = [next(name for name in ("first", "second", "third") if name in text) for text in shelf.texts]
    assert order == ["second", "first", "third"]


def test_an_edit_embeds_what_it_changed(workspace: Path, keep: Keep, shelf: Shelf) -> None:
    write(workspace, {"a.py": functions("alpha"), "b.py": functions("beta")})
    kept = keep().index().ready()
    before = kept.vectors.status.generation
    shelf.texts.clear()
    write(workspace, {"a.py": functions("gamma")})
    kept.update("a.py").ready()
    assert len(shelf.texts) == 1
    assert "gamma" in shelf.texts[0]
    assert kept.vectors.status.total == 2
    assert kept.vectors.status.generation > before


def test_each_of_many_edits_is_told_to_the_end(workspace: Path, keep: Keep) -> None:
    write(workspace, {"a.py": functions("alpha")})
    kept = keep().index().ready()
    eventually(lambda: (kept.folder / tending.MARK).exists(), "the first collection")
    for number in range(4):
        generation = kept.vectors.status.generation
        write(workspace, {"a.py": functions(f"edit{number}")})
        kept.update("a.py")
        eventually(lambda: kept.vectors.status.generation > generation, "new vectors")  # noqa: B023
        kept.ready()


def test_a_rename_and_a_second_build_embed_nothing_and_the_latter_reads_nothing(
    workspace: Path, keep: Keep, shelf: Shelf
) -> None:
    write(workspace, {"a.py": functions("alpha"), "b.py": functions("beta")})
    kept = keep().index().ready()
    shelf.texts.clear()
    (workspace / "a.py").rename(workspace / "c.py")
    kept.update("a.py", "c.py").ready()
    again = keep().index().ready()
    assert shelf.texts == []
    assert again.vectors.texts.files_read == 0
    assert shelf.loaded == ["minilm"], "what has nothing to embed loads no model"


def test_branches_and_worktrees_share_vectors(
    workspace: Path, keep: Keep, shelf: Shelf, git: Callable[..., str], tmp_path: Path
) -> None:
    write(workspace, {"a.py": functions("alpha"), "b.py": functions("beta")})
    git("add", ".")
    git("commit", "-qm", "one")
    kept = keep().index().ready()
    git("checkout", "-qb", "other")
    write(workspace, {"a.py": functions("other")})
    git("commit", "-qam", "two")
    kept.update("a.py").ready()
    shelf.texts.clear()
    git("checkout", "-q", "main")
    kept.update("a.py").ready()
    git("worktree", "add", "-q", str(tmp_path / "tree"), "other")
    second = keep(tmp_path / "tree").index().ready()
    assert second.folder == kept.folder
    assert shelf.texts == []


def test_another_model_of_the_same_width_is_never_mixed_in(workspace: Path, keep: Keep, shelf: Shelf) -> None:
    write(workspace, {"a.py": functions("alpha")})
    first = keep(model="minilm").index().ready()
    second = keep(model="static", before=first.vectors.status).index().ready()
    assert len(shelf.texts) == 2
    assert (second.vectors.status.name, second.vectors.status.id) == ("static", "static-1")
    assert any(status.former == "minilm" for status in second.told), "it is said that the model has changed"
    assert second.vectors.status.former is None
    assert second.vectors.status.generation > first.vectors.status.generation


def test_a_text_that_cannot_be_embedded_is_tried_again_and_spoils_no_other(
    workspace: Path, keep: Keep, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lacking_module, "RETRY_FIRST", 0.1)
    shelf.poison = "beta"
    write(workspace, {f"{name}.py": functions(name) for name in ("alpha", "beta", "gamma")})
    kept = keep().index()
    status = eventually(lambda: kept.vectors.status.failed and kept.vectors.status, "a failure")
    assert (status.embedded, status.total, status.failed) == (2, 3, 1)
    assert status.state is VectorsState.EMBEDDING, "what lacks a vector is not called ready"
    shelf.poison = None
    kept.ready()
    assert kept.vectors.status.failed == 0
    assert len(shelf.texts) == 3


def test_a_file_that_is_not_as_it_was_indexed_is_not_embedded(workspace: Path, keep: Keep, shelf: Shelf) -> None:
    write(workspace, {"a.py": functions("alpha"), "b.py": functions("beta")})
    kept = keep()
    with kept.vectors.held():
        kept.index()
        write(workspace, {"a.py": functions("sneaked")})
    eventually(lambda: shelf.texts, "the other file")
    kept.update("a.py").ready()
    assert not any("alpha" in text for text in shelf.texts)
    assert kept.vectors.status.total == 2


def test_no_secret_reaches_a_model(workspace: Path, keep: Keep, shelf: Shelf) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    write(workspace, {"a.py": f"def alpha():\n    return '{token}'\n"})
    keep().index().ready()
    assert len(shelf.texts) == 1
    assert token not in shelf.texts[0]


def test_without_any_model_it_is_said_once_and_not_tried_again(workspace: Path, keep: Keep, shelf: Shelf) -> None:
    shelf.absent = {"minilm", "static"}
    write(workspace, {"a.py": functions("alpha")})
    kept = keep().index()
    eventually(lambda: kept.vectors.status.state is VectorsState.NONE, "no model")
    write(workspace, {"a.py": functions("beta")})
    kept.update("a.py")
    assert kept.vectors.status.reason == "minilm is not installed; static is not installed"
    assert shelf.found == ["minilm", "static"]
    assert len(kept.told) == 1


def test_a_model_that_cannot_be_loaded_makes_room_for_the_other(workspace: Path, keep: Keep, shelf: Shelf) -> None:
    shelf.broken = {"minilm"}
    write(workspace, {"a.py": functions("alpha")})
    kept = keep().index().ready()
    assert kept.vectors.status.name == "static"
    assert shelf.loaded == ["minilm", "static"]


def test_switched_off_nothing_is_looked_for(workspace: Path, keep: Keep, shelf: Shelf) -> None:
    write(workspace, {"a.py": functions("alpha")})
    kept = keep(model="none").index()
    assert kept.vectors.status.state is VectorsState.NONE
    assert shelf.found == []
    assert not kept.folder.exists()


def test_large_trees_take_the_static_model_and_keep_it_over_a_restart(
    workspace: Path, keep: Keep, shelf: Shelf
) -> None:
    names = [f"name{number}" for number in range(8)]
    write(workspace, {f"{name}.py": functions(name) for name in names})
    first = keep(static_above=7).index().ready()
    assert first.vectors.status.name == "static"
    for name in names[:2]:
        (workspace / f"{name}.py").unlink()
    second = keep(static_above=7, before=first.vectors.status).index().ready()
    assert (second.vectors.status.name, second.vectors.status.total) == ("static", 6)
    assert len(shelf.texts) == 8


def test_what_the_words_need_goes_first(workspace: Path, keep: Keep, shelf: Shelf) -> None:
    write(workspace, {"a.py": functions("alpha")})
    kept = keep()
    with kept.vectors.held():
        kept.index()
        assert not shelf.texts
        write(workspace, {"b.py": functions("beta")})
        kept.update("b.py")
        assert not shelf.texts
    kept.ready()


def test_closing_does_not_wait_for_what_is_being_embedded(workspace: Path, keep: Keep, shelf: Shelf) -> None:
    write(workspace, {f"f{number}.py": functions(f"name{number}") for number in range(60)})
    shelf.barrier = threading.Event()
    kept = keep().index()
    eventually(lambda: shelf.loaded, "a loaded model")
    closer = threading.Thread(target=kept.vectors.close)
    closer.start()
    shelf.barrier.set()
    closer.join(60)
    assert not closer.is_alive()
    kept.vectors.close()


def test_a_store_that_was_removed_is_made_again(workspace: Path, keep: Keep, shelf: Shelf) -> None:
    write(workspace, {"a.py": functions("alpha")})
    kept = keep().index().ready()
    kept.close()
    shutil.rmtree(kept.folder)
    shelf.texts.clear()
    again = keep(before=kept.vectors.status).index().ready()
    assert len(shelf.texts) == 1
    assert len(Store(again.folder, Counting(Shelf().find("minilm").facts, shelf).facts)) == 1


def test_a_store_that_is_removed_while_it_is_open_is_made_again(workspace: Path, keep: Keep, shelf: Shelf) -> None:
    write(workspace, {"a.py": functions("alpha"), "b.py": functions("beta")})
    kept = keep().index().ready()
    shutil.rmtree(kept.folder)
    write(workspace, {"a.py": functions("gamma")})
    kept.update("a.py").ready()
    assert len(shelf.texts) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such modes")
def test_vectors_are_for_their_owner_alone(workspace: Path, keep: Keep) -> None:
    write(workspace, {"a.py": functions("alpha")})
    kept = keep().index().ready()
    eventually(lambda: (kept.folder / tending.MARK).exists(), "the first collection")
    places = [kept.folder.parent, *kept.folder.parent.rglob("*")]
    assert {path.stat().st_mode & 0o777 for path in places if path.is_dir()} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in places if path.is_file()} == {0o600}


def test_once_a_day_what_nobody_uses_goes(
    workspace: Path, keep: Keep, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(workspace, {"a.py": functions("alpha")})
    facts = Shelf().find("minilm").facts
    store = Store(vectors_home(workspace.parent / "cache", Gate(workspace)), facts, today=1)
    store.add([b"x" * 16], np.eye(1, WIDTH, dtype=np.float32))
    kept = keep().index().ready()
    eventually(lambda: (kept.folder / tending.MARK).exists(), "a collection")
    assert store.missing([b"x" * 16, *kept.keys()]) == [b"x" * 16]


def test_what_was_written_takes_no_room_in_a_journal_once_it_is_quiet(
    workspace: Path, keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tending, "QUIET", 0.3)
    write(workspace, {"a.py": functions("alpha")})
    kept = keep().index().ready()
    for number in range(3):
        write(workspace, {"a.py": functions(f"edit{number}")})
        kept.update("a.py").ready()
    journals = lambda: [path.stat().st_size for path in kept.folder.parent.rglob("*.db-wal")]  # noqa: E731
    eventually(lambda: journals() == [0], "an empty journal")


def test_many_vectors_are_put_into_a_graph_that_is_kept_while_it_is_good(
    workspace: Path, keep: Keep, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    if importlib.util.find_spec("usearch") is None:  # looked for, not loaded: that is for the room to do in its order
        pytest.skip("usearch is not installed")
    from vademecum.embedding import neighbours
    from vademecum.embedding.graph import Graph
    from vademecum.embedding.keys import number_of

    monkeypatch.setattr(neighbours, "GRAPH_ABOVE", 3)
    monkeypatch.setattr(tending, "QUIET", 0.0)
    monkeypatch.setattr(tending, "GRAPH_SHARE", 1.0)
    names = [f"name{number}" for number in range(20)]
    write(workspace, {f"{name}.py": functions(name) for name in names})
    kept = keep().index().ready()
    name = eventually(lambda: kept.vectors.status.graph, "a graph")
    assert Graph.open(kept.home / name, WIDTH).numbers == {
        number_of(key) for key in read_vectors(kept.build.folder / CATALOGUE)
    }
    write(workspace, {"one.py": functions("one")})
    kept.update("one.py").ready()
    assert kept.vectors.status.graph == name, "a small change is compared one by one"
    write(workspace, {f"more{number}.py": functions(f"more{number}") for number in range(9)})
    kept.update(*(f"more{number}.py" for number in range(9))).ready()
    eventually(lambda: kept.vectors.status.graph not in (None, name), "a new graph")
    assert [path.name for path in kept.home.glob("graph-*")] == [kept.vectors.status.graph]


def test_a_graph_is_there_again_after_search_by_meaning_was_switched_off(
    workspace: Path, keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    if importlib.util.find_spec("usearch") is None:
        pytest.skip("usearch is not installed")
    from vademecum.embedding import neighbours
    from vademecum.embedding.graph import Graph

    monkeypatch.setattr(neighbours, "GRAPH_ABOVE", 3)
    monkeypatch.setattr(tending, "QUIET", 0.0)
    made: list[Path] = []
    make = Graph.make
    monkeypatch.setattr(Graph, "make", lambda path, *given: made.append(path) or make(path, *given))
    write(workspace, {f"name{number}.py": functions(f"name{number}") for number in range(20)})
    kept = keep().index().ready()
    name = eventually(lambda: kept.vectors.status.graph, "a graph")
    kept.close()
    off = keep(home=kept.home, model="none", before=kept.vectors.status).index()
    off.close()
    assert (off.vectors.status.state, off.vectors.status.graph) == (VectorsState.NONE, None)
    on = keep(home=kept.home, before=off.vectors.status).index().ready()
    assert on.vectors.status.graph == name
    eventually(lambda: on.vectors._tending._graph_not_before > 0, "a look whether it fits")
    assert (on.vectors.status.graph, [path.name for path in made]) == (name, [name])
    on.close()
    write(workspace, {f"more{number}.py": functions(f"more{number}") for number in range(9)})
    later = keep(home=kept.home, before=off.vectors.status).index().ready()
    eventually(lambda: later.vectors.status.graph not in (None, name), "a graph of what is there now")


def test_vectors_lie_by_repository(workspace: Path, git: Callable[..., str], tmp_path: Path) -> None:
    write(workspace, {"sub/a.py": "x = 1\n"})
    git("add", ".")
    git("commit", "-qm", "one")
    git("worktree", "add", "-q", str(tmp_path / "tree"))
    cache = tmp_path / "cache"
    here = vectors_home(cache, Gate(workspace))
    assert here == vectors_home(cache, Gate(workspace / "sub")) == vectors_home(cache, Gate(tmp_path / "tree"))
    assert here.name.startswith("workspace-")
    subprocess.run(["git", "clone", "-q", str(workspace), str(tmp_path / "clone")], check=True)
    assert vectors_home(cache, Gate(tmp_path / "clone")) != here
    (tmp_path / "plain").mkdir()
    assert vectors_home(cache, Gate(tmp_path / "plain")).name.startswith("plain-")
