"""Whether an indexer still gets on: for its own server by word, for those that follow by the time of the lock file."""

import contextlib
import os
import time
from pathlib import Path

TOUCH_SECONDS = 60.0
"""How often the one that writes touches its lock file; each time costs the disk a block."""

OTHERS_STUCK_SECONDS = 180.0
"""The same as `STUCK_SECONDS`, for one of which only the lock file is seen."""

STUCK_SECONDS = 30.0
"""An indexer whose work has not gone a step further for so long is stuck: on a dead disk, in a parser, or frozen."""


class Pulse:
    """Felt by whoever works, at each step; asked by other threads.

    :param lock: the lock file, once it is held; None while another process holds it.
    """

    def __init__(self) -> None:
        self.lock: Path | None = None
        self._beat = time.monotonic()
        self._touched = 0.0

    def beat(self) -> None:
        """The work goes on."""
        self._beat = now = time.monotonic()
        if self.lock is not None and now - self._touched > TOUCH_SECONDS:
            self._touched = now
            with contextlib.suppress(OSError):
                os.utime(self.lock)

    @property
    def silent(self) -> float:
        """Seconds since the last beat."""
        return time.monotonic() - self._beat


class Watched:
    """Another process's lock file: how long it was not touched, by our own clock, which does not run while asleep."""

    def __init__(self, lock: Path) -> None:
        self._lock = lock
        self._seen: int | None = None
        self._since = time.monotonic()

    @property
    def trouble(self) -> str | None:
        """What is to be said of its holder, as a clause; None when it gets on."""
        try:
            seen = self._lock.stat().st_mtime_ns
        except OSError:
            return None
        if seen != self._seen:
            self._seen, self._since = seen, time.monotonic()
        return stuck(time.monotonic() - self._since, "another server's indexer", OTHERS_STUCK_SECONDS)


def stuck(seconds: float, who: str = "the indexer", patience: float = STUCK_SECONDS) -> str | None:
    """A clause about one that has been silent for so long; None when that is nothing to speak of."""
    whole = int(seconds // patience * patience)  # said anew only now and then
    return f"{who} has not got on for {whole} seconds; restart its editor if that goes on" if whole else None
