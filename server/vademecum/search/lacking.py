"""Which chunks of a build have no vector yet, where their texts stand, and which of them come first.

It reads the catalogue beside the one who writes it, so it may be a moment behind; whoever writes tells it what changed.
"""

import contextlib
import sqlite3
import time
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attrs import frozen

from vademecum.search.catalogue import reading

if TYPE_CHECKING:
    from vademecum.embedding.store import Store

QUEUE = 50_000
"""Chunks that are remembered as lacking; further ones are looked up when these are done."""

RETRY_FIRST, RETRY_LAST = 30.0, 3_600.0
"""Seconds until a text that the model did not manage, or a file that was not as recorded, is tried again, doubled each
time."""

_PLACE = "SELECT vector, path, start, stop, symbol FROM chunks"
# Unsaved texts first, then the files that were changed last: what somebody works on is what is asked for.
_BY_RECENCY = (
    "SELECT c.vector, c.path, c.start, c.stop, c.symbol FROM files f JOIN chunks c ON c.path = f.path"
    " ORDER BY f.mtime IS NOT NULL, f.mtime DESC, c.path, c.start"
)


class Place(NamedTuple):
    """Where a text stands, as it was indexed: one-based lines, both included."""

    path: str
    start: int
    end: int
    symbol: str | None


@frozen
class _Later:
    place: Place
    at: float
    wait: float
    failed: bool


class Lacking:
    """The chunks of one build that lack a vector of one model. Belongs to one thread.

    :param catalogue: of the build.
    :raises OSError: when the disk refuses; so does every method.
    """

    def __init__(self, catalogue: Path, store: "Store") -> None:
        self._store = store
        if not catalogue.is_file():
            raise FileNotFoundError(f"there is no {catalogue.name}")
        with _told():
            self._db = reading(catalogue)
        self._recent: dict[bytes, Place] = {}
        self._rest: dict[bytes, Place] = {}
        self._later: dict[bytes, _Later] = {}
        self._beyond = 0
        self.total = 0

    def close(self) -> None:
        """Close the catalogue."""
        self._db.close()

    @property
    def count(self) -> int:
        """How many different texts lack a vector."""
        return len(self._recent) + len(self._rest) + len(self._later) + self._beyond

    @property
    def failed(self) -> int:
        """How many of them the model did not manage."""
        return sum(each.failed for each in self._later.values())

    @property
    def exhausted(self) -> bool:
        """Whether more lack one than are remembered, and those are done: time to survey again."""
        return self._beyond > 0 and not (self._recent or self._rest)

    def due_in(self) -> float | None:
        """Seconds until there is something to embed; None when nothing lacks a vector."""
        if self._recent or self._rest or self._beyond:
            return 0.0
        if not self._later:
            return None
        return max(0.0, min(each.at for each in self._later.values()) - time.monotonic())

    def survey(self) -> list[bytes]:
        """Look at every chunk; returns the keys of all, each once."""
        with _told():
            keys = [bytes(row[0]) for row in self._db.execute("SELECT DISTINCT vector FROM chunks")]
            lacking = set(self._store.missing(keys))
            self._later = {key: each for key, each in self._later.items() if key in lacking}
            self._recent, self._rest = {}, {}
            if len(lacking) > len(self._later):
                for key, *place in self._db.execute(_BY_RECENCY):
                    if key in lacking and key not in self._later:
                        self._rest.setdefault(bytes(key), Place(*place))
                        if len(self._rest) == QUEUE:
                            break
        self.total = len(keys)
        self._beyond = max(0, len(lacking) - len(self._later) - len(self._rest))
        return keys

    def look(self, paths: Collection[str]) -> None:
        """Look again at the chunks of these files; what they lack comes first."""
        known = {**self._rest, **self._recent, **{key: each.place for key, each in self._later.items()}}
        former = {key for key, place in known.items() if place.path in paths}
        now: dict[bytes, Place] = {}
        with _told():
            self.total = int(self._db.execute("SELECT COUNT(DISTINCT vector) FROM chunks").fetchone()[0])
            for path in paths:
                rows = self._db.execute(f"{_PLACE} WHERE path = ? ORDER BY start DESC", (path,))
                now.update((bytes(key), Place(*place)) for key, *place in rows)
            for key in former - now.keys():
                # The same text may stand elsewhere, too.
                row = self._db.execute(f"{_PLACE} WHERE vector = ? LIMIT 1", (key,)).fetchone()
                if row is not None:
                    now[key] = Place(*row[1:])
        for key in former:
            self._forget(key)
        self._recent.update((key, now[key]) for key in self._store.missing(now))

    def next(self, most: int) -> list[tuple[bytes, Place]]:
        """Some that lack a vector, the most urgent first; they stay among those that do until `done` or `put_off`."""
        found = list(islice(reversed(self._recent.items()), most))
        found += islice(self._rest.items(), most - len(found))
        now = time.monotonic()
        due = ((key, each.place) for key, each in self._later.items() if each.at <= now)
        return found + list(islice(due, most - len(found)))

    def done(self, keys: Collection[bytes]) -> None:
        """They have a vector now."""
        for key in keys:
            self._forget(key)

    def put_off(self, key: bytes, place: Place, failed: bool) -> None:
        """It cannot have one now; it is tried again, later each time.

        :param failed: whether the model did not manage, rather than the file not being as it was recorded.
        """
        before = self._later.get(key)
        wait = RETRY_FIRST if before is None else min(RETRY_LAST, 2 * before.wait)
        self._forget(key)
        self._later[key] = _Later(place, time.monotonic() + wait, wait, failed)

    def _forget(self, key: bytes) -> None:
        for among in (self._recent, self._rest, self._later):
            among.pop(key, None)


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise OSError(f"the catalogue cannot be read now: {error}") from error
