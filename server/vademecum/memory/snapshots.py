"""The prompt blocks of running sessions, kept so that a restarted server gives the same bytes.

A block is void as soon as anything told in it, or as a change of it, was deleted, purged or lost its trust: its text
and those of the changes are dropped at once. What the session knows stays, as digests, so that it can be told what was
removed.
"""

import hashlib
import json
import sqlite3
from collections.abc import Collection, Mapping

from attrs import frozen

from vademecum.memory.prompt_types import PromptEntry
from vademecum.memory.state import State
from vademecum.memory.types import Scope

#: Sessions kept, the latest ones, and for how many days; a session is a conversation, and those end.
MOST_SESSIONS = 200
DAYS = 30


@frozen
class ToldChange:
    """What a session was told of changes at once; the text is empty once the block that it follows was made anew."""

    text: str
    ids: tuple[str, ...] = ()


@frozen
class Snapshot:
    """A session's block. `shown` maps the ids told in the text to how; `known` is what the session knows."""

    text: str | None
    entries: tuple[PromptEntry, ...]
    omitted: int
    bounds: str
    shown: Mapping[str, str]
    known: Mapping[str, str]
    changes: tuple[ToldChange, ...] = ()
    """What the session was told since, oldest first. Their number never falls, so that each is named by its place."""


def session_key(session: str) -> str:
    """Return the form in which a session's tag is kept."""
    return hashlib.sha256(f"session:{session}".encode("utf-8", "surrogatepass")).hexdigest()


class Snapshots:
    """The kept blocks of one workspace (or of several folders seen as one)."""

    def __init__(self, state: State, workspace: str) -> None:
        self._state = state
        self._workspace = workspace

    def get(self, session: str) -> Snapshot | None:
        """Return what is kept of the session."""
        with self._state.read() as db:
            row = db.execute(
                "SELECT text, entries, omitted, bounds, shown, told, changes FROM snapshots"
                " WHERE session = ? AND workspace = ?",
                (session_key(session), self._workspace),
            ).fetchone()
        if row is None:
            return None
        entries = tuple(PromptEntry(id, Scope(scope), title) for id, scope, title in json.loads(row[1]))
        changes = tuple(ToldChange(text, tuple(ids)) for text, ids in json.loads(row[6]))
        return Snapshot(row[0], entries, row[2], row[3], json.loads(row[4]), json.loads(row[5]), changes)

    def put(self, session: str, snapshot: Snapshot, now: str, oldest: str, begun: int, before: Snapshot | None) -> bool:
        """Keep the session's block, and drop those begun before `oldest` or beyond the latest `MOST_SESSIONS`.

        :param begun: the `generation` from before the memories were read.
        :param before: what was kept of the session then.
        :return: False, and nothing is kept, when blocks were voided since (something told in it may be gone), or
            another server was faster.
        """
        mine = (session_key(session), self._workspace)
        entries = json.dumps([[entry.id, entry.scope.value, entry.title] for entry in snapshot.entries])
        with self._state.write() as db:
            if _voided(db) != begun:
                return False
            row = db.execute("SELECT text, changes FROM snapshots WHERE session = ? AND workspace = ?", mine).fetchone()
            text, changes = row or (None, "[]")
            if text != (before.text if before else None):
                return False
            db.execute(
                "INSERT OR REPLACE INTO snapshots (session, workspace, created, bounds, text, entries, omitted, shown,"
                " told, changes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *mine,
                    now,
                    snapshot.bounds,
                    snapshot.text,
                    entries,
                    snapshot.omitted,
                    json.dumps(dict(snapshot.shown)),
                    json.dumps(dict(snapshot.known)),
                    # What changed before is in the new block.
                    _emptied(len(json.loads(changes))),
                ),
            )
            db.execute("DELETE FROM snapshots WHERE created < ?", (oldest,))
            db.execute(
                "DELETE FROM snapshots WHERE rowid NOT IN"
                " (SELECT rowid FROM snapshots ORDER BY created DESC, rowid DESC LIMIT ?)",
                (MOST_SESSIONS,),
            )
            return True

    def learn(self, session: str, before: Snapshot, after: Mapping[str, str], told: ToldChange, begun: int) -> bool:
        """Keep what the session is told now, and what it knows then.

        :param begun: the `generation` from before the memories were read.
        :return: False, and nothing is kept, when it is no longer as it was `before`, or blocks were voided since.
        """
        changes = json.dumps([[each.text, each.ids] for each in (*before.changes, told)])
        known, mine = json.dumps(dict(before.known)), (session_key(session), self._workspace)
        with self._state.write() as db:
            if _voided(db) != begun:
                return False
            changed = db.execute(
                "UPDATE snapshots SET told = ?, changes = ? WHERE session = ? AND workspace = ? AND told = ?",
                (json.dumps(dict(after)), changes, *mine, known),
            )
            return changed.rowcount == 1


def _emptied(count: int) -> str:
    return json.dumps([["", []]] * count)


def _voided(db: sqlite3.Connection) -> int:
    row = db.execute("SELECT value FROM counters WHERE name = 'voided'").fetchone()
    return int(row[0]) if row else 0


def generation(state: State) -> int:
    """Return a number that rises whenever blocks are voided."""
    with state.read() as db:
        return _voided(db)


def void(state: State, ids: Collection[str] | None = None, workspace: str | None = None) -> None:
    """Drop every block that tells of one of `ids`, in its text or in a change, or every one of `workspace`, or all."""
    with state.write() as db:
        rows = db.execute("SELECT rowid, shown, changes, workspace FROM snapshots WHERE text IS NOT NULL").fetchall()
        for number, shown, changes, where in rows:
            told = json.loads(changes)
            is_meant = ids is None or not set(ids).isdisjoint(
                [*json.loads(shown), *(id for _, of in told for id in of)]
            )
            if is_meant and workspace in (None, where):
                db.execute(
                    "UPDATE snapshots SET text = NULL, entries = '[]', shown = '{}', changes = ? WHERE rowid = ?",
                    (_emptied(len(told)), number),
                )
        db.execute(
            "INSERT INTO counters VALUES ('voided', 1) ON CONFLICT (name) DO UPDATE SET value = counters.value + 1"
        )
