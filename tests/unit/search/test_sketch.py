"""What words two chunks share, told from their sketches."""

import random

from hypothesis import given
from hypothesis import strategies as st

from vademecum.search.sketch import alike, numbers, sketch

WORDS = st.sets(st.text(min_size=1, max_size=12), max_size=60)


@given(WORDS)
def test_a_sketch_is_small_and_like_itself(words: set[str]) -> None:
    made = sketch(words)
    assert len(made) <= 64 and len(made) % 2 == 0
    assert made == sketch([*words, *words])
    assert alike(numbers(made), numbers(made)) == (1.0 if words else 0.0)


@given(WORDS, WORDS)
def test_likeness_is_a_share_and_goes_both_ways(one: set[str], other: set[str]) -> None:
    here, there = numbers(sketch(one)), numbers(sketch(other))
    assert 0 <= alike(here, there) == alike(there, here) <= 1


@given(st.binary(max_size=70))
def test_bytes_that_are_no_sketch_harm_nothing(made: bytes) -> None:
    numbers(made)


def test_it_comes_near_the_jaccard_index_and_is_right_on_average() -> None:
    choose = random.Random(1)
    for share in (0.0, 0.2, 0.5, 0.8):
        told = []
        for _ in range(300):
            words = [f"word{choose.randrange(10**9)}" for _ in range(200)]
            common = round(share * 80)
            apart = 80 - common
            one, other = (
                words[:common] + words[80 : 80 + apart // 2],
                words[:common] + words[140 : 140 + apart - apart // 2],
            )
            told.append(alike(numbers(sketch(one)), numbers(sketch(other))))
        assert abs(sum(told) / len(told) - share) < 0.04
        assert max(abs(each - share) for each in told) < 0.35
