"""macOS and Windows: one recursive watch by the system itself, filtered by the receiver."""

import os
import queue
from collections.abc import Callable, Iterator
from pathlib import Path

from watchdog.events import (
    FileSystemEvent,
    FileSystemEventHandler,
    FileSystemMovedEvent,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from vademecum.files.events import CannotWatch, Event, EventKind

_MOST_AT_ONCE = 2_000
_UNTOLD = frozenset({"opened", "closed_no_write"})


class _Handler(FileSystemEventHandler):
    def __init__(self, sink: Callable[[Event], None]) -> None:
        self._sink = sink

    def dispatch(self, event: FileSystemEvent) -> None:
        """Turn one of watchdog's events into ours; a move is a going and a coming."""
        if event.event_type in _UNTOLD:
            return
        source = _slashed(event.src_path)
        if isinstance(event, FileSystemMovedEvent):
            target = _slashed(event.dest_path)
            if source:
                self._sink(Event(source, EventKind.FOLDER_GONE if event.is_directory else EventKind.FILE))
            if target:
                self._sink(Event(target, EventKind.FOLDER_HERE if event.is_directory else EventKind.FILE))
        elif not event.is_directory:
            self._sink(Event(source, EventKind.FILE))
        elif event.event_type == "created":
            self._sink(Event(source, EventKind.FOLDER_HERE))
        elif event.event_type == "deleted":
            self._sink(Event(source, EventKind.FOLDER_GONE))


class NativeSource:
    """Events of whole trees."""

    recursive = True

    def __init__(self, observer: Callable[[], BaseObserver] = Observer) -> None:
        self._make = observer
        self._observer: BaseObserver | None = None
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._watched: set[str] = set()

    def start(self) -> None:
        """Start the observer's threads."""
        self._observer = self._make()
        try:
            self._observer.start()
        except OSError as error:
            raise CannotWatch(f"the system does not let us watch folders: {error.strerror}") from error

    def stop(self) -> None:
        """Stop the observer and wake whoever waits for events."""
        if self._observer is not None and self._observer.is_alive():
            self._observer.stop()
            self._observer.join(timeout=5)
        self._events.put(None)

    def alive(self) -> bool:
        """Whether the observer and the thread that reads from the system run."""
        observer = self._observer
        return observer is not None and observer.is_alive() and all(each.is_alive() for each in observer.emitters)

    def watched(self) -> frozenset[str]:
        """Return the absolute folders that are watched with all below them."""
        return frozenset(self._watched)

    def add(self, folder: str) -> bool:
        """Watch an absolute folder and all below it; return whether no folder above it was watched already."""
        assert self._observer is not None
        if any(folder == known or folder.startswith(known + "/") for known in self._watched):
            return False
        if not Path(folder).is_dir():
            return False
        try:
            self._observer.schedule(_Handler(self._events.put), folder, recursive=True)
        except OSError as error:
            raise CannotWatch(f"the system does not let us watch this folder: {error.strerror}") from error
        self._watched.add(folder)
        return True

    def drop(self, folder: str) -> None:
        """Do nothing: the watch of the folder above goes on, and what is not wanted is filtered by the receiver."""

    def events(self, timeout: float) -> Iterator[Event]:
        """Yield what happened, waiting at most `timeout` seconds for the first."""
        try:
            event = self._events.get(timeout=max(timeout, 0.0))
            for _ in range(_MOST_AT_ONCE):
                if event is None:
                    return
                yield event
                event = self._events.get_nowait()
        except queue.Empty:
            return


def _slashed(path: bytes | str) -> str:
    text = os.fsdecode(path)
    return text.replace("\\", "/") if os.sep == "\\" else text
