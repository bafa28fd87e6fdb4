"""What the index knows of each file, in SQLite: its stamp, its hash, its chunks; and what was left out, and why.

The catalogue and the full-text index are two stores that a kill can part. The order of writing keeps them honest: a
file is *marked* here before anything of it is added there, and unmarked in the transaction that follows the commit
there. What is still marked when the next process opens the catalogue is done again, whatever the index holds of it.
"""

import contextlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from vademecum.files.content import Stamp

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, size INTEGER, mtime INTEGER, ctime INTEGER, inode INTEGER,
    settled INTEGER NOT NULL DEFAULT 0, digest BLOB, language TEXT, refusal TEXT,
    chunks INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS attempted ON files (path) WHERE attempts > 0;
CREATE TABLE IF NOT EXISTS chunks (
    path TEXT NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL, digest BLOB NOT NULL, symbol TEXT, kind TEXT,
    vector BLOB NOT NULL, PRIMARY KEY (path, start)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS embedded ON chunks (vector);
CREATE TABLE IF NOT EXISTS skipped (path TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
"""

_SKIPPED = (
    "SELECT path, reason FROM skipped UNION"
    " SELECT path, refusal FROM files WHERE refusal IS NOT NULL AND path NOT IN (SELECT path FROM skipped)"
)

SUSPECT = 2
"""Attempts of a file during whose parsing a process ended."""

BUSY_MS = 2_000
"""How long a statement waits for another process's transaction, in milliseconds."""


class CatalogueUnusable(Exception):
    """The file is no catalogue of ours, or is damaged; it can only be discarded."""


@frozen
class Known:
    """What is known of an indexed file.

    :param stamp: None when it was indexed from unsaved text.
    :param settled: whether equal stamps prove equal bytes.
    :param digest: SHA-256 of the whole content.
    """

    stamp: Stamp | None
    settled: bool
    digest: bytes


@frozen
class ChunkRow:
    """One chunk as the catalogue keeps it; `digest` is the SHA-256 of its lines, `vector` the key of its vector."""

    start: int
    end: int
    digest: bytes
    symbol: str | None
    kind: str | None
    vector: bytes


@frozen
class FileRow:
    """A file as it was just read.

    :param refusal: why its content is not indexed (binary, minified); such a file is remembered so that it need not be
        read again to find that out.
    :param chunks: None means that what is recorded of its content (these, digest, language, refusal) still holds.
    """

    path: str
    known: Known
    language: str
    chunks: Sequence[ChunkRow] | None
    refusal: str | None = None


@frozen
class Totals:
    """How much is indexed."""

    files: int
    chunks: int


class Catalogue:
    """The catalogue of one build. One process writes; others may read.

    :raises CatalogueUnusable: when the file is damaged.
    :raises OSError: when the disk refuses.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._db = sqlite3.connect(path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")
            # A lost last transaction is a file indexed once more; a torn one cannot happen with WAL.
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_SCHEMA)
            if self._db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise CatalogueUnusable("quick_check failed")
        except sqlite3.OperationalError as error:
            if "no such column" in str(error):
                raise CatalogueUnusable("it was made by another version") from error
            raise OSError(f"{error}") from error
        except sqlite3.DatabaseError as error:
            raise CatalogueUnusable(str(error)) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def meta(self, key: str) -> str | None:
        """A remembered value."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, values: Mapping[str, str]) -> None:
        """Remember values."""
        with self._transaction():
            self._set_meta(values)

    def known(self) -> dict[str, Known]:
        """Every file that is indexed and not marked."""
        rows = self._db.execute("SELECT path, size, mtime, ctime, inode, settled, digest FROM files WHERE attempts = 0")
        return {str(row[0]): _known(row[1:]) for row in rows}

    def one(self, path: str) -> Known | None:
        """What is known of one file; None when it is not indexed, or marked."""
        row = self._db.execute(
            "SELECT size, mtime, ctime, inode, settled, digest FROM files WHERE path = ? AND attempts = 0", (path,)
        ).fetchone()
        return None if row is None else _known(row)

    def holds(self, path: str) -> bool:
        """Whether the full-text index may hold anything of a file, once everything is committed there."""
        query = "SELECT 1 FROM files WHERE path = ? AND (attempts > 0 OR chunks > 0)"
        return self._db.execute(query, (path,)).fetchone() is not None

    def below(self, folder: str) -> list[str]:
        """Paths of every recorded file inside a folder, at any depth."""
        rows = self._db.execute("SELECT path FROM files WHERE path > ? AND path < ?", (f"{folder}/", f"{folder}0"))
        return [str(row[0]) for row in rows]

    def marked(self) -> dict[str, int]:
        """Files whose indexing was begun and never recorded, with 1, or `SUSPECT` when parsing one ended a process."""
        rows = self._db.execute("SELECT path, attempts FROM files WHERE attempts > 0")
        return {str(path): int(attempts) for path, attempts in rows}

    def unsettled(self) -> list[str]:
        """Files on the disk whose stamps prove nothing yet, because they were changed just before they were read."""
        rows = self._db.execute("SELECT path FROM files WHERE settled = 0 AND attempts = 0 AND size IS NOT NULL")
        return [str(row[0]) for row in rows]

    def totals(self) -> Totals:
        """How many files and chunks are recorded."""
        files, chunks = self._db.execute(
            "SELECT COUNT(*), COALESCE(SUM(chunks), 0) FROM files WHERE refusal IS NULL AND attempts = 0"
        ).fetchone()
        return Totals(int(files), int(chunks))

    def chunks(self, path: str) -> list[ChunkRow]:
        """The chunks of one file, by line."""
        rows = self._db.execute(
            "SELECT start, stop, digest, symbol, kind, vector FROM chunks WHERE path = ? ORDER BY start", (path,)
        )
        return [ChunkRow(*row) for row in rows]

    def mark(self, paths: Iterable[str]) -> None:
        """Say that these files are about to be changed in the full-text index."""
        with self._transaction():
            self._db.executemany(
                "INSERT INTO files (path, attempts) VALUES (?, 1)"
                " ON CONFLICT (path) DO UPDATE SET attempts = MAX(attempts, 1)",
                ((path,) for path in paths),
            )

    def suspect(self, path: str, suspected: bool) -> None:
        """Say that a marked file is being read by a parser that may end this process, or that it did not."""
        with self._transaction():
            self._db.execute("UPDATE files SET attempts = ? WHERE path = ?", (SUSPECT if suspected else 1, path))

    def record(self, rows: Iterable[FileRow], gone: Iterable[str], meta: Mapping[str, str]) -> None:
        """Say what the full-text index now holds, after its commit; all of it or nothing."""
        with self._transaction():
            removed = [(path,) for path in gone]
            self._db.executemany("DELETE FROM files WHERE path = ?", removed)
            self._db.executemany("DELETE FROM chunks WHERE path = ?", removed)
            for row in rows:
                self._record(row)
            self._set_meta(meta)

    def _record(self, row: FileRow) -> None:
        stamp = row.known.stamp
        stat = (None,) * 4 if stamp is None else (stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.inode)
        values = (*stat, int(row.known.settled), row.known.digest, row.language, row.refusal)
        if row.chunks is None:
            self._db.execute(
                "UPDATE files SET size = ?, mtime = ?, ctime = ?, inode = ?, settled = ?, attempts = 0 WHERE path = ?",
                (*stat, int(row.known.settled), row.path),
            )
            return
        self._db.execute(
            "INSERT OR REPLACE INTO files"
            " (size, mtime, ctime, inode, settled, digest, language, refusal, path, chunks, attempts)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
            (*values, row.path, len(row.chunks)),
        )
        self._db.execute("DELETE FROM chunks WHERE path = ?", (row.path,))
        self._db.executemany(
            "INSERT INTO chunks (path, start, stop, digest, symbol, kind, vector) VALUES (?, ?, ?, ?, ?, ?, ?)",
            ((row.path, each.start, each.end, each.digest, each.symbol, each.kind, each.vector) for each in row.chunks),
        )

    def tidy(self) -> None:
        """Move what was written into the file itself, so that its journal takes no room; readers may hinder it."""
        try:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            raise OSError(str(error)) from error

    def replace_skipped(self, items: Iterable[tuple[str, str]]) -> None:
        """Record the whole list of (path, reason) of what is not indexed."""
        with self._transaction():
            self._db.execute("DELETE FROM skipped")
            self._db.executemany("INSERT OR REPLACE INTO skipped (path, reason) VALUES (?, ?)", items)

    def change_skipped(self, add: Iterable[tuple[str, str]], remove: Iterable[str]) -> None:
        """Record single changes to that list."""
        with self._transaction():
            self._db.executemany("DELETE FROM skipped WHERE path = ?", ((path,) for path in remove))
            self._db.executemany("INSERT OR REPLACE INTO skipped (path, reason) VALUES (?, ?)", add)

    def _set_meta(self, values: Mapping[str, str]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values.items())

    def _transaction(self) -> "_Transaction":
        return _Transaction(self._db)


class _Transaction:
    """`BEGIN IMMEDIATE` to `COMMIT`, or `ROLLBACK`; SQLite's refusals become OSError."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        try:
            self._db.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise OSError(str(error)) from error

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            self._db.execute("COMMIT" if kind is None else "ROLLBACK")
        except sqlite3.Error as refused:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise OSError(str(refused)) from refused
        if isinstance(error, sqlite3.Error):
            raise OSError(str(error)) from error


def read_skipped(path: Path, offset: int, limit: int) -> tuple[list[tuple[str, str]], int]:
    """Some of what is not indexed, as (path, reason) by path, and how much there is in all.

    Reads the file while another process may be writing it; nothing when there is none. Raises OSError.
    """
    if not path.is_file():
        return [], 0
    try:
        with contextlib.closing(reading(path)) as db:
            total = int(db.execute(f"SELECT COUNT(*) FROM ({_SKIPPED})").fetchone()[0])
            rows = db.execute(f"SELECT path, reason FROM ({_SKIPPED}) ORDER BY path LIMIT ? OFFSET ?", (limit, offset))
            return [(str(name), str(reason)) for name, reason in rows], total
    except sqlite3.Error as error:
        raise OSError(f"the catalogue cannot be read now: {error}") from error


def read_vectors(path: Path) -> list[bytes]:
    """The keys of the vectors of all chunks, each once. Reads the file while another process may be writing it.

    Nothing when there is none. Raises OSError.
    """
    if not path.is_file():
        return []
    try:
        with contextlib.closing(reading(path)) as db:
            return [bytes(row[0]) for row in db.execute("SELECT DISTINCT vector FROM chunks")]
    except sqlite3.Error as error:
        raise OSError(f"the catalogue cannot be read now: {error}") from error


def count_vectors(path: Path) -> int:
    """How many there are of those keys. Raises OSError."""
    if not path.is_file():
        return 0
    try:
        with contextlib.closing(reading(path)) as db:
            return int(db.execute("SELECT COUNT(DISTINCT vector) FROM chunks").fetchone()[0])
    except sqlite3.Error as error:
        raise OSError(f"the catalogue cannot be read now: {error}") from error


def reading(path: Path) -> sqlite3.Connection:
    """A connection that can only read, beside the one process that writes. Raises sqlite3.Error."""
    db = sqlite3.connect(path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA query_only = ON")
    return db


def _known(row: Iterable[object]) -> Known:
    size, mtime, ctime, inode, settled, digest = row
    stamp = None if size is None else Stamp(int(str(size)), int(str(mtime)), int(str(ctime)), int(str(inode)))
    return Known(stamp, bool(settled), bytes(digest or b""))  # type: ignore[call-overload]
