"""Prior versions of memories: kept whenever one is replaced or deleted, until it is purged."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from pathlib import PurePath
from typing import Protocol

from attrs import frozen

from vademecum.memory import alike
from vademecum.memory.json_store import item_of
from vademecum.memory.record import Record, parse
from vademecum.memory.settings import Format
from vademecum.memory.slug import printable
from vademecum.memory.state import State
from vademecum.memory.types import StoreKind, Version, VersionReason

#: Versions kept of one memory; the oldest go first.
MOST_VERSIONS = 50


@frozen
class Kept:
    """A kept version: its bytes, and where it lay. `project` is '' for user scope, `name` what its store called it."""

    number: int
    id: str
    project: str
    store: StoreKind
    format: Format
    name: str
    revision: str
    reason: VersionReason
    replaced: str
    data: bytes

    @property
    def record(self) -> Record:
        """What the version says."""
        if self.format is Format.JSON:
            return item_of(self.name, json.loads(self.data)).record
        return parse(self.data, PurePath(self.name).stem)

    @property
    def version(self) -> Version:
        """The version as it is shown."""
        record = self.record
        return Version(self.revision, record.title, record.content, self.reason, self.replaced)


class Shelf(Protocol):
    """Where a version lay, as far as it is kept: a `Store`, or what stands for one."""

    @property
    def kind(self) -> StoreKind:
        """Which of the places it is."""

    @property
    def format(self) -> Format:
        """The form of its bytes."""


def keep(
    state: State,
    store: Shelf,
    project: str,
    id: str,
    name: str,
    revision: str,
    data: bytes,
    reason: VersionReason,
    now: str,
) -> None:
    """Keep the bytes that are about to be replaced or removed. Call it first: a crash then costs nothing."""
    with state.write() as db:
        db.execute(
            "INSERT INTO versions (id, project, store, format, name, revision, reason, replaced, data)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (id, project, store.kind.value, store.format.value, printable(name), revision, reason.value, now, data),
        )
        db.execute(
            "DELETE FROM versions WHERE project = ?1 AND id = ?2 AND number NOT IN"
            " (SELECT number FROM versions WHERE project = ?1 AND id = ?2 ORDER BY number DESC LIMIT ?3)",
            (project, id, MOST_VERSIONS),
        )


def follow(state: State, id: str, before: str, after: str) -> None:
    """Let what is kept of a memory go with it to another project, so that it is nobody else's any longer."""
    if before != after:
        with state.write() as db:
            for table in ("versions", "recalls"):
                db.execute(
                    f"UPDATE OR REPLACE {table} SET project = ? WHERE id = ? AND project = ?", (after, id, before)
                )


def kept(state: State, id: str, projects: Collection[str]) -> list[Kept]:
    """Return what is kept of a memory of one of the projects ('' for user scope), newest first."""
    with state.read() as db:
        rows = db.execute("SELECT * FROM versions WHERE id = ? ORDER BY number DESC", (id,)).fetchall()
    found = [_kept(row) for row in rows]
    return [each for each in found if each.project in projects]


def kept_in(state: State, project: str) -> dict[str, list[Kept]]:
    """Return all that is kept in a project ('' for user scope) by id, oldest first."""
    with state.read() as db:
        rows = db.execute("SELECT * FROM versions WHERE project = ? ORDER BY number", (project,)).fetchall()
    found: dict[str, list[Kept]] = {}
    for each in map(_kept, rows):
        found.setdefault(each.id, []).append(each)
    return found


def moved(state: State, ids: Collection[str]) -> set[tuple[str, str]]:
    """Return the ids, with the revisions, that were to be moved from where they had them to another store."""
    with state.read() as db:
        rows = db.execute(
            "SELECT DISTINCT id, revision FROM versions WHERE reason = ?", (VersionReason.MOVED.value,)
        ).fetchall()
    return {(str(id), str(revision)) for id, revision in rows if id in ids}


def ids_in(state: State, projects: Collection[str]) -> set[str]:
    """Return the ids that anything is kept of in these projects."""
    with state.read() as db:
        rows = db.execute("SELECT DISTINCT id, project FROM versions").fetchall()
    return {str(id) for id, project in rows if project in projects}


def deleted_contents(state: State, projects: Collection[str]) -> frozenset[str]:
    """Return what the memories say that were deleted in these projects, in the form by which texts are the same."""
    with state.read() as db:
        rows = db.execute("SELECT * FROM versions WHERE reason = ?", (VersionReason.DELETED.value,)).fetchall()
    found = [_kept(row) for row in rows]
    return frozenset(alike.normal(each.record.content) for each in found if each.project in projects)


def erase(db: sqlite3.Connection, id: str, projects: Sequence[str]) -> int:
    """Erase what is kept of a memory, its recall counts included; returns how many versions there were."""
    count = 0
    for project in projects:
        count += db.execute("DELETE FROM versions WHERE id = ? AND project = ?", (id, project)).rowcount
        db.execute("DELETE FROM recalls WHERE id = ? AND project = ?", (id, project))
    db.execute("DELETE FROM recalled WHERE id = ?", (id,))
    return count


def _kept(row: Sequence[object]) -> Kept:
    number, id, project, store, form, name, revision, reason, replaced, data = row
    assert isinstance(number, int) and isinstance(data, bytes)
    return Kept(
        number,
        str(id),
        str(project),
        StoreKind(str(store)),
        Format(str(form)),
        str(name),
        str(revision),
        VersionReason(str(reason)),
        str(replaced),
        data,
    )
