"""Diversity: the first hits do not all say the same."""

from hypothesis import given
from hypothesis import strategies as st

from unit.search.support import candidate
from vademecum.search.candidates import Candidate
from vademecum.search.diversity import diverse


def ranked(*scores: float) -> list[Candidate]:
    return [candidate(f"{n}.py").with_signal("lexical", score, score) for n, score in enumerate(scores)]


def names(candidates: list[Candidate]) -> list[str]:
    return [each.path.removesuffix(".py") for each in candidates]


def alike(*pairs: str):
    same = {frozenset(pair.split("-")) for pair in pairs}
    return lambda one, other: 1.0 if frozenset((str(one), str(other))) in same else 0.0


def test_a_copy_of_the_best_makes_way_for_what_is_new() -> None:
    assert names(diverse(ranked(1.0, 0.95, 0.9, 0.0), 0.7, alike("0-1"))) == ["0", "2", "1", "3"]


def test_a_weight_of_one_changes_nothing() -> None:
    assert names(diverse(ranked(1.0, 0.9, 0.5), 1.0, lambda one, other: 1.0)) == ["0", "1", "2"]


def test_scores_still_fall_and_the_change_is_told() -> None:
    order = diverse(ranked(1.0, 0.95, 0.9, 0.0), 0.7, alike("0-1"))
    assert [each.score for each in order] == [1.0, 0.95, 0.9, 0.0]
    assert "diversity" in order[1].signals
    assert "diversity" not in order[0].signals


def test_what_lies_past_the_head_stays() -> None:
    assert names(diverse(ranked(1.0, 0.9, 0.8, 0.7, 0.6), 0.5, lambda one, other: 1.0, head=3))[3:] == ["3", "4"]


@given(st.lists(st.floats(0, 5), max_size=30), st.floats(0, 1), st.randoms(use_true_random=False))
def test_nothing_is_lost_or_doubled_and_the_best_stays_first(scores, weight, random) -> None:
    candidates = ranked(*sorted(scores, reverse=True))
    order = diverse(candidates, weight, lambda one, other: random.random())
    assert sorted(names(order)) == sorted(names(candidates))
    assert names(order)[:1] == names(candidates)[:1]
    assert [each.score for each in order] == [each.score for each in candidates]
