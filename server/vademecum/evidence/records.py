"""What is written to a ledger and read from it: rows, and nothing that a row does not hold."""

from collections.abc import Sequence
from sqlite3 import Connection
from typing import NamedTuple

from attrs import frozen

from vademecum.evidence.reference import Reference
from vademecum.evidence.verdicts import Verdict


@frozen
class Given:
    """One snippet as it is kept: where its lines are, and hashes.

    :param digest: of the lines, 16 hex digits.
    :param first_line: of their first line, 16 hex digits; None when it is not known.
    :param snippet: SHA-256 of the text that was given.
    """

    path: str
    digest: str
    lines: int
    first_line: str | None
    start: int
    snippet: bytes
    form: str
    tokens: int


class Held(NamedTuple):
    """A snippet that a session was given; `number` is its row. A tuple, since a call can go through a thousand."""

    number: int
    path: str
    digest: str
    lines: int
    start: int
    first_line: str | None

    @property
    def reference(self) -> Reference:
        """The lines as the session was last told of them."""
        return Reference(self.path, self.start, self.start + self.lines - 1, self.digest)


@frozen
class Collected:
    """How much was removed."""

    sessions: int
    deliveries: int


@frozen
class Totals:
    """How much is kept; `saved` tokens were not given a second time."""

    sessions: int
    deliveries: int
    saved: int


def held(db: Connection, tag: bytes, *, told_too: bool = False) -> list[Held]:
    """What a session was given, without what it was told to be no longer so."""
    rows = db.execute(
        "SELECT d.id, s.path, s.digest, s.lines, d.start, s.first_line FROM sessions n"
        " JOIN deliveries d ON d.session = n.id JOIN spans s ON s.id = d.span"
        " WHERE n.tag = ? AND (d.verdict IS NULL OR ?)",
        (tag, told_too),
    )
    return [Held._make(row) for row in rows]


def enter(db: Connection, tag: bytes, now: int) -> int:
    """The number of a session, which is used now."""
    (number,) = db.execute(
        "INSERT INTO sessions (tag, created, used, calls) VALUES (?1, ?2, ?2, 1)"
        " ON CONFLICT (tag) DO UPDATE SET used = max(used, ?2), calls = calls + 1 RETURNING id",
        (tag, now),
    ).fetchone()
    return int(number)


def mark(db: Connection, lost: Held, verdict: Verdict) -> bool:
    """Note that a session is told of what it has lost; False when it was told meanwhile, or told of another place."""
    changed = db.execute(
        "UPDATE deliveries SET verdict = ? WHERE id = ? AND start = ? AND verdict IS NULL",
        (verdict.value, lost.number, lost.start),
    )
    return changed.rowcount > 0


def deliver(db: Connection, session: int, given: Sequence[Given], now: int) -> list[bool]:
    """Note that a session is given snippets; returns, for each, whether it held the very text before this answer."""
    known = [_is_held(db, session, one) for one in given]
    for one, was_known in zip(given, known, strict=True):
        span = _span(db, one, now)
        if not was_known:
            db.execute(
                "INSERT OR REPLACE INTO deliveries (session, span, snippet, form, start, tokens, delivered)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (session, span, one.snippet, one.form, one.start, one.tokens, now),
            )
        # Whatever form it was given in before, its lines are now told to be here.
        db.execute(
            "UPDATE deliveries SET start = ? WHERE session = ? AND span = ? AND verdict IS NULL",
            (one.start, session, span),
        )
    return known


def _is_held(db: Connection, session: int, one: Given) -> bool:
    row = db.execute(
        "SELECT 1 FROM spans s JOIN deliveries d ON d.span = s.id AND d.session = ? AND d.snippet = ?"
        " WHERE s.path = ? AND s.digest = ? AND s.lines = ? AND d.verdict IS NULL",
        (session, one.snippet, one.path, one.digest, one.lines),
    ).fetchone()
    return row is not None


def _span(db: Connection, one: Given, now: int) -> int:
    (number,) = db.execute(
        "INSERT INTO spans (path, digest, lines, first_line, seen) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (path, digest, lines) DO UPDATE SET first_line = coalesce(first_line, excluded.first_line)"
        " RETURNING id",
        (one.path, one.digest, one.lines, one.first_line, now),
    ).fetchone()
    return int(number)


def count(db: Connection, session: int, given: Sequence[Given], withheld: Sequence[bool], told: int) -> None:
    """Add to the sums of a session."""
    saved = sum(one.tokens for one, kept in zip(given, withheld, strict=True) if kept)
    db.execute(
        "UPDATE sessions SET given = given + ?, saved = saved + ?, reused = reused + ?, told = told + ? WHERE id = ?",
        (sum(one.tokens for one in given) - saved, saved, sum(withheld), told, session),
    )


def forget(db: Connection, tag: bytes | None) -> Collected:
    """Remove a session, or all of them."""
    before = _counts(db)
    for (session,) in db.execute("SELECT id FROM sessions WHERE ?1 IS NULL OR tag = ?1", (tag,)).fetchall():
        _remove(db, session)
    return _removed(db, before)


def collect(db: Connection, oldest: int, most: int, now: int) -> Collected:
    """Remove sessions that were last used before `oldest`, and what is beyond `most` deliveries, oldest use first."""
    before = _counts(db)
    for (session,) in db.execute("SELECT id FROM sessions WHERE used < ?", (oldest,)).fetchall():
        _remove(db, session)
    over = _counts(db).deliveries - most
    if over > 0:
        rows = db.execute(
            "SELECT n.id, count(d.id) FROM sessions n LEFT JOIN deliveries d ON d.session = n.id"
            " GROUP BY n.id ORDER BY n.used, n.id"
        ).fetchall()
        for session, size in rows[:-1]:
            if over <= 0:
                break
            _remove(db, session)
            over -= size
        if over > 0:  # what is left is one session, and it alone is too large
            db.execute("DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries ORDER BY id LIMIT ?)", (over,))
    db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('collected', ?)", (now,))
    return _removed(db, before)


def collected_at(db: Connection) -> int:
    """When `collect` was last done, milliseconds since 1970; 0 for never."""
    row = db.execute("SELECT value FROM meta WHERE key = 'collected'").fetchone()
    return 0 if row is None else int(row[0])


def totals(db: Connection) -> Totals:
    """How much is kept."""
    counts = _counts(db)
    (saved,) = db.execute("SELECT coalesce(sum(saved), 0) FROM sessions").fetchone()
    return Totals(counts.sessions, counts.deliveries, int(saved))


def _remove(db: Connection, session: int) -> None:
    db.execute("DELETE FROM deliveries WHERE session = ?", (session,))
    db.execute("DELETE FROM sessions WHERE id = ?", (session,))


def _counts(db: Connection) -> Collected:
    sessions, deliveries = db.execute(
        "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM deliveries)"
    ).fetchone()
    return Collected(int(sessions), int(deliveries))


def _removed(db: Connection, before: Collected) -> Collected:
    db.execute("DELETE FROM spans WHERE id NOT IN (SELECT span FROM deliveries)")
    after = _counts(db)
    return Collected(before.sessions - after.sessions, before.deliveries - after.deliveries)
