"""The watcher of a folder that is indexed: started beside the work, and started again when it has failed."""

import logging
import threading
import time
from collections.abc import Callable

from vademecum.files.gate import Gate
from vademecum.files.watch import Batch, Watcher, WatcherState, WatcherStatus
from vademecum.work import Cancelled

log = logging.getLogger(__name__)

RESTART_FIRST, RESTART_LAST = 5.0, 600.0
"""Seconds until a watcher that has failed is started once more, doubled each time."""

WATCH_WITHIN = 0.3
"""Seconds a first comparison waits for the folders to be under watch; later ones are compared once more."""


class Watching:
    """Keeps a watcher at work. One thread uses it; what the watcher notices comes on the watcher's own.

    :param noticed: called with each batch of changes.
    :param make: makes a watcher.
    """

    def __init__(
        self,
        gate: Gate,
        noticed: Callable[[Batch], None],
        make: Callable[[Gate, Callable[[Batch], None]], Watcher] = Watcher,
    ) -> None:
        self._gate = gate
        self._noticed = noticed
        self._make = make
        self._watcher = make(gate, noticed)
        self._starting = threading.Thread()
        self._again_at = 0.0
        self._pause = RESTART_FIRST

    def start(self) -> None:
        """Take the folders under watch, in a thread: with many thousands it takes longer than a first answer may."""
        watcher = self._watcher

        def run() -> None:
            try:
                watcher.start()
            except Cancelled:
                return
            # What changed before a folder was under watch was perhaps compared before it changed.
            self._noticed(Batch(rescan=late.is_set()))

        late = threading.Event()
        self._starting = threading.Thread(target=run, name="watcher-start", daemon=True)
        self._starting.start()
        self._starting.join(WATCH_WITHIN)
        if self._starting.is_alive():
            late.set()

    def stop(self) -> None:
        """Watch no more."""
        self._watcher.stop()

    @property
    def status(self) -> WatcherStatus:
        """How changes are noticed now."""
        if self._starting.is_alive():
            return WatcherStatus(WatcherState.POLLING, "the folders are being taken under watch")
        return self._watcher.status

    def revive(self) -> bool:
        """Start a watcher that has failed once more, when its time has come; whether that was done."""
        status = self.status
        now = time.monotonic()
        if status.state is not WatcherState.FAILED or self._starting.is_alive() or now < self._again_at:
            return False
        log.warning("the watcher is started again: %s", status.reason)
        self._again_at = now + self._pause
        self._pause = min(RESTART_LAST, 2 * self._pause)
        self._watcher.stop()
        self._watcher = self._make(self._gate, self._noticed)
        self.start()
        return True
