"""Bringing back what was replaced or deleted, and removing for good."""

from attrs import evolve

from vademecum.errors import ErrorKind, VademecumError
from vademecum.memory import history, moving, snapshots
from vademecum.memory.history import Kept
from vademecum.memory.holdings import Holdings
from vademecum.memory.library import Entry
from vademecum.memory.places import Placed, is_written
from vademecum.memory.record import keys_of
from vademecum.memory.settings import Format
from vademecum.memory.store import Item
from vademecum.memory.types import Memory, Origin, Purged, Scope, StoreKind, Version, VersionReason
from vademecum.memory.writing import from_the_end, known, settled, sweep


def versions(held: Holdings, id: str) -> tuple[Version, ...]:
    """Return the prior versions of a memory, newest first; of a deleted one too.

    :raises VademecumError: `notFound` when there neither is nor was such a memory here, `untrusted`.
    """
    kept = history.kept(held.state, id, held.projects())
    current = None if kept and id not in held.library().entries else held.find(id).item.revision
    # A crash between keeping a version and replacing it leaves one that still is the current one.
    return tuple(each.version for each in kept if each.revision != current)


def restore(held: Holdings, id: str, revision: str | None) -> Memory:
    """Bring back a prior version (the newest when None), or a deleted memory; what it replaces is kept.

    A version that was moved away goes back to where it lay.

    :raises VademecumError: `notFound`, `untrusted`, `duplicate` when another memory says the same by now,
        `storeUnreadable`, `busy`.
    """
    places = held.opened().places
    with settled(held, *places) as library:
        entry = library.entries.get(id) or (held.find(id, library) if id in library.withheld else None)
        kept = history.kept(held.state, id, held.projects())
        if entry and entry.item.record.id is None and kept and kept[0].reason is VersionReason.DELETED:
            entry = None  # a new file that took the name of the deleted one, and with it the id derived from it
        version = _pick(held, id, revision, entry)
        target = entry.placed if entry else _place_of(held, version)
        if entry and version.reason is VersionReason.MOVED:
            target = moving.origin_of(held, entry, version) or target
        content = version.record.content
        same = known(library, content, (target.store.scope,), (target,))
        if same is not None and same.id != id:
            raise VademecumError(
                ErrorKind.DUPLICATE, f"Memory {same.id} says the same already; nothing was restored.", id=same.id
            )
        is_move = entry is not None and target.store.path != entry.placed.store.path
        item = _move_back(held, version, entry, target) if entry and is_move else _put(held, version, entry, target)
        if entry and entry.origin is Origin.REPOSITORY and target.store.kind is not StoreKind.SHARED:
            # A stranger's text does not become the user's by being restored where it is not seen to be one.
            item = target.store.change(item, {"origin": Origin.REPOSITORY.value}, None)
        if target.store.kind is StoreKind.SHARED and (entry is None or entry.origin is Origin.USER):
            with held.state.write() as db:
                db.execute("INSERT OR IGNORE INTO own VALUES (?, ?)", (target.project, item.digest))
        return held.memory(held.find(id))


def purge(held: Holdings, id: str) -> Purged:
    """Remove a memory for good: its file or item, every prior version, every kept prompt block that tells of it.

    :raises VademecumError: `notFound`, `untrusted`, `storeUnreadable`, `busy`.
    """
    places = held.opened().places
    with settled(held, *places) as library:
        entry = library.entries.get(id)
        if entry is None and not history.kept(held.state, id, held.projects()):
            held.state.scrub()  # an earlier purge may have been kept from its end by a program that was reading
            held.find(id, library)
        return _erase(held, [entry] if entry else [], {id}, held.projects())


def purge_scopes(held: Holdings, scopes: tuple[Scope, ...]) -> Purged:
    """Remove all memories of the scopes for good, the deleted ones too."""
    places = [placed for placed in held.opened().places if placed.store.scope in scopes]
    projects = tuple({placed.project for placed in places})
    with settled(held, *places) as library:
        entries = list(from_the_end(library, scopes))
        ids = {entry.id for entry in entries} | history.ids_in(held.state, projects)
        return _erase(held, entries, ids, projects)


def _erase(held: Holdings, entries: list[Entry], ids: set[str], projects: tuple[str, ...]) -> Purged:
    for entry in entries:
        entry.placed.store.remove(entry.item)
    sweep(*held.opened().places)
    with held.state.write() as db:
        count = sum(history.erase(db, id, projects) for id in ids)
    snapshots.void(held.state, ids)
    held.lookup.forget()
    held.candidates.forget()
    held.state.scrub()
    return Purged(tuple(sorted(ids)), count)


def _pick(held: Holdings, id: str, revision: str | None, entry: Entry | None) -> Kept:
    kept = history.kept(held.state, id, held.projects())
    if entry is None and not kept:
        held.find(id)  # says why not
    for each in kept:
        wanted = revision.lower() if revision else each.revision
        if each.revision == wanted and (entry is None or each.revision != entry.item.revision or revision):
            return each
    raise VademecumError(ErrorKind.NOT_FOUND, "There is no such version of this memory. Ask for its history.")


def _place_of(held: Holdings, version: Kept) -> Placed:
    """The store that a deleted memory lay in, or the one that new ones of its scope go to now."""
    mine = [placed for placed in held.opened().places if placed.project == version.project]
    for placed in mine:
        if placed.store.kind is version.store and placed.store.format is version.format:
            return placed
    return next((placed for placed in mine if is_written(placed, held.settings)), mine[0])


def _move_back(held: Holdings, version: Kept, entry: Entry, target: Placed) -> Item:
    """Put the version where it lay and remove the memory from where it is; a crash between leaves two, not none."""
    store, item = entry.placed.store, entry.item
    data = store.read(item)
    reason = VersionReason.MOVED
    history.keep(held.state, store, entry.placed.project, entry.id, item.name, item.revision, data, reason, held.now())
    back = _put(held, version, None, target)
    store.remove(item)
    history.follow(held.state, entry.id, entry.placed.project, target.project)
    return back


def _put(held: Holdings, version: Kept, entry: Entry | None, target: Placed) -> Item:
    store = target.store
    is_same_form = store.format is version.format
    if entry is None:
        if is_same_form:
            item = store.put(version.name, version.data)
            # Its id may have come from its name, and that is another file's by now.
            renamed = item.record.id is None and item.name != version.name and store.format is Format.MARKDOWN
            return store.change(item, {"id": version.id}, None) if renamed else item
        return store.add(evolve(version.record, id=version.id))
    data = store.read(entry.item)
    history.keep(
        held.state,
        store,
        target.project,
        entry.id,
        entry.item.name,
        entry.item.revision,
        data,
        VersionReason.RESTORED,
        held.now(),
    )
    if is_same_form:
        return store.put(entry.item.name, version.data, over=entry.item)
    return store.change(entry.item, {**keys_of(version.record), "id": entry.id}, version.record.content)
