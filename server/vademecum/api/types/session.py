"""`session/*`: params and results."""

from typing import Literal

from attrs import frozen

from vademecum.session.types import CachedKey, Chat, Order, Said


@frozen
class GetValue:
    """`session/get`: a value of the session cache."""

    session: str
    """A tag of your own for the conversation, at most 200 characters."""
    key: str
    """At most 200 characters."""
    workspace: str | None = None


@frozen
class Value:
    """What the session cache has under a key."""

    found: bool
    value: object
    """`null` when there is none."""
    seconds: float | None = None
    """How long it lives unless it is used again."""


@frozen
class SetValue:
    """`session/set`: keep a value for a while."""

    session: str
    """A tag of your own for the conversation, at most 200 characters."""
    key: str
    """At most 200 characters."""
    value: object
    """Any JSON value, `null` too; at most 256 KiB, 64 levels deep."""
    ttl: int | None = None
    """Seconds to live after the last use, at most 86,400; 1,800 when left out."""
    workspace: str | None = None


@frozen
class ValueSet:
    """A value was kept."""

    key: str
    seconds: int
    """How long it lives unless it is used."""
    dropped: tuple[str, ...] | None = None
    """Keys of the session, least lately used, whose values had to make room."""


@frozen
class DeleteValues:
    """`session/delete`: remove one value of a session, or all of them."""

    session: str
    key: str | None = None
    workspace: str | None = None


@frozen
class ListKeys:
    """`session/keys`: which values a session has."""

    session: str
    workspace: str | None = None


@frozen
class Keys:
    """The keys of a session, in the order of the alphabet."""

    items: tuple[CachedKey, ...]


@frozen
class AppendHistory:
    """`session/history/append`: keep what was said."""

    session: str
    """A tag of your own for the conversation, at most 200 characters."""
    entries: tuple[Said, ...]
    """Between 1 and 200, with 4 MiB of text at most."""
    workspace: str | None = None


@frozen
class ReadHistory:
    """`session/history/read`: a page of what was said."""

    session: str
    order: Order = Order.OLDEST
    """Which entry comes first."""
    offset: int = 0
    """How many are passed over, counted from that end."""
    limit: int = 100
    """At most 500."""
    workspace: str | None = None


@frozen
class Chats:
    """The sessions that have a history, the one that was last written to first."""

    items: tuple[Chat, ...]


@frozen
class ClearHistory:
    """`session/history/clear`: remove one history for good, or all of the workspace."""

    session: str | None = None
    all: Literal[True] | None = None
    """Say it instead of a session to remove every history of the workspace."""
    workspace: str | None = None
