"""What a lent model answered, read strictly: what is not exactly of the form that was asked for is not used at all."""

import json
import re
from typing import Any

_FENCED = re.compile(r"\s*```(?:json)?[ \t]*\n(.*)\n[ \t]*```\s*", re.DOTALL)


class Unusable(Exception):
    """The answer does not keep to the form; the message says where, and never quotes it."""


def listed(answer: str, key: str, *, characters: int, items: int) -> list[Any]:
    """Read an answer that is one JSON object with one list in it, alone or in one code fence.

    :param key: the only key that the object may have.
    :param characters: a longer answer is not even read.
    :param items: how many the list may hold.
    :raises Unusable: when it is anything else.
    """
    if len(answer) > characters:
        raise Unusable("it is too long")
    fenced = _FENCED.fullmatch(answer)
    try:
        data = json.loads(fenced[1] if fenced else answer, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Unusable("it is not one JSON object") from None
    if not isinstance(data, dict) or data.keys() != {key}:
        raise Unusable(f"it is not an object that holds {key} alone")
    found = data[key]
    if not isinstance(found, list) or len(found) > items:
        raise Unusable(f"{key} is not a list of {items} at most")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a key stands twice")
    return read


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
