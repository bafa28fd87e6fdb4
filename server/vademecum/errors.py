"""The one exception that domain code raises for what a well-formed request cannot have."""

from collections.abc import Mapping
from enum import StrEnum


class ErrorKind(StrEnum):
    """Why a well-formed request cannot be done; `data.kind` on the wire."""

    NOT_FOUND = "notFound"
    DUPLICATE = "duplicate"
    SECRET = "secret"
    TOO_LARGE = "tooLarge"
    OUTSIDE_WORKSPACE = "outsideWorkspace"
    EXCLUDED = "excluded"
    UNTRUSTED = "untrusted"
    CONFLICT = "conflict"
    NOT_PUBLISHED = "notPublished"
    NOT_ATTACHED = "notAttached"
    STORE_UNREADABLE = "storeUnreadable"
    BUSY = "busy"
    NO_MODEL = "noModel"
    INVALID_REFERENCE = "invalidReference"
    MEMORY_DISABLED = "memoryDisabled"


class VademecumError(Exception):
    """A request that is well formed but cannot be done.

    :param kind: the reason, from the closed set.
    :param message: one sentence or two for a person, saying what to do about it; no traceback, no path of another
        project.
    :param data: further facts for a program, such as the id of the memory that is already there.
    """

    def __init__(self, kind: ErrorKind, message: str, **data: object) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.data: Mapping[str, object] = data


class InvalidField(Exception):
    """A value that has the right type but cannot be used; the faces answer it as InvalidParams.

    :param field: the wire name of the field (camelCase), such as `limit` or `reference`.
    :param message: what the field may hold.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message
