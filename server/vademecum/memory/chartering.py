"""`PROJECT.md` by request: read, written once the user approved the text, its prior versions, undo.

Written is the one in the place that new project memories go to. `USER.md` can be read; it is the human's alone, and
nothing here writes it.
"""

from attrs import frozen

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files import durable
from vademecum.memory import checks, history, snapshots
from vademecum.memory.access import CannotRead, Corner
from vademecum.memory.charters import PROJECT_CHARTER, USER_CHARTER, CharterFile, source_of
from vademecum.memory.folder_store import writing
from vademecum.memory.history import Kept
from vademecum.memory.holdings import Holdings
from vademecum.memory.places import Placed, charter_corner
from vademecum.memory.record import NotText, decode
from vademecum.memory.settings import Format
from vademecum.memory.store import digest_of, revision_of
from vademecum.memory.types import Purged, Scope, StoreKind, Version, VersionReason
from vademecum.memory.writing import own, settled

#: The id under which the versions of PROJECT.md are kept. No memory can have it: ids hold no dot.
ID = PROJECT_CHARTER


@frozen
class _Shelf:
    """Where the charter lies, as its history names it. A charter is Markdown, whatever the memories beside it are."""

    kind: StoreKind
    format: Format = Format.MARKDOWN


def read(held: Holdings, scope: Scope) -> CharterFile:
    """Return the charter of the scope as it is now; one that is not there has no text and no revision.

    :raises InvalidField: for project scope, when no folder or more than one is open.
    :raises VademecumError: `storeUnreadable` when it is no text, `untrusted` when it came with a repository that is not
        trusted.
    """
    if scope is Scope.USER:
        corner = Corner(held.places.home)
        return _shown(corner, USER_CHARTER, Scope.USER, StoreKind.USER, _bytes(corner, USER_CHARTER))
    target = held.target(Scope.PROJECT)
    data = _bytes(charter_corner(target), PROJECT_CHARTER)
    _refuse_strangers(held, target, data)
    return _project(target, data)


def write(held: Holdings, content: str, scope: Scope = Scope.PROJECT, revision: str | None = None) -> CharterFile:
    """Give PROJECT.md a new text, or remove it when the text is blank; what it said is kept.

    :param revision: refuse with `conflict` when the file has another one by now; nothing (`""`): when there is one.
    :raises InvalidField: `scope` for the user's own charter, `content`.
    :raises VademecumError: `conflict`, `secret`, `storeUnreadable`, `untrusted`, `busy`.
    """
    if scope is not Scope.PROJECT:
        raise InvalidField("scope", f'can only be "project": {USER_CHARTER} is written by its user alone, by hand')
    text = checks.content(content) + "\n" if content.strip() else ""
    checks.no_secrets(content=text)
    target = held.target(Scope.PROJECT)
    with settled(held, target):
        old = _bytes(charter_corner(target), PROJECT_CHARTER)
        _refuse_strangers(held, target, old)
        current = revision_of(old) if old is not None else ""
        if revision is not None and revision.lower() != current:
            raise VademecumError(
                ErrorKind.CONFLICT,
                f"{PROJECT_CHARTER} was changed since it was read. Read it again and decide anew.",
                revision=current,
            )
        data = _in_the_form_of(old, text) if text else None
        if data != old:
            _put(held, target, old, data, VersionReason.UPDATED if data is not None else VersionReason.DELETED)
    return _project(target, data)


def versions(held: Holdings) -> tuple[Version, ...]:
    """Return the prior versions of PROJECT.md, newest first.

    :raises VademecumError: `notFound` when there neither is nor was one here.
    """
    target = held.target(Scope.PROJECT)
    current = read(held, Scope.PROJECT).revision
    kept = _kept(held, target)
    if not kept and not current:
        raise VademecumError(ErrorKind.NOT_FOUND, f"This project has no {PROJECT_CHARTER}, and had none.")
    return tuple(each.version for each in kept if each.revision != current)


def restore(held: Holdings, revision: str | None) -> CharterFile:
    """Bring back a prior version of PROJECT.md (the newest when None); what it replaces is kept.

    :raises VademecumError: `notFound`, `storeUnreadable`, `untrusted`, `busy`.
    """
    target = held.target(Scope.PROJECT)
    with settled(held, target):
        old = _bytes(charter_corner(target), PROJECT_CHARTER)
        _refuse_strangers(held, target, old)
        current = revision_of(old) if old is not None else ""
        wanted = revision.lower() if revision else None
        for each in _kept(held, target):
            if each.revision == wanted or (wanted is None and each.revision != current):
                if each.data != old:
                    _put(held, target, old, each.data, VersionReason.RESTORED)
                return _project(target, each.data)
    raise VademecumError(
        ErrorKind.NOT_FOUND, f"There is no such version of {PROJECT_CHARTER}. Ask for its history.", id=ID
    )


def purge(held: Holdings) -> Purged:
    """Remove PROJECT.md for good, with every prior version and every kept prompt block that tells of it.

    :raises VademecumError: `notFound`, `storeUnreadable`, `untrusted`, `busy`.
    """
    target = held.target(Scope.PROJECT)
    with settled(held, target):
        old = _bytes(charter_corner(target), PROJECT_CHARTER)
        _refuse_strangers(held, target, old)
        if old is None and not history.kept(held.state, ID, (target.project,)):
            raise VademecumError(ErrorKind.NOT_FOUND, f"This project has no {PROJECT_CHARTER}, and had none.")
        _replace(target, None)
        with held.state.write() as db:
            count = history.erase(db, ID, (target.project,))
        several = len({folder.project.key for folder in held.opened().folders}) > 1
        snapshots.void(held.state, {source_of(kind, target.root, several=several) for kind in StoreKind})
        held.state.scrub()
    return Purged((ID,), count)


def _put(held: Holdings, target: Placed, old: bytes | None, data: bytes | None, reason: VersionReason) -> None:
    """Replace the file, the old bytes kept first: a crash between costs nothing. The caller holds the lock."""
    if old is not None:
        shelf = _Shelf(target.store.kind)
        name, revision = PROJECT_CHARTER, revision_of(old)
        history.keep(held.state, shelf, target.project, ID, name, revision, old, reason, held.now())
    if data is not None:
        own(held, target, digest_of(data))
    _replace(target, data)


def _replace(target: Placed, data: bytes | None) -> None:
    with writing(PROJECT_CHARTER):
        path = charter_corner(target).target(PROJECT_CHARTER)
        private = target.store.kind is not StoreKind.SHARED
        if data is not None:
            durable.make_folder(path.parent, private=private)
        if path.parent.is_dir():
            durable.sweep(path.parent)
            if data is None:
                durable.remove(path)
            else:
                durable.write(path, data, private=private)


def _refuse_strangers(held: Holdings, target: Placed, data: bytes | None) -> None:
    """What came with a repository without trust is neither told nor replaced unseen."""
    if data is None or target.store.kind is not StoreKind.SHARED:
        return
    trusted = any(folder.trust.trusted for folder in held.opened().folders if folder.project.root == target.root)
    if not trusted and not held.is_own(target.project, digest_of(data)):
        raise VademecumError(
            ErrorKind.UNTRUSTED,
            f"The {PROJECT_CHARTER} of this repository is not trusted. Trust the workspace (memory/trust) to use it.",
        )


def _kept(held: Holdings, target: Placed) -> list[Kept]:
    kept = history.kept(held.state, ID, (target.project,))
    return [each for each in kept if each.store is target.store.kind]


def _bytes(corner: Corner, name: str) -> bytes | None:
    try:
        return corner.read(name)
    except CannotRead as error:
        raise VademecumError(ErrorKind.STORE_UNREADABLE, f"{name} cannot be read: {error}.") from error


def _project(target: Placed, data: bytes | None) -> CharterFile:
    return _shown(charter_corner(target), PROJECT_CHARTER, Scope.PROJECT, target.store.kind, data)


def _shown(corner: Corner, name: str, scope: Scope, kind: StoreKind, data: bytes | None) -> CharterFile:
    uri = (corner.path / name).as_uri()
    if data is None:
        return CharterFile(name, scope, kind, "", "", 0, uri)
    try:
        text = decode(data)[1].replace("\r\n", "\n").strip()
    except NotText as error:
        raise VademecumError(
            ErrorKind.STORE_UNREADABLE, f"{name} is left as it is: {error}. Mend the file by hand."
        ) from error
    return CharterFile(name, scope, kind, text, revision_of(data), len(text), uri)


def _in_the_form_of(old: bytes | None, text: str) -> bytes:
    """The text with the byte order mark and line ends of the file that it replaces.

    :raises VademecumError: `storeUnreadable` for a file that is no text, which is nobody's to replace.
    """
    if old is None:
        return text.encode("utf-8")
    try:
        mark, before = decode(old)
    except NotText as error:
        raise VademecumError(
            ErrorKind.STORE_UNREADABLE, f"{PROJECT_CHARTER} is left as it is: {error}. Mend the file by hand."
        ) from error
    return (mark + (text.replace("\n", "\r\n") if "\r\n" in before else text)).encode("utf-8")
