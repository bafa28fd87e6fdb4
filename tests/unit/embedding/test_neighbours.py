from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.embedding import compare, neighbours
from vademecum.embedding.graph import Graph, NoGraph
from vademecum.embedding.keys import number_of
from vademecum.embedding.neighbours import Neighbours
from vademecum.embedding.rows import packed, unpacked
from vademecum.work import Cancel, Cancelled

DIMENSIONS = 16


def made(numbers: list[int], dimensions: int = DIMENSIONS) -> np.ndarray:
    rows = [np.random.default_rng(number).standard_normal(dimensions) for number in numbers]
    out = np.array(rows, np.float32).reshape(-1, dimensions)
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def filled(numbers: list[int]) -> Neighbours:
    near = Neighbours(DIMENSIONS)
    near.put_vectors(numbers, made(numbers))
    return near


def expected(numbers: list[int], query: np.ndarray, limit: int) -> list[int]:
    scores = unpacked(packed(made(numbers))) @ query
    return [number for _, number in sorted(zip((-scores).tolist(), numbers, strict=True))][:limit]


def found(near: Neighbours, query: np.ndarray, limit: int, allowed: list[int] | None = None) -> list[int]:
    return [each.number for each in near.search(query, limit, Cancel(), allowed)]


QUERY = made([777])[0]


def test_the_nearest_come_first_with_their_cosines() -> None:
    near = filled(list(range(500)))
    hits = near.search(made([42])[0], 5, Cancel())
    assert hits[0].number == 42
    assert hits[0].score == pytest.approx(1.0, abs=1e-3)
    assert [each.score for each in hits] == sorted((each.score for each in hits), reverse=True)
    assert [each.number for each in hits] == expected(list(range(500)), made([42])[0], 5)


NUMBERS = st.lists(st.integers(0, 300), unique=True, min_size=1, max_size=120)


@settings(max_examples=80, deadline=None)
@given(NUMBERS, NUMBERS, NUMBERS, st.booleans(), st.booleans())
def test_it_finds_what_comparing_all_finds(
    first: list[int], gone: list[int], second: list[int], by_numpy: bool, filtered: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if by_numpy:
            patch.setattr(compare, "_kernel", lambda: None)
        near = filled(first)
        near.remove(gone)
        near.put_vectors(second, made(second))
        there = sorted((set(first) - set(gone)) | set(second))
        assert len(near) == len(there)
        allowed = first if filtered else None
        candidates = [number for number in there if allowed is None or number in allowed]
        assert found(near, QUERY, 10, allowed) == expected(candidates, QUERY, 10)


@pytest.mark.parametrize("count", [200, 500, 5_000])
def test_both_ways_of_comparing_find_the_same_rows(count: int) -> None:
    rows = packed(made(list(range(count))))
    rows[7] = 0  # what nothing is known of is near to nothing
    query = packed(QUERY)
    by_kernels = set(compare.best_rows(rows, query, 92))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compare, "_kernel", lambda: None)
        by_numpy = set(compare.best_rows(rows, query, 92))
    assert len(by_kernels) == 92
    assert by_kernels == by_numpy
    assert 7 not in by_kernels


def test_the_order_does_not_depend_on_the_order_of_coming() -> None:
    numbers = list(range(400))
    one, other = filled(numbers), filled(numbers[::-1])
    same = np.repeat(made([7]), 3, axis=0)
    for near in (one, other):
        near.put_vectors([903, 901, 902], same)
    assert found(one, QUERY, 50) == found(other, QUERY, 50)
    assert found(one, same[0], 4) == [7, 901, 902, 903]


def test_numbers_of_hashes_and_unknown_numbers() -> None:
    number = number_of(b"\xff" * 32)
    near = Neighbours(DIMENSIONS)
    near.put_vectors([number], made([1]))
    assert found(near, QUERY, 3) == [number]
    near.remove([5, number, number])
    assert len(near) == 0
    assert found(near, QUERY, 3) == []
    assert not near.vectors([number]).any()
    assert found(near, QUERY, 3, [1, 2]) == []


def test_a_query_of_zeros_finds_nothing_and_a_cancelled_one_stops() -> None:
    near = filled([1, 2, 3])
    assert near.search(np.zeros(DIMENSIONS, np.float32), 3, Cancel()) == []
    assert near.search(QUERY, 0, Cancel()) == []
    cancel = Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        near.search(QUERY, 3, cancel)


def test_vectors_come_back_as_unit_vectors() -> None:
    near = filled([1, 2])
    back = near.vectors([2, 9, 1])
    assert np.all((back[[0, 2]] * made([2, 1])).sum(axis=1) > 0.999)
    assert not back[1].any()


# The graph


@pytest.fixture
def with_graph(tmp_path: Path) -> Neighbours:
    near = filled(list(range(3000)))
    near.make_graph(tmp_path / "graph", Cancel())
    near.take_graph(tmp_path / "graph")
    return near


def recall(near: Neighbours, numbers: list[int], allowed: list[int] | None = None) -> float:
    total = 0
    for seed in range(50_000, 50_020):
        query = made([seed])[0]
        total += len(set(found(near, query, 20, allowed)) & set(expected(numbers, query, 20)))
    return total / 400


def test_a_graph_finds_nearly_all(with_graph: Neighbours) -> None:
    assert recall(with_graph, list(range(3000))) > 0.97


def test_changes_are_seen_without_making_the_graph_anew(with_graph: Neighbours, tmp_path: Path) -> None:
    before = (tmp_path / "graph").stat().st_mtime_ns
    gone, came = list(range(0, 3000, 10)), list(range(5000, 5300))
    with_graph.remove(gone)
    with_graph.put_vectors(came, made(came))
    now = [number for number in range(3000) if number % 10] + came
    assert recall(with_graph, now) > 0.97
    query = made([5100])[0]
    assert found(with_graph, query, 1) == [5100]
    assert not set(gone) & set(found(with_graph, made([10])[0], 100))
    with_graph.put_vectors([10], made([10]))
    assert found(with_graph, made([10])[0], 1) == [10]
    assert (tmp_path / "graph").stat().st_mtime_ns == before


def test_filters_reach_into_the_graph(with_graph: Neighbours) -> None:
    few, most = list(range(0, 3000, 100)), list(range(200, 3000))
    assert found(with_graph, QUERY, 10, few) == expected(few, QUERY, 10)
    assert recall(with_graph, most, most) > 0.97


def test_when_a_graph_is_wanted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(neighbours, "GRAPH_ABOVE", 100)
    near = filled(list(range(100)))
    assert not near.wants_graph
    near.put_vectors([100], made([100]))
    assert near.wants_graph
    near.make_graph(tmp_path / "graph", Cancel())
    near.take_graph(tmp_path / "graph")
    assert not near.wants_graph
    near.remove(range(6))
    near.put_vectors(list(range(200, 206)), made(list(range(200, 206))))
    assert near.wants_graph
    near.drop_graph()
    assert len(near) == 101
    assert found(near, made([203])[0], 1) == [203]


def test_a_graph_that_is_missing_or_damaged_or_of_another_width(tmp_path: Path, with_graph: Neighbours) -> None:
    with pytest.raises(NoGraph):
        with_graph.take_graph(tmp_path / "none")
    (tmp_path / "junk").write_bytes(b"junk" * 1000)
    with pytest.raises(NoGraph):
        with_graph.take_graph(tmp_path / "junk")
    with pytest.raises(NoGraph, match="shape"):
        Graph.open(tmp_path / "graph", 8)
    assert recall(with_graph, list(range(3000))) > 0.97, "the former one is still used"


def test_a_cancelled_graph_leaves_no_file(tmp_path: Path) -> None:
    cancel = Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        filled(list(range(50))).make_graph(tmp_path / "graph", cancel)
    assert list(tmp_path.iterdir()) == []
