"""The one that writes, in this process: a watcher that dies, a disk that is full."""

import errno
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from unit.search.support import eventually, write
from vademecum.embedding.types import Kind
from vademecum.files.events import Event as FileEvent
from vademecum.files.gate import Gate
from vademecum.files.watch import Batch, Watcher, WatcherState
from vademecum.search import build as builds
from vademecum.search import published as publishing
from vademecum.search import watching as watching_again
from vademecum.search import writing as writings
from vademecum.search.catalogue import Catalogue
from vademecum.search.messages import Event
from vademecum.search.settings import SearchSettings
from vademecum.search.types import IndexState, VectorsState, VectorsStatus
from vademecum.search.watching import Watching
from vademecum.search.writing import Writing

Told = list[tuple[Event, dict[str, Any]]]


class Mortal:
    """A source of events that tells nothing, and can die."""

    recursive = True

    def __init__(self) -> None:
        self.living = True

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def alive(self) -> bool:
        return self.living

    def watched(self) -> frozenset[str]:
        return frozenset()

    def add(self, folder: str) -> None: ...

    def drop(self, folder: str) -> None: ...

    def events(self, timeout: float) -> Iterator[FileEvent]:
        import time

        time.sleep(min(timeout, 0.02))
        return iter(())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def told() -> Told:
    return []


@pytest.fixture
def writing(workspace: Path, home: Path, grammars: Path, told: Told) -> Callable[..., Writing]:
    def make(settings: SearchSettings | None = None) -> Writing:
        def tell(event: Event, message: dict[str, Any]) -> None:
            told.append((event, message))

        settings = settings or SearchSettings(model="none")
        return Writing(home, Gate(workspace), settings, str(grammars), tell, lambda: None, home.parent / "vectors")

    return make


def refusals(told: Told) -> list[str | None]:
    return [message["message"] for event, message in told if event is Event.REFUSAL]


def test_that_all_can_be_found_is_told_before_memory_is_given_back(
    workspace: Path, home: Path, writing: Callable[..., Writing], monkeypatch: pytest.MonkeyPatch
) -> None:
    told_at_rest: list[tuple[IndexState, bool, int]] = []
    settle = builds.Build.settle

    def settles(build: builds.Build) -> None:
        state = publishing.read(home)
        assert state is not None
        told_at_rest.append((state.state, state.complete, state.files))
        settle(build)

    monkeypatch.setattr(builds.Build, "settle", settles)
    write(workspace, {"a.py": "first = 1\n"})
    with writing():
        assert told_at_rest == [(IndexState.READY, True, 1)]


def test_a_dead_watcher_is_said_and_the_truth_is_kept_by_comparing(
    workspace: Path, home: Path, told: Told, writing: Callable[..., Writing], monkeypatch: pytest.MonkeyPatch
) -> None:
    sources: list[Mortal] = []

    def mortal(gate: Gate, noticed: Callable[[Batch], None]) -> Watcher:
        sources.append(Mortal())
        return Watcher(gate, noticed, source=sources[-1])

    monkeypatch.setattr(writings, "Watching", partial(Watching, make=mortal))
    monkeypatch.setattr(watching_again, "RESTART_FIRST", 0.0)
    write(workspace, {"a.py": "first = 1\n"})
    with writing(SearchSettings(reconcile_seconds=5.0)) as one:
        state = publishing.read(home)
        assert state is not None
        assert (state.state, state.watcher) == (IndexState.READY, WatcherState.WATCHING)
        one._watching._again_at = float("inf")
        sources[-1].living = False
        write(workspace, {"b.py": "second = 1\n"})

        def failed_and_found() -> bool:
            one.tick()
            now = publishing.read(home)
            return now is not None and now.watcher is WatcherState.FAILED and now.files == 2

        eventually(failed_and_found, "a failure that is said, and the new file")
        one._watching._again_at = 0.0

        def watching() -> bool:
            one.tick()
            now = publishing.read(home)
            return now is not None and now.watcher is WatcherState.WATCHING

        eventually(watching, "another watcher")
        assert len(sources) == 2


def test_a_full_disk_is_said_and_work_goes_on_when_it_is_not(
    workspace: Path, home: Path, told: Told, writing: Callable[..., Writing], monkeypatch: pytest.MonkeyPatch
) -> None:
    full = True
    record = Catalogue.record

    def perhaps(self: Catalogue, *arguments: Any) -> None:
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        record(self, *arguments)

    monkeypatch.setattr(Catalogue, "record", perhaps)
    monkeypatch.setattr(writings, "RETRY_FIRST", 0.01)
    monkeypatch.setattr(writings, "RETRY_LAST", 0.05)
    write(workspace, {"a.py": "first = 1\n"})
    with writing() as one:
        assert "disk is full" in (refusals(told)[-1] or "")
        full = False

        def ready() -> bool:
            one.tick()
            now = publishing.read(home)
            return now is not None and now.state is IndexState.READY and now.files == 1 and now.refusal is None

        eventually(ready, "a ready index")
        assert refusals(told)[-1] is None
    assert len([*home.glob("build-*")]) == 1


def test_many_dead_documents_make_a_fresh_build(
    workspace: Path, home: Path, told: Told, writing: Callable[..., Writing], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builds, "COMPACT_LEAST", 3)
    write(workspace, {f"f{n}.py": f"word{n} = 1\n" for n in range(20)})
    with writing() as one:
        before = publishing.read(home)
        assert before is not None
        for number in range(12):
            (workspace / f"f{number}.py").unlink()
        one.hint(f"f{number}.py" for number in range(12))
        one.reindex("r", False, writings.Cancel())
        after = publishing.read(home)
        assert after is not None
        assert after.build != before.build
        assert after.generation > before.generation
        assert builds.weigh(home / after.build / builds.LEXICAL) == builds.Weight(8, 0)
    assert len([*home.glob("build-*")]) == 1


def test_hints_that_go_on_and_on_put_nothing_off(
    writing: Callable[..., Writing], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr(writings.time, "monotonic", lambda: clock[0])
    one = writing()
    asked = clock[0]
    while one._due(clock[0])[0] != {"a.py"}:  # a client asks every 5 ms, and each answer tells that a.py is stale
        one.hint(["a.py"])
        clock[0] += 0.005
        assert clock[0] - asked < 0.2
    typed = clock[0]
    while one._due(clock[0])[0] != {"b.py"}:  # a user types 20 characters a second
        one.hint(["b.py"], typing=True)
        clock[0] += 0.05
    assert 0.9 <= clock[0] - typed < 1.2


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"build": 1}', json.dumps({"build": "../x"})],
)
def test_what_is_no_state_is_not_read(home: Path, text: str) -> None:
    (home / publishing.NAME).write_text(text)
    assert publishing.read(home) is None


def test_a_state_is_read_as_it_was_written(home: Path) -> None:
    state = publishing.Published(
        build="build-1",
        generation=3,
        state=IndexState.READY,
        complete=True,
        files=1,
        chunks=2,
        pending=0,
        counted=True,
        watcher=WatcherState.POLLING,
        watcher_reason="so",
        indexed_at=None,
        bytes=5,
        files_read=6,
        refusal=None,
        pid=7,
        vectors=VectorsStatus(
            state=VectorsState.EMBEDDING,
            name="minilm",
            id="minilm-1",
            kind=Kind.TRANSFORMER,
            dimensions=384,
            embedded=1,
            total=2,
            generation=8,
            former="static",
        ),
    )
    publishing.write(home, state)
    assert publishing.read(home) == state
    assert [file.name for file in home.iterdir()] == [publishing.NAME]
