"""The functions behind `session/*`: values that a conversation keeps for a while, and its history."""

from vademecum.api.calls import Call
from vademecum.api.types import session as wire
from vademecum.api.types.common import Nothing
from vademecum.api.types.memory import Removed
from vademecum.errors import InvalidField
from vademecum.session import limits
from vademecum.session.types import Appended, HistoryPage


def get(call: Call, params: wire.GetValue) -> wire.Value:
    """A value that was set for the session. It then lives as long again as when it was set.

    With several folders open and no `workspace`, the first of them that has it.
    """
    places = call.workspaces.places_of_sessions(params.workspace)
    cached = call.workspaces.conversations.cache.get(places, params.session, params.key)
    if cached is None:
        return wire.Value(found=False, value=None)
    return wire.Value(found=True, value=cached.value, seconds=cached.seconds)


def set_(call: Call, params: wire.SetValue) -> wire.ValueSet:
    """Keep any JSON value for half an hour after its last use, in memory alone: it does not outlive this server.

    A session holds 256 values and 1 MiB; all sessions of the server are 64 with 16 MiB. What was used least lately
    makes room. The same tag in another folder is another session.
    """
    place = call.workspaces.place_of_session(params.workspace)
    dropped = call.workspaces.conversations.cache.set(place, params.session, params.key, params.value, params.ttl)
    return wire.ValueSet(params.key, limits.life(params.ttl), dropped or None)


def delete(call: Call, params: wire.DeleteValues) -> Removed:
    """Remove one value of a session, or all of them when no key is given."""
    place = call.workspaces.place_of_session(params.workspace)
    return Removed(call.workspaces.conversations.cache.delete((place,), params.session, params.key))


def keys(call: Call, params: wire.ListKeys) -> wire.Keys:
    """The keys of a session. Looking at them is no use of the values."""
    places = call.workspaces.places_of_sessions(params.workspace)
    return wire.Keys(call.workspaces.conversations.cache.keys(places, params.session))


def append(call: Call, params: wire.AppendHistory) -> Appended:
    """Keep what was said at the end of the session's history, all entries or none.

    Histories are kept per folder in the state directory: 30 days, 20,000 entries (settings `session.historyDays` and
    `historyEntries`) and 64 MiB of text; the oldest entries go first. Once answered, an entry survives a crash. What
    looks like a secret is taken out before it is written.
    """
    place = call.workspaces.place_of_session(params.workspace)
    return call.workspaces.conversations.chats.append(place, params.session, params.entries)


def read(call: Call, params: wire.ReadHistory) -> HistoryPage:
    """A page of a session's history, the oldest entry first unless `order` is `newest`."""
    places = call.workspaces.places_of_sessions(params.workspace)
    return call.workspaces.conversations.chats.read(places, params.session, params.order, params.offset, params.limit)


def list_(call: Call, params: Nothing) -> wire.Chats:
    """The sessions that have a history here, the one that was last written to first."""
    return wire.Chats(call.workspaces.conversations.chats.chats(call.workspaces.places_of_sessions(params.workspace)))


def clear(call: Call, params: wire.ClearHistory) -> Removed:
    """Remove one history, or all of the folder, for good: no byte of them stays in the database. For the user alone."""
    if (params.session is None) == (params.all is None):
        raise InvalidField("session", "name either a session or `all`, not both and not neither")
    place = call.workspaces.place_of_session(params.workspace)
    return Removed(call.workspaces.conversations.chats.clear((place,), params.session))
