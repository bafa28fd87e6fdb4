"""The values of the session room: what is cached, and what a chat history holds."""

from enum import StrEnum

from attrs import frozen


@frozen
class Cached:
    """A value, and for how many seconds it lives unless it is used again."""

    value: object
    seconds: float


@frozen
class CachedKey:
    """A key of the session cache."""

    key: str
    bytes: int
    """Size of its value, as JSON in UTF-8."""
    seconds: float
    """How long the value lives unless it is used."""


class Role(StrEnum):
    """Who said it, in the words that chat models use."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Order(StrEnum):
    """From which end a history is read."""

    OLDEST = "oldest"
    NEWEST = "newest"


@frozen
class Said:
    """What a caller appends to a history."""

    role: Role
    content: str
    """At most 256 KiB."""
    at: str | None = None
    """When it was said, ISO 8601 with its offset from UTC; now when left out."""


@frozen
class HistoryEntry:
    """An entry of a history."""

    number: int
    """Rises from entry to entry, and is never given twice."""
    role: Role
    content: str
    at: str
    """When it was said, in UTC."""


@frozen
class Appended:
    """What became of appended entries."""

    numbers: tuple[int, ...]
    """Of the entries, in their order."""
    redacted: int
    """Entries that held what looked like a secret, which was taken out."""
    total: int
    """Entries that the history has now."""


@frozen
class HistoryPage:
    """A page of a history."""

    items: tuple[HistoryEntry, ...]
    total: int
    """All entries of the history."""
    next_offset: int | None = None
    """Where the next page begins; left out on the last one."""


@frozen
class Chat:
    """A session that has a history."""

    session: str
    entries: int
    bytes: int
    """Of their text, in UTF-8."""
    first: str
    """When the earliest was said, in UTC."""
    last: str
    """When the latest was said, in UTC."""
