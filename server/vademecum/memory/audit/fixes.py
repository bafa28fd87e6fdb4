"""The fixes of findings, each made of requests that anybody can send."""

from typing import Any

from vademecum.memory.audit.types import Add, Delete, Fix, FixAction, Purge, Update
from vademecum.memory.library import Entry
from vademecum.memory.types import MemoryChange, NewMemory, Scope, Type


def change(entry: Entry, action: FixAction, title: str, **fields: Any) -> Fix:
    """Change fields of a memory as it is now."""
    wanted = MemoryChange(revision=entry.item.revision, **fields)
    return Fix(action, title, (Update(entry.id, wanted),))


def move(entry: Entry, scope: Scope) -> Fix:
    """Move a memory to the other scope; a type that says no more than the scope goes along."""
    where = "to this project" if scope is Scope.PROJECT else "to your own memories"
    before, after = (Type.USER, Type.PROJECT) if scope is Scope.PROJECT else (Type.PROJECT, Type.USER)
    fields = {"type": after.value} if entry.item.record.type.casefold() == before else {}
    return change(entry, FixAction.MOVE, f"Move it {where}", scope=scope, **fields)


def delete(entry: Entry, title: str = "Delete it") -> Fix:
    """Delete a memory; it can be restored."""
    return Fix(FixAction.DELETE, title, (Delete(entry.id),))


def purge(entry: Entry) -> Fix:
    """Remove a memory for good."""
    return Fix(FixAction.PURGE, "Remove it for good, with its prior versions", (Purge(entry.id),))


def replace(entry: Entry, new: NewMemory) -> Fix:
    """Add a memory anew, then remove the old one for good. In this order, so that nothing is lost between."""
    title = "Add it anew without the secret, and remove the old one for good"
    return Fix(FixAction.REPLACE, title, (Add(new), Purge(entry.id)))


def merge(keep: Entry, others: tuple[Entry, ...]) -> Fix:
    """Keep one of several with the keywords and the pin of the others, and delete those."""
    record = keep.item.record
    words = {word.casefold(): word for each in (keep, *others) for word in each.item.record.keywords}
    fields: dict[str, Any] = {}
    if len(words) > len({word.casefold() for word in record.keywords}):
        fields["keywords"] = tuple(words.values())[:32]
    if not record.pinned and any(other.item.record.pinned for other in others):
        fields["pinned"] = True
    first = (Update(keep.id, MemoryChange(revision=keep.item.revision, **fields)),) if fields else ()
    deletes = tuple(Delete(other.id) for other in others)
    what = "the other" if len(others) == 1 else f"the {len(others)} others"
    return Fix(FixAction.MERGE, f"Keep “{record.title}” ({keep.id}) and delete {what}", (*first, *deletes))
