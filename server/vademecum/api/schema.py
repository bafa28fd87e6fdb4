"""JSON Schema of the types in `api/types`, as JSON has them: camelCase names, and no key that is not named.

A closed set of types has a schema; any other one is a mistake of the one who wrote the type. Everything stands in its
place, without `$ref`, since not every client of a model follows one.
"""

import types
from collections.abc import Mapping
from enum import Enum
from typing import Any, Literal, Union, cast, get_args, get_origin

import attrs

from vademecum.api.docstrings import field_docs
from vademecum.api.errors import FieldError
from vademecum.api.types.bounds import KEY
from vademecum.settings import camel

_SCALARS: Mapping[Any, Mapping[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    object: {},
}


def schema(cls: type) -> dict[str, Any]:
    """The JSON Schema of an attrs class: an object with its fields and no others.

    A field that may be left out is not required; that its value may be null then is not told, since nothing is gained
    by it. Descriptions are the docstrings under the fields.

    :raises TypeError: for a field whose type has no schema.
    """
    attrs.resolve_types(cls)
    docs = field_docs(cls)
    properties = {}
    required = []
    for each in attrs.fields(cast(Any, cls)):
        is_optional = each.default is not attrs.NOTHING
        told = dict(_of(_without_none(each.type) if is_optional else each.type))
        told |= each.metadata.get(KEY, {})
        if each.name in docs:
            told["description"] = docs[each.name]
        if is_optional and (default := _default(each.default)) is not None:
            told["default"] = default
        properties[camel(each.name)] = told
        if not is_optional:
            required.append(camel(each.name))
    shape: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        shape["required"] = required
    return {**shape, "additionalProperties": False}


def _of(kind: Any) -> Mapping[str, Any]:
    if kind in _SCALARS:
        return _SCALARS[kind]
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return {"anyOf": [{"type": "null"} if arg is type(None) else _of(arg) for arg in args]}
    if origin is Literal:
        return {"enum": list(args)}
    if origin is tuple:
        return {"type": "array", "items": _of(args[0])}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object"}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"type": "string", "enum": [member.value for member in kind]}
    if isinstance(kind, type) and attrs.has(kind):
        return schema(kind)
    raise TypeError(f"{kind!r} has no JSON Schema")


def _without_none(kind: Any) -> Any:
    if get_origin(kind) not in (Union, types.UnionType):
        return kind
    rest = tuple(arg for arg in get_args(kind) if arg is not type(None))
    return rest[0] if len(rest) == 1 else Union[rest]  # noqa: UP007


def _default(value: Any) -> Any:
    """A default as JSON has it; None where none is worth telling."""
    if isinstance(value, Enum):
        return value.value
    return value if isinstance(value, str | int | float) else None


def unfit(value: Any, path: str = "") -> list[FieldError]:
    """The fields of an attrs value that are out of their bounds, by their wire names."""
    found = []
    for each in attrs.fields(type(value)):
        held = getattr(value, each.name)
        name = f"{path}{camel(each.name)}"
        if attrs.has(type(held)):
            found += unfit(held, f"{name}.")
        elif held is not None and (message := _out_of(each.metadata.get(KEY, {}), held)):
            found.append(FieldError(name, message))
    return found


def _out_of(bounds: Mapping[str, int], held: Any) -> str | None:
    low, high = bounds.get("minimum"), bounds.get("maximum")
    if low is not None and high is not None and not low <= held <= high:
        return f"must be between {low:,} and {high:,}"
    if low is not None and held < low:
        return f"must be at least {low:,}"
    if "maxLength" in bounds and len(held) > bounds["maxLength"]:
        return f"may hold {bounds['maxLength']:,} characters, not {len(held):,}"
    if "maxItems" in bounds and len(held) > bounds["maxItems"]:
        return f"may hold {bounds['maxItems']:,} items, not {len(held):,}"
    return None
