"""How much weight meaning has beside words, by model, query and script."""

from collections.abc import Collection, Sequence
from typing import Any, cast

import pytest

from unit.search.support import candidate
from vademecum.embedding.scripts import Script
from vademecum.embedding.types import Facts, Kind
from vademecum.search.asking import understand
from vademecum.search.candidates import POOL, Candidate, Filters
from vademecum.search.fusion import Measured
from vademecum.search.sides import SPARING, blend, gather, nearest
from vademecum.search.types import Mode
from vademecum.search.weights import Fusing, Weights
from vademecum.work import Cancel


class _Meaning:
    def __init__(self, kind: Kind, scripts: Collection[Script]) -> None:
        self.facts = Facts("m", "m-1", "", 4, kind, frozenset(scripts), 128)


def weight(
    text: str,
    kind: Kind = Kind.TRANSFORMER,
    scripts: Collection[Script] = (Script.LATIN,),
    held: str = "",
    **constants: Any,
) -> float:
    """The weight of meaning for a query to an index that holds some tokens, of which one candidate has some."""
    found = [Measured(cast(Any, None), 3.0, 0.5)]
    meaning = cast(Any, _Meaning(kind, scripts))
    return blend(Weights(**constants), understand(text), meaning, found, held.split().__contains__).semantic


def test_it_depends_on_the_kind_of_model_unless_set() -> None:
    assert weight("retry with backoff") == 0.5
    assert weight("retry with backoff", Kind.STATIC) == 0.3
    assert weight("retry with backoff", semantic=0.7) == 0.7


def test_a_symbol_that_is_spelled_asks_for_that_very_word() -> None:
    assert weight("parse_config") == pytest.approx(0.25)
    assert weight("parse_config", symbol_semantic=1.0) == 0.5


def test_without_vectors_words_have_all_and_without_words_vectors() -> None:
    nothing = blend(Weights(), understand("retry"), None, [], lambda token: True)
    assert (nothing.how, nothing.semantic) == (Fusing.WEIGHTED, 0.0)
    meaning = cast(Any, _Meaning(Kind.STATIC, (Script.LATIN,)))
    unmet = [Measured(cast(Any, None), 0.0, 0.5)]
    assert blend(Weights(), understand("retry"), meaning, unmet, lambda token: True).semantic == 1.0


def test_what_is_written_in_a_strange_script_is_left_to_the_words_as_far_as_they_reach() -> None:
    text = "退休年龄"  # pension age: no term of developers
    assert weight(text) == 0.5, "no text of the index holds any of it"
    assert weight(text, held="退休 休年 年龄") == 0.0
    assert weight(text, held="退休") == pytest.approx(0.5 * (1 - 1 / 3))
    assert weight(text, scripts=(Script.LATIN, Script.HAN), held="退休 休年 年龄") == 0.5


def test_what_is_a_candidate_already_takes_its_place_among_the_nearest_and_is_not_fetched_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Near:
        def nearest(self, limit: int, cancel: Cancel) -> list[int]:
            return [5, 3, 9, 1][:limit]

    each = candidate("a.py")._replace(vector=(7).to_bytes(8, "little") + bytes(8))
    fetched: list[list[int]] = []

    def with_numbers(snapshot: object, ask: object, kept: object, numbers: list[int]) -> list[Candidate]:
        fetched.append(numbers)
        return [each] * len(numbers)

    monkeypatch.setattr("vademecum.search.sides.with_numbers", with_numbers)
    args = (cast(Any, None), understand("retry"), Filters((), ()), cast(Any, Near()), Cancel())
    assert len(nearest(*args, known={3, 1}, most=4)) == 2
    assert nearest(*args, known={5, 3, 9, 1}, most=4) == []
    assert fetched == [[5, 9], []]


class _Asked:
    """A meaning that notes how many of its nearest were asked for; there are none."""

    def __init__(self) -> None:
        self.limits: list[int] = []

    def nearest(self, limit: int, cancel: Cancel) -> list[int]:
        self.limits.append(limit)
        return []

    def cosines(self, keys: Sequence[bytes]) -> list[float]:
        return [0.5] * len(keys)


@pytest.mark.parametrize(
    ("text", "mode", "sparing", "limits"),
    [
        ("how lines are read", Mode.HYBRID, False, [POOL]),
        ("how lines are read", Mode.HYBRID, True, [SPARING]),
        ("how lines are read", Mode.SEMANTIC, True, [POOL]),
        ("parse_config", Mode.HYBRID, False, [POOL]),
        ("parse_config", Mode.HYBRID, True, []),
        ("parse_other", Mode.HYBRID, True, [SPARING]),
    ],
)
def test_asked_sparingly_meaning_adds_less_and_nothing_where_a_spelled_symbol_is_defined(
    monkeypatch: pytest.MonkeyPatch, text: str, mode: Mode, sparing: bool, limits: list[int]
) -> None:
    found = [candidate("a.py", defines=frozenset({"parseconfig"})), candidate("b.py")]
    monkeypatch.setattr("vademecum.search.sides.lexical", lambda *_: list(found))
    meaning = _Asked()
    args = (cast(Any, None), understand(text), Filters((), ()), mode, cast(Any, meaning), Cancel())
    measured = gather(*args, sparing=sparing)
    assert meaning.limits == limits
    assert [each.meaning for each in measured] == ([] if mode is Mode.SEMANTIC else [0.5, 0.5]), "all are measured"
