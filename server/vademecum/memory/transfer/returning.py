"""Writing what of an archive is to return: files, prior versions, counts, charters."""

import sqlite3
from collections.abc import Callable, Sequence

from attrs import evolve, frozen

from vademecum.memory import chartering, history
from vademecum.memory.access import Corner
from vademecum.memory.contents import FILE_NAME
from vademecum.memory.holdings import Holdings
from vademecum.memory.places import Placed
from vademecum.memory.registry import adopt
from vademecum.memory.slug import printable
from vademecum.memory.transfer import chartered
from vademecum.memory.transfer.archive import ArchivedCharter, ArchivedMemory, ArchivedVersion
from vademecum.memory.transfer.shelves import Shelf, digest
from vademecum.memory.transfer.types import ImportAction, ImportedItem
from vademecum.memory.types import StoreKind
from vademecum.memory.writing import own, settled
from vademecum.work import Progress

#: Memories that are written under one lock.
_BATCH = 250


@frozen
class Returning:
    """A memory whose versions and counts return, and (`placed`, with an item that is to be added) its file.

    :param place: its item's place in the plan; None for a deleted one.
    """

    memory: ArchivedMemory
    place: int | None
    placed: Placed | None


@frozen
class Plan:
    """What is to be done about a part of an archive; `charters` with their item's place and the folder to write to."""

    shelf: Shelf
    items: tuple[ImportedItem, ...]
    memories: tuple[Returning, ...]
    charters: tuple[tuple[int | None, ArchivedCharter, Corner | None], ...]
    versions: int = 0
    ids: tuple[str, ...] = ()


def counted(held: Holdings, plan: Plan) -> Plan:
    """Return the plan with the number of versions that are not here yet."""
    here = {
        (id, each.revision, each.reason.value, each.replaced)
        for id, kept in history.kept_in(held.state, plan.shelf.project).items()
        for each in kept
    }
    coming = [(returning.memory.id, each) for returning in plan.memories for each in returning.memory.versions]
    coming += [(chartering.ID, each) for _, charter, _ in plan.charters for each in charter.versions]
    new = {(id, each.revision, each.reason.value, each.replaced) for id, each in coming} - here
    return evolve(plan, versions=len(new))


def carry_out(held: Holdings, plan: Plan, progress: Progress) -> Plan:
    """Write what the plan says, and return it with what became of it.

    :raises VademecumError: `storeUnreadable`, `busy`. What was written before stays.
    """
    if plan.shelf.adopted is not None:
        adopt(held.state, plan.shelf.adopted, held.now())
    items = list(plan.items)
    new = [
        each
        for each in plan.memories
        if each.place is not None and each.placed is not None and items[each.place].action is ImportAction.ADD
    ]
    # Somebody's own MEMORY.md goes before a table of contents takes its name.
    new.sort(key=lambda each: each.memory.piece is None or each.memory.piece.name != FILE_NAME)
    stored: dict[int, tuple[str, str]] = {}
    for begin in range(0, len(new), _BATCH):
        batch = new[begin : begin + _BATCH]

        def done(count: int, begun: int = begin) -> None:
            progress(begun + count, len(new), "writing")

        with settled(held, *plan.shelf.places):
            for placed in plan.shelf.places:
                mine = [each for each in batch if each.placed is placed]
                stored |= _put(placed, mine, done)
    _mark_own(held, plan)
    entries = plan.shelf.entries(held)
    for place, name in stored.items():
        items[place] = evolve(items[place], id=entries[name].id if name in entries else None)
    with held.state.write() as db:
        added = sum(_keep(db, plan.shelf, each, items) for each in plan.memories)
        for _, charter, _ in plan.charters:
            added += _versions(db, plan.shelf.project, chartering.ID, charter.versions)
    with settled(held, *plan.shelf.places):
        for at, charter, corner in plan.charters:
            action = None if at is None else items[at].action
            if corner is not None and action is ImportAction.ADD:
                chartered.put(charter, corner)
            if action in (ImportAction.ADD, ImportAction.SAME):
                chartered.mark_own(held, plan.shelf, charter)
    ids = tuple(str(items[place].id) for place in sorted(stored))
    return evolve(plan, items=tuple(items), versions=added, ids=ids)


def _put(placed: Placed, mine: Sequence[Returning], done: Callable[[int], None]) -> dict[int, tuple[str, str]]:
    """Write files, and return by their items' places what finds them again."""
    pieces = [(each.memory.piece.name, each.memory.piece.data) for each in mine if each.memory.piece is not None]
    items = placed.store.put_all(pieces, done)
    return {
        each.place: (str(placed.store.path), item.name)
        for each, item in zip(mine, items, strict=True)
        if each.place is not None
    }


def _mark_own(held: Holdings, plan: Plan) -> None:
    for placed in plan.shelf.places:
        if placed.store.kind is StoreKind.SHARED:
            pieces = [each.memory.piece for each in plan.memories if each.placed is placed and each.memory.own]
            own(held, placed, *(digest(piece) for piece in pieces if piece is not None))


def _keep(db: sqlite3.Connection, shelf: Shelf, returning: Returning, items: Sequence[ImportedItem]) -> int:
    """Keep versions and counts of a memory under the id that it has here; returns how many versions were new."""
    memory = returning.memory
    id = memory.id if returning.place is None else items[returning.place].id or memory.id
    if memory.recall_count and memory.last_recalled_at:
        db.execute(
            "INSERT INTO recalls (project, id, count, last) VALUES (?, ?, ?, ?) ON CONFLICT (project, id) DO UPDATE"
            " SET count = MAX(recalls.count, excluded.count), last = MAX(recalls.last, excluded.last)",
            (shelf.project, id, memory.recall_count, memory.last_recalled_at),
        )
    return _versions(db, shelf.project, id, memory.versions)


def _versions(db: sqlite3.Connection, project: str, id: str, versions: Sequence[ArchivedVersion]) -> int:
    return sum(_version(db, project, id, version) for version in versions)


def _version(db: sqlite3.Connection, project: str, id: str, version: ArchivedVersion) -> int:
    named = (project, id, version.revision, version.reason.value, version.replaced)
    there = db.execute(
        "SELECT 1 FROM versions WHERE project = ? AND id = ? AND revision = ? AND reason = ? AND replaced = ?", named
    ).fetchone()
    if there is not None:
        return 0
    piece = version.piece
    db.execute(
        "INSERT INTO versions (id, project, store, format, name, revision, reason, replaced, data)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            id,
            project,
            piece.store.value,
            piece.format.value,
            printable(piece.name),
            version.revision,
            version.reason.value,
            version.replaced,
            piece.data,
        ),
    )
    return 1
