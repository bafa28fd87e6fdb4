"""Review: what the user says to a memory that was captured and waits."""

from vademecum.errors import ErrorKind, VademecumError
from vademecum.memory import writing
from vademecum.memory.holdings import Holdings
from vademecum.memory.types import Memory, MemoryStatus


def accept(held: Holdings, id: str) -> Memory:
    """Make a pending memory an active one that this user asked for, and retire the one that it replaces.

    :raises VademecumError: `notFound`; `conflict` when it waits for no review; `untrusted`, `storeUnreadable`, `busy`.
    """
    replaced = _pending(held, id)
    memory = writing.accept(held, id)
    library = held.library()
    if replaced in library.entries:
        with writing.settled(held, library.entries[replaced].placed) as settled:
            old = settled.entries.get(replaced)
            if old is not None and old.item.record.status is MemoryStatus.ACTIVE and not old.item.record.problem:
                writing.retire(held, old, held.now())
    return memory


def reject(held: Holdings, id: str) -> None:
    """Delete a pending memory; what it says is not captured again. `restore` brings it back until it is purged.

    :raises VademecumError: as `accept`.
    """
    _pending(held, id)
    writing.delete(held, id)


def _pending(held: Holdings, id: str) -> str:
    """Return the id that the pending memory is to replace, or nothing."""
    record = held.find(id).item.record
    if record.status is not MemoryStatus.PENDING:
        raise VademecumError(
            ErrorKind.CONFLICT,
            "This memory waits for no review. Update or delete it instead.",
            status=record.status.value,
        )
    return record.supersedes
