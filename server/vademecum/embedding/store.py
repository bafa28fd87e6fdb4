"""Vectors kept on the disk by the hash of what they were made of, for one model: nothing is embedded twice.

One store serves all worktrees of a repository, so several processes may write. The rows lie in a file that is only
appended to and can be mapped; which row belongs to which hash is in SQLite, whose write lock is also the file's. A row
counts from the moment its transaction is committed; what a killed writer had appended before is written over by the
next. Each model has a folder named by its id, so another model's vectors are never read.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from vademecum.embedding.rows import packed
from vademecum.embedding.types import Facts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vademecum.embedding.types import Floats, Rows

log = logging.getLogger(__name__)

BUSY_MS = 10_000
"""How long a statement waits for another process's transaction, in milliseconds; a compaction of 200,000 takes one."""

SCHEMA_VERSION = 1
DATABASE = "vectors.db"
SECONDS_A_DAY = 86_400

GENERATIONS_MET = 3
"""Attempts to read, since the file may be written anew by another process between asking which it is and opening it."""

SLACK = 1.5
"""Times the bytes in use that the file may take before it is written anew."""

SLACK_ROWS = 1024
"""Rows that may lie unused in any case."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, place INTEGER NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
"""
_AT_ONCE = 500
"""Keys in one statement; SQLite allows 999 parameters in its oldest builds."""


@frozen
class Collected:
    """What a collection did: vectors dropped, and the bytes of the store before and after."""

    dropped: int
    before: int
    after: int


@frozen
class _Meta:
    generation: int
    rows: int


class _Damaged(Exception):
    """The database or the file of rows cannot be what was written; the store can only be begun anew."""


class Store:
    """The vectors of one repository by one model. May be used from every thread, and by many processes at once.

    :param folder: of the repository, shared by its worktrees; holds a folder for each model.
    :raises OSError: when the disk refuses; so does every method.
    """

    def __init__(self, folder: Path, facts: Facts, today: int | None = None) -> None:
        self._folder = folder / facts.id
        self._dimensions = facts.dimensions
        self._today = today
        self._lock = threading.RLock()
        self._mapped: tuple[_Meta, Rows] | None = None
        self._db = self._open()
        self._identity = self._found()

    def close(self) -> None:
        """Close its files."""
        with self._lock:
            self._mapped = None
            self._db.close()

    @property
    def is_there(self) -> bool:
        """Whether nobody has removed it while it is open; another may have been begun in its place."""
        return self._found() == self._identity

    def __len__(self) -> int:
        """How many vectors there are."""
        with self._statement():
            return int(self._db.execute("SELECT COUNT(*) FROM vectors").fetchone()[0])

    def size(self) -> int:
        """How much of the disk it takes."""
        return sum(path.stat().st_size for path in self._folder.iterdir() if path.is_file())

    def missing(self, keys: Iterable[bytes]) -> list[bytes]:
        """Those of the keys that have no vector yet, each once, in their order."""
        wanted = list(dict.fromkeys(keys))
        with self._statement():
            found = self._places(wanted)
        return [key for key in wanted if key not in found]

    def get(self, keys: Sequence[bytes]) -> tuple[NDArray[np.bool_], Rows]:
        """For each key whether it has a vector, and its row (zeros when not); see `vademecum.embedding.rows`."""
        there = np.zeros(len(keys), np.bool_)
        rows: Rows = np.zeros((len(keys), self._dimensions), np.int8)
        if not keys:
            return there, rows
        with self._statement():
            for _ in range(GENERATIONS_MET):
                # One snapshot of the database for the places and the generation they belong to.
                self._db.execute("BEGIN")
                try:
                    found = self._places(list(keys))
                    mapped = self._map(self._meta()) if found else None
                finally:
                    self._db.execute("ROLLBACK")
                if not found:
                    return there, rows
                if mapped is not None:
                    break
            else:
                return there, rows
            at = np.fromiter((found.get(key, -1) for key in keys), np.int64, len(keys))
            np.logical_and(at >= 0, at < len(mapped), out=there)
            rows[there] = mapped[at[there]]
        return there, rows

    def add(self, keys: Sequence[bytes], vectors: Floats) -> None:
        """Keep vectors; those of keys that have one already are left as they are. Durable when it returns.

        Call it with some dozens at once: each call waits once for the disk.
        """
        if vectors.shape != (len(keys), self._dimensions):
            raise ValueError(f"{len(keys)} vectors of {self._dimensions} numbers are wanted, not {vectors.shape}")
        rows = packed(vectors)
        with self._transaction():
            found = self._places(list(keys))
            fresh = {key: place for place, key in enumerate(keys) if key not in found}
            if not fresh:
                return
            meta = self._meta()
            self._append(meta, np.ascontiguousarray(rows[list(fresh.values())]))
            day = self._day()
            self._db.executemany(
                "INSERT INTO vectors (key, place, used) VALUES (?, ?, ?)",
                ((key, meta.rows + number, day) for number, key in enumerate(fresh)),
            )
            self._set_meta(_Meta(meta.generation, meta.rows + len(fresh)))

    def touch(self, keys: Iterable[bytes]) -> None:
        """Say that these are in use; written once a day at most. What nobody says so of is collected one day."""
        day = self._day()
        wanted = list(dict.fromkeys(keys))
        with self._statement():
            late = set(self._places(wanted, "AND used < ?", day))
        if late:
            with self._transaction():
                self._db.executemany("UPDATE vectors SET used = ? WHERE key = ?", ((day, key) for key in late))

    def collect(self, live: Collection[bytes], unused_days: int, unused_bytes: int) -> Collected:
        """Drop what is not in use, and write the file anew when it has become too large for what it holds.

        :param live: what the caller uses; never dropped.
        :param unused_days: how long others are kept after they were last in use.
        :param unused_bytes: how much others may take; those unused longest go first.
        """
        before = self.size()
        with self._transaction():
            kept = frozenset(live)
            others = [
                (int(used), bytes(key))
                for key, used in self._db.execute("SELECT key, used FROM vectors")
                if bytes(key) not in kept
            ]
            others.sort(reverse=True)
            most = unused_bytes // self._dimensions
            oldest = self._day() - unused_days
            dropped = [key for number, (used, key) in enumerate(others) if number >= most or used < oldest]
            self._db.executemany("DELETE FROM vectors WHERE key = ?", ((key,) for key in dropped))
            meta = self._meta()
            count = int(self._db.execute("SELECT COUNT(*) FROM vectors").fetchone()[0])
            former = meta.rows > SLACK * count + SLACK_ROWS
            if former:
                self._compact(meta, count)
        if former:
            # While another process is in the middle of something this is left for the next time.
            with self._lock, contextlib.suppress(sqlite3.Error):
                self._db.execute("VACUUM")
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            with self._transaction():
                self._sweep(self._meta().generation)
        return Collected(len(dropped), before, self.size())

    def tidy(self) -> None:
        """Move what was written into the database itself, so that its journal takes no room; readers may hinder it."""
        with self._statement():
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # The database

    def _found(self) -> tuple[int, int] | None:
        """Which file lies where the database is."""
        try:
            status = (self._folder / DATABASE).stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _open(self) -> sqlite3.Connection:
        for folder in (self._folder.parent.parent, self._folder.parent, self._folder):
            # One by one: the mode is only that of the last.
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            return self._connect()
        except (_Damaged, sqlite3.DatabaseError) as why:
            if isinstance(why, sqlite3.OperationalError) and "malformed" not in str(why):
                raise OSError(f"the vectors cannot be opened: {why}") from why
            log.warning("the vectors kept for this repository are damaged and are made again: %s", why)
        for path in self._folder.iterdir():
            path.unlink()
        try:
            return self._connect()
        except (_Damaged, sqlite3.Error) as error:
            raise OSError(f"the vectors cannot be opened: {error}") from error

    def _connect(self) -> sqlite3.Connection:
        path = self._folder / DATABASE
        path.touch(mode=0o600)
        db = sqlite3.connect(path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            # A lost last transaction is some texts embedded once more.
            db.execute("PRAGMA synchronous = NORMAL")
            db.executescript(_SCHEMA)
            if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise _Damaged("quick_check failed")
            db.execute("BEGIN IMMEDIATE")
            self._db = db
            db.execute("INSERT OR IGNORE INTO meta VALUES ('version', ?)", (SCHEMA_VERSION,))
            db.execute("INSERT OR IGNORE INTO meta VALUES ('dimensions', ?)", (self._dimensions,))
            db.execute("INSERT OR IGNORE INTO meta VALUES ('generation', 0)")
            db.execute("INSERT OR IGNORE INTO meta VALUES ('rows', 0)")
            values = dict(db.execute("SELECT key, value FROM meta"))
            if (values["version"], values["dimensions"]) != (SCHEMA_VERSION, self._dimensions):
                raise _Damaged("it is of another shape")
            self._repair(self._meta())
            db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        return db

    def _repair(self, meta: _Meta) -> None:
        """Forget rows that a loss of power took from the file after the database had them."""
        path = self._path(meta.generation)
        size = path.stat().st_size if path.is_file() else 0
        if size < meta.rows * self._dimensions:
            left = size // self._dimensions
            log.warning("%d vectors were lost and are made again", meta.rows - left)
            self._db.execute("DELETE FROM vectors WHERE place >= ?", (left,))
            self._set_meta(_Meta(meta.generation, left))
        self._sweep(meta.generation)

    def _meta(self) -> _Meta:
        values = dict(self._db.execute("SELECT key, value FROM meta"))
        return _Meta(int(values["generation"]), int(values["rows"]))

    def _set_meta(self, meta: _Meta) -> None:
        self._db.executemany(
            "UPDATE meta SET value = ? WHERE key = ?", [(meta.generation, "generation"), (meta.rows, "rows")]
        )

    def _places(self, keys: Sequence[bytes], also: str = "", *values: int) -> dict[bytes, int]:
        count = int(self._db.execute("SELECT COUNT(*) FROM vectors").fetchone()[0])
        if len(keys) > count // 4 and len(keys) > _AT_ONCE:
            wanted = frozenset(keys)
            every = self._db.execute(f"SELECT key, place FROM vectors WHERE 1 {also}", values)
            return {key: place for key, place in every if key in wanted}
        found: dict[bytes, int] = {}
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            found.update(
                self._db.execute(f"SELECT key, place FROM vectors WHERE key IN ({marks}) {also}", (*part, *values))
            )
        return found

    def _day(self) -> int:
        return self._today if self._today is not None else int(time.time() // SECONDS_A_DAY)

    @contextlib.contextmanager
    def _statement(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                raise OSError(f"the vectors cannot be used now: {error}") from error

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._statement():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    # The rows

    def _path(self, generation: int) -> Path:
        return self._folder / f"rows-{generation}"

    def _append(self, meta: _Meta, rows: Rows) -> None:
        """Write rows after those that count, over whatever a killed writer left there."""
        descriptor = os.open(self._path(meta.generation), os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            file.seek(meta.rows * self._dimensions)
            _write_all(file.fileno(), rows.tobytes())
            file.truncate()
            os.fsync(file.fileno())

    def _map(self, meta: _Meta) -> Rows | None:
        if self._mapped is not None and self._mapped[0].generation == meta.generation:
            known, rows = self._mapped
            if known.rows >= meta.rows:
                return rows
        path = self._path(meta.generation)
        try:
            count = min(meta.rows, path.stat().st_size // self._dimensions)
            if not count:
                return None
            rows = np.memmap(path, np.int8, "r", shape=(count, self._dimensions))
        except FileNotFoundError:
            return None
        self._mapped = meta, rows
        return rows

    def _compact(self, meta: _Meta, count: int) -> None:
        """Write the rows in use to a new file, inside the caller's transaction; readers keep the former one."""
        mapped = self._map(meta)
        fresh = self._path(meta.generation + 1)
        at = [
            (bytes(key), int(place))
            for key, place in self._db.execute("SELECT key, place FROM vectors ORDER BY place")
            if mapped is not None and int(place) < len(mapped)
        ]
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(descriptor, "wb") as file:
            for start in range(0, len(at), 4096):
                if mapped is not None:
                    file.write(mapped[[place for _, place in at[start : start + 4096]]].tobytes())
            file.flush()
            os.fsync(file.fileno())
        self._db.execute("DELETE FROM vectors WHERE place >= ?", (meta.rows,))
        self._db.executemany(
            "UPDATE vectors SET place = ? WHERE key = ?", ((number, key) for number, (key, _) in enumerate(at))
        )
        self._set_meta(_Meta(meta.generation + 1, len(at)))
        self._mapped = None

    def _sweep(self, generation: int) -> None:
        """Delete files of other generations; under the write lock, so none of them is being made. One that a reader has
        mapped cannot be deleted on Windows, and is next time."""
        for path in self._folder.glob("rows-*"):
            if path != self._path(generation):
                with contextlib.suppress(OSError):
                    path.unlink()


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
