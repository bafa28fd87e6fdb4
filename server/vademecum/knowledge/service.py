"""The knowledge base: everything that the faces ask of it, in one place."""

import logging
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files import disks
from vademecum.files.gate import Gate
from vademecum.files.settings import FileSettings
from vademecum.knowledge import asking, following, importing, reviewing, telling
from vademecum.knowledge.health import ShelfHealth, health_of
from vademecum.knowledge.holdings import Holdings, Places, checked_task
from vademecum.knowledge.importing import nothing
from vademecum.knowledge.model import Complete
from vademecum.knowledge.settings import KnowledgeSettings
from vademecum.knowledge.summaries import Summariser
from vademecum.knowledge.types import (
    DEFAULT_TASK,
    Answer,
    Attached,
    Document,
    DocumentMap,
    DocumentPage,
    DocumentStatus,
    ImportedFolder,
    OutlinePage,
    Owner,
    Refreshed,
    SectionHits,
    SectionPage,
    SourceState,
)
from vademecum.work import Cancel, Progress, silent

logger = logging.getLogger(__name__)


class Knowledge:
    """The documents of the user and of the shared folder.

    Nothing is touched before the first call. Safe to use from several threads, and beside other servers, terminals and
    machines that use the same folders. Any call may raise `VademecumError` with `storeUnreadable` or `busy`.
    """

    def __init__(
        self,
        places: Places,
        settings: KnowledgeSettings | None = None,
        gates: Callable[[], Sequence[Gate]] = tuple,
        file_settings: Callable[[], FileSettings] = FileSettings,
        complete: Complete | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        changed: Callable[[tuple[str, ...]], None] = lambda ids: None,
    ) -> None:
        """
        :param gates: gives the gates of the open folders.
        :param file_settings: gives the settings of the gate, for what lies elsewhere.
        :param complete: the lent model, where there is one.
        :param changed: called on any thread with the ids of documents that were changed here, or whose attachment was.
        """
        self._changed = changed
        self._held = Holdings(places, settings or KnowledgeSettings(), gates, file_settings, now)
        self._complete = complete
        self._summaries = Summariser(self._held, complete, self._tell) if complete is not None else None

    # Import and review ----------------------------------------------------------------------------------------------

    def import_text(
        self,
        text: str,
        title: str | None = None,
        *,
        owner: Owner | None = None,
        id: str | None = None,
        cancel: Cancel | None = None,
        settle: Callable[[], None] = nothing,
    ) -> Document:
        """Import a text; see `importing.import_text`."""
        document = importing.import_text(self._held, text, title, owner, id, cancel or Cancel(), settle)
        self._taken(document)
        return document

    def import_path(
        self,
        path: Path,
        *,
        title: str | None = None,
        owner: Owner | None = None,
        id: str | None = None,
        follow: bool = False,
        cancel: Cancel | None = None,
        progress: Progress = silent,
        settle: Callable[[], None] = nothing,
    ) -> Document | ImportedFolder:
        """Import the file or the folder at an absolute path; see `importing`.

        :param settle: called when reading is over and writing begins; from then on it is not stopped.
        """
        stop = cancel or Cancel()
        if not disks.look(path, lambda _: os.path.isdir(path), stop):  # noqa: PTH112 - False, too, for a name of none
            if follow:
                raise InvalidField("follow", "is for folders")
            document = importing.import_file(self._held, path, title, owner, id, stop, settle)
            self._taken(document)
            return document
        for field, value in (("title", title), ("id", id)):
            if value is not None:
                raise InvalidField(field, "is for a single document, not for a folder")
        done = importing.import_folder(self._held, path, owner, follow, stop, progress, settle)
        self._taken(*done.documents)
        return done

    def publish(self, id: str, revision: str | None = None) -> Document:
        """Serve a document (or its newer revision) from now on; see `reviewing.publish`."""
        document = reviewing.publish(self._held, id, revision)
        self._tell(id)
        return document

    def withdraw(self, id: str) -> Document:
        """Serve a document no longer. Raises `notFound`."""
        document = reviewing.withdraw(self._held, id)
        self._tell(id)
        return document

    def remove(self, id: str) -> None:
        """Remove a document and all that was derived from it. Raises `notFound`."""
        reviewing.remove(self._held, id)
        self._tell(id)

    def summarize(self, id: str, revision: str, summary: str) -> Document:
        """Keep a summary of a revision. Raises `notFound`, `conflict` for a revision that is gone."""
        document = reviewing.summarize(self._held, id, revision, summary)
        self._tell(id)
        return document

    def refresh(self, cancel: Cancel | None = None, progress: Progress = silent) -> Refreshed:
        """Look at the followed folders; see `following.refresh`."""
        done = following.refresh(self._held, cancel or Cancel(), progress)
        # Of a source that is gone nothing is new, however often it is looked for.
        self._taken(*(each for each in done.documents if each.source_state is not SourceState.MISSING))
        return done

    def list(
        self,
        *,
        status: DocumentStatus | None = None,
        owner: Owner | None = None,
        offset: int = 0,
        limit: int = 200,
        cancel: Cancel | None = None,
    ) -> DocumentPage:
        """Return a page of all documents, by title: the owner's view, whatever is attached where.

        Followed folders are looked at first.
        """
        stop = cancel or Cancel()
        held = self._held
        held.tidy()  # also of what was removed by hand, by others, or by a program that was killed over it
        notices = [f"{shelf.folder} {fault}." for shelf in held.shelves if (fault := shelf.fault()) is not None]
        if held.state.followed():
            try:
                done = self.refresh(stop)
                notices += [f"{folder} is followed, and its disk does not answer." for folder in done.unreachable]
            except VademecumError as error:
                logger.warning("Followed folders could not be looked at: %s", error.message)
        chosen = [
            entry
            for entry in held.entries().values()
            if owner in (None, entry.owner) and status in (None, entry.head.status)
        ]
        chosen.sort(key=lambda entry: (entry.head.title.casefold(), entry.id))
        page = chosen[offset : offset + limit]
        states = following.source_states(page, held.state.origins(), stop)
        items = []
        for entry in page:
            stop.check()
            document = held.document(entry, stop, states.get(entry.id))
            if document is not None:
                items.append(document)
        return DocumentPage(tuple(items), len(chosen), " ".join(notices) or None)

    def folders(self) -> tuple[tuple[Owner, Path], ...]:
        """Return the folders of documents, and whose they are. Looks at none of them."""
        return tuple((shelf.owner, shelf.folder) for shelf in self._held.shelves)

    def health(self, owner: Owner) -> ShelfHealth:
        """Look at the folder of an owner; see `health.health_of`. Raises `InvalidField` when there is none."""
        return health_of(self._held.shelf(owner))

    # Attachments ----------------------------------------------------------------------------------------------------

    def attach(self, ids: Sequence[str], task: str = DEFAULT_TASK) -> Attached:
        """Attach documents to a task; they are seen from its next request on, once they are published.

        :raises VademecumError: `notFound`, when one of them is unknown; then none is attached.
        """
        checked_task(task)
        known = self._held.entries()
        for id in ids:
            if id not in known:
                raise VademecumError(ErrorKind.NOT_FOUND, "There is no such document.", id=id)
        if ids:
            self._held.state.attach(task, ids)
            self._tell(*ids)
        return self.attached(task)

    def detach(self, ids: Sequence[str], task: str = DEFAULT_TASK) -> Attached:
        """Detach documents from a task; they are not seen from its next request on."""
        if ids:
            self._held.state.detach(checked_task(task), ids)
            self._tell(*ids)
        return self.attached(task)

    def attached(self, task: str = DEFAULT_TASK) -> Attached:
        """Return what is attached to a task, published or not."""
        known = self._held.entries()
        return Attached(task, tuple(sorted(self._held.state.attached(checked_task(task)).intersection(known))))

    # What a task sees -----------------------------------------------------------------------------------------------

    def map(
        self, task: str = DEFAULT_TASK, *, offset: int = 0, limit: int = 200, cancel: Cancel | None = None
    ) -> DocumentMap:
        """Return a page of the documents that a task sees, by title."""
        return telling.map_(self._held, task, offset, limit, cancel or Cancel())

    def outline(
        self, id: str, task: str = DEFAULT_TASK, *, offset: int = 0, limit: int = 10_000, cancel: Cancel | None = None
    ) -> OutlinePage:
        """Return the sections of a document; see `telling.outline`."""
        return telling.outline(self._held, task, id, offset, limit, cancel or Cancel())

    def search(
        self, query: str, task: str = DEFAULT_TASK, *, limit: int = 10, offset: int = 0, cancel: Cancel | None = None
    ) -> SectionHits:
        """Return the sections that match best; see `telling.search`."""
        return telling.search(self._held, task, query, limit, offset, cancel or Cancel())

    def read_section(
        self,
        id: str,
        anchor: str,
        task: str = DEFAULT_TASK,
        *,
        cursor: str | None = None,
        cancel: Cancel | None = None,
    ) -> SectionPage:
        """Return a page of a section; see `telling.read_section`."""
        return telling.read_section(self._held, task, id, anchor, cursor, cancel or Cancel())

    def ask(self, question: str, task: str = DEFAULT_TASK, cancel: Cancel | None = None) -> Answer:
        """Answer a question from what a task sees; see `asking.ask`."""
        return asking.ask(self._held, task, question, self._complete, cancel or Cancel())

    def close(self) -> None:
        """End the background work and close the database; a later call opens it again."""
        if self._summaries is not None:
            self._summaries.close()
        self._held.state.close()

    def _taken(self, *documents: Document) -> None:
        """Tell of new revisions, and have them summarised where a model is lent."""
        for document in documents:
            if self._summaries is not None and document.summary is None:
                self._summaries.wish(document.id, document.pending_revision or document.revision)
        self._tell(*(document.id for document in documents))

    def _tell(self, *ids: str) -> None:
        if ids:
            self._changed(ids)
