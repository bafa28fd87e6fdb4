"""The audit: every memory looked at by itself, and beside the others that are told with it. Changes nothing."""

import re
from collections.abc import Collection, Iterator
from functools import cache

from vademecum.memory.audit import pairs
from vademecum.memory.audit.texts import Surroundings, look, named
from vademecum.memory.audit.types import Audit, Finding, FindingKind
from vademecum.memory.holdings import Holdings
from vademecum.memory.library import Entry
from vademecum.memory.types import MemoryStatus, Scope
from vademecum.work import Cancel, Progress


def audit(
    held: Holdings,
    scope: Scope | None,
    kinds: Collection[FindingKind],
    limit: int,
    cancel: Cancel,
    progress: Progress,
) -> Audit:
    """Return what is amiss with the visible memories, the gravest first.

    :param scope: only memories of this scope; pairs count when either is.
    :param kinds: only these; all when empty.
    """
    entries = [
        entry for entry in held.library().entries.values() if entry.item.record.status is not MemoryStatus.SUPERSEDED
    ]
    meant = {entry.id for entry in entries if scope in (None, entry.scope)}
    wanted = set(kinds or FindingKind)
    order = {kind: place for place, kind in enumerate(FindingKind)}
    found = [
        finding
        for finding in _findings(held, entries, meant, cancel, progress)
        if finding.kind in wanted and not meant.isdisjoint(finding.ids)
    ]
    found.sort(key=lambda finding: (order[finding.kind], finding.ids))
    return Audit(tuple(found[:limit]), len(found), len(meant))


def _findings(
    held: Holdings, entries: list[Entry], meant: Collection[str], cancel: Cancel, progress: Progress
) -> Iterator[Finding]:
    folders = held.opened().folders

    @cache
    def names() -> "re.Pattern[str] | None":
        known = []
        for folder in folders:
            known += [folder.project.root.name, str(folder.project.root)]
            if folder.place.origin:
                known += [folder.place.origin.rpartition("/")[2], folder.place.origin.partition("/")[2]]
        return named(*known)

    looked_at = [entry for entry in entries if entry.id in meant]
    # With several folders open it is not plain which one a memory would be moved to.
    has_project = len({folder.project.key for folder in folders}) == 1
    around = Surroundings(names, dict(held.recalls()), held.moment(), held.evidence(looked_at), has_project)
    for number, entry in enumerate(looked_at):
        cancel.check()
        progress(number, len(looked_at), "looking at each memory")
        yield from look(entry, around)
    progress(len(looked_at), len(looked_at), "comparing memories")
    told = [entry for entry in entries if entry.is_told and entry.item.record.content.strip()]
    seen: set[tuple[str, ...]] = set()
    # What is told together: the user's and one project's. Two projects may well say the same, or the opposite.
    for project in dict.fromkeys(entry.placed.project for entry in told):
        together = [entry for entry in told if entry.placed.project in ("", project)]
        for finding in (*pairs.copies(together, cancel), *pairs.contradictions(together, cancel)):
            if finding.ids not in seen:
                seen.add(finding.ids)
                yield finding
