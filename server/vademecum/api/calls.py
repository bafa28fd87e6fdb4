"""One call of a method: who may stop it, who hears how far it is, how positions are counted."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, Generic, Literal, TypeVar

from attrs import field, frozen

from vademecum.work import Cancel, Cancelled, Progress, silent
from vademecum.workspaces import Workspaces

P = TypeVar("P")
R = TypeVar("R")

Encoding = Literal["utf-8", "utf-16", "utf-32"]


def _at_once() -> None:
    """Where nobody can cancel."""


@frozen
class Call:
    """What a method is given beside its params."""

    workspaces: Workspaces
    cancel: Cancel = field(factory=Cancel)
    progress: Progress = silent
    encoding: Encoding = "utf-16"
    """How the caller counts the characters of a position; UTF-16 is LSP's default."""
    settle: Callable[[], None] = _at_once
    """Called before it is kept that the caller was given something: from then on the call cannot be cancelled, so that
    it really is given. Raises Cancelled when it was cancelled already."""


@frozen
class Method(Generic[P, R]):
    """One request: its name, its types, and the function that answers it."""

    name: str
    params: type[P]
    result: type[R]
    run: Callable[[Call, P], R]
    example: Mapping[str, Any]
    """Params that work, as JSON has them; docs/protocol.md shows them and a test sends them."""
    writes: bool = False
    """Whether it changes what is kept; once begun it is carried to its end, so that its answer is the truth."""
    long: bool = False
    """Whether it can run for seconds; such calls have threads of their own and hold up no others."""

    @property
    def summary(self) -> str:
        """The first paragraph of the function's docstring."""
        return " ".join((self.run.__doc__ or "").strip().split("\n\n")[0].split())


class Turn:
    """Decides, once, whether a call begins or is cancelled before it does."""

    def __init__(self, cancel: Cancel, writes: bool) -> None:
        self._cancel = cancel
        self._writes = writes
        self._begun = False
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Called by the worker first of all.

        :raises Cancelled: when the call was cancelled while it waited for its turn.
        """
        with self._lock:
            if self._cancel.is_set:
                raise Cancelled
            self._begun = True

    def settle(self) -> None:
        """Called by the worker when it begins to keep what the answer tells: from now on it is a call that writes.

        :raises Cancelled: when the call was cancelled before.
        """
        with self._lock:
            if self._cancel.is_set:
                raise Cancelled
            self._writes = True

    def cancel(self) -> bool:
        """Stop the call. False when it writes and has begun: it goes on, and its real answer is sent."""
        with self._lock:
            if self._begun and self._writes:
                return False
            self._cancel.set()
            return True
