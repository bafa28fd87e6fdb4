"""Moving memories between scopes, and between the private and the shared place of a project."""

from collections.abc import Mapping

from attrs import evolve

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.memory.folder_store import FolderStore
from vademecum.memory.history import Kept
from vademecum.memory.holdings import Holdings
from vademecum.memory.library import Entry
from vademecum.memory.places import Placed
from vademecum.memory.store import Item
from vademecum.memory.types import MemoryChange, MemoryStatus, Scope, StoreKind, Unset


def target_of(held: Holdings, entry: Entry, change: MemoryChange) -> Placed:
    """Return the place where the memory is to lie after the change: where it is, unless that says otherwise.

    :raises InvalidField: `place` for user scope, and as `Holdings.target`.
    :raises VademecumError: `conflict` when it waits for review, and others would see it first; `storeUnreadable` when
        the repository has no place of its own.
    """
    scope = entry.scope if isinstance(change.scope, Unset) else change.scope
    if isinstance(change.place, Unset):
        return held.target(scope) if scope is not entry.scope else entry.placed
    if scope is Scope.USER:
        raise InvalidField("place", "is for memories of a project; those of user scope are always private")
    kind = StoreKind(change.place.value)
    if kind is StoreKind.SHARED and entry.item.record.status is MemoryStatus.PENDING:
        raise VademecumError(
            ErrorKind.CONFLICT, "This memory waits for review. Accept it first; then it can be shared (memory/review)."
        )
    if entry.placed.store.kind is kind and scope is entry.scope:
        return entry.placed
    project = entry.placed.project if entry.scope is Scope.PROJECT else held.target(Scope.PROJECT).project
    return _place(held, entry, kind, project)


def origin_of(held: Holdings, entry: Entry, version: Kept) -> Placed | None:
    """Return the place that a memory lay in before it was moved, None where that is not open.

    :raises InvalidField: `workspace`, when it lay in a project and several are open.
    """
    if version.store is StoreKind.USER:
        return next((p for p in held.opened().places if not p.project and p.store.format is version.format), None)
    project = entry.placed.project or held.target(Scope.PROJECT).project  # what is kept went along with the move
    places = [placed for placed in held.opened().places if placed.project == project]
    return next((p for p in places if p.store.kind is version.store and p.store.format is version.format), None)


def move(entry: Entry, target: Placed, keys: Mapping[str, str | tuple[str, ...] | None], content: str | None) -> Item:
    """Write the memory to its new place, then remove it from the old one: a crash between leaves two, not none.

    The caller holds the locks of both and has kept the version with the reason `moved`, by which that is mended.
    """
    source, store = entry.placed.store, target.store
    if isinstance(source, FolderStore) and isinstance(store, FolderStore):
        item = store.put(entry.item.name, source.rewritten(entry.item, {"id": entry.id, **keys}, content))
    else:
        record = evolve(entry.item.record, id=entry.id)
        if content is not None:
            record = evolve(record, content=content)
        added = store.add(record)
        item = store.change(added, keys, None)
    source.remove(entry.item)
    return item


def _place(held: Holdings, entry: Entry, kind: StoreKind, project: str) -> Placed:
    places = [placed for placed in held.opened().places if placed.project == project and placed.store.kind is kind]
    if len({placed.root for placed in places}) > 1 and kind is StoreKind.SHARED:
        raise InvalidField("workspace", "must name the folder, since several working trees of the project are open")
    for placed in places:
        if placed.store.format is entry.placed.store.format:
            return placed
    raise VademecumError(
        ErrorKind.STORE_UNREADABLE,
        "This repository's .vademecum is your own memory folder, so nothing can be shared through it.",
    )
