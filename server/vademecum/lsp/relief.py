"""Memory that large messages took: handed back to the system once they are done with."""

import threading
import time

from vademecum.work import give_back_memory

LARGE_BYTES = 1 << 20
"""Messages from this size on are worth it: each costs several times its size while it is read and answered."""

SECONDS = 2.0
"""Without a large message until the relief: by then the last one is answered."""


class Relief:
    """Relieves a process of what large messages took, once they have stopped. Safe for use from several threads."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._last = 0.0
        self._is_due = False

    def heed(self, size: int) -> None:
        """A message of `size` bytes went through."""
        if size < LARGE_BYTES:
            return
        with self._lock:
            self._last = time.monotonic()
            if self._is_due:
                return
            self._is_due = True
        threading.Thread(target=self._run, name="vademecum-relief", daemon=True).start()

    def _run(self) -> None:
        while (left := self._left()) > 0:
            time.sleep(left)
        give_back_memory()

    def _left(self) -> float:
        """Seconds still to wait; none is due any more once it is 0 or less."""
        with self._lock:
            left = self._last + self._seconds - time.monotonic()
            self._is_due = left > 0
            return left
