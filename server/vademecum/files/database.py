"""A database in the state directory: one SQLite file, shared by all servers and terminals of this user.

Transactions are short and begin by taking the write lock, so that two processes never find out late that they collide.
What is committed survives a crash and, where it is `durable`, a power cut. A damaged file is moved aside and begun
anew, at the next use where the damage is met in the middle of one; what a newer version wrote is left untouched.

**Nobody but SQLite opens the file.** On POSIX a process that closes a file gives up all its locks on it, also those of
its other connections; another process may then remove the log that these go on writing to, and what they acknowledge
is lost (https://www.sqlite.org/howtocorrupt.html, section 2.2).
"""

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from vademecum.errors import ErrorKind, VademecumError
from vademecum.files.durable import make_folder

_log = logging.getLogger(__name__)

#: How long a transaction waits for another process, in milliseconds, unless a database says otherwise.
BUSY_MILLISECONDS = 10_000

#: The steps by which a schema grew: step N brings a database of version N-1 to version N (`PRAGMA user_version`).
#: A step that was released is never changed; new ones follow.
Migrations = Sequence[Sequence[str]]


class Database:
    """Opens its file at the first use and keeps it open; safe to share between threads.

    :param path: the file; its folder is made when it is missing.
    :param name: what it is called in messages, such as `state database`.
    :param application_id: four letters as a number, in SQLite's header: tells our file from another program's.
    :param busy_milliseconds: how long a transaction waits for another process.
    :param durable: whether what is committed survives a power cut; without, the last moments may be missing then.
    """

    def __init__(
        self,
        path: Path,
        name: str,
        application_id: int,
        migrations: Migrations,
        *,
        busy_milliseconds: int = BUSY_MILLISECONDS,
        durable: bool = True,
    ) -> None:
        self._path = path
        self._name = name
        self._application_id = application_id
        self._migrations = migrations
        self._busy = busy_milliseconds / 1000
        self._durable = durable
        self._damaged = False
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
        with self._guard, self._plain_errors():
            yield self._open()

    @contextmanager
    def write(self, *, lasting: bool = True) -> Iterator[sqlite3.Connection]:
        """A transaction that holds the write lock from its beginning; undone when the body raises.

        :param lasting: false where it may be lost when the power fails: it is not waited for until the disk has it.
        :raises VademecumError: `storeUnreadable` or `busy`.
        """
        with self._guard, self._plain_errors():
            connection = self._open()
            if self._durable and not lasting:
                connection.execute("PRAGMA synchronous = NORMAL")
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            finally:
                if self._durable and not lasting:
                    connection.execute("PRAGMA synchronous = FULL")

    def scrub(self) -> None:
        """Leave no byte of removed rows in the database or its log.

        Removed content is overwritten at once (`secure_delete`); this also rewrites the file and empties the log,
        waiting for other processes' reads to end. Damaged databases that were moved aside go too: nobody can tell what
        is in them.

        :raises VademecumError: `busy` when another process keeps the log in use.
        """
        with self._guard, self._plain_errors():
            connection = self._open()
            for aside in self._path.parent.glob(f"{self._path.name}.corrupt-*"):
                aside.unlink(missing_ok=True)
            try:
                connection.execute("VACUUM")
            except sqlite3.OperationalError as error:
                # A full disk has no room for the copy; overwritten the bytes are all the same.
                if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_FULL:
                    raise
            deadline = time.monotonic() + self._busy
            while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if time.monotonic() > deadline:
                    raise VademecumError(
                        ErrorKind.BUSY,
                        f"It is removed, but another program keeps the log of the {self._name} in use. Close other"
                        " editors and try again.",
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
            if self._damaged:
                raise sqlite3.DatabaseError("it was found damaged")
            self._connection = self._connect()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            _log.warning("the %s cannot be read and is moved aside: %s", self._name, error)
            self._connection = self._begin_anew()
            self._damaged = False
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
        if self._version_in_header() > len(self._migrations):
            raise self._newer()
        with suppress(FileExistsError):
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        connection = sqlite3.connect(self._path, timeout=self._busy, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA temp_store = MEMORY")
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version > len(self._migrations):
                raise self._newer()
            _write_ahead(connection, self._busy)
            connection.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
            if version < len(self._migrations):
                self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _begin_anew(self) -> sqlite3.Connection:
        from filelock import FileLock

        with FileLock(self._beside(".lock"), timeout=self._busy):
            try:
                # Another process may have put a new one there meanwhile.
                if self._damaged and self._file == self._at_path():
                    raise sqlite3.DatabaseError
                return self._connect()
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                self.moved_aside = self._beside(f".corrupt-{time.time_ns()}")
                self._path.replace(self.moved_aside)
                for suffix in ("-wal", "-shm"):
                    self._beside(suffix).unlink(missing_ok=True)
                return self._connect()

    def _version_in_header(self) -> int:
        """What the file says of itself, before it is opened so that it may be written to; 0 for what is no database."""
        if not self._path.exists():
            return 0
        with suppress(sqlite3.DatabaseError):
            connection = sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
            try:
                return int(connection.execute("PRAGMA user_version").fetchone()[0])
            finally:
                connection.close()
        return 0

    def _newer(self) -> VademecumError:
        return VademecumError(
            ErrorKind.STORE_UNREADABLE,
            f"The {self._name} was written by a newer Vademecum and is left untouched; update Vademecum.",
        )

    def _beside(self, suffix: str) -> Path:
        return self._path.with_name(self._path.name + suffix)

    def _migrate(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have been faster while this one waited.
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            for number, statements in enumerate(self._migrations[version:], start=version + 1):
                for statement in statements:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")
            connection.execute(f"PRAGMA application_id = {self._application_id}")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    @contextmanager
    def _plain_errors(self) -> Iterator[None]:
        name = self._name
        try:
            yield
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise VademecumError(ErrorKind.BUSY, f"Another program keeps the {name} busy; try again.") from error
            raise VademecumError(ErrorKind.STORE_UNREADABLE, f"The {name} cannot be used: {error}.") from error
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                self._damaged = True
                self.close()
            raise VademecumError(
                ErrorKind.STORE_UNREADABLE,
                f"The {name} is damaged ({error}); try again: it is moved aside then, and a new one begun.",
            ) from error
        except TimeoutError as error:  # filelock's own is one
            raise VademecumError(ErrorKind.BUSY, f"Another program is mending the {name}; try again.") from error
        except OSError as error:
            raise VademecumError(
                ErrorKind.STORE_UNREADABLE, f"The state directory cannot be used: {error.strerror or error}."
            ) from error


def _write_ahead(connection: sqlite3.Connection, patience: float) -> None:
    """Switch the file to its write-ahead log; the switch itself does not wait for others, so it is tried again."""
    deadline = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.005)
