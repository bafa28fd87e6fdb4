"""What becomes of each item of a source: new, known, close to what is there, or refused. Changes nothing."""

import hashlib
from collections.abc import Mapping

from attrs import evolve, frozen

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.memory import alike
from vademecum.memory.holdings import Holdings
from vademecum.memory.library import Library
from vademecum.memory.nearness import Nearness
from vademecum.memory.places import Placed
from vademecum.memory.record import Record
from vademecum.memory.transfer.belonging import names_of
from vademecum.memory.transfer.fitting import fit
from vademecum.memory.transfer.types import ImportAction, ImportedItem, ImportFormat, Incoming, Malformed, Parsed
from vademecum.memory.types import MemoryStatus, Origin, Scope, StoreKind
from vademecum.memory.writing import waiting_place

#: Memories that a new one is said to come close to.
_SIMILAR = 5


@frozen
class Wish:
    """What the user wants of an import.

    :param scope: where everything goes; None: as the source says, else the project that is open, else the user.
    :param origin: whose words they are; None: the repository's when the source lies in an open folder, else the user's.
    :param only: keys of the items that are meant; None: all.
    """

    scope: Scope | None = None
    origin: Origin | None = None
    skip_similar: bool = False
    only: frozenset[str] | None = None
    dry_run: bool = False


@frozen
class Verdict:
    """An item with what is to be written for it, if anything."""

    item: ImportedItem
    record: Record | None = None
    placed: Placed | None = None


def key_of(scope: Scope, content: str) -> str:
    """Name an item by what it says and where it goes."""
    return hashlib.sha256(f"{scope.value}\0{alike.normal(content)}".encode("utf-8", "replace")).hexdigest()[:16]


class Judge:
    """Judges the items of one source, each in the light of those before it."""

    def __init__(self, held: Holdings, library: Library, format: ImportFormat, wish: Wish, *, strangers: bool) -> None:
        """
        :param strangers: whether the source came with a repository, so that its text is not the user's own.
        """
        self._held = held
        self._wish = wish
        self._strangers = strangers
        self._known = known_texts(library)
        self._near = Nearness()
        for entry in library.entries.values():
            if entry.item.record.status is not MemoryStatus.SUPERSEDED:
                self._near.add(entry.id, _words(entry.item.record))
        self._names: frozenset[str] = frozenset()
        for folder in held.opened().folders:
            self._names |= names_of(format, folder.project.root, folder.place.repository)
        self._has_project = bool(held.opened().folders)
        self._targets: dict[Scope, Placed] = {}

    def judge(self, parsed: Parsed) -> Verdict:
        """Return what becomes of an item.

        :raises InvalidField: `workspace`, when it is not plain which project is meant.
        """
        if isinstance(parsed, Malformed):
            return Verdict(ImportedItem(ImportAction.REFUSE, parsed.where, "", reason=parsed.reason))
        scope = self._wish.scope or parsed.scope or (Scope.PROJECT if self._has_project else Scope.USER)
        key = key_of(scope, parsed.record.content)
        item = ImportedItem(ImportAction.ADD, parsed.where, key, "", scope)
        try:
            record = fit(parsed.record, scope)
        except VademecumError as error:  # a secret: not even the title is shown, which may be part of it
            return _refused(item, error.kind, error.message)
        except InvalidField as error:
            return _refused(item, None, f"its {error.field} {error.message}")
        item = evolve(item, title=record.title)
        if scope is Scope.PROJECT and not self._has_project:
            return _refused(item, ErrorKind.NOT_FOUND, "it belongs to a project, and no folder is open")
        if self._is_anothers(parsed, scope):
            return _refused(
                item,
                ErrorKind.OUTSIDE_WORKSPACE,
                f"it belongs to another project ({parsed.project[:80]}); open that one, or name its own folder",
            )
        placed = self._target(scope, record)
        return self._placed(item, record, placed)

    def _placed(self, item: ImportedItem, record: Record, placed: Placed) -> Verdict:
        scope = placed.store.scope
        text = (scope, placed.project, alike.normal(record.content))
        if text in self._known:
            return Verdict(evolve(item, action=ImportAction.SAME, id=self._known[text] or None))
        if self._wish.only is not None and item.key not in self._wish.only:
            return Verdict(evolve(item, action=ImportAction.SKIP))
        words = _words(record)
        if similar := self._near.near(words, _SIMILAR):
            # What comes close to another item of the same source is told by that one's key, having no id yet.
            item = evolve(item, action=ImportAction.SIMILAR, similar=similar)
            if self._wish.skip_similar:
                return Verdict(evolve(item, action=ImportAction.SKIP))
        self._known[text] = ""
        self._near.add(item.key, words)
        if self._strangers and placed.store.kind is not StoreKind.SHARED:
            record = evolve(record, foreign=True)
        elif not self._strangers and self._wish.origin is Origin.USER:
            record = evolve(record, foreign=False)
        return Verdict(item, record, placed)

    def _is_anothers(self, incoming: Incoming, scope: Scope) -> bool:
        return bool(scope is Scope.PROJECT and incoming.project and incoming.project not in self._names)

    def _target(self, scope: Scope, record: Record) -> Placed:
        if scope not in self._targets:
            self._targets[scope] = self._held.target(scope)
        target = self._targets[scope]
        return waiting_place(self._held, target) if record.status is MemoryStatus.PENDING else target


def known_texts(library: Library) -> dict[tuple[Scope, str, str], str]:
    """Return which memory says what, by scope, project and text, superseded ones aside."""
    known: dict[tuple[Scope, str, str], str] = {}
    for entry in library.entries.values():
        if entry.item.record.status is not MemoryStatus.SUPERSEDED:
            text = alike.normal(entry.item.record.content)
            known.setdefault((entry.scope, entry.placed.project, text), entry.id)
    return known


def totals(items: tuple[ImportedItem, ...]) -> Mapping[str, int]:
    """Return how many items each end has."""
    counts = {"added": 0, "same": 0, "refused": 0, "skipped": 0}
    names = {ImportAction.SAME: "same", ImportAction.REFUSE: "refused", ImportAction.SKIP: "skipped"}
    for item in items:
        counts[names.get(item.action, "added")] += 1
    return counts


def _refused(item: ImportedItem, kind: ErrorKind | None, reason: str) -> Verdict:
    return Verdict(evolve(item, action=ImportAction.REFUSE, kind=kind, reason=reason))


def _words(record: Record) -> frozenset[str]:
    # The title of an item is often its own first words below a heading that many share.
    return alike.words(record.content)
