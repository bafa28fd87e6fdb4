"""The language model that a client may lend. Nothing here has one of its own; whoever builds the service gives it."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from attrs import frozen

from vademecum.work import Cancel


class Role(StrEnum):
    """Who says a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@frozen
class Message:
    """One message to a model, or of it."""

    role: Role
    text: str


class Complete(Protocol):
    """Lets the model answer. May raise `VademecumError` (`noModel`, `busy`), and `Cancelled` once `cancel` is set."""

    def __call__(self, purpose: str, messages: Sequence[Message], max_tokens: int, cancel: Cancel) -> str:
        """Return what the model says to `messages`, in at most `max_tokens` tokens.

        :param purpose: what it is for, in a word or two, for whoever lends it.
        """
        ...
