"""Adding, changing and deleting memories. Every function takes the locks of the stores it writes to, looks at the
files again under them, keeps what it replaces, and returns once the new bytes are durable."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from attrs import evolve

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files import durable
from vademecum.memory import alike, checks, folder_store, history, moving, snapshots
from vademecum.memory.claims import SAME_MATTER, contradiction, said
from vademecum.memory.holdings import Holdings
from vademecum.memory.library import Entry, Library, new_id
from vademecum.memory.lock import hold
from vademecum.memory.lookup import Lookup
from vademecum.memory.places import Placed
from vademecum.memory.record import Record, keys_of
from vademecum.memory.settings import Format
from vademecum.memory.store import Item
from vademecum.memory.types import (
    UNSET,
    Added,
    Memory,
    MemoryChange,
    MemoryStatus,
    NewMemory,
    Origin,
    Provenance,
    Scope,
    StoreKind,
    Unset,
    VersionReason,
)

#: How many similar memories a new one is compared to by name.
_SIMILAR = 5

#: What rounding may add to a product.
_EXACT = 1e-9


def add(
    held: Holdings,
    new: NewMemory,
    provenance: Provenance = Provenance.MANUAL,
    status: MemoryStatus = MemoryStatus.ACTIVE,
) -> Added:
    """Store a new memory.

    :raises InvalidField: naming what cannot be stored.
    :raises VademecumError: `secret`, `duplicate` (with the id), `notFound` for what it supersedes, `invalidReference`,
        `storeUnreadable`, `busy`.
    """
    now = held.now()
    target = held.target(new.scope)
    if status is MemoryStatus.PENDING:
        target = waiting_place(held, target)
    record = Record(
        id=None,
        title=checks.title(new.title),
        content=checks.content(new.content),
        category=new.category,
        type=checks.type_label(new.type, new.scope),
        description=checks.description(new.description),
        keywords=checks.keywords(new.keywords),
        evidence=_settled(held, new.evidence, target),
        pinned=new.pinned,
        provenance=provenance,
        status=status,
        created=now,
        updated=now,
        supersedes=new.supersedes or "",
    )
    # A label loses its case, by which some secrets are known, so it is looked at as it came.
    checks.no_secrets_in(evolve(record, type=new.type or ""))
    old = held.find(new.supersedes) if new.supersedes else None
    with settled(held, target, *([old.placed] if old else [])) as library:
        old = held.find(new.supersedes, library) if new.supersedes else None
        _refuse_double(library, target, record.content, besides=old.id if old else None)
        if old is not None and old.item.record.problem:
            raise VademecumError(
                ErrorKind.STORE_UNREADABLE,
                f"The memory to be superseded cannot be marked so: {old.item.record.problem}. Mend its file by hand.",
            )
        id = new_id()
        while id in library.entries or id in library.withheld:
            id = new_id()
        item = target.store.add(evolve(record, id=id))
        own(held, target, item.digest)
        if old is not None and status is not MemoryStatus.PENDING:  # one that waits replaces it when it is accepted
            retire(held, old, now)
    entry = Entry(id, item, target, Origin.USER)
    near, against = similar(held.lookup, library, entry, besides=old.id if old else None)
    return Added(held.memory(entry), near, against)


def update(held: Holdings, id: str, change: MemoryChange) -> Memory:
    """Change fields of a memory, moving it when its scope or place changes; the prior version is kept.

    :raises InvalidField: naming what cannot be stored.
    :raises VademecumError: `notFound`, `untrusted`, `conflict` (with the current revision), `duplicate`, `secret`,
        `invalidReference`, `storeUnreadable`, `busy`.
    """
    entry = held.find(id)
    source, target = entry.placed, moving.target_of(held, entry, change)
    keys, content = _wanted(held, change, entry, target)
    with settled(held, entry.placed, target) as library:
        entry = held.find(id, library)
        if entry.placed.store.path != source.store.path:
            raise _conflict(entry)
        _must_be(entry, change.revision)
        record = entry.item.record
        old = keys_of(record)
        keys = {key: value for key, value in keys.items() if value != old.get(key)}
        content = None if content == record.content else content
        is_move = target.store.path != entry.placed.store.path
        if not keys and content is None and not is_move:
            return held.memory(entry)
        if content is not None or is_move:
            _refuse_double(library, target, record.content if content is None else content, besides=id)
        keys |= {"updated": held.now()} | ({"id": id} if record.id != id else {})
        is_own = entry.origin is Origin.USER or _is_all_new(change, record)
        if record.foreign and is_own:
            keys["origin"] = None
        elif not is_own and target.store.kind is not StoreKind.SHARED:
            keys["origin"] = Origin.REPOSITORY.value  # a stranger's text does not become the user's by being moved
        _keep(held, entry, VersionReason.MOVED if is_move else VersionReason.UPDATED)
        item = moving.move(entry, target, keys, content) if is_move else target.store.change(entry.item, keys, content)
        history.follow(held.state, id, entry.placed.project, target.project)
        if is_own:
            own(held, target, item.digest)
    return held.memory(Entry(id, item, target, Origin.USER if is_own else Origin.REPOSITORY))


def accept(held: Holdings, id: str) -> Memory:
    """Make a memory that waits for review an active one that this user asked for."""
    entry = held.find(id)
    target = _accepted_place(held, entry)
    with settled(held, entry.placed, target) as library:
        entry = held.find(id, library)
        is_move = target.store.path != entry.placed.store.path
        _keep(held, entry, VersionReason.MOVED if is_move else VersionReason.UPDATED)
        keys: dict[str, str | tuple[str, ...] | None] = {"id": id, "status": None, "provenance": "manual"}
        keys |= {"origin": None, "updated": held.now()}
        item = moving.move(entry, target, keys, None) if is_move else target.store.change(entry.item, keys, None)
        own(held, target, item.digest)
    return held.memory(Entry(id, item, target, Origin.USER))


def _must_be(entry: Entry, revision: str | None) -> None:
    """What somebody decided about a memory that they read is not done to another text of it."""
    if revision is not None and revision.lower() != entry.item.revision:
        raise _conflict(entry)


def _conflict(entry: Entry) -> VademecumError:
    return VademecumError(
        ErrorKind.CONFLICT,
        "The memory was changed since it was read. Read it again and decide anew.",
        revision=entry.item.revision,
    )


def delete(held: Holdings, id: str, revision: str | None = None) -> None:
    """Delete a memory; its last version is kept until it is purged.

    :param revision: that of the memory which is meant, where it was read before.
    :raises VademecumError: `notFound`, `untrusted`, `conflict` (with the current revision), `storeUnreadable`, `busy`.
    """
    with settled(held, held.find(id).placed) as library:
        entry = held.find(id, library)
        _must_be(entry, revision)
        _keep(held, entry, VersionReason.DELETED)
        sweep(entry.placed)
        entry.placed.store.remove(entry.item)
        snapshots.void(held.state, {id})


def clear(held: Holdings, scopes: tuple[Scope, ...]) -> int:
    """Delete every memory of the scopes and return how many there were; each is kept until it is purged."""
    places = [placed for placed in held.opened().places if placed.store.scope in scopes]
    removed = set()
    with settled(held, *places) as library:
        sweep(*places)
        for entry in from_the_end(library, scopes):
            _keep(held, entry, VersionReason.DELETED)
            entry.placed.store.remove(entry.item)
            removed.add(entry.id)
        snapshots.void(held.state, removed)
    return len(removed)


def sweep(*places: Placed) -> None:
    """Remove what writers that died left of their texts in the places. The caller holds their locks."""
    for folder in {placed.store.path if placed.store.path.is_dir() else placed.store.path.parent for placed in places}:
        with folder_store.writing(folder.name):
            durable.sweep(folder)


def retire(held: Holdings, entry: Entry, now: str) -> Item:
    """Mark a memory as superseded; its text stays in its history. The caller holds the lock."""
    _keep(held, entry, VersionReason.SUPERSEDED)
    item = entry.placed.store.change(
        entry.item, {"id": entry.id, "status": MemoryStatus.SUPERSEDED.value, "updated": now}, None
    )
    if entry.origin is Origin.USER:
        own(held, entry.placed, item.digest)
    return item


def similar(
    lookup: Lookup, library: Library, entry: Entry, besides: str | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of visible memories that come close to this one, closest first, and those that it contradicts.

    Close is what shares many words with it, all told or below the title, or is about the same with other values.
    """
    content = entry.item.record.content
    whole, below, matter = _words(entry), alike.words(content), said(content).matter
    others = {
        id: other.item
        for id, other in library.entries.items()
        if id not in (entry.id, besides) and other.item.record.status is not MemoryStatus.SUPERSEDED
    }
    # What shares a part of all words holds at least that part of these; there may be thousands that do not. Values that
    # count as one (any number, any day) are in no text, and so are taken for met.
    demands = [(words, math.ceil(alike.SIMILAR * len(words) - _EXACT)) for words in (whole, below) if words]
    if matter:
        demands.append((matter & below, math.ceil(alike.SIMILAR * len(matter) - _EXACT) - len(matter - below)))
    found: list[tuple[float, str]] = []
    against: list[str] = []
    for id in lookup.holding(demands, others):
        other = library.entries[id]
        record = other.item.record
        about = alike.share(matter, said(record.content).matter)
        share = max(alike.share(whole, _words(other)), alike.share(below, alike.words(record.content)), about)
        if share >= alike.SIMILAR:
            found.append((-share, other.id))
            if about >= SAME_MATTER and contradiction(content, record.content):
                against.append(other.id)
    return tuple(id for _, id in sorted(found)[:_SIMILAR]), tuple(sorted(against)[:_SIMILAR])


def known(library: Library, content: str, scopes: tuple[Scope, ...], places: tuple[Placed, ...]) -> Entry | None:
    """Return the memory of one of the scopes that says the same, superseded ones aside."""
    projects = {placed.project for placed in places}
    wanted = alike.normal(content)
    for entry in library.entries.values():
        record = entry.item.record
        if (
            entry.scope in scopes
            and entry.placed.project in projects
            and record.status is not MemoryStatus.SUPERSEDED
            and alike.normal(record.content) == wanted
        ):
            return entry
    return None


def from_the_end(library: Library, scopes: tuple[Scope, ...]) -> Iterator[Entry]:
    """Yield the memories of the scopes such that removing one leaves the place in its file of the next untouched."""
    yield from _last_first([entry for entry in library.entries.values() if entry.scope in scopes])


def _last_first(entries: Sequence[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: -int(entry.item.name) if entry.placed.store.format is Format.JSON else 0)


def _words(entry: Entry) -> frozenset[str]:
    return alike.words(f"{entry.item.record.title} {entry.item.record.content}")


@contextmanager
def settled(held: Holdings, *places: Placed) -> Iterator[Library]:
    """Hold the locks of the places and give the library; moves that a crash cut short are finished first.

    Else what such a move left behind would come back once the memory is deleted where it went.
    """
    left = [entry.placed for entry in held.library().left]
    with hold(held.places.home, *(placed.store.path for placed in (*places, *left))):
        library = held.library()
        for entry in _last_first(library.left):
            if entry.placed in left:
                entry.placed.store.remove(entry.item)
                there = library.entries[entry.id].placed
                history.follow(held.state, entry.id, entry.placed.project, there.project)
        yield held.library() if library.left else library
        for placed in places:
            held.contents.write(placed)


def _keep(held: Holdings, entry: Entry, reason: VersionReason) -> None:
    store, item = entry.placed.store, entry.item
    data = store.read(item)
    history.keep(held.state, store, entry.placed.project, entry.id, item.name, item.revision, data, reason, held.now())


def own(held: Holdings, placed: Placed, *digests: str) -> None:
    """Note that this user wrote these bytes, so that they do not count as a stranger's when they are read again."""
    if placed.store.kind is StoreKind.SHARED and digests:
        with held.state.write() as db:
            db.executemany("INSERT OR IGNORE INTO own VALUES (?, ?)", [(placed.project, each) for each in digests])


def waiting_place(held: Holdings, target: Placed) -> Placed:
    """Where a memory for that place waits for review: never in a repository, where others may see it first."""
    if target.store.kind is not StoreKind.SHARED:
        return target
    private = (
        placed
        for placed in held.opened().places
        if placed.project == target.project
        and placed.store.kind is StoreKind.PRIVATE
        and placed.store.format is target.store.format
    )
    return next(private, target)


def _accepted_place(held: Holdings, entry: Entry) -> Placed:
    """Where a memory that waited belongs: in the repository, if that is where new ones go and it was captured."""
    if entry.placed.store.kind is not StoreKind.PRIVATE or entry.item.record.provenance is not Provenance.AUTO:
        return entry.placed
    try:
        target = held.target(entry.scope)
    except InvalidField:  # several folders are open; it stays where it is
        return entry.placed
    is_shared = target.store.kind is StoreKind.SHARED and target.project == entry.placed.project
    return target if is_shared else entry.placed


def _wanted(
    held: Holdings, change: MemoryChange, entry: Entry, target: Placed
) -> tuple[dict[str, str | tuple[str, ...] | None], str | None]:
    """Return the keys that the change asks for, checked, and the content or None."""
    keys: dict[str, str | tuple[str, ...] | None] = {}
    if change.title is not UNSET:
        keys["title"] = checks.title(change.title)
    if change.category is not UNSET:
        keys["category"] = change.category.value
    if change.type is not UNSET:
        keys["type"] = checks.type_label(change.type, entry.scope if change.scope is UNSET else change.scope)
    if change.description is not UNSET:
        keys["description"] = checks.description(change.description) or None
    if change.keywords is not UNSET:
        keys["keywords"] = checks.keywords(change.keywords) or None
    if change.evidence is not UNSET:
        # What the memory carries already may stay as it is, true or not: only new evidence has to hold.
        keys["evidence"] = _settled(held, change.evidence, target, entry.item.record.evidence) or None
    if change.pinned is not UNSET:
        keys["pinned"] = "true" if change.pinned else None
    content = None if change.content is UNSET else checks.content(change.content)
    texts = {key: value for key, value in keys.items() if value is not None and key != "evidence"}
    if change.type is not UNSET:
        texts["type"] = change.type or ""
    checks.no_secrets(**texts, **({} if content is None else {"content": content}))
    return keys, content


def _settled(held: Holdings, given: Sequence[str], target: Placed, known: tuple[str, ...] = ()) -> tuple[str, ...]:
    return held.grounds.settled(given, held.folders_of(target) if given else (), known)


def _is_all_new(change: MemoryChange, record: Record) -> bool:
    """Whether every text that is told of the memory now comes from the caller, so that it is no stranger's any more."""
    given = (change.title, change.content, change.description if record.description else "")
    return not any(isinstance(text, Unset) for text in given)


def _what_to_do(same: Entry) -> str:
    if same.item.record.status is MemoryStatus.PENDING:
        return ", and waits for review. Accept it (memory/review) instead."
    return ". Update it instead."


def _refuse_double(library: Library, target: Placed, content: str, besides: str | None) -> None:
    same = known(library, content, (target.store.scope,), (target,))
    if same is not None and same.id != besides:
        raise VademecumError(
            ErrorKind.DUPLICATE,
            f"Memory {same.id} says the same already{_what_to_do(same)}",
            id=same.id,
        )
