"""What is amiss between memories: copies of each other, and contradictions."""

from collections.abc import Iterator, Sequence

from vademecum.memory import alike
from vademecum.memory.audit import fixes
from vademecum.memory.audit.types import Finding, FindingKind
from vademecum.memory.claims import SAME_MATTER, contradiction, is_copy, said
from vademecum.memory.library import Entry
from vademecum.memory.nearness import Nearness
from vademecum.memory.types import Origin, Provenance
from vademecum.work import Cancel

#: Memories that one is compared to.
_MOST_NEAR = 20


def copies(entries: Sequence[Entry], cancel: Cancel) -> Iterator[Finding]:
    """Yield the groups of memories of which one tells nothing that the others do not."""
    near = Nearness(alike.COPY)
    by_id = {entry.id: entry for entry in entries}
    grouped: set[str] = set()
    for entry in entries:
        near.add(entry.id, _words(entry))
    for entry in entries:
        cancel.check()
        if entry.id in grouped:
            continue
        others = [by_id[id] for id in near.near(_words(entry), _MOST_NEAR, (entry.id, *grouped))]
        group = [entry, *(other for other in others if _are_copies(entry, other))]
        if len(group) > 1:
            grouped |= {each.id for each in group}
            keep, *rest = sorted(group, key=_worth, reverse=True)
            about = f"They say the same in nearly the same words: “{keep.item.record.title}”."
            ids = tuple(each.id for each in (keep, *rest))
            yield Finding(FindingKind.NEAR_COPIES, ids, about, (fixes.merge(keep, tuple(rest)),))


def contradictions(entries: Sequence[Entry], cancel: Cancel) -> Iterator[Finding]:
    """Yield the pairs that contradict each other, once each."""
    near = Nearness(SAME_MATTER)
    by_id = {entry.id: entry for entry in entries}
    matters = {entry.id: said(entry.item.record.content).matter for entry in entries}
    for entry in entries:
        near.add(entry.id, matters[entry.id])
    for entry in entries:
        cancel.check()
        for id in near.near(matters[entry.id], _MOST_NEAR, (entry.id,)):
            other = by_id[id]
            if entry.id < id and (why := contradiction(entry.item.record.content, other.item.record.content)):
                newer, older = sorted((entry, other), key=lambda each: (each.updated, each.id), reverse=True)
                about = f"“{newer.item.record.title}” and “{older.item.record.title}” {why}."
                ways = (
                    fixes.delete(older, f"Keep the newer one ({newer.id}) and delete the other"),
                    fixes.delete(newer, f"Keep the older one ({older.id}) and delete the other"),
                )
                yield Finding(FindingKind.CONTRADICTION, (newer.id, older.id), about, ways)


def _are_copies(one: Entry, other: Entry) -> bool:
    return is_copy(one.item.record.content, other.item.record.content)


def _worth(entry: Entry) -> tuple[bool, bool, bool, int, str]:
    """What makes one copy the better one to keep."""
    record = entry.item.record
    is_asked_for = record.provenance is Provenance.MANUAL
    return entry.origin is Origin.USER, record.pinned, is_asked_for, len(record.content), entry.updated


def _words(entry: Entry) -> frozenset[str]:
    """The words of what it says; a note's title is its own first sentence, and another title may be any."""
    return alike.words(entry.item.record.content)
