"""The least of many distances, found without putting all of them in order."""

import numpy as np
import pytest

from vademecum.embedding.compare import SAMPLED, _least


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("wanted", [1, 12, 68, 500])
def test_the_least_are_those_that_sorting_would_give(seed: int, wanted: int) -> None:
    choose = np.random.default_rng(seed)
    # Also with the least of them all in one place, which a sample of every so many may miss.
    for distances in (choose.random(5_000), np.sort(choose.random(5_000)), np.sort(choose.random(600))[::-1]):
        assert sorted(_least(distances, wanted)) == sorted(np.argsort(distances)[:wanted].tolist())


def test_a_sample_that_misleads_costs_time_and_nothing_else() -> None:
    distances = np.full(4_000, 0.5)
    distances[::SAMPLED] = 0.1  # every sampled one is small, and there are fewer of them than are wanted
    distances[1] = 0.2
    found = _least(distances, 251)
    assert len(found) == 251
    assert set(found) == {*range(0, 4_000, SAMPLED), 1}


def test_equal_distances_are_all_alike() -> None:
    assert len(set(_least(np.zeros(2_000), 50))) == 50
