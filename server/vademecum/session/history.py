"""Chat histories: what was said in a conversation, kept on this machine until it is old or the user clears it.

One SQLite file in the state directory, in which each workspace has histories of its own. An entry that was acknowledged
survives a crash. The text is the user's: it is never logged, and known shapes of secrets are taken out before it is
written, since a key that was pasted in haste should not outlive the conversation.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files.database import Database
from vademecum.files.redact import redact
from vademecum.session import limits
from vademecum.session.settings import SessionSettings
from vademecum.session.types import Appended, Chat, HistoryEntry, HistoryPage, Order, Role, Said

FILE_NAME = "chats.sqlite"

#: "VDMC".
APPLICATION_ID = 0x56444D43

#: `at` is when it was said, `kept` when it was written here, both in UTC; `size` counts bytes of UTF-8. The index holds
#: all that the bounds are measured by, so that no text is read for them.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, place TEXT NOT NULL, session TEXT NOT NULL,"
        " role TEXT NOT NULL, at TEXT NOT NULL, kept TEXT NOT NULL, size INTEGER NOT NULL, content TEXT NOT NULL)",
        "CREATE INDEX entries_place ON entries (place, number, size)",
        "CREATE INDEX entries_session ON entries (place, session, number, kept, at, size)",
        "CREATE INDEX entries_kept ON entries (kept)",
    ),
)

#: Why a call is refused while histories are off, and what to do.
DISABLED = "Chat histories are switched off. Switch them on with session.history = true and memory.enabled = true."


class ChatHistory:
    """The histories of all workspaces. A place names a workspace; what is read may span several.

    Nothing is touched before the first use. Safe to use from several threads, and beside other servers and terminals.
    Every call may raise `VademecumError` with `storeUnreadable` or `busy`, and while histories are off all but `clear`
    and `collect` raise it with `memoryDisabled`.
    """

    def __init__(
        self,
        state: Path,
        settings: Callable[[], SessionSettings],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """
        :param state: the state directory.
        :param settings: what is set now.
        """
        self._database = Database(state / FILE_NAME, "chat history", APPLICATION_ID, MIGRATIONS)
        self._settings = settings
        self._now = now

    def append(self, place: str, session: str, said: Sequence[Said]) -> Appended:
        """Keep entries at the end of a history, all or none; once this returns they survive a crash.

        What is then too old or too much for the workspace goes, the oldest first.

        :raises InvalidField: `session`, or the entry that cannot be kept.
        """
        self._refuse_if_off()
        limits.session(session)
        now = limits.stamp(self._now())
        rows = _rows(place, session, said, now)
        redacted = sum(row[-1] != each.content for row, each in zip(rows, said, strict=True))
        with self._database.write() as db:
            numbers = [
                db.execute(
                    "INSERT INTO entries (place, session, role, at, kept, size, content) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    row,
                ).lastrowid
                for row in rows
            ]
            db.execute("DELETE FROM entries WHERE kept < ?", (self._oldest(),))
            count, size = db.execute("SELECT COUNT(*), SUM(size) FROM entries WHERE place = ?", (place,)).fetchone()
            most = self._settings().history_entries
            if count > most or size > limits.HISTORY_BYTES:
                db.execute(
                    "DELETE FROM entries WHERE number IN (SELECT number FROM (SELECT number,"
                    " ROW_NUMBER() OVER newest AS nth, SUM(size) OVER newest AS bytes FROM entries WHERE place = ?"
                    " WINDOW newest AS (ORDER BY number DESC)) WHERE nth > ? OR bytes > ?)",
                    (place, most, limits.HISTORY_BYTES),
                )
            total = db.execute(
                "SELECT COUNT(*) FROM entries WHERE place = ? AND session = ?", (place, session)
            ).fetchone()[0]
        return Appended(tuple(number for number in numbers if number is not None), redacted, int(total))

    def read(
        self, places: Sequence[str], session: str, order: Order = Order.OLDEST, offset: int = 0, limit: int = 100
    ) -> HistoryPage:
        """Return a page of a history.

        :param offset: how many entries are passed over, counted from the end that `order` names.
        :raises InvalidField: `session`, `offset` or `limit`.
        """
        self._refuse_if_off()
        limits.session(session)
        if not 0 <= offset <= limits.LARGEST_OFFSET:
            raise InvalidField("offset", f"must be between 0 and {limits.LARGEST_OFFSET:,}")
        if not 1 <= limit <= limits.PAGE_ENTRIES:
            raise InvalidField("limit", f"must be between 1 and {limits.PAGE_ENTRIES}")
        if not self._database.path.exists():
            return HistoryPage((), 0, None)
        where = f"place IN ({_marks(places)}) AND session = ? AND kept >= ?"
        meant = (*places, session, self._oldest())
        direction = "ASC" if order is Order.OLDEST else "DESC"
        with self._database.read() as db:
            # One statement, so that count and page are of the same moment.
            rows = db.execute(
                f"SELECT (SELECT COUNT(*) FROM entries WHERE {where}), number, role, content, at FROM"
                f" (SELECT 1) LEFT JOIN (SELECT number, role, content, at FROM entries WHERE {where}"
                f" ORDER BY number {direction} LIMIT ? OFFSET ?) ORDER BY number {direction}",
                (*meant, *meant, limit, offset),
            ).fetchall()
        total = int(rows[0][0])
        items = tuple(
            HistoryEntry(int(number), Role(role), str(content), str(at))
            for _, number, role, content, at in rows
            if number is not None
        )
        following = offset + len(items)
        return HistoryPage(items, total, following if items and following < total else None)

    def chats(self, places: Sequence[str]) -> tuple[Chat, ...]:
        """Return the sessions that have a history here, the one that was last written to first."""
        self._refuse_if_off()
        if not self._database.path.exists():
            return ()
        with self._database.read() as db:
            rows = db.execute(
                "SELECT session, COUNT(*), SUM(size), MIN(at), MAX(at) FROM entries"
                f" WHERE place IN ({_marks(places)}) AND kept >= ? GROUP BY session ORDER BY MAX(number) DESC",
                (*places, self._oldest()),
            ).fetchall()
        return tuple(Chat(str(tag), int(count), int(size), str(at), str(last)) for tag, count, size, at, last in rows)

    def clear(self, places: Sequence[str], session: str | None = None) -> int:
        """Remove one history, or every one of the places, and return how many entries there were.

        No byte of them stays in the database or its log; databases that were damaged and moved aside go too.

        :raises InvalidField: `session`.
        """
        if session is not None:
            limits.session(session)
        if not self._database.path.exists():
            return 0
        where = f"place IN ({_marks(places)})" + ("" if session is None else " AND session = ?")
        with self._database.write() as db:
            removed = db.execute(
                f"DELETE FROM entries WHERE {where}", (*places, *([] if session is None else [session]))
            ).rowcount
        # Also when there was none: an earlier call may have been kept from its end by a program that was reading.
        self._database.scrub()
        return removed

    def collect(self) -> None:
        """Remove what is too old, wherever it belongs. For the start, so that nothing stays because nobody writes."""
        if not self._database.path.exists():
            return
        with self._database.read() as db:
            old = db.execute("SELECT 1 FROM entries WHERE kept < ? LIMIT 1", (self._oldest(),)).fetchone()
        if old:
            with self._database.write() as db:
                db.execute("DELETE FROM entries WHERE kept < ?", (self._oldest(),))

    def close(self) -> None:
        """Close the database; a later call opens it again."""
        self._database.close()

    def _refuse_if_off(self) -> None:
        if not self._settings().history:
            raise VademecumError(ErrorKind.MEMORY_DISABLED, DISABLED)

    def _oldest(self) -> str:
        return limits.stamp(self._now() - timedelta(days=self._settings().history_days))


_Row = tuple[str, str, str, str, str, int, str]


def _rows(place: str, session: str, said: Sequence[Said], now: str) -> list[_Row]:
    """The entries as they are kept, checked.

    :raises InvalidField: naming the first that cannot be.
    """
    if not 1 <= len(said) <= limits.APPENDED_ENTRIES:
        raise InvalidField("entries", f"must hold between 1 and {limits.APPENDED_ENTRIES} entries")
    rows: list[_Row] = []
    for number, each in enumerate(said):
        field = f"entries[{number}].content"
        if "\0" in each.content:
            raise InvalidField(field, "must be text, without NUL")
        size = len(each.content.encode("utf-8"))
        if size > limits.ENTRY_BYTES:
            most = f"{limits.ENTRY_BYTES // 1024} KiB of text ({limits.ENTRY_BYTES:,} bytes)"
            raise InvalidField(field, f"may hold {most}, not {size:,} bytes")
        at = now if each.at is None else limits.moment(f"entries[{number}].at", each.at)
        content = redact(each.content)
        rows.append((place, session, each.role.value, at, now, len(content.encode("utf-8")), content))
    if sum(row[5] for row in rows) > limits.APPENDED_BYTES:
        raise InvalidField("entries", f"may hold {limits.APPENDED_BYTES // 1024 // 1024} MiB of text together")
    return rows


def _marks(places: Sequence[str]) -> str:
    return ", ".join("?" * len(places))
