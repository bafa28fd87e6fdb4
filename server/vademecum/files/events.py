"""What a source of file system events tells, on every system alike."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Protocol

from attrs import frozen


class EventKind(StrEnum):
    """What happened."""

    FILE = "file"  #: a file came, went or changed
    FOLDER_HERE = "folderHere"  #: a folder came, perhaps with content
    FOLDER_GONE = "folderGone"  #: a folder went, with its content
    FOLDER_TOUCHED = "folderTouched"  #: a folder's own attributes changed, such as its permissions
    LOST = "lost"  #: events were lost; anything may have happened


@frozen
class Event:
    """One event.

    :param path: absolute, with `/`; empty with `LOST`.
    """

    path: str
    kind: EventKind


class CannotWatch(Exception):
    """Folders, or some of them, cannot be watched; the message says why, and what to do."""


class Source(Protocol):
    """Where events come from. All methods but `stop` are called by one thread."""

    #: Whether everything below an added folder is watched too; `add` is then called once, and `drop` never.
    recursive: bool

    def start(self) -> None:
        """Begin; raises `CannotWatch` when the system does not let us."""

    def stop(self) -> None:
        """End, and wake whoever waits in `events`."""

    def alive(self) -> bool:
        """Whether events would still come."""
        ...

    def watched(self) -> frozenset[str]:
        """Return the absolute folders that were added and not dropped."""
        ...

    def add(self, folder: str) -> bool:
        """Watch an absolute folder; return whether it was not watched yet. Raises `CannotWatch`."""
        ...

    def drop(self, folder: str) -> None:
        """Stop watching an absolute folder and all below it."""

    def events(self, timeout: float) -> Iterator[Event]:
        """Yield what happened, waiting at most `timeout` seconds for the first event."""
        ...
