"""What goes into an archive: memories byte for byte, prior versions, counts, charters; of all projects or of one."""

from collections.abc import Iterator, Mapping, Sequence

from vademecum.memory import chartering, history
from vademecum.memory.access import CannotRead, Corner
from vademecum.memory.charters import PROJECT_CHARTER, USER_CHARTER
from vademecum.memory.folder_store import FolderStore
from vademecum.memory.history import Kept
from vademecum.memory.holdings import Holdings
from vademecum.memory.json_store import JsonStore
from vademecum.memory.library import Library, assemble
from vademecum.memory.places import Placed, charter_corner
from vademecum.memory.registry import Registered, registered
from vademecum.memory.slug import printable
from vademecum.memory.store import Store, digest_of
from vademecum.memory.transfer.archive import ArchivedCharter, ArchivedMemory, ArchivedVersion, Part, Piece
from vademecum.memory.types import Origin, Scope, StoreKind
from vademecum.work import Cancel, Progress


def parts_of(held: Holdings, scopes: Sequence[Scope], cancel: Cancel, progress: Progress) -> tuple[Part, ...]:
    """Return the parts of the scopes: with both of them every project that was ever opened, else the one that is open.

    What came with a repository that is not trusted is left out, as it is from every other answer.

    :raises InvalidField: when only projects are meant and it is not plain which one.
    """
    parts = []
    if Scope.USER in scopes:
        places = [placed for placed in held.opened().places if placed.store.scope is Scope.USER]
        parts.append(_part(held, None, places, held.library(), cancel, progress))
    if Scope.PROJECT in scopes:
        wanted = None if Scope.USER in scopes else held.target(Scope.PROJECT).project
        everyone = registered(held.state)
        joined = {folder for each in everyone for folder in each.joined}
        projects = [each for each in everyone if each.key == wanted or (wanted is None and each.folder not in joined)]
        parts += [_part(held, each, *library_of(held, each), cancel, progress) for each in projects]
    return tuple(part for part in parts if part.memories or part.charters)


def library_of(held: Holdings, project: Registered) -> tuple[Sequence[Placed], Library]:
    """Return the places of a project with what is in them; of one that is not open its private ones."""
    opened = [placed for placed in held.opened().places if placed.project == project.key]
    if opened:
        return opened, held.library()
    places = places_of(held, project)
    return places, assemble(places, [placed.store.scan() for placed in places], {}, ())


def places_of(held: Holdings, project: Registered) -> tuple[Placed, ...]:
    """Return the private places of a project that is not open, the one that is written to first."""
    stores: list[Store] = []
    for name in (project.folder, *project.joined):
        folder = held.places.home / "projects" / name
        stores.append(FolderStore(StoreKind.PRIVATE, Scope.PROJECT, Corner(folder / "memory")))
        stores.append(JsonStore(StoreKind.PRIVATE, Scope.PROJECT, Corner(folder), "memory.json"))
    return tuple(Placed(store, project.key, None) for store in stores)


def _part(
    held: Holdings,
    project: Registered | None,
    places: Sequence[Placed],
    library: Library,
    cancel: Cancel,
    progress: Progress,
) -> Part:
    key = project.key if project else ""
    versions = history.kept_in(held.state, key)
    recalls = _recalls(held, key)
    mine = {id(placed) for placed in places}
    entries = [entry for entry in library.entries.values() if id(entry.placed) in mine]
    bytes_of: dict[str, bytes] = {}
    for placed in places:
        cancel.check()
        lying = [entry for entry in entries if entry.placed is placed]
        data = placed.store.read_all([entry.item for entry in lying])
        bytes_of.update(zip((entry.id for entry in lying), data, strict=True))
    memories = []
    for number, entry in enumerate(entries):
        cancel.check()
        progress(number, len(entries), "reading")
        store = entry.placed.store
        piece = Piece(store.kind, store.format, printable(entry.item.name), bytes_of[entry.id])
        count, last = recalls.get(entry.id, (0, None))
        kept = _versions(versions.pop(entry.id, []))
        memories.append(ArchivedMemory(entry.id, piece, entry.origin is Origin.USER, count, last, kept))
    charters = tuple(_charters(held, project, places, versions.pop(chartering.ID, [])))
    memories += [ArchivedMemory(id, None, versions=_versions(kept)) for id, kept in versions.items()]
    return Part(project, tuple(memories), charters)


def _charters(
    held: Holdings, project: Registered | None, places: Sequence[Placed], kept: Sequence[Kept]
) -> Iterator[ArchivedCharter]:
    if project is None:
        corners = {StoreKind.USER: (Corner(held.places.home), USER_CHARTER)}
    else:
        # The first place of a kind is the one that is written to, and one folder has the charter of its two forms.
        corners = {}
        for placed in places:
            corners.setdefault(placed.store.kind, (charter_corner(placed), PROJECT_CHARTER))
    for kind, (corner, name) in corners.items():
        try:
            data = corner.read(name)
        except CannotRead:
            data = None
        is_own = True
        if data is not None and project and kind is StoreKind.SHARED:
            is_own = held.is_own(project.key, digest_of(data))
            if not is_own and not _is_trusted(held, corner):
                data = None
        versions = _versions([each for each in kept if each.store is kind])
        if data is not None or versions:
            yield ArchivedCharter(kind, data, is_own, versions)
    for kind in {each.store for each in kept} - corners.keys():  # of a repository that is not open
        yield ArchivedCharter(kind, None, versions=_versions([each for each in kept if each.store is kind]))


def _is_trusted(held: Holdings, corner: Corner) -> bool:
    return any(folder.trust.trusted and corner.top == folder.project.root for folder in held.opened().folders)


def _versions(kept: Sequence[Kept]) -> tuple[ArchivedVersion, ...]:
    return tuple(
        ArchivedVersion(Piece(each.store, each.format, each.name, each.data), each.revision, each.reason, each.replaced)
        for each in kept
    )


def _recalls(held: Holdings, project: str) -> Mapping[str, tuple[int, str]]:
    with held.state.read() as db:
        rows = db.execute("SELECT id, count, last FROM recalls WHERE project = ?", (project,)).fetchall()
    return {str(id): (int(count), str(last)) for id, count, last in rows}
