"""A disk in the folder that goes silent: what was indexed of it stays, and it is looked at again until it answers."""

import sys
import threading
import time
from pathlib import Path

import pytest

from unit.files.hanging import hung_mount
from unit.search.support import eventually, write
from vademecum.files import disks
from vademecum.files.gate import Gate
from vademecum.search import build as builds
from vademecum.search import indexer, returning
from vademecum.search.keeper import Keeper
from vademecum.search.pulse import Pulse
from vademecum.search.returning import Returning
from vademecum.search.settings import SearchSettings
from vademecum.work import Cancel, silent

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="where disks are mounted, Linux alone tells")


def test_what_was_indexed_stays_until_the_disk_answers(
    tmp_path: Path, workspace: Path, grammars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disks, "SECONDS", 0.3)
    monkeypatch.setattr(disks, "_MOUNTS_SECONDS", 0.0)
    write(workspace, {"near.py": "near = 1\n", "far/one.py": "one = 1\n"})
    home = tmp_path / "home"
    home.mkdir()
    gate = Gate(workspace)
    keeper = Keeper(builds.create(home, SearchSettings()), gate, SearchSettings(), str(grammars), lambda: None)
    keeper.reconcile(Cancel(), silent)
    catalogue = keeper.build.catalogue
    with hung_mount(workspace / "far"):
        write(workspace, {"near.py": "nearer = 1\n", "other.py": "other = 1\n"})
        keeper.reconcile(Cancel(), silent)
        assert keeper.silent == ("far",)
        assert catalogue.totals().files == 3
        keeper.update(["far/one.py", "other.py"], Cancel())
        assert (catalogue.totals().files, catalogue.holds("far/one.py")) == (3, True)
    keeper.reconcile(Cancel(), silent)
    assert (keeper.silent, catalogue.totals().files) == ((), 3)


def test_it_is_looked_at_again_and_told_when_it_answers(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disks, "SECONDS", 0.3)
    monkeypatch.setattr(disks, "_MOUNTS_SECONDS", 0.0)
    monkeypatch.setattr(disks, "RETRY_SECONDS", 0.0)
    monkeypatch.setattr(returning, "RETRY_SECONDS", 0.0)
    (workspace / "far").mkdir()
    gate = Gate(workspace)
    back = threading.Event()
    looks = Returning(gate, back.set)
    with hung_mount(workspace / "far"):
        assert gate.silence.refuse("far") is not None
        began = time.monotonic()
        looks.look()
        assert time.monotonic() - began < 0.3, "nobody waits for it"
        looks._thread.join(30)  # type: ignore[union-attr]
        assert not back.is_set()
    looks.look()
    eventually(back.is_set, "the word that it answers")
    assert gate.silence.folders == ()


@pytest.mark.parametrize("stuck", [True, False])
def test_an_indexer_that_is_stuck_at_it_ends_so_that_the_next_one_passes_it_over(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, stuck: bool
) -> None:
    class Ended(Exception):
        pass

    class Over(Exception):
        pass

    def ended(code: int) -> None:
        assert code == 1
        raise Ended

    rounds = iter([None] * 3)

    def sleep(seconds: float) -> None:
        if next(rounds, Over) is Over:
            raise Over

    monkeypatch.setattr(disks, "SECONDS", 0.3)
    monkeypatch.setattr(disks, "_MOUNTS_SECONDS", 0.0)
    (workspace / "far").mkdir()
    gate, pulse = Gate(workspace), Pulse()
    monkeypatch.setattr(indexer, "STUCK_SECONDS", -1.0 if stuck else 60.0)
    monkeypatch.setattr(indexer.os, "_exit", ended)
    with hung_mount(workspace / "far"):
        monkeypatch.setattr(indexer.time, "sleep", sleep)
        with pytest.raises(Ended if stuck else Over):
            indexer.leave_dead_disk(gate, pulse)
