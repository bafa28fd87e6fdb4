"""Bringing an archive back: every file byte for byte where it lay, its versions and counts beside it.

Nothing that is here is overwritten. What is here already stays as it is, and what is here and says something else is
told, so that restoring twice, or into a home that was used meanwhile, loses nothing.
"""

from collections.abc import Callable, Iterator, Mapping

from attrs import evolve, field, frozen

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.memory import alike
from vademecum.memory.access import LARGEST_FILE
from vademecum.memory.holdings import Holdings
from vademecum.memory.library import Library
from vademecum.memory.places import Placed
from vademecum.memory.record import NotText
from vademecum.memory.transfer import archive, chartered, returning
from vademecum.memory.transfer.archive import ArchivedMemory, ArchivedVersion, NotAnArchive, Part
from vademecum.memory.transfer.gathering import Gathered
from vademecum.memory.transfer.judging import Wish, key_of, known_texts, totals
from vademecum.memory.transfer.returning import Plan, Returning
from vademecum.memory.transfer.shelves import Shelf, digest, record_of, secret_in, shelf_of
from vademecum.memory.transfer.types import ImportAction, Imported, ImportedItem, Malformed
from vademecum.memory.types import MemoryStatus, Origin, Scope
from vademecum.work import Cancel, Progress


def restore(
    held: Holdings, gathered: Gathered, wish: Wish, cancel: Cancel, progress: Progress, settle: Callable[[], None]
) -> Imported:
    """Bring an archive back.

    :param settle: called before anything is written; from then on it goes on to its end.
    :raises InvalidField: `source` when it is no archive; `origin`; `workspace`.
    :raises VademecumError: `untrusted` for an archive in an open folder, `storeUnreadable`, `busy`.
    """
    (source,) = gathered.texts
    if wish.origin is Origin.REPOSITORY:
        raise InvalidField("origin", 'can only be "user" for an archive, which says itself what came with a repository')
    if source.inside and wish.origin is not Origin.USER:
        raise VademecumError(
            ErrorKind.UNTRUSTED,
            "This archive lies in an open folder, so it may be somebody else's. If it is yours, say so (origin: user).",
        )
    try:
        parts, flaws = archive.read(source.text)
    except NotAnArchive as error:
        raise InvalidField("source", f"is no archive of Vademecum: {error}") from None
    wanted = [part for part in parts if wish.scope in (None, Scope.PROJECT if part.project else Scope.USER)]
    projects = sum(part.project is not None for part in wanted)
    plans = []
    for part in wanted:
        shelf = shelf_of(held, part.project, into_open=wish.scope is Scope.PROJECT and projects == 1)
        plans.append(_Planning(held, part, shelf, wish).plan(cancel, progress))
    if not wish.dry_run:
        settle()
        plans = [returning.carry_out(held, plan, progress) for plan in plans]
    items = (*(_flawed(flaw) for flaw in flaws), *(item for plan in plans for item in plan.items))
    versions = sum(plan.versions for plan in plans)
    ids = tuple(id for plan in plans for id in plan.ids)
    return Imported(gathered.format, wish.dry_run, items, versions=versions, ids=ids, **totals(items))


@frozen
class _Planning:
    """Judges what a part holds."""

    held: Holdings
    part: Part
    shelf: Shelf
    wish: Wish
    library: Library = field(init=False)
    known: Mapping[tuple[Scope, str, str], str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "library", self.shelf.library(self.held))
        object.__setattr__(self, "known", known_texts(self.library))

    def plan(self, cancel: Cancel, progress: Progress) -> Plan:
        """Return what is to be done about the part."""
        items: list[ImportedItem] = []
        memories: list[Returning] = []
        for number, memory in enumerate(self.part.memories):
            cancel.check()
            progress(number, len(self.part.memories), "comparing")
            item, placed = self._judge(memory)
            place = None
            if item is not None:
                place = len(items)
                items.append(item)
            versions = tuple(self._versions(memory.versions, items))
            if item is None or item.action in (ImportAction.ADD, ImportAction.SAME):
                memories.append(Returning(evolve(memory, versions=versions), place, placed))
        charters = []
        for charter in self.part.charters:
            item, corner = chartered.judge(self.held, self.shelf, charter, self.wish.only)
            place = None
            if item is not None:
                place = len(items)
                items.append(item)
            versions = tuple(self._versions(charter.versions, items))
            charters.append((place, evolve(charter, versions=versions), corner))
        return returning.counted(self.held, Plan(self.shelf, tuple(items), tuple(memories), tuple(charters)))

    def _judge(self, memory: ArchivedMemory) -> tuple[ImportedItem | None, Placed | None]:
        """What becomes of a memory, and its place when it is to be added; a deleted one is no item."""
        piece = memory.piece
        if piece is None:
            return None, None
        where = f"{self.part.project.folder if self.part.project else 'user'}: {piece.name}"
        try:
            record = record_of(piece)
        except NotText as error:
            return ImportedItem(ImportAction.REFUSE, where, "", reason=str(error)), None
        scope = self.shelf.scope
        item = ImportedItem(ImportAction.ADD, where, key_of(scope, record.content), "", scope)
        if secret := secret_in(record):
            return _refused(item, secret.kind, secret.message), None
        item = evolve(item, title=record.title)
        if len(piece.data) > LARGEST_FILE:
            return _refused(item, ErrorKind.TOO_LARGE, f"it is larger than {LARGEST_FILE:,} bytes"), None
        if (placed := self.shelf.place(piece)) is None:
            return _refused(item, ErrorKind.NOT_FOUND, "it is shared through a repository; open that one first"), None
        there = self.library.entries.get(memory.id) or self.library.withheld.get(memory.id)
        if there is not None:
            is_same = alike.normal(there.item.record.content) == alike.normal(record.content)
            if there.item.digest == digest(piece) or is_same:
                return evolve(item, action=ImportAction.SAME, id=memory.id), placed
            return _refused(item, ErrorKind.CONFLICT, f"memory {memory.id} is here and was changed since"), None
        text = (scope, self.shelf.project, alike.normal(record.content))
        if record.status is not MemoryStatus.SUPERSEDED and text in self.known:
            return evolve(item, action=ImportAction.SAME, id=self.known[text]), None
        if self.wish.only is not None and item.key not in self.wish.only:
            return evolve(item, action=ImportAction.SKIP), None
        return item, placed

    def _versions(self, versions: tuple[ArchivedVersion, ...], items: list[ImportedItem]) -> Iterator[ArchivedVersion]:
        """The versions that may be kept; one that holds a secret is told."""
        for version in versions:
            where = f"version of {version.replaced}"
            try:
                secret = secret_in(record_of(version.piece))
            except NotText as error:
                items.append(ImportedItem(ImportAction.REFUSE, where, "", reason=str(error)))
                continue
            if secret is None:
                yield version
            else:
                items.append(_refused(ImportedItem(ImportAction.REFUSE, where, ""), secret.kind, secret.message))


def _refused(item: ImportedItem, kind: ErrorKind, reason: str) -> ImportedItem:
    return evolve(item, action=ImportAction.REFUSE, kind=kind, reason=reason)


def _flawed(flaw: Malformed) -> ImportedItem:
    return ImportedItem(ImportAction.REFUSE, flaw.where, "", reason=flaw.reason)
