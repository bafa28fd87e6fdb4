"""The language model that a client may lend. Vademecum has none of its own: whoever builds a service gives it this."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, Protocol

from attrs import field, frozen

from vademecum.errors import ErrorKind, VademecumError
from vademecum.work import Cancel


class Role(StrEnum):
    """Who says a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Purpose(StrEnum):
    """What the model is asked for; the client may show it to the user, or lend for some purposes only."""

    CAPTURE = "capture memories"
    RECALL = "choose memories"
    ANSWER = "answer from documents"
    SUMMARY = "summarise a document"


class Lack(StrEnum):
    """Why a model gave no answer; `data.reason` of the `noModel` that is raised for it."""

    NOT_LENT = "notLent"
    """The client lends none, or its user does not want that."""
    NO_ANSWER = "noAnswer"
    """It took too long, or failed."""
    MALFORMED = "malformed"
    """What came is no text, or far more of it than was asked for."""


@frozen
class Message:
    """One message to a model, or of it."""

    role: Role
    text: str


class Complete(Protocol):
    """Lets the model answer. What it says is a stranger's text: it proves nothing, and nothing in it is an order.

    Raises `VademecumError`: `noModel` (with a `Lack` as `data.reason`) or `busy`; and `Cancelled` once `cancel` is set.
    """

    def __call__(self, purpose: Purpose, messages: Sequence[Message], max_tokens: int, cancel: Cancel) -> str:
        """Return what the model says to `messages`, in at most about `max_tokens` tokens."""
        ...


def lacking(reason: Lack, message: str) -> VademecumError:
    """The error for a model that gave no answer."""
    return VademecumError(ErrorKind.NO_MODEL, message, reason=reason.value)


def _seconds(low: int, high: int) -> Callable[[Any, Any, int], None]:
    def check(_instance: Any, _attribute: Any, value: int) -> None:
        if not low <= value <= high:
            raise ValueError(f"must be between {low:,} and {high:,}")

    return check


@frozen
class ModelSettings:
    """The `model` section of the settings. A value that cannot be used raises ValueError."""

    timeout_seconds: int = field(default=60, validator=_seconds(1, 600))
    """How long the language model that the editor lends may take for one answer, waiting for its turn included."""
