"""How memory is: what lies where, what is withheld, what could not be read, what a person should look at."""

from collections import Counter

from vademecum.memory.charters import outgrown
from vademecum.memory.holdings import Holdings
from vademecum.memory.places import is_written
from vademecum.memory.repository import kind_of
from vademecum.memory.settings import Format
from vademecum.memory.slug import printable
from vademecum.memory.telling import read_charters
from vademecum.memory.types import MemoryStatus, Scope, Status, StoreStatus


def examine(held: Holdings) -> Status:
    """Return the status. Raises `storeUnreadable` or `busy` when the state database cannot be used."""
    library = held.library()
    held.recalls()  # raises when the state database cannot be used
    opened = held.opened()
    counts: Counter[MemoryStatus] = Counter()
    per_store: Counter[str] = Counter()
    for entry in (*library.entries.values(), *library.withheld.values()):
        per_store[str(entry.placed.store.path)] += 1
    evidence = held.evidence(library.entries.values())
    for entry in library.entries.values():
        counts[held.status_of(entry, evidence[entry.id])] += 1
    single = len({folder.project.key for folder in opened.folders}) == 1
    stores = []
    for placed in opened.places:
        store = placed.store
        exists = kind_of(store.path) != 0
        writes = is_written(placed, held.settings) and (store.scope is Scope.USER or single)
        if exists or writes or store.format is Format.MARKDOWN:
            stores.append(
                StoreStatus(
                    store.kind, store.scope, printable(str(store.path)), exists, per_store[str(store.path)], writes
                )
            )
    charters, flaws = read_charters(held)
    unreadable = (*library.unreadable, *flaws)
    advice = []
    if (left := len(unreadable)) == 1:
        advice.append("1 file or item could not be read in full and was left alone; mend it.")
    elif left:
        advice.append(f"{left} files or items could not be read in full and were left alone; mend them.")
    if withheld := len(library.withheld):
        came = "1 memory came" if withheld == 1 else f"{withheld} memories came"
        are = "is" if withheld == 1 else "are"
        advice.append(f"{came} with this repository and {are} not used, since it is not trusted.")
    if stale := counts[MemoryStatus.STALE]:
        advice.append(
            f"{stale} {'memory rests' if stale == 1 else 'memories rest'} on lines of code that are no longer what they"
            " were; look whether they are still true (list those of status stale)."
        )
    if too_long := outgrown(charters, held.settings.charter_characters):
        advice.append(too_long)
    if held.state.moved_aside is not None:
        advice.append(f"The state database was damaged and was moved aside to {held.state.moved_aside.name}.")
    total = sum(counts.values())
    return Status(
        enabled=True,
        message=f"{total:,} {'memory' if total == 1 else 'memories'}.",
        stores=tuple(stores),
        counts=tuple((status, counts[status]) for status in MemoryStatus if counts[status]),
        withheld=len(library.withheld),
        trust=opened.folders[0].trust if len(opened.folders) == 1 else None,
        unreadable=unreadable,
        health=tuple(advice),
    )
