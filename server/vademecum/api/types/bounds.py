"""What a field may hold beside its type: metadata of attrs fields, in the words of JSON Schema.

`vademecum.api.schema` tells them to a model, and holds a value against them.
"""

from collections.abc import Mapping
from typing import Any

KEY = "vademecum.bounds"


def longest(characters: int) -> Mapping[str, Any]:
    """A text of at most so many code points."""
    return {KEY: {"maxLength": characters}}


def between(low: int, high: int) -> Mapping[str, Any]:
    """A number from `low` to `high`, both included."""
    return {KEY: {"minimum": low, "maximum": high}}


def at_least(low: int) -> Mapping[str, Any]:
    """A number from `low` on."""
    return {KEY: {"minimum": low}}


def most(items: int) -> Mapping[str, Any]:
    """An array of at most so many items."""
    return {KEY: {"maxItems": items}}
