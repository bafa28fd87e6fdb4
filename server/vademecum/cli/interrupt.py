"""Ctrl-C: stops what a call is doing, and only then the program."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from vademecum.work import Cancel


class Interrupt:
    """Turns the first SIGINT or SIGTERM during a call into a cancellation, any other into the end of the program.

    :ivar cancel: handed to every call.
    :ivar signal: the number of the signal that came, 0 before.
    """

    def __init__(self) -> None:
        self.cancel = Cancel()
        self.signal = 0
        self._gentle = False
        self._before: dict[int, Any] = {}

    def install(self) -> None:
        """Take the signals from now on, but for those that the shell ignores for us, as it does in the background.

        Only on the main thread.
        """
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.getsignal(number)
            if self._before[number] is not signal.SIG_IGN:
                signal.signal(number, self._handle)

    def release(self) -> None:
        """Leave the signals to what they did before.

        :raises KeyboardInterrupt: for one that came already and was lost: what is raised while a module is loaded
            may be raised in a callback of Python's own, which goes on without it.
        """
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self.signal:
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        again = self.cancel.is_set
        self.signal = number
        self.cancel.set()
        if again or not self._gentle:
            raise KeyboardInterrupt

    @contextmanager
    def gently(self) -> Iterator[None]:
        """Around a call that looks at `cancel` itself: it ends on its own, with nothing half done."""
        self._gentle = True
        try:
            yield
        finally:
            self._gentle = False
