"""The prompt blocks of running sessions, kept so that a restarted server gives the same bytes.

A block is void as soon as anything told in it was deleted, purged or lost its trust: its text is dropped at once. What
the session knows stays, as digests, so that it can be told what was removed.
"""

import hashlib
import json
from collections.abc import Collection, Mapping

from attrs import frozen

from vademecum.memory.prompt_types import PromptEntry
from vademecum.memory.state import State
from vademecum.memory.types import Scope

#: Sessions kept, the latest ones, and for how many days; a session is a conversation, and those end.
MOST_SESSIONS = 200
DAYS = 30


@frozen
class Snapshot:
    """A session's block. `shown` maps the ids told in the text to how; `known` is what the session knows."""

    text: str | None
    entries: tuple[PromptEntry, ...]
    omitted: int
    bounds: str
    shown: Mapping[str, str]
    known: Mapping[str, str]


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
                "SELECT text, entries, omitted, bounds, shown, told FROM snapshots WHERE session = ? AND workspace = ?",
                (session_key(session), self._workspace),
            ).fetchone()
        if row is None:
            return None
        entries = tuple(PromptEntry(id, Scope(scope), title) for id, scope, title in json.loads(row[1]))
        return Snapshot(row[0], entries, row[2], row[3], json.loads(row[4]), json.loads(row[5]))

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
            row = db.execute("SELECT value FROM counters WHERE name = 'voided'").fetchone()
            if (int(row[0]) if row else 0) != begun:
                return False
            row = db.execute("SELECT text FROM snapshots WHERE session = ? AND workspace = ?", mine).fetchone()
            if (row[0] if row else None) != (before.text if before else None):
                return False
            db.execute(
                "INSERT OR REPLACE INTO snapshots (session, workspace, created, bounds, text, entries, omitted, shown,"
                " told) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *mine,
                    now,
                    snapshot.bounds,
                    snapshot.text,
                    entries,
                    snapshot.omitted,
                    json.dumps(dict(snapshot.shown)),
                    json.dumps(dict(snapshot.known)),
                ),
            )
            db.execute("DELETE FROM snapshots WHERE created < ?", (oldest,))
            db.execute(
                "DELETE FROM snapshots WHERE rowid NOT IN"
                " (SELECT rowid FROM snapshots ORDER BY created DESC, rowid DESC LIMIT ?)",
                (MOST_SESSIONS,),
            )
            return True

    def learn(self, session: str, before: Mapping[str, str], after: Mapping[str, str]) -> bool:
        """Keep what the session knows by now; False when it is no longer what it was `before`."""
        with self._state.write() as db:
            changed = db.execute(
                "UPDATE snapshots SET told = ? WHERE session = ? AND workspace = ? AND told = ?",
                (json.dumps(dict(after)), session_key(session), self._workspace, json.dumps(dict(before))),
            )
            return changed.rowcount == 1


def generation(state: State) -> int:
    """Return a number that rises whenever blocks are voided."""
    with state.read() as db:
        row = db.execute("SELECT value FROM counters WHERE name = 'voided'").fetchone()
    return int(row[0]) if row else 0


def void(state: State, ids: Collection[str] | None = None, workspace: str | None = None) -> None:
    """Drop the text of every kept block that tells of one of `ids`, or of every one of `workspace`, or of all."""
    with state.write() as db:
        rows = db.execute("SELECT rowid, shown, workspace FROM snapshots WHERE text IS NOT NULL").fetchall()
        for number, shown, where in rows:
            is_meant = ids is None or not set(ids).isdisjoint(json.loads(shown))
            if is_meant and workspace in (None, where):
                db.execute("UPDATE snapshots SET text = NULL, entries = '[]', shown = '{}' WHERE rowid = ?", (number,))
        db.execute(
            "INSERT INTO counters VALUES ('voided', 1) ON CONFLICT (name) DO UPDATE SET value = counters.value + 1"
        )
