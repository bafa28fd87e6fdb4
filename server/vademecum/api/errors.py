"""The codes that a request is answered with when it fails, whatever face it came through."""

from collections.abc import Mapping, Sequence
from enum import IntEnum

from attrs import field, frozen

from vademecum.errors import InvalidField, VademecumError
from vademecum.work import Cancelled


class Code(IntEnum):
    """Error codes of JSON-RPC 2.0 and of the Language Server Protocol 3.17."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_NOT_INITIALIZED = -32002
    REQUEST_CANCELLED = -32800
    REQUEST_FAILED = -32803


@frozen
class FieldError:
    """One field of the params that cannot be used."""

    field: str
    """The path of the field in wire names, such as `turns[0].user`; `params` for the object itself."""
    message: str
    """What the field must hold."""


class InvalidParams(Exception):
    """Params that do not fit the method; names every field that is wrong."""

    def __init__(self, fields: Sequence[FieldError]) -> None:
        super().__init__("; ".join(f"{item.field}: {item.message}" for item in fields))
        self.fields = tuple(fields)


@frozen
class Failure:
    """What a caller is told about a failed request."""

    code: Code
    message: str
    data: Mapping[str, object] | None = field(default=None)


def failure(error: BaseException) -> Failure:
    """Tell `error` to a caller.

    An exception that no rule names becomes `INTERNAL_ERROR` with no detail: its text may hold paths or memory, which
    belong in the log alone.
    """
    match error:
        case InvalidParams():
            fields = [{"field": item.field, "message": item.message} for item in error.fields]
            return Failure(Code.INVALID_PARAMS, str(error), {"fields": fields})
        case InvalidField():
            fields = [{"field": error.field, "message": error.message}]
            return Failure(Code.INVALID_PARAMS, str(error), {"fields": fields})
        case VademecumError():
            return Failure(Code.REQUEST_FAILED, error.message, {"kind": error.kind.value, **error.data})
        case Cancelled():
            return Failure(Code.REQUEST_CANCELLED, "The request was cancelled.")
        case _:
            return Failure(
                Code.INTERNAL_ERROR,
                f"Vademecum failed in a way it should not ({type(error).__name__}). The log has the details.",
            )
