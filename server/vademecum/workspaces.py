"""The composition root: all open folders, the settings, and what the folders share.

Only here and in `workspace` are services built and wired to each other. A folder is entered in the list the moment it
is opened; its services come later.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from vademecum.conversations import Conversations
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files.buffers import Buffers
from vademecum.files.gate import Gate, Reason, Refused
from vademecum.files.roots import normal_root
from vademecum.files.settings import FileSettings
from vademecum.memory.types import Scope
from vademecum.model import Complete
from vademecum.settings import Locations, Problem, Settings, fold
from vademecum.workspace import Observer, Workspace

if TYPE_CHECKING:  # the services are loaded when one is built, so that a server can answer `initialize` before
    from vademecum.embedding.embedder import Embedder
    from vademecum.files.named import NamedPaths
    from vademecum.knowledge.service import Knowledge
    from vademecum.memory.recall_meaning import Meanings
    from vademecum.memory.service import Memories
    from vademecum.search.spare import Spare


class Workspaces:
    """All open folders, the settings and what they share. Safe for use from several threads.

    :param spare: an indexer that was started ahead; closed with the rest when no folder has taken it.
    """

    def __init__(
        self, places: Locations, environment: Mapping[str, str], observer: Observer, spare: "Spare | None" = None
    ) -> None:
        self.places = places
        self.observer = observer
        self.spare = spare
        self.is_serving = False  # whether the process goes on after an answer, so that what comes next is made ready
        self.buffers = Buffers()
        self.settings = Settings()
        self.conversations = Conversations(places.state, lambda: self.settings)
        self._environment = environment
        self._editor: list[Mapping[str, Any]] = []
        self._own_files: dict[str, FileSettings] = {}
        self._trusted: bool | None = None
        self._problems: list[Problem] = []
        self._folders: dict[str, Workspace] = {}
        self._memories: dict[tuple[str, ...], Memories] = {}
        self._embedder: Embedder | None = None
        self._meanings: Meanings | None = None
        self._knowledge: Knowledge | None = None
        self._complete: Complete | None = None
        self._lock = threading.RLock()
        self.configure({}, None)

    # Settings -------------------------------------------------------------------------------------------------------

    def configure(self, editor: Mapping[str, Any], trusted: bool | None) -> None:
        """Take the settings that the client starts with, and its word on whether the folders are trusted."""
        with self._lock:
            self._editor = [editor]
            self._trusted = trusted
            self._fold()

    def reconfigure(self, editor: Mapping[str, Any], by_folder: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        """Take the client's settings as they are now; what depends on changed ones begins anew.

        They replace those that it began with. An empty section says nothing: some clients have no other to give.

        :param by_folder: by URI, the whole section as it is for one folder; what it says of `files` counts there.
        """
        with self._lock:
            before = self.settings
            folders = tuple(self._folders.values())
            files = {folder.uri: self.file_settings_of(folder.uri) for folder in folders}
            self._editor = [editor] if editor else self._editor
            self._fold(by_folder)
            memories, self._memories = tuple(self._memories.values()), {}
            knowledge = None
            if before.knowledge != self.settings.knowledge:
                knowledge, self._knowledge = self._knowledge, None
            embedder = None
            if before.search != self.settings.search:
                embedder, self._embedder = self._embedder, None
        for memory in memories:
            memory.close()
        self._void_if_off()
        if before.memory != self.settings.memory:
            for scope in Scope:
                self.observer.memory_changed(scope, ())
        for folder in folders:
            if before.search != self.settings.search or files[folder.uri] != self.file_settings_of(folder.uri):
                folder.restart_search()
            elif before.ranking != self.settings.ranking:
                folder.rank_by(self.settings.ranking)
        if embedder is not None:
            embedder.close()
        if knowledge is not None:
            knowledge.close()
            self.observer.knowledge_changed(())

    def lend(self, complete: Complete) -> None:
        """Take the model that the client lends, before any service is built."""
        with self._lock:
            self._complete = complete

    @property
    def lends_model(self) -> bool:
        """Whether the client lends a model."""
        return self._complete is not None

    def _void_if_off(self) -> None:
        """Nothing that memory told before it was switched off may be told again when it is back on."""
        if not self.settings.memory.enabled:
            from vademecum.memory.places import Places
            from vademecum.memory.service import Memories

            Memories(Places(self.places.home, self.places.state), (), self.settings.memory).void()

    def _fold(self, by_folder: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.settings, problems = fold(self.places.config, self._editor, self._environment)
        self._own_files = {}
        for uri, section in (by_folder or {}).items():
            if section:
                own, more = fold(self.places.config, [section], self._environment)
                self._own_files[normal_root(uri)] = own.files
                problems += more
        self._problems += [problem for problem in problems if problem not in self._problems]

    def take_problems(self) -> tuple[Problem, ...]:
        """The settings that could not be used and that nobody was told of yet."""
        with self._lock:
            problems, self._problems = tuple(self._problems), []
            return problems

    @property
    def embedder(self) -> "Embedder":
        """The one model of this process, for queries of every folder; it is loaded when it is first needed."""
        from vademecum.embedding.embedder import Embedder

        with self._lock:
            if self._embedder is None:
                self._embedder = Embedder(self.settings.search)
            return self._embedder

    @property
    def file_settings(self) -> FileSettings:
        """The settings of the gate, with our own folders shut out wherever they lie."""
        places = self.places
        return attrs.evolve(self.settings.files, own_folders=(places.home, places.state, places.cache))

    def file_settings_of(self, uri: str) -> FileSettings:
        """Those of one folder's gate, which its client may have set for it alone."""
        own = self._own_files.get(normal_root(uri))
        return self.file_settings if own is None else attrs.evolve(own, own_folders=self.file_settings.own_folders)

    # Folders --------------------------------------------------------------------------------------------------------

    def enter(self, uris: Iterable[str]) -> tuple[str, ...]:
        """Add folders to those that are open; returns at once.

        :return: for each that cannot be used, a sentence that says why.
        """
        refused = []
        for uri in uris:
            try:
                folder = Workspace(uri, self)
            except InvalidField:
                refused.append(f"{uri} lies on no disk, so it is neither indexed nor remembered for.")
                continue
            with self._lock:
                self._folders.setdefault(normal_root(uri), folder)
        return tuple(refused)

    def start(self) -> None:
        """Build the services of every open folder that has none yet."""
        self._void_if_off()
        if self.spare is not None and not self.settings.search.enabled:
            self.spare.close()
        self.conversations.drop_old()
        for folder in self.folders:
            folder.start()

    def leave(self, uris: Iterable[str]) -> "tuple[Workspace | Memories, ...]":
        """Take folders off the list; returns at once. Whoever calls closes what is returned, which can take a while."""
        with self._lock:
            left = [self._folders.pop(normal_root(uri), None) for uri in uris]
            gone = {folder.uri for folder in left if folder is not None}
            memories = [self._memories.pop(key) for key in list(self._memories) if not gone.isdisjoint(key)]
        for folder in left:
            if folder is not None:
                self.conversations.left(folder.key)
        return (*(folder for folder in left if folder is not None), *memories)

    def close(self) -> None:
        """Close every folder, and the databases."""
        if self.spare is not None:
            self.spare.close()
        with self._lock:
            memories, self._memories = tuple(self._memories.values()), {}
        for memory in memories:
            memory.close()
        if self._meanings is not None:
            self._meanings.close()
        self.conversations.close()
        for left in self.leave([folder.uri for folder in self.folders]):
            left.close()
        with self._lock:
            embedder, self._embedder = self._embedder, None
            knowledge, self._knowledge = self._knowledge, None
        if embedder is not None:
            embedder.close()
        if knowledge is not None:
            knowledge.close()

    @property
    def folders(self) -> tuple[Workspace, ...]:
        """The open folders, in the order in which they were opened."""
        with self._lock:
            return tuple(self._folders.values())

    def chosen(self, workspace: str | None) -> tuple[Workspace, ...]:
        """The folder named, or all that are open when none is.

        :raises InvalidField: when a folder is named that is not open.
        """
        if workspace is None:
            return self.folders
        with self._lock:
            folder = self._folders.get(normal_root(workspace))
        if folder is None:
            opened = ", ".join(folder.uri for folder in self.folders) or "none"
            raise InvalidField("workspace", f"is not an open folder; open: {opened}")
        return (folder,)

    def holding(self, path: Path, workspace: str | None) -> Workspace:
        """The open folder that `path` lies in, the innermost where several do.

        :raises VademecumError: `outsideWorkspace` when it lies in none.
        """
        inside = [folder for folder in self.chosen(workspace) if _lies_in(folder, path)]
        if not inside:
            raise VademecumError(ErrorKind.OUTSIDE_WORKSPACE, "The file lies outside the open folders.")
        return max(inside, key=lambda folder: len(folder.root.parts))

    # Memory ---------------------------------------------------------------------------------------------------------

    def memories(self, workspace: str | None) -> "Memories":
        """The memory of the folder named, or of all open folders (and of the user, always)."""
        from vademecum.memory.places import Places, ProjectMemory
        from vademecum.memory.service import Memories

        folders = [folder for folder in self.chosen(workspace) if folder.refusal is None]
        key = tuple(folder.uri for folder in folders)
        with self._lock:
            if key not in self._memories:
                self._memories[key] = Memories(
                    Places(self.places.home, self.places.state),
                    [ProjectMemory(folder.root, self._trusted) for folder in folders],
                    self.settings.memory,
                    self._gate_of,
                    complete=self._complete,
                    meanings=self._meanings_of_memories(),
                )
            return self._memories[key]

    @property
    def named_memories(self) -> "NamedPaths":
        """Judges and reads what a user names to import memories from."""
        from vademecum.files.named import NamedPaths
        from vademecum.memory.transfer.gathering import LARGEST_SOURCE

        gates = [folder.gate for folder in self.folders if folder.refusal is None]
        return NamedPaths(lambda: gates, lambda: self.file_settings, self.places.user_home, LARGEST_SOURCE, "an import")

    def _meanings_of_memories(self) -> "Meanings":
        from vademecum.memory.recall_meaning import FOLDER, Meanings

        with self._lock:
            if self._meanings is None:
                self._meanings = Meanings(self.places.cache / FOLDER, lambda: self.embedder)
            return self._meanings

    def _gate_of(self, root: Path) -> Gate | None:
        """The gate of an open folder; None when it is not open any longer, or nothing is read there."""
        return next((folder.gate for folder in self.folders if folder.root == root and folder.refusal is None), None)

    # Documents to look things up in ---------------------------------------------------------------------------------

    @property
    def knowledge(self) -> "Knowledge":
        """The documents of the user and of the shared folder; they belong to no folder."""
        from vademecum.knowledge.holdings import Places
        from vademecum.knowledge.service import Knowledge

        with self._lock:
            if self._knowledge is None:
                places = self.places
                self._knowledge = Knowledge(
                    Places(places.home, places.state, places.cache, places.user_home),
                    self.settings.knowledge,
                    lambda: [folder.gate for folder in self.folders if folder.refusal is None],
                    lambda: self.file_settings,
                    self._complete,
                    changed=lambda ids: self.observer.knowledge_changed(ids),
                )
            return self._knowledge

    # Sessions -------------------------------------------------------------------------------------------------------

    def places_of_sessions(self, workspace: str | None) -> tuple[str, ...]:
        """What the sessions of the folder named, or of all open folders, are kept under; `''` when none is open.

        :raises InvalidField: when a folder is named that is not open.
        """
        return tuple(dict.fromkeys(folder.key for folder in self.chosen(workspace))) or ("",)

    def place_of_session(self, workspace: str | None) -> str:
        """What a session of the folder named, or of the only one that is open, is kept under.

        :raises InvalidField: `workspace`, when it is not plain which folder is meant.
        """
        place, *others = self.places_of_sessions(workspace)
        if others:
            raise InvalidField("workspace", "must name the folder, since several are open")
        return place

    def forget_sessions(self, workspace: str | None) -> None:
        """Remove every history and value of the folder named, or of all open folders, and of chats without a folder.

        :raises VademecumError: `storeUnreadable` or `busy`.
        """
        self.conversations.forget(tuple({*self.places_of_sessions(workspace), ""}))

    # Documents ------------------------------------------------------------------------------------------------------

    def document_changed(self, path: str, text: str, version: int) -> None:
        """The editor shows `text` for the file `path`, saved or not."""
        self.buffers.set(Path(path), text, version)

    def document_closed(self, path: str) -> None:
        """The disk is the truth for `path` again."""
        self.buffers.drop(Path(path))

    def files_changed(self, paths: Sequence[str]) -> None:
        """A hint from the editor that files changed on the disk."""
        for folder in self.folders:
            known = [folder.gate.relative(Path(path)) for path in paths]
            inside = [path for path in known if isinstance(path, str)]
            if inside and (search := folder.search) is not None:
                search.changed(inside)


def _lies_in(folder: Workspace, path: Path) -> bool:
    relative = folder.gate.relative(path)
    return not isinstance(relative, Refused) or relative.reason is Reason.SILENT
