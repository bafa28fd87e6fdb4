"""Charters of an archive: they return where there is none, and never over one that is there."""

from attrs import evolve

from vademecum.errors import ErrorKind
from vademecum.files import durable
from vademecum.memory.access import CannotRead, Corner
from vademecum.memory.charters import PROJECT_CHARTER, USER_CHARTER
from vademecum.memory.folder_store import writing
from vademecum.memory.holdings import Holdings
from vademecum.memory.places import charter_corner
from vademecum.memory.record import NotText, Record, decode
from vademecum.memory.store import digest_of
from vademecum.memory.transfer.archive import ArchivedCharter
from vademecum.memory.transfer.judging import key_of
from vademecum.memory.transfer.shelves import Shelf, secret_in
from vademecum.memory.transfer.types import ImportAction, ImportedItem
from vademecum.memory.types import Category, StoreKind
from vademecum.memory.writing import own


def judge(
    held: Holdings, shelf: Shelf, charter: ArchivedCharter, only: frozenset[str] | None
) -> tuple[ImportedItem | None, Corner | None]:
    """Return what becomes of a charter, and the folder to write it to when it is to be; one that is gone is no item."""
    name = USER_CHARTER if charter.store is StoreKind.USER else PROJECT_CHARTER
    item = ImportedItem(ImportAction.SAME, name, "", name, shelf.scope)
    if charter.data is None:
        return None, None  # only prior versions are left of it
    try:
        text = decode(charter.data)[1]
    except NotText as error:
        return evolve(item, action=ImportAction.REFUSE, reason=str(error)), None
    item = evolve(item, key=key_of(shelf.scope, f"{name} {charter.store} {text}"))
    if secret := secret_in(Record(None, name, text, Category.RULE, "")):
        return evolve(item, action=ImportAction.REFUSE, kind=secret.kind, reason=secret.message), None
    corner = _corner(held, shelf, charter.store)
    if corner is None:
        reason = "it is shared through a repository; open that one first"
        return evolve(item, action=ImportAction.REFUSE, kind=ErrorKind.NOT_FOUND, reason=reason), None
    try:
        there = corner.read(name)
    except CannotRead as error:
        return evolve(item, action=ImportAction.REFUSE, kind=ErrorKind.STORE_UNREADABLE, reason=str(error)), None
    if there == charter.data:
        return item, None
    if there is not None:
        reason = f"there is another {name} here; bring the two together by hand"
        return evolve(item, action=ImportAction.REFUSE, kind=ErrorKind.CONFLICT, reason=reason), None
    if only is not None and item.key not in only:
        return evolve(item, action=ImportAction.SKIP), None
    return evolve(item, action=ImportAction.ADD), corner


def put(charter: ArchivedCharter, corner: Corner) -> None:
    """Write a charter where there is none. The caller holds the lock of its project."""
    assert charter.data is not None
    name = USER_CHARTER if charter.store is StoreKind.USER else PROJECT_CHARTER
    with writing(name):
        target = corner.target(name)
        private = charter.store is not StoreKind.SHARED
        durable.make_folder(target.parent, private=private)
        durable.write(target, charter.data, private=private)


def mark_own(held: Holdings, shelf: Shelf, charter: ArchivedCharter) -> None:
    """Note that this user wrote the charter, where it is shared and they did."""
    if charter.own and charter.data is not None and (placed := shelf.first(charter.store)):
        own(held, placed, digest_of(charter.data))


def _corner(held: Holdings, shelf: Shelf, kind: StoreKind) -> Corner | None:
    if kind is StoreKind.USER:
        return Corner(held.places.home)
    placed = shelf.first(kind)
    return charter_corner(placed) if placed else None
