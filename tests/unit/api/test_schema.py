"""The schema of a type says what `wire` takes and gives: values made from the one pass the other."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

import pytest
from attrs import field, frozen

from vademecum.api.schema import schema, unfit
from vademecum.api.types.bounds import between, longest, most


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@frozen
class Inner:
    """Within."""

    at_line: int = field(metadata=between(1, 9))
    """Where."""


@frozen
class Outer:
    """Around."""

    name: str = field(metadata=longest(5))
    colours: tuple[Colour, ...] = field(default=(), metadata=most(2))
    inner: Inner | None = None
    """What lies within,
    in two lines."""
    ratio: float = 0.5
    sure: Literal[True] | None = None
    data: Mapping[str, object] | None = None
    either: str | Inner | None = None
    nullable: int | None = 3


def test_every_kind_of_field_has_its_schema() -> None:
    inner = {
        "type": "object",
        "properties": {"atLine": {"type": "integer", "minimum": 1, "maximum": 9, "description": "Where."}},
        "required": ["atLine"],
        "additionalProperties": False,
    }
    assert schema(Outer) == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 5},
            "colours": {"type": "array", "items": {"type": "string", "enum": ["red", "blue"]}, "maxItems": 2},
            "inner": {**inner, "description": "What lies within, in two lines."},
            "ratio": {"type": "number", "default": 0.5},
            "sure": {"enum": [True]},
            "data": {"type": "object"},
            "either": {"anyOf": [{"type": "string"}, inner]},
            "nullable": {"type": "integer", "default": 3},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def test_a_result_that_is_always_there_may_be_null() -> None:
    @frozen
    class Answer:
        text: str | None

    assert schema(Answer)["properties"] == {"text": {"anyOf": [{"type": "string"}, {"type": "null"}]}}
    assert schema(Answer)["required"] == ["text"]


@pytest.mark.parametrize("kind", [bytes, list[str], set[str], Any])
def test_a_type_that_the_wire_does_not_know_has_no_schema(kind: Any) -> None:
    cls = frozen(type("Odd", (), {"__annotations__": {"odd": kind}, "__doc__": "Odd.", "__module__": __name__}))
    with pytest.raises(TypeError, match="has no JSON Schema"):
        schema(cls)


def test_values_are_held_against_their_bounds() -> None:
    assert unfit(Outer("abcde", (Colour.RED, Colour.BLUE), Inner(9))) == []
    wrong = unfit(Outer("abcdef", (Colour.RED,) * 3, Inner(10)))
    assert [(each.field, each.message) for each in wrong] == [
        ("name", "may hold 5 characters, not 6"),
        ("colours", "may hold 2 items, not 3"),
        ("inner.atLine", "must be between 1 and 9"),
    ]
