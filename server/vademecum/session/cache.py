"""The session cache: JSON values that a conversation keeps for half an hour after their last use, in memory alone.

A value is held as the JSON text it came as, so that its size is known and nobody can change it from outside. What makes
room is always what was used least lately: values within a session, sessions among all.
"""

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

from attrs import field, frozen

from vademecum.errors import InvalidField
from vademecum.session import limits
from vademecum.session.types import Cached, CachedKey


@frozen
class _Kept:
    data: bytes
    life: int
    until: float


@frozen
class _Session:
    values: OrderedDict[str, _Kept] = field(factory=OrderedDict)

    @property
    def size(self) -> int:
        """Bytes of all values."""
        return sum(len(kept.data) for kept in self.values.values())


class SessionCache:
    """The values of all sessions. A session belongs to a place (a workspace); the same tag elsewhere is another one.

    Safe for use from several threads.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._guard = threading.Lock()
        self._sessions: OrderedDict[tuple[str, str], _Session] = OrderedDict()

    def get(self, places: Sequence[str], session: str, key: str) -> Cached | None:
        """Return the value that the first of the places has under the key, which counts as a use; None when none has.

        :raises InvalidField: `session` or `key`.
        """
        limits.session(session)
        limits.key(key)
        with self._guard:
            now = self._now()
            for place in places:
                kept = self._session(place, session, now).values.get(key)
                if kept is not None:
                    held = self._use(place, session)
                    held.values[key] = _Kept(kept.data, kept.life, now + kept.life)
                    held.values.move_to_end(key)
                    return Cached(json.loads(kept.data), kept.life)
        return None

    def set(self, place: str, session: str, key: str, value: object, life: int | None = None) -> tuple[str, ...]:
        """Keep a value, and return the keys of the session whose values went to make room for it.

        :param life: seconds to live after the last use; half an hour when None.
        :raises InvalidField: `session`, `key`, `ttl`, or a `value` that is too large.
        """
        limits.session(session)
        limits.key(key)
        seconds = limits.life(life)
        data = _written(value)
        with self._guard:
            now = self._now()
            for there in tuple(self._sessions):
                self._session(*there, now)
            held = self._use(place, session)
            held.values[key] = _Kept(data, seconds, now + seconds)
            held.values.move_to_end(key)
            gone = []
            while len(held.values) > limits.SESSION_VALUES or held.size > limits.SESSION_BYTES:
                gone.append(held.values.popitem(last=False)[0])
            while len(self._sessions) > limits.SESSIONS or self._size > limits.ALL_BYTES:
                self._sessions.popitem(last=False)
            return tuple(gone)

    def delete(self, places: Sequence[str], session: str, key: str | None = None) -> int:
        """Remove one value, or all of the session, and return how many there were.

        :raises InvalidField: `session` or `key`.
        """
        limits.session(session)
        if key is not None:
            limits.key(key)
        removed = 0
        with self._guard:
            now = self._now()
            for place in places:
                values = self._session(place, session, now).values
                meant = [key] if key is not None else list(values)
                removed += sum(values.pop(each, None) is not None for each in meant)
                if not values:
                    self._sessions.pop((place, session), None)
        return removed

    def keys(self, places: Sequence[str], session: str) -> tuple[CachedKey, ...]:
        """Return the keys of the session in the order of the alphabet; looking at them is no use of the values.

        :raises InvalidField: `session`.
        """
        limits.session(session)
        found: dict[str, CachedKey] = {}
        with self._guard:
            now = self._now()
            for place in places:
                for key, kept in self._session(place, session, now).values.items():
                    found.setdefault(key, CachedKey(key, len(kept.data), kept.until - now))
        return tuple(found[key] for key in sorted(found))

    def drop(self, place: str | None = None) -> None:
        """Forget every session of a place, or all there are."""
        with self._guard:
            for there in [there for there in self._sessions if place in (None, there[0])]:
                del self._sessions[there]

    @property
    def _size(self) -> int:
        return sum(session.size for session in self._sessions.values())

    def _session(self, place: str, session: str, now: float) -> _Session:
        """The session without what outlived its time; an empty one that nobody keeps when there is none."""
        there = (place, session)
        held = self._sessions.get(there)
        if held is None:
            return _Session()
        for key in [key for key, kept in held.values.items() if kept.until <= now]:
            del held.values[key]
        if not held.values:
            del self._sessions[there]
        return held

    def _use(self, place: str, session: str) -> _Session:
        held = self._sessions.setdefault((place, session), _Session())
        self._sessions.move_to_end((place, session))
        return held


def _written(value: object) -> bytes:
    """The value as JSON.

    :raises InvalidField: `value`, when it is no JSON or too large.
    """
    if not _is_shallow(value):
        raise InvalidField("value", f"may hold arrays and objects within each other {limits.DEPTH} deep")
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError):
        raise InvalidField("value", "must be a JSON value; numbers must be finite") from None
    data = text.encode("utf-8", "surrogatepass")  # JSON can hold half a surrogate pair, and gets it back
    if len(data) > limits.VALUE_BYTES:
        most = limits.VALUE_BYTES // 1024
        raise InvalidField("value", f"may hold {most} KiB of JSON, not {len(data) / 1024:,.1f}")
    return data


def _is_shallow(value: object) -> bool:
    level = [value]
    for _ in range(limits.DEPTH + 1):
        below: list[object] = []
        for each in level:
            if isinstance(each, dict):
                below += each.values()
            elif isinstance(each, list):
                below += each
        level = below
        if not level:
            return True
    return False
