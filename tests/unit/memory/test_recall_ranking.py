"""What decides which memories answer a prompt: its kind, how near they are, and what stands beside them."""

from collections.abc import Sequence
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.memory import recall_kinds
from vademecum.memory.recall_english import in_english
from vademecum.memory.recall_ranking import Ranked, above
from vademecum.memory.recall_words import Words
from vademecum.memory.record import Record
from vademecum.memory.types import Category
from vademecum.work import Cancel

np = pytest.importorskip("numpy")


def _record(title: str, content: str = "", keywords: tuple[str, ...] = ()) -> Record:
    return Record(None, title, content, Category.KNOWLEDGE, "user", "", keywords)


@pytest.mark.parametrize(
    ("own", "general"),
    [
        ("How do we release our service?", "How does photosynthesis work?"),
        ("Which shell do I use?", "Write a sonnet about rain"),
        ("我们的服务怎么发布？", "什么是勾股定理？"),
    ],
)
def test_prompts_about_ones_own_work_are_told_from_general_ones_by_words(own: str, general: str) -> None:
    assert recall_kinds.by_words(own) > 0.5 and recall_kinds.by_words(general) < -0.5


@given(st.text(max_size=500))
def test_what_words_tell_of_the_kind_is_bounded(prompt: str) -> None:
    assert -5 <= recall_kinds.by_words(prompt) <= 5


def test_words_that_neither_list_knows_tell_nothing() -> None:
    assert recall_kinds.by_words("qwxz vfkplm") == 0


def test_no_example_stands_in_both_lists_or_twice() -> None:
    own, general = recall_kinds.examples()
    assert len(own) > 200 and len(general) > 200
    assert len({*own, *general}) == len(own) + len(general)


def test_the_plane_parts_the_kinds_and_is_in_units_of_their_spread() -> None:
    noise = np.random.default_rng(1).normal(scale=0.3, size=(400, 8))
    noise[:200, 0] += 1
    noise[200:, 0] -= 1
    own, general = noise[:200].astype(np.float32), noise[200:].astype(np.float32)
    plane = recall_kinds.divide(np.concatenate([own, np.zeros((1, 8), np.float32)]), general)
    told = [plane.of(vector) for vector in (*own, *general)]
    sides, nearer = [kind.side for kind in told], [kind.nearer for kind in told]
    assert min(sides[:200]) > 0 > max(sides[200:])
    assert np.std(sides) == pytest.approx(1, abs=0.01)
    assert min(nearer[:200]) > 0 > max(nearer[200:])
    assert min(kind.usual for kind in told[200:]) > max(kind.usual for kind in told[:200])


def test_a_rare_word_says_more_than_a_usual_one_however_few_memories_there_are() -> None:
    one = Words([_record("Use pnpm, never npm", "In this project use pnpm, never npm.")])
    rare, usual = one.answer("pnpm install"), one.answer("in which project")
    assert rare.evidence[0] > usual.evidence[0] + 1 > 1
    assert rare.is_bare and not usual.is_bare
    assert rare.evidence[0] < rare.most


def test_what_stands_deep_in_a_text_says_half_of_what_a_title_does() -> None:
    titled = _record("Releases", "We ship on Tuesdays. " * 9)
    told = _record("Shipping", "We ship on Tuesdays. " * 9 + "Releases.")
    first, second = Words([titled, told]).answer("releases").evidence
    assert first == pytest.approx(2 * second)


@pytest.mark.parametrize(
    ("prompt", "is_bare"),
    [
        ("deploy staging", True),
        ("fix flaky test", True),
        ("部署预发", True),
        ("deploy", False),
        ("fix it", False),
        ("What is a webhook?", False),
        ("lint staged?", False),
        ("run the tests of " * 3, False),
    ],
)
def test_a_few_bare_words_are_told_from_a_sentence(prompt: str, is_bare: bool) -> None:
    assert Words([_record("Lunch", "At noon.")]).answer(prompt).is_bare is is_bare


def test_everyday_chinese_is_read_beside_the_developers_terms() -> None:
    assert in_english("我喜欢喝咖啡") == "I like drink coffee"
    assert in_english("数据库迁移") == "database migration"
    assert in_english("no Chinese") == ""


def test_words_are_counted_again_only_for_what_changed() -> None:
    first, second = _record("Release day", "On Tuesdays."), _record("Package manager", "pnpm")
    words = Words([first, second])
    again = Words([second, _record("Lunch", "At noon.")], words)
    assert again._counted[id(second)] is words._counted[id(second)]
    assert again.answer("release day").scores == [0.0, 0.0]
    assert again.answer("pnpm").met(0) == ("pnpm",)


def _vectors(rows: Sequence[Sequence[float]]) -> object:
    from vademecum.memory.recall_vectors import FIELDS, Vectors

    keys = [tuple(b"%d-%d" % (place, field) for field in range(len(FIELDS) + 1)) for place in range(len(rows))]
    unit = [np.array(row, np.float32) / np.linalg.norm(row) for row in rows]
    return Vectors(keys, {key: unit[place] for place, each in enumerate(keys) for key in each}, len(rows[0]))


def test_a_memory_in_a_crowd_is_told_from_one_that_stands_alone() -> None:
    crowd = [(1.0, 0.01 * place, 0.0) for place in range(12)]
    vectors = _vectors([*crowd, (0.0, 0.0, 1.0)])
    crowds = vectors.crowds(range(13))  # type: ignore[attr-defined]
    assert crowds[:12].min() > 0.8 > 0.2 > crowds[12]
    vectors.prepare(Cancel())  # type: ignore[attr-defined]
    assert np.array_equal(vectors.crowds(range(13)), crowds)  # type: ignore[attr-defined]


def test_what_has_no_vector_is_said_to_be_unknown() -> None:
    from vademecum.memory.recall_vectors import FIELDS, Vectors

    keys = [tuple(b"%d" % (place * 9 + field) for field in range(len(FIELDS) + 2)) for place in range(2)]
    vectors = Vectors(keys, dict.fromkeys(keys[0], np.array([1, 0], np.float32)), 2)
    near = vectors.near(np.array([1, 0], np.float32))
    assert list(near.known) == [True, False] and near.scores[0] > 0.9 and near.scores[1] == 0


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        ([0.9, 0.19, 0.2, 0.6], [0.9, 0.2, 0.6]),
        ([0.2, 0.5], [0.2, 0.5]),
        ([0.49, 0.4], []),
        ([], []),
    ],
)
def test_what_comes_beside_a_memory_that_reaches_the_floor_need_not_reach_it(
    scores: list[float], kept: list[float]
) -> None:
    ranked = [Ranked(cast(Any, None), score, (), None) for score in scores]
    assert [each.score for each in above(ranked, 0.5)] == kept
