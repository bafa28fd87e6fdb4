"""The database of what must be kept but is not a memory: prior versions, trust, snapshots, which path is which project.

One SQLite file in the state directory, shared by all servers and terminals of this user. Transactions are short and
begin by taking the write lock, so that two processes never find out late that they collide.
"""

import logging
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vademecum.errors import ErrorKind, VademecumError
from vademecum.memory.durable import make_folder
from vademecum.memory.state_schema import MIGRATIONS

_log = logging.getLogger(__name__)

FILE_NAME = "memory.sqlite"

#: How long a transaction waits for another process, in milliseconds.
BUSY_MILLISECONDS = 10_000

#: "VDMM", in SQLite's header: tells our file from another program's.
APPLICATION_ID = 0x56444D4D

_ASIDE = f"{FILE_NAME}.corrupt-"


class State:
    """Opens its file at the first use and keeps it open; safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._guard = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._file = (0, 0)
        self.times_opened = 0
        self.moved_aside: Path | None = None

    @property
    def path(self) -> Path:
        """Where the database lies."""
        return self._path

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A connection for single SELECT statements.

        :raises VademecumError: `storeUnreadable` or `busy`.
        """
        with self._guard, _plain_errors():
            yield self._open()

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A transaction that holds the write lock from its beginning; undone when the body raises.

        :raises VademecumError: `storeUnreadable` or `busy`.
        """
        with self._guard, _plain_errors():
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def scrub(self) -> None:
        """Leave no byte of removed rows in the database or its log.

        Removed content is overwritten at once (`secure_delete`); this also rewrites the file and empties the log,
        waiting for other processes' reads to end. Damaged databases that were moved aside go too: nobody can tell what
        is in them.

        :raises VademecumError: `busy` when another process keeps the log in use.
        """
        with self._guard, _plain_errors():
            connection = self._open()
            for aside in self._path.parent.glob(f"{_ASIDE}*"):
                aside.unlink(missing_ok=True)
            try:
                connection.execute("VACUUM")
            except sqlite3.OperationalError as error:
                # A full disk has no room for the copy; overwritten the bytes are all the same.
                if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_FULL:
                    raise
            deadline = time.monotonic() + BUSY_MILLISECONDS / 1000
            while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if time.monotonic() > deadline:
                    raise VademecumError(
                        ErrorKind.BUSY,
                        "The memories are removed, but another program keeps the log of the state database in use. "
                        "Close other editors and purge again.",
                    )
                time.sleep(0.01)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._guard:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._file == self._at_path():
            return self._connection
        self.close()  # what is written to a file that was removed under us would be lost without a word
        make_folder(self._path.parent, private=True)
        try:
            self._connection = self._connect()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            _log.warning("the state database cannot be read and is moved aside: %s", error)
            self._connection = self._begin_anew()
        self._file = self._at_path()
        self.times_opened += 1
        return self._connection

    def _at_path(self) -> tuple[int, int]:
        try:
            there = self._path.stat()
        except OSError:
            return (0, 0)
        return (there.st_dev, there.st_ino)

    def _connect(self) -> sqlite3.Connection:
        if not self._path.exists():
            self._path.touch(mode=0o600)
        connection = sqlite3.connect(
            self._path, timeout=BUSY_MILLISECONDS / 1000, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA temp_store = MEMORY")
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version > len(MIGRATIONS):
                raise VademecumError(
                    ErrorKind.STORE_UNREADABLE,
                    "The state database was written by a newer Vademecum and is left untouched; update Vademecum.",
                )
            _write_ahead(connection)
            connection.execute("PRAGMA synchronous = FULL")
            if version < len(MIGRATIONS):
                _migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _begin_anew(self) -> sqlite3.Connection:
        from filelock import FileLock

        with FileLock(self._path.with_name(FILE_NAME + ".lock"), timeout=BUSY_MILLISECONDS / 1000):
            try:
                return self._connect()  # another process may have put a new one there meanwhile
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                self.moved_aside = self._path.with_name(f"{_ASIDE}{time.time_ns()}")
                self._path.replace(self.moved_aside)
                for suffix in ("-wal", "-shm"):
                    self._path.with_name(FILE_NAME + suffix).unlink(missing_ok=True)
                return self._connect()


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch the file to its write-ahead log; the switch itself does not wait for others, so it is tried again."""
    deadline = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.005)


def _migrate(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been faster while this one waited.
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        for number, statements in enumerate(MIGRATIONS[version:], start=version + 1):
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise VademecumError(ErrorKind.BUSY, "Another program keeps the state database busy; try again.") from error
        raise VademecumError(ErrorKind.STORE_UNREADABLE, f"The state database cannot be used: {error}.") from error
    except sqlite3.DatabaseError as error:
        raise VademecumError(
            ErrorKind.STORE_UNREADABLE,
            f"The state database is damaged ({error}); restart Vademecum, which moves it aside and begins a new one.",
        ) from error
    except TimeoutError as error:  # filelock's own is one
        raise VademecumError(ErrorKind.BUSY, "Another program is mending the state database; try again.") from error
    except OSError as error:
        raise VademecumError(
            ErrorKind.STORE_UNREADABLE, f"The state directory cannot be used: {error.strerror or error}."
        ) from error
