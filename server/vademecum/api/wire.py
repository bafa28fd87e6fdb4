"""Between JSON and typed values: camelCase names, strict types, errors that name every wrong field.

What comes in is never converted: a number is no string, a string is no number, `true` is no integer. A `null` for an
optional field means that the field was left out, since several editors cannot leave one out. What goes out leaves a
field out when it is None and may be left out, and writes every other one.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

import attrs
from cattrs import BaseValidationError, Converter, ForbiddenExtraKeysError, IterableValidationNote
from cattrs.errors import AttributeValidationNote
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from vademecum.api.errors import FieldError, InvalidParams
from vademecum.settings import camel

T = TypeVar("T")

# Known to every LSP client and server; they belong to the frame, not to the params of a method.
FRAME_KEYS = frozenset({"workDoneToken", "partialResultToken"})


class _Unfit(ValueError):
    """A value that does not fit its field, in words for the caller."""


def _text(value: Any, kind: Any) -> str:
    if kind is not str:  # a hook for `str` is the hook for every StrEnum too
        return cast(str, _choice(value, _members(kind)))
    if not isinstance(value, str):
        raise _Unfit(f"must be a string, not {_name(value)}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _Unfit("must be valid Unicode text (it holds half of a surrogate pair)") from error
    return value


def _integer(value: Any, _: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _Unfit(f"must be an integer, not {_name(value)}")
    return value


def _number(value: Any, _: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Unfit(f"must be a number, not {_name(value)}")
    return float(value)


def _boolean(value: Any, _: Any) -> bool:
    if not isinstance(value, bool):
        raise _Unfit(f"must be true or false, not {_name(value)}")
    return value


def _name(value: Any) -> str:
    """What a caller calls the type of a JSON value."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "an integer", float: "a number", str: "a string", list: "an array"}
    return names.get(type(value), "an object")


def _choice(value: Any, allowed: Mapping[str, Any]) -> Any:
    if isinstance(value, str) and value in allowed:
        return allowed[value]
    words = ", ".join(f'"{word}"' for word in allowed)
    shown = f'"{value[:40]}"' if isinstance(value, str) else _name(value)
    raise _Unfit(f"must be one of {words}, not {shown}")


# The library's own annotation takes the names of attributes for its options.
_unstructure_fn: Any = make_dict_unstructure_fn


def _origin(kind: Any) -> Any:
    return get_origin(kind)


@cache
def _members(kind: type[Enum]) -> Mapping[str, Enum]:
    return {str(member.value): member for member in kind}


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Unfit(f"must be an object, not {_name(value)}")
    return value


def _converter() -> Converter:
    converter = Converter(detailed_validation=True)

    @converter.register_structure_hook_factory(attrs.has)
    def structure_class(cls: type) -> Callable[[Any, Any], Any]:
        attrs.resolve_types(cls)
        renames: dict[str, Any] = {a.name: override(rename=camel(a.name)) for a in attrs.fields(cls)}
        inner: Callable[[Any, Any], Any] = make_dict_structure_fn(
            cls, converter, _cattrs_forbid_extra_keys=True, **renames
        )
        # A null stands for a field that was left out, where one may be left out.
        optional = {camel(a.name) for a in attrs.fields(cls) if a.default is not attrs.NOTHING}

        def structure(value: Any, kind: Any) -> Any:
            given = _object(value)
            return inner({k: v for k, v in given.items() if v is not None or k not in optional}, kind)

        return structure

    @converter.register_unstructure_hook_factory(attrs.has)
    def unstructure_class(cls: type) -> Callable[[Any], Any]:
        attrs.resolve_types(cls)
        renames = {a.name: override(rename=camel(a.name), omit_if_default=a.default is None) for a in attrs.fields(cls)}
        hook: Callable[[Any], Any] = _unstructure_fn(cls, converter, **renames)
        return hook

    @converter.register_structure_hook_factory(lambda kind: _origin(kind) is Literal)
    def structure_literal(kind: Any) -> Callable[[Any, Any], Any]:
        allowed = {word: word for word in get_args(kind)}
        if set(map(type, allowed)) == {bool}:
            return lambda value, _: _exactly(value, next(iter(allowed)))
        return lambda value, _: _choice(value, allowed)

    @converter.register_structure_hook_factory(lambda kind: _origin(kind) is tuple)
    def structure_tuple(kind: Any) -> Callable[[Any, Any], Any]:
        (item,) = set(get_args(kind)) - {Ellipsis}
        as_list = converter.get_structure_hook(list[item])  # type: ignore[valid-type]

        def structure(value: Any, _: Any) -> tuple[Any, ...]:
            if not isinstance(value, list):
                raise _Unfit(f"must be an array, not {_name(value)}")
            return tuple(as_list(value, list[item]))  # type: ignore[valid-type]

        return structure

    @converter.register_structure_hook_factory(lambda kind: _origin(kind) in (dict, Mapping) or kind is dict)
    def structure_mapping(_kind: Any) -> Callable[[Any, Any], Any]:
        return lambda value, _: _object(value)

    for kind, hook in ((str, _text), (int, _integer), (float, _number), (bool, _boolean)):
        converter.register_structure_hook(kind, hook)
    converter.register_structure_hook_func(lambda kind: kind is Any or kind is object, lambda value, _: value)
    return converter


def _exactly(value: Any, wanted: Any) -> Any:
    if value is not wanted:
        raise _Unfit(f"must be {str(wanted).lower()}, said outright")
    return wanted


@cache
def converter() -> Converter:
    """The one converter; built at the first use, since generating its code takes time that a start should not."""
    return _converter()


def structure(params: object, cls: type[T]) -> T:
    """Read `params`, as JSON gave them, as an instance of `cls`.

    :raises InvalidParams: naming each field that is missing, unknown or of the wrong type.
    """
    given = {} if params is None else params
    if not isinstance(given, dict):
        raise InvalidParams([FieldError("params", f"must be an object, not {_name(given)}")])
    own = {key: value for key, value in given.items() if key not in FRAME_KEYS}
    try:
        return converter().structure(own, cls)
    except (BaseValidationError, ForbiddenExtraKeysError, _Unfit) as error:
        raise InvalidParams(list(_explain(error, ""))) from None


def unstructure(value: object) -> Any:
    """The JSON shape of a result: dicts, lists, strings, numbers, booleans and None."""
    return converter().unstructure(value)


def _explain(error: BaseException, path: str) -> list[FieldError]:
    if isinstance(error, BaseValidationError):
        found: list[FieldError] = []
        for part in error.exceptions:
            found += _explain(part, path + _step(part, bool(path)))
        return found
    if isinstance(error, ForbiddenExtraKeysError):
        prefix = f"{path}." if path else ""
        return [FieldError(prefix + key, "is not a known field") for key in sorted(error.extra_fields)]
    if isinstance(error, KeyError):
        return [FieldError(path or "params", "is required")]
    return [FieldError(path or "params", str(error) if isinstance(error, _Unfit) else "has the wrong type")]


def _step(error: BaseException, inside: bool) -> str:
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            return ("." if inside else "") + camel(note.name)
        if isinstance(note, IterableValidationNote):
            return f"[{note.index}]"
    return ""
