"""One open folder and its services.

Services are built by whoever needs them first (or by `start`, in the background), so that opening never blocks a reply.
"""

import hashlib
import os
import threading
from typing import TYPE_CHECKING, Protocol

from vademecum.files.buffers import Buffers
from vademecum.files.gate import Gate
from vademecum.files.roots import refuse_root
from vademecum.files.settings import FileSettings
from vademecum.files.uris import path_of_uri
from vademecum.memory.types import Scope
from vademecum.search.types import Status
from vademecum.search.weights import Weights
from vademecum.settings import Locations, Settings

if TYPE_CHECKING:  # the services are loaded when one is built, so that a server can answer `initialize` before
    from vademecum.embedding.embedder import Embedder
    from vademecum.evidence.deliveries import Deliveries
    from vademecum.search.service import Search
    from vademecum.search.spare import Spare


class Observer(Protocol):
    """Whoever wants to hear of changes; called on any thread, and must return at once."""

    def search_status(self, workspace: str, status: Status) -> None:
        """The state of the index of the folder `workspace` (a URI) changed."""
        ...

    def memory_changed(self, scope: Scope, ids: tuple[str, ...]) -> None:
        """Memories were added, changed or removed."""
        ...

    def knowledge_changed(self, ids: tuple[str, ...]) -> None:
        """Documents were imported, reviewed, attached, detached, summarised or removed."""
        ...


class Nobody:
    """The observer where nobody watches: a terminal or an agent asks when it wants to know."""

    def search_status(self, workspace: str, status: Status) -> None:
        """Told to nobody."""

    def memory_changed(self, scope: Scope, ids: tuple[str, ...]) -> None:
        """Told to nobody."""

    def knowledge_changed(self, ids: tuple[str, ...]) -> None:
        """Told to nobody."""


class Shared(Protocol):
    """What all open folders have in common."""

    places: Locations
    observer: Observer
    buffers: Buffers
    settings: Settings
    spare: "Spare | None"

    @property
    def embedder(self) -> "Embedder":
        """The one model of this process."""
        ...

    def file_settings_of(self, uri: str) -> FileSettings:
        """The settings of a folder's gate."""
        ...


class Workspace:
    """One open folder and its services.

    :ivar uri: as the client gave it; the same text comes back in every notification.
    :ivar root: the folder.
    :ivar refusal: why nothing is indexed here; None when it is.
    """

    def __init__(self, uri: str, owner: Shared) -> None:
        self.uri = uri
        self.root = path_of_uri(uri, "workspace")
        self.refusal = refuse_root(self.root, owner.places.user_home)
        self._owner = owner
        self._lock = threading.RLock()
        self._closed = False
        self._gate: Gate | None = None
        self._search: Search | None = None
        self._deliveries: Deliveries | None = None

    @property
    def gate(self) -> Gate:
        """Decides which files may be read, and reads them."""
        with self._lock:
            self._follow_repository()
            if self._gate is None:
                self._gate = Gate(self.root, self._owner.file_settings_of(self.uri), self._owner.buffers)
            return self._gate

    @property
    def search(self) -> "Search | None":
        """The code search of this folder; None where nothing is indexed, or after it was closed."""
        if self.refusal is not None:
            return None
        with self._lock:
            self._follow_repository()
            if self._search is None and not self._closed:
                from vademecum.search.service import Search

                self._search = Search(
                    self.root,
                    self.gate,
                    self._owner.places.cache,
                    self._owner.settings.search,
                    lambda status: self._owner.observer.search_status(self.uri, status),
                    self._owner.settings.ranking,
                    self._owner.embedder,
                    self._owner.spare,
                )
                self._search.start()
            return self._search

    @property
    def deliveries(self) -> "Deliveries":
        """What the sessions of callers were given here."""
        with self._lock:
            if self._deliveries is None:
                from vademecum.evidence.deliveries import Deliveries

                self._deliveries = Deliveries(
                    self._owner.places.state, self.root, lambda: self.gate, lambda: self._owner.settings.evidence
                )
            return self._deliveries

    @property
    def key(self) -> str:
        """What is kept for this folder's conversations is kept under this: where it lies, whatever led to it."""
        real = os.fsencode(os.path.realpath(self.root))
        return hashlib.sha256(b"workspace:" + real).hexdigest()[:16]

    def start(self) -> None:
        """Build what is not built yet; indexing goes on in the background."""
        _ = self.search

    def _follow_repository(self) -> None:
        """Begin anew when the folder became part of a repository around it (`git init`), or no longer is."""
        if self._gate is not None and self._gate.outdated:
            self.restart_search()

    def rank_by(self, weights: Weights) -> None:
        """Rank by other constants from now on."""
        with self._lock:
            if self._search is not None:
                self._search.rank_by(weights)

    def restart_search(self) -> None:
        """Begin anew with changed settings."""
        with self._lock:
            search, self._search, self._gate = self._search, None, None
        if search is not None:
            search.close()
        self.start()

    def close(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._closed = True
            search, self._search = self._search, None
            deliveries = self._deliveries
        if deliveries is not None:
            deliveries.close()
        if search is not None:
            search.close()
