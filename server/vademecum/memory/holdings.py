"""What is held for the open folders: their projects, their places, and every visible memory, as it is now."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from attrs import frozen

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.evidence.verdicts import HOLDS
from vademecum.memory import history, trust
from vademecum.memory.candidates import Candidates
from vademecum.memory.contents import Contents
from vademecum.memory.grounds import Folders, GateOf, Grounds
from vademecum.memory.library import Entry, Library, assemble
from vademecum.memory.lookup import Lookup
from vademecum.memory.places import Placed, Places, ProjectMemory, is_written, project_stores, user_stores
from vademecum.memory.registry import Place, Project, look, resolve
from vademecum.memory.schema import stamp
from vademecum.memory.settings import MemorySettings
from vademecum.memory.state import State
from vademecum.memory.store import Scan
from vademecum.memory.surroundings import Outlook
from vademecum.memory.types import Evidence, Head, Memory, MemoryStatus, Scope, StoreKind, Trust


@frozen
class Opened:
    """An open folder, the project it is, and whether it is trusted."""

    given: ProjectMemory
    place: Place
    project: Project
    trust: Trust


@frozen
class _Open:
    folders: tuple[Opened, ...]
    places: tuple[Placed, ...]


class Holdings:
    """The memories of some open folders (none, one or several) and of the user. Nothing is touched before it is used.

    Every request looks at the files anew, so a change made by hand or by another program is seen at once.
    """

    def __init__(
        self,
        places: Places,
        projects: Sequence[ProjectMemory],
        settings: MemorySettings,
        gate_of: GateOf | None,
        now: Callable[[], datetime],
    ) -> None:
        self.places = places
        self.settings = settings
        self.state = State(places.state)
        self.lookup = Lookup()
        self.contents = Contents(places)
        self.candidates = Candidates()
        self.outlook = Outlook(gate_of)
        self.grounds = Grounds(gate_of)
        self._projects = tuple(projects)
        self._now = now
        self._guard = threading.RLock()
        self._user = user_stores(places)
        self._open: _Open | None = None
        self._state_opened = 0
        self._last: tuple[list[Scan], object, Library] | None = None

    def now(self) -> str:
        """The time as memories hold it."""
        return stamp(self._now())

    def moment(self) -> datetime:
        """The time."""
        return self._now().astimezone(UTC)

    def opened(self) -> _Open:
        """The open folders with their projects and stores; found out again when trust changed."""
        with self._guard:
            before = self._open.folders if self._open else ()
            if self._state_opened != self.state.times_opened:
                self._open = None  # another database, which knows nothing of these folders yet
            if self._open is None or any(trust.of(self.state, each.given, each.place) != each.trust for each in before):
                folders = self._resolve()
                places = list(self._user)
                seen: set[tuple[StoreKind, Path]] = set()
                for folder in folders:
                    for placed in project_stores(folder.project, self.places.home):
                        key = (placed.store.kind, placed.store.path)
                        if key not in seen:  # folders of one project share its private stores
                            seen.add(key)
                            places.append(placed)
                self._open = _Open(folders, tuple(places))
                self._state_opened = self.state.times_opened
                self._last = None
            return self._open

    def library(self) -> Library:
        """Return all memories as they are now."""
        opened = self.opened()
        scans = [placed.store.scan() for placed in opened.places]
        for placed, scan in zip(opened.places, scans, strict=True):
            self.contents.follow(placed, scan)
        trusted = frozenset(folder.project.root for folder in opened.folders if folder.trust.trusted)
        has_shared = any(
            scan.items and placed.store.kind is StoreKind.SHARED
            for placed, scan in zip(opened.places, scans, strict=True)
        )
        own = self._own(opened) if has_shared else {}
        with self._guard:
            last = self._last
            if last is not None and last[1] == (trusted, own) and all(map(_is, last[0], scans)):
                return last[2]
            library = assemble(opened.places, scans, own, trusted)
            if library.doubled:
                library = assemble(opened.places, scans, own, trusted, history.moved(self.state, library.doubled))
            self._last = (scans, (trusted, own), library)
            return library

    def forget(self) -> None:
        """Drop everything that was derived from the files."""
        with self._guard:
            for placed in self.opened().places:
                placed.store.forget()
            self._open = None
            self._last = None
        self.lookup.forget()
        self.candidates.forget()
        self.outlook.forget()
        self.grounds.forget()

    def projects(self) -> tuple[str, ...]:
        """Keys under which the state database keeps what belongs to these memories: '' is the user's own."""
        return ("", *dict.fromkeys(folder.project.key for folder in self.opened().folders))

    def find(self, id: str, library: Library | None = None) -> Entry:
        """Return the visible memory of that id.

        :raises VademecumError: `notFound`, or `untrusted` for one that came with a repository without trust.
        """
        library = library or self.library()
        if id in library.entries:
            return library.entries[id]
        if id in library.withheld:
            raise VademecumError(
                ErrorKind.UNTRUSTED,
                "This memory came with a repository that is not trusted. Trust the workspace (memory/trust) to use it.",
            )
        raise VademecumError(ErrorKind.NOT_FOUND, "There is no memory with this id here. List or search for its id.")

    def target(self, scope: Scope) -> Placed:
        """Return the store that a new memory of the scope goes to.

        :raises InvalidField: for project scope, when no folder or more than one is open.
        """
        opened = self.opened()
        keys = {folder.project.key: folder.project.root for folder in opened.folders}
        if scope is Scope.PROJECT and not keys:
            raise InvalidField("scope", 'can only be "user" while no folder is open')
        if scope is Scope.PROJECT and len(keys) > 1:
            raise InvalidField("workspace", "must name the folder, since several are open")
        for placed in opened.places:
            if placed.store.scope is scope and is_written(placed, self.settings):
                return placed
        raise VademecumError(
            ErrorKind.STORE_UNREADABLE,
            "This repository's .vademecum is your own memory folder, so nothing can be shared through it. Set"
            ' memory.project to "private".',
        )

    def is_own(self, project: str, digest: str) -> bool:
        """Whether this user wrote the shared bytes of that digest, or accepted them, on this machine."""
        with self.state.read() as db:
            row = db.execute("SELECT 1 FROM own WHERE project = ? AND digest = ?", (project, digest)).fetchone()
        return row is not None

    def status_of(self, entry: Entry, evidence: Sequence[Evidence]) -> MemoryStatus:
        """Return the status: what the file says, or `stale` when some of its evidence does not hold."""
        if entry.is_told and any(one.verdict is not None and one.verdict not in HOLDS for one in evidence):
            return MemoryStatus.STALE
        return entry.item.record.status

    def folders_of(self, placed: Placed) -> Folders:
        """Return the open folders whose files evidence of a memory in that place speaks of; none for user scope.

        What is shared through git speaks of the working tree that it lies in, private memory of every one of the
        project that is open.
        """
        return tuple(
            folder.given.folder
            for folder in self.opened().folders
            if folder.project.key == placed.project
            and (placed.store.kind is not StoreKind.SHARED or folder.project.root == placed.root)
        )

    def evidence(self, entries: Iterable[Entry]) -> dict[str, tuple[Evidence, ...]]:
        """Return what the memories rest on by their ids, held against the files as they are now, each read once."""
        shown: dict[str, tuple[Evidence, ...]] = {}
        resting: list[Entry] = []
        for entry in entries:
            shown[entry.id] = ()
            if entry.item.record.evidence:
                resting.append(entry)
        texts: dict[int, dict[str, None]] = {}
        places: dict[int, Placed] = {}
        for entry in resting:
            place = id(entry.placed)
            places[place] = entry.placed
            texts.setdefault(place, {}).update(dict.fromkeys(entry.item.record.evidence))
        folders = {place: self.folders_of(placed) for place, placed in places.items()}
        asked: dict[Folders, dict[str, None]] = {}
        for place, wanted in texts.items():
            asked.setdefault(folders[place], {}).update(wanted)
        told = self.grounds.judge(asked) if asked else {}
        known = {place: told[folders[place]] for place in places}
        for entry in resting:
            shown[entry.id] = tuple(map(known[id(entry.placed)].__getitem__, entry.item.record.evidence))
        return shown

    def memory(
        self,
        entry: Entry,
        recalls: Mapping[str, tuple[int, str]] | None = None,
        evidence: tuple[Evidence, ...] | None = None,
    ) -> Memory:
        """Return the memory as it is shown, its evidence verified."""
        record = entry.item.record
        evidence = self.evidence([entry])[entry.id] if evidence is None else evidence
        count, last = (self.recalls() if recalls is None else recalls).get(entry.id, (0, None))
        return Memory(
            id=entry.id,
            title=record.title,
            content=record.content,
            description=record.description,
            category=record.category,
            type=record.type,
            keywords=record.keywords,
            scope=entry.scope,
            pinned=record.pinned,
            provenance=record.provenance,
            origin=entry.origin,
            status=self.status_of(entry, evidence),
            created=entry.created,
            updated=entry.updated,
            revision=entry.item.revision,
            evidence=evidence,
            place=entry.placed.store.kind,
            uri=entry.placed.store.uri(entry.item),
            recall_count=count,
            last_recalled_at=last,
        )

    def head(self, entry: Entry, evidence: tuple[Evidence, ...]) -> Head:
        """Return the memory's line of the manifest, with what was found of its evidence."""
        record = entry.item.record
        return Head(
            id=entry.id,
            title=record.title,
            description=record.description,
            category=record.category,
            type=record.type,
            keywords=record.keywords,
            scope=entry.scope,
            pinned=record.pinned,
            provenance=record.provenance,
            origin=entry.origin,
            status=self.status_of(entry, evidence),
            created=entry.created,
            updated=entry.updated,
            revision=entry.item.revision,
            evidence=evidence,
            place=entry.placed.store.kind,
            uri=entry.placed.store.uri(entry.item),
        )

    def recalls(self) -> Mapping[str, tuple[int, str]]:
        """Return how often, and when last, each memory was recalled."""
        with self.state.read() as db:
            rows = db.execute("SELECT id, project, count, last FROM recalls").fetchall()
        mine = self.projects()
        return {str(id): (int(count), str(last)) for id, project, count, last in rows if project in mine}

    def _resolve(self) -> tuple[Opened, ...]:
        folders = []
        for given in self._projects:
            place = look(given.folder, self.places.home)
            word = trust.of(self.state, given, place)
            project = resolve(place, trusted=word.trusted, state=self.state, home=self.places.home, now=self.now())
            folders.append(Opened(given, place, project, word))
        return tuple(folders)

    def _own(self, opened: _Open) -> dict[str, frozenset[str]]:
        with self.state.read() as db:
            rows = db.execute("SELECT project, digest FROM own").fetchall()
        keys = {folder.project.key for folder in opened.folders}
        return {key: frozenset(str(digest) for project, digest in rows if project == key) for key in keys}


def _is(one: object, other: object) -> bool:
    return one is other
