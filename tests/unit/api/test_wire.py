"""Strict types at the boundary: nothing converted, every wrong field named, what goes out comes back."""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from vademecum.api.errors import InvalidParams
from vademecum.api.wire import structure, unstructure
from vademecum.settings import camel


class Colour(StrEnum):
    RED = "red"
    DEEP_BLUE = "deepBlue"


@frozen
class Inner:
    some_count: int
    text: str | None = None


@frozen
class Outer:
    name: str
    inner_part: Inner
    many: tuple[Inner, ...] = ()
    flag: bool = False
    ratio: float = 1.0
    colour: Colour | None = None
    exact: Literal[True] | None = None
    free: Mapping[str, float] | None = None


FULL: dict[str, Any] = {
    "name": "n",
    "innerPart": {"someCount": 1, "text": "t"},
    "many": [{"someCount": 2}],
    "flag": True,
    "ratio": 2,
    "colour": "deepBlue",
    "exact": True,
    "free": {"a_b": 1.5},
}


def wrong(params: object) -> dict[str, str]:
    with pytest.raises(InvalidParams) as caught:
        structure(params, Outer)
    return {item.field: item.message for item in caught.value.fields}


def test_a_whole_value_is_read_and_written_back() -> None:
    value = structure(FULL, Outer)
    assert value == Outer("n", Inner(1, "t"), (Inner(2),), True, 2.0, Colour.DEEP_BLUE, True, {"a_b": 1.5})
    assert unstructure(value) == FULL | {"ratio": 2.0}


def test_none_is_left_out_where_it_may_be_and_defaults_are_written() -> None:
    assert unstructure(Outer("n", Inner(1))) == {
        "name": "n",
        "innerPart": {"someCount": 1},
        "many": [],
        "flag": False,
        "ratio": 1.0,
    }


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": 1}, "name"),
        ({"name": None}, "name"),
        ({"innerPart": {"someCount": "1"}}, "innerPart.someCount"),
        ({"innerPart": {"someCount": True}}, "innerPart.someCount"),
        ({"innerPart": {"someCount": 1.0}}, "innerPart.someCount"),
        ({"innerPart": {}}, "innerPart.someCount"),
        ({"innerPart": []}, "innerPart"),
        ({"innerPart": {"someCount": 1, "extra": 1}}, "innerPart.extra"),
        ({"many": {}}, "many"),
        ({"many": "ab"}, "many"),
        ({"many": [{"someCount": 1}, {"someCount": "x"}]}, "many[1].someCount"),
        ({"flag": 1}, "flag"),
        ({"flag": "true"}, "flag"),
        ({"ratio": "2"}, "ratio"),
        ({"ratio": False}, "ratio"),
        ({"colour": "RED"}, "colour"),
        ({"colour": 1}, "colour"),
        ({"exact": False}, "exact"),
        ({"free": []}, "free"),
        ({"inner_part": {}}, "inner_part"),
    ],
)
def test_each_wrong_field_is_named(change: dict[str, Any], field: str) -> None:
    assert set(wrong(FULL | change)) == {field}


def test_all_wrong_fields_are_named_at_once() -> None:
    assert set(wrong({"name": 1, "flag": 0, "other": 1})) == {"name", "flag", "other", "innerPart"}


def test_params_may_be_absent_but_are_always_an_object() -> None:
    assert set(wrong(None)) == {"name", "innerPart"}
    assert set(wrong([])) == {"params"}


def test_a_choice_lists_what_may_be_chosen() -> None:
    assert wrong(FULL | {"colour": "green"})["colour"] == 'must be one of "red", "deepBlue", not "green"'


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*FULL, "extra"]), json_values))
def test_any_object_is_read_or_refused_by_field(params: dict[str, Any]) -> None:
    try:
        value = structure(params, Outer)
    except InvalidParams as error:
        assert error.fields
        assert all(item.field and item.message for item in error.fields)
    else:
        json.dumps(unstructure(value))


def test_camel() -> None:
    assert [camel(name) for name in ("a", "token_budget", "last_recalled_at")] == ["a", "tokenBudget", "lastRecalledAt"]
