"""Disks that were silent while a folder was compared: looked at again now and then, on a thread of its own."""

import threading
import time
from collections.abc import Callable

from vademecum.files.disks import RETRY_SECONDS
from vademecum.files.gate import Gate


class Returning:
    """Finds out that a disk answers again. One thread uses it.

    :param back: called, on a thread of this object, when one does.
    """

    def __init__(self, gate: Gate, back: Callable[[], None]) -> None:
        self._gate = gate
        self._back = back
        self._at = 0.0
        self._thread: threading.Thread | None = None

    def look(self) -> None:
        """Look at the silent ones again when their time has come; returns at once."""
        now = time.monotonic()
        folders = self._gate.silence.folders
        if not folders:
            self._at = now + RETRY_SECONDS
        elif now >= self._at and (self._thread is None or not self._thread.is_alive()):
            self._at = now + RETRY_SECONDS
            self._thread = threading.Thread(target=self._ask, args=(folders,), name="silent-disks", daemon=True)
            self._thread.start()

    def _ask(self, folders: tuple[str, ...]) -> None:
        if [folder for folder in folders if self._gate.silence.refuse(folder) is None]:
            self._back()
