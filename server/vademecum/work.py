"""What every long piece of work is given: a way to be stopped, somebody to tell how far it is, a way to tidy up."""

import ctypes
import gc
import sys
import threading
import time
from collections.abc import Callable
from typing import Protocol


class Cancelled(Exception):
    """Raised inside work that was told to stop; nothing half-done is left behind by whoever lets it through."""


class Cancel:
    """Tells work to stop. Set once, by any thread; never unset."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Ask the work to stop at its next check."""
        self._event.set()

    @property
    def is_set(self) -> bool:
        """Whether the work was asked to stop."""
        return self._event.is_set()

    def check(self) -> None:
        """Return at once, or raise `Cancelled`. Call it in every loop that can run for more than some milliseconds."""
        if self._event.is_set():
            raise Cancelled

    def wait(self, seconds: float) -> None:
        """Wait at most `seconds`; raise `Cancelled` as soon as the work is asked to stop."""
        if self._event.wait(seconds):
            raise Cancelled


class Bounded(Cancel):
    """A cancel that is set with another one, or once its time is over."""

    def __init__(self, outer: Cancel, seconds: float) -> None:
        super().__init__()
        self._outer = outer
        self._end = time.monotonic() + seconds

    @property
    def is_set(self) -> bool:
        """Whether the work was asked to stop, or its time is over."""
        return super().is_set or self._outer.is_set or time.monotonic() >= self._end

    def check(self) -> None:
        """Return at once, or raise `Cancelled`."""
        if self.is_set:
            raise Cancelled

    def wait(self, seconds: float) -> None:
        """Wait at most `seconds`; raise `Cancelled` as soon as the work is asked to stop, or its time is over."""
        self._outer.wait(max(0.0, min(seconds, self._end - time.monotonic())))
        self.check()


class Polite(Cancel):
    """A cancel whose every check waits while what goes first is being done."""

    def __init__(self, condition: threading.Condition, must_wait: Callable[[], bool]) -> None:
        super().__init__()
        self._condition = condition
        self._must_wait = must_wait

    def check(self) -> None:
        """Return as soon as nothing goes first, or raise `Cancelled`."""
        super().check()
        if self._must_wait():
            with self._condition:
                self._condition.wait_for(lambda: self.is_set or not self._must_wait())
            super().check()


class Progress(Protocol):
    """Told how far a piece of work is; cheap enough to be called for every item."""

    def __call__(self, done: int, total: int | None, message: str) -> None:
        """Report `done` of `total` items (None when unknown) and what is being done now."""
        ...


def silent(done: int, total: int | None, message: str) -> None:
    """The `Progress` for when nobody listens."""


def give_back_memory() -> None:
    """Hand freed memory back to the system, after work that needed much for a while: glibc keeps it otherwise."""
    gc.collect()
    if sys.platform == "linux":
        try:
            ctypes.CDLL(None).malloc_trim(0)
        except (OSError, AttributeError):  # another C library, which does it by itself
            return


# glibc's malloc.h.
_M_ARENA_MAX = -8
_ARENAS = 2


def share_memory() -> None:
    """Have the threads of this process share what they free, where there are many for long. Called before they run.

    glibc gives each thread a heap of its own, and none hands back what another could use: a server under load held
    twice what it needed. Nothing is slower by it, since Python runs one thread at a time. (Having glibc take more from
    the system by itself, and give it back sooner, made queries an eighth slower.)
    """
    if sys.platform == "linux":
        try:
            mallopt = ctypes.CDLL(None).mallopt
        except (OSError, AttributeError):  # another C library
            return
        mallopt(_M_ARENA_MAX, _ARENAS)
