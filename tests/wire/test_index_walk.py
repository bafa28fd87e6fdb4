"""A short random walk, and a large tree: what `bench.truth` and `bench.large` do at length."""

from pathlib import Path

from bench.large import grow, open_and_ask, remove
from bench.truth import walk


def test_no_answer_of_a_random_walk_is_untrue(tmp_path: Path) -> None:
    figures = walk(tmp_path.resolve(), steps=250, seed=11)
    assert figures.faults == []
    assert figures.differences == []
    assert figures.items > 250


def test_a_large_and_deep_tree_is_indexed_in_bounded_memory(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    try:
        count = grow(tree, files=3_000, folders=800, deep=True)
        figures = open_and_ask(tmp_path / "home", tree)
    finally:
        remove(tree)
    assert figures.files == count
    assert figures.deepest_found
    assert figures.progress[-1] > 0
    assert figures.cancelled_within < 10
    assert figures.memory < 600_000_000
