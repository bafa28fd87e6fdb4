"""The editor's unsaved texts: what a user sees in an open document counts as the file's content."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

from attrs import frozen


@frozen
class Buffer:
    """The text of an open document.

    :param text: as the editor sent it, with the editor's line ends.
    :param version: the editor's version number of the document.
    """

    text: str
    version: int


class Buffers:
    """The open documents by absolute path. May be used from every thread.

    Paths are resolved once, when a document is opened, so that a document opened through a symlink is the file it
    leads to, as it is for the gate.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._real: dict[str, str] = {}
        self._buffers: dict[str, Buffer] = {}
        self._callbacks: dict[object, Callable[[Path], None]] = {}

    def set(self, path: Path, text: str, version: int) -> None:
        """Remember `text` as the document at the absolute `path`; a version older than the known one is ignored."""
        given = str(path)
        with self._lock:
            real = self._real.get(given)
        if real is None:
            try:
                real = os.path.realpath(given)
            except OSError:  # a link that may be seen and not be read, as those in /proc
                real = given
        with self._lock:
            self._real[given] = real
            known = self._buffers.get(real)
            if known is not None and (known.version > version or known == Buffer(text, version)):
                return
            self._buffers[real] = Buffer(text, version)
        self._tell(real)

    def drop(self, path: Path) -> None:
        """Forget the document at `path`: it was closed, so the disk is the truth again. Unknown paths are ignored."""
        with self._lock:
            given = str(path)
            real = self._real.pop(given, given)
            known = self._buffers.pop(real, None)
        if known is not None:
            self._tell(real)

    @property
    def any(self) -> bool:
        """Whether any document is open."""
        return bool(self._buffers)

    def get(self, path: Path) -> str | None:
        """Return the text of the document at the absolute, real `path`; None when it is not open."""
        buffer = self._buffers.get(str(path))
        return None if buffer is None else buffer.text

    def paths(self) -> tuple[Path, ...]:
        """Return the real paths of all open documents."""
        with self._lock:
            return tuple(Path(path) for path in self._buffers)

    def on_change(self, callback: Callable[[Path], None]) -> Callable[[], None]:
        """Call `callback` with the real path after every change, in the thread that made it. It must return soon.

        Return what ends that; calling it again does nothing.
        """
        token = object()
        with self._lock:
            self._callbacks[token] = callback

        def end() -> None:
            with self._lock:
                self._callbacks.pop(token, None)

        return end

    def _tell(self, real: str) -> None:
        with self._lock:
            callbacks = tuple(self._callbacks.values())
        for callback in callbacks:
            callback(Path(real))
