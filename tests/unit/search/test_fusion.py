"""Fusion: one score from what words and what meaning say."""

import math

from hypothesis import given
from hypothesis import strategies as st

from unit.search.support import candidate
from vademecum.search.fusion import Blend, Measured, fuse
from vademecum.search.weights import Fusing

HALF = Blend(Fusing.WEIGHTED, 0.5)


def scores(measured: list[Measured], blend: Blend) -> list[float]:
    return [round(each.score, 4) for each in fuse(measured, blend)]


def test_each_side_is_measured_from_its_worst_to_its_best() -> None:
    measured = [
        Measured(candidate("a.py"), 10.0, 0.2),
        Measured(candidate("b.py"), 5.0, 0.6),
        Measured(candidate("c.py"), 0.0, 0.4),
    ]
    # Words 1, .5, 0; meaning 0, 1, .5: half and half .5, .75, .25, as shares of the best.
    assert scores(measured, HALF) == [0.6667, 1.0, 0.3333]
    assert scores(measured, Blend(Fusing.WEIGHTED, 0.0)) == [1.0, 0.5, 0.0]
    assert scores(measured, Blend(Fusing.WEIGHTED, 1.0)) == [0.0, 1.0, 0.5]


def test_what_only_meaning_finds_can_come_first() -> None:
    measured = [Measured(candidate("a.py"), 1.0, 0.1), Measured(candidate("b.py"), 0.0, 0.9)]
    assert scores(measured, Blend(Fusing.WEIGHTED, 0.7)) == [0.4286, 1.0]


def test_a_chunk_without_a_vector_is_neither_raised_nor_lowered() -> None:
    measured = [
        Measured(candidate("a.py"), 4.0, None),
        Measured(candidate("b.py"), 4.0, 0.9),
        Measured(candidate("c.py"), 4.0, 0.1),
        Measured(candidate("d.py"), 2.0, None),
    ]
    a, b, c, d = fuse(measured, HALF)
    assert b.score == a.score > c.score
    assert math.isclose(d.score, 0.5 * a.score)
    assert "semantic" not in a.signals
    assert dict(b.signals) == {"lexical": 1.0, "semantic": 1.0}


def test_reciprocal_ranks_know_no_distances() -> None:
    def made(*sides: tuple[float, float]) -> list[Measured]:
        return [Measured(candidate(f"{n}.py"), *each) for n, each in enumerate(sides)]

    near, far = made((9, 0.9), (1, 0.8), (0, 0.1)), made((9, 0.9), (8, 0.11), (0, 0.1))
    blend = Blend(Fusing.RECIPROCAL, 0.5)
    assert scores(near, blend) == scores(far, blend)
    first, second, third = scores(near, blend)
    assert first == 1.0
    assert math.isclose(second, 61 / 62, abs_tol=1e-4)
    assert third == 0.0  # no word of it, and the worst by meaning


def test_nothing_at_all() -> None:
    assert fuse([], HALF) == []


@given(
    st.lists(
        st.tuples(st.floats(0, 100), st.none() | st.floats(-1, 1)),
        max_size=30,
    ),
    st.sampled_from(list(Fusing)),
    st.floats(0, 1),
)
def test_scores_are_shares_and_better_on_both_sides_is_never_worse(
    sides: list[tuple[float, float | None]], how: Fusing, semantic: float
) -> None:
    measured = [Measured(candidate(f"{n}.py"), words, meaning) for n, (words, meaning) in enumerate(sides)]
    fused = fuse(measured, Blend(how, semantic))
    assert all(0.0 <= each.score <= 1.0 + 1e-9 for each in fused)
    for one, left in zip(measured, fused, strict=True):
        for other, right in zip(measured, fused, strict=True):
            if one.meaning is None or other.meaning is None:
                continue
            # Further apart than the arithmetic blurs.
            if one.words > other.words + 1e-6 and one.meaning > other.meaning + 1e-6:
                assert left.score >= right.score - 1e-9
