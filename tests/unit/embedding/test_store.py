import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.embedding.discarding import discard_models
from vademecum.embedding.rows import packed, unpacked
from vademecum.embedding.store import Store
from vademecum.embedding.types import Facts, Kind

DIMENSIONS = 16
FACTS = Facts("test", "test-1", "", DIMENSIONS, Kind.STATIC, frozenset(), 128)


def key(number: int) -> bytes:
    return number.to_bytes(32, "big")


def vector(number: int, salt: int = 0) -> np.ndarray:
    made = np.random.default_rng([number, salt]).standard_normal(DIMENSIONS).astype(np.float32)
    return made / np.linalg.norm(made)


def vectors(numbers: list[int]) -> np.ndarray:
    return np.array([vector(number) for number in numbers], np.float32).reshape(-1, DIMENSIONS)


def holds(store: Store, numbers: list[int]) -> None:
    there, rows = store.get([key(number) for number in numbers])
    assert there.all()
    assert np.array_equal(rows, packed(vectors(numbers)))


def test_vectors_come_back_and_survive_a_restart(tmp_path: Path) -> None:
    store = Store(tmp_path, FACTS)
    store.add([key(1), key(2)], vectors([1, 2]))
    holds(store, [2, 1, 2])
    there, rows = store.get([key(3), key(1)])
    assert there.tolist() == [False, True]
    assert not rows[0].any()
    store.close()
    holds(Store(tmp_path, FACTS), [1, 2])


def test_what_is_missing_is_told_once_and_in_order(tmp_path: Path) -> None:
    store = Store(tmp_path, FACTS)
    store.add([key(2)], vectors([2]))
    assert store.missing([key(3), key(2), key(1), key(3)]) == [key(3), key(1)]


def test_a_key_keeps_its_first_vector(tmp_path: Path) -> None:
    store = Store(tmp_path, FACTS)
    store.add([key(1), key(1)], np.array([vector(1), vector(9)], np.float32))
    store.add([key(1)], vectors([7]))
    assert len(store) == 1
    there, rows = store.get([key(1)])
    assert there[0]
    assert rows[0].tolist() in (packed(vector(1)).tolist(), packed(vector(9)).tolist())


def test_another_model_of_the_same_width_sees_nothing(tmp_path: Path) -> None:
    Store(tmp_path, FACTS).add([key(1)], vectors([1]))
    other = Store(tmp_path, evolve(FACTS, id="test-2"))
    assert other.missing([key(1)]) == [key(1)]


def test_vectors_of_another_width_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="numbers are wanted"):
        Store(tmp_path, FACTS).add([key(1)], np.ones((1, 8), np.float32))


@given(st.lists(st.floats(-1, 1, width=32), min_size=8, max_size=8))
def test_packing_keeps_direction(numbers: list[float]) -> None:
    given_vector = np.array(numbers, np.float32)
    norm = np.linalg.norm(given_vector)
    if norm < 1e-3:
        return
    unit = given_vector / norm
    assert float(unpacked(packed(unit)) @ unit) > 0.9998


def test_zeros_stay_zeros() -> None:
    assert not unpacked(packed(np.zeros((1, 4), np.float32))).any()


ACTION = st.one_of(
    st.tuples(st.just("add"), st.lists(st.integers(0, 40), min_size=1, max_size=12)),
    st.tuples(st.just("collect"), st.lists(st.integers(0, 40), max_size=12)),
    st.tuples(st.just("touch"), st.lists(st.integers(0, 40), max_size=12)),
    st.tuples(st.just("reopen"), st.just([])),
    st.tuples(st.just("torn"), st.lists(st.integers(0, 255), min_size=1, max_size=40)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(ACTION, max_size=14))
def test_it_holds_what_a_dictionary_would(tmp_path_factory: pytest.TempPathFactory, actions: list) -> None:
    folder = tmp_path_factory.mktemp("store")
    day = 100
    store = Store(folder, FACTS, day)
    model: dict[int, int] = {}
    for action, numbers in actions:
        if action == "add":
            wanted = list(dict.fromkeys(numbers))
            store.add([key(number) for number in wanted], vectors(wanted))
            model = dict.fromkeys(wanted, day) | model
        elif action == "touch":
            store.touch([key(number) for number in numbers])
            model |= {number: day for number in numbers if number in model}
        elif action == "collect":
            store.collect([key(number) for number in numbers], unused_days=2, unused_bytes=1 << 30)
            model = {number: used for number, used in model.items() if number in numbers or used >= day - 2}
        elif action == "torn":
            for path in (folder / FACTS.id).glob("rows-*"):
                with path.open("ab") as file:
                    file.write(bytes(numbers))
        else:
            store.close()
            day += 1
            store = Store(folder, FACTS, day)
        assert len(store) == len(model)
    holds(store, sorted(model))
    every = [key(number) for number in range(41)]
    assert store.missing(every) == [key(number) for number in range(41) if number not in model]
    store.close()


# Kills and other processes

WRITER = """
import sys
from pathlib import Path
import numpy as np
sys.path.insert(0, sys.argv[3])
from unit.embedding.test_store import FACTS, key, vectors
from vademecum.embedding.store import Store
store = Store(Path(sys.argv[1]), FACTS)
start = int(sys.argv[2])
for number in range(start, start + 100_000, 8):
    wanted = list(range(number, number + 8))
    store.add([key(each) for each in wanted], vectors(wanted))
    print(number + 8, flush=True)
    if number % 64 == 0:
        store.collect([key(each) for each in range(number - 400, number + 8) if each >= 0], 1, 0)
"""
TESTS = str(Path(__file__).parents[2])


def writer(folder: Path, start: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(start), TESTS], stdout=subprocess.PIPE, text=True
    )


def test_kills_lose_nothing_that_was_kept(tmp_path: Path) -> None:
    done = 0
    for _round in range(8):
        child = writer(tmp_path, done)
        assert child.stdout is not None
        acknowledged = done
        for line in child.stdout:
            acknowledged = int(line)
            if acknowledged >= done + 8 * (3 + 5 * _round):
                break
        child.send_signal(signal.SIGKILL)
        acknowledged = max([acknowledged, *(int(line) for line in child.stdout.read().split() if line)])
        child.wait()
        store = Store(tmp_path, FACTS)
        recent = list(range(max(0, acknowledged - 300), acknowledged))
        holds(store, recent)
        rows = next((tmp_path / FACTS.id).glob("rows-*"))
        assert rows.stat().st_size < 3 * DIMENSIONS * (len(store) + 1024)
        store.close()
        done = acknowledged


def test_a_torn_tail_is_written_over(tmp_path: Path) -> None:
    store = Store(tmp_path, FACTS)
    store.add([key(1)], vectors([1]))
    rows = tmp_path / FACTS.id / "rows-0"
    with rows.open("ab") as file:
        file.write(b"\x01" * 37)
    store.add([key(2)], vectors([2]))
    assert rows.stat().st_size == 2 * DIMENSIONS
    holds(store, [1, 2])


@pytest.mark.parametrize("left", [0, 1, DIMENSIONS + 3])
def test_rows_that_the_disk_lost_are_made_again(tmp_path: Path, left: int) -> None:
    store = Store(tmp_path, FACTS)
    store.add([key(1), key(2)], vectors([1, 2]))
    os.truncate(tmp_path / FACTS.id / "rows-0", left)
    store.close()
    store = Store(tmp_path, FACTS)
    lost = store.missing([key(1), key(2)])
    assert lost == [key(1), key(2)][left // DIMENSIONS :]
    store.add([key(1), key(2)], vectors([1, 2]))
    holds(store, [1, 2])


@pytest.mark.parametrize("junk", [b"", b"not a database" * 100])
def test_a_damaged_store_is_begun_anew(tmp_path: Path, junk: bytes) -> None:
    store = Store(tmp_path, FACTS)
    store.add([key(1)], vectors([1]))
    store.close()
    for path in (tmp_path / FACTS.id).glob("vectors.db*"):
        path.unlink()
    (tmp_path / FACTS.id / "vectors.db").write_bytes(junk)
    store = Store(tmp_path, FACTS)
    assert store.missing([key(1)]) == [key(1)]
    store.add([key(1)], vectors([1]))
    holds(store, [1])


def test_two_writers_share_a_store(tmp_path: Path) -> None:
    folders = Store(tmp_path, FACTS)
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        pool.starmap(add_many, [(tmp_path, range(0, 300)), (tmp_path, range(150, 450)), (tmp_path, range(100, 200))])
    assert len(folders) == 450
    holds(folders, list(range(450)))
    assert (tmp_path / FACTS.id / "rows-0").stat().st_size == 450 * DIMENSIONS, "nothing is kept twice"


def add_many(folder: Path, numbers: range) -> None:
    store = Store(folder, FACTS)
    for start in range(numbers.start, numbers.stop, 10):
        part = list(range(start, start + 10))
        store.add([key(number) for number in part], vectors(part))
    store.close()


def test_a_reader_goes_on_through_a_compaction(tmp_path: Path) -> None:
    store, reader = Store(tmp_path, FACTS), Store(tmp_path, FACTS)
    every = list(range(4000))
    store.add([key(number) for number in every], vectors(every))
    holds(reader, every[:100])
    kept = every[3000:]
    told = store.collect([key(number) for number in kept], unused_days=1, unused_bytes=0)
    assert told.dropped == 3000
    holds(reader, kept)
    assert reader.missing([key(0)]) == [key(0)]
    assert [path.name for path in (tmp_path / FACTS.id).glob("rows-*")] == ["rows-1"]
    assert told.after < told.before / 2
    reader.add([key(0)], vectors([0]))
    holds(store, [0, *kept])


def test_what_is_unused_goes_oldest_first(tmp_path: Path) -> None:
    for day, number in ((10, 1), (20, 2), (30, 3)):
        store = Store(tmp_path, FACTS, day)
        store.add([key(number)], vectors([number]))
        store.close()
    store = Store(tmp_path, FACTS, 31)
    store.collect([], unused_days=15, unused_bytes=1 << 20)
    assert store.missing([key(1), key(2), key(3)]) == [key(1)]
    store.touch([key(2)])
    store.collect([], unused_days=15, unused_bytes=DIMENSIONS)
    assert store.missing([key(2), key(3)]) == [key(3)]
    store.collect([key(2)], unused_days=1, unused_bytes=0)
    holds(store, [2])


def test_touching_writes_once_a_day(tmp_path: Path) -> None:
    store = Store(tmp_path, FACTS, 10)
    store.add([key(1)], vectors([1]))
    database = sqlite3.connect(tmp_path / FACTS.id / "vectors.db")
    version = database.execute("PRAGMA data_version").fetchone()
    store.touch([key(1), key(99)])
    assert database.execute("PRAGMA data_version").fetchone() == version


def test_a_thousand_edits_leave_it_less_than_twice_as_large(tmp_path: Path) -> None:
    store = Store(tmp_path, FACTS)
    live = list(range(2000))
    store.add([key(number) for number in live], vectors(live))
    fresh = (tmp_path / FACTS.id / "rows-0").stat().st_size
    for edit in range(1000):
        old, new = edit, 10_000 + edit
        store.add([key(new)], vectors([new]))
        live[old] = new
    store.collect([key(number) for number in live], unused_days=1, unused_bytes=0)
    rows = next((tmp_path / FACTS.id).glob("rows-*")).stat().st_size
    assert rows <= 2 * fresh
    holds(store, live)


def test_models_that_nobody_uses_go(tmp_path: Path) -> None:
    for name in ("now-1", "old-1", "fresh-1"):
        Store(tmp_path, evolve(FACTS, id=name)).close()
    long_ago = time.time() - 40 * 86_400
    for name in ("now-1", "old-1"):
        for path in (tmp_path / name).iterdir():
            os.utime(path, (long_ago, long_ago))
    assert discard_models(tmp_path, {"now-1"}, unused_days=30) == ["old-1"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fresh-1", "now-1"]


@pytest.mark.skipif(os.name == "nt", reason="no such modes")
def test_files_are_the_users_alone(tmp_path: Path) -> None:
    store = Store(tmp_path / "repository", FACTS)
    store.add([key(1)], vectors([1]))
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "repository" / FACTS.id).iterdir()}
    assert modes == {0o600}
    assert (tmp_path / "repository" / FACTS.id).stat().st_mode & 0o777 == 0o700
