"""All documents on all shelves, what is known of each, and what a task sees of them.

`visible` and `seen` are the only ways to a document for whoever tells its text: published, on a shelf that this user
reads, and attached to the task.
"""

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import attrs
from attrs import frozen

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files import disks
from vademecum.files.gate import Gate
from vademecum.files.redact import redact
from vademecum.files.settings import FileSettings
from vademecum.knowledge.body import Bodies, Body, make_body
from vademecum.knowledge.entry import Entry, entries
from vademecum.knowledge.index import SectionIndex
from vademecum.knowledge.outlines import Outlines
from vademecum.knowledge.record import Head
from vademecum.knowledge.settings import KnowledgeSettings
from vademecum.knowledge.shelf import Shelf, Volume
from vademecum.knowledge.source import Sources
from vademecum.knowledge.state import State
from vademecum.knowledge.types import TASK_CHARACTERS, Document, Owner, SourceState
from vademecum.work import Cancel


@frozen
class Places:
    """The folders that the knowledge base keeps things in: texts, attachments, and what can be made anew."""

    home: Path
    state: Path
    cache: Path
    user_home: Path


class Holdings:
    """What the functions of this room share. Safe to use from several threads."""

    def __init__(
        self,
        places: Places,
        settings: KnowledgeSettings,
        gates: Callable[[], Sequence[Gate]],
        file_settings: Callable[[], FileSettings],
        now: Callable[[], datetime],
    ) -> None:
        self.gates = gates
        self.now = now
        shared = (Path(settings.shared),) if settings.shared else ()
        self.sources = Sources(gates, lambda: _shutting_out(file_settings(), shared), places.user_home)
        self.state = State(places.state)
        self.outlines = Outlines(places.cache / "knowledge")
        self.bodies = Bodies()
        self.index = SectionIndex()
        self._known: tuple[tuple[tuple[Volume, ...], ...], Mapping[str, Entry]] | None = None
        personal = Shelf(Owner.PERSONAL, places.home / "knowledge")
        self.shelves: tuple[Shelf, ...] = (personal,)
        self.shelves += tuple(Shelf(Owner.SYSTEM, folder) for folder in shared)

    def shelf(self, owner: Owner) -> Shelf:
        """Return the shelf of an owner.

        :raises InvalidField: `owner`, when no shared folder is set.
        """
        for shelf in self.shelves:
            if shelf.owner is owner:
                return shelf
        raise InvalidField("owner", "may be `system` only where the setting knowledge.shared names the shared folder")

    def entries(self) -> Mapping[str, Entry]:
        """Return every document, as it is now, by its id. Nobody changes what is returned."""
        volumes = tuple(shelf.volumes() for shelf in self.shelves)
        known = self._known
        if known is None or not all(map(operator.is_, known[0], volumes)):
            known = self._known = (volumes, entries(zip(self.shelves, volumes, strict=True)))
        return known[1]

    def entry(self, id: str) -> Entry:
        """Return one document. Raises `notFound`."""
        found = self.entries().get(id)
        if found is None and any(shelf.is_silent for shelf in self.shelves):
            raise VademecumError(
                ErrorKind.STORE_UNREADABLE,
                "The shared folder does not answer, so what lies in it is not known. Connect its drive and try again.",
                id=id,
            )
        if found is None:
            raise VademecumError(ErrorKind.NOT_FOUND, "There is no such document.", id=id)
        return found

    def visible(self, task: str) -> dict[str, Entry]:
        """Return the documents that a task sees, by their ids, in the order of their titles."""
        return visible(self.entries(), self.state.attached(checked_task(task)))

    def seen(self, task: str, id: str) -> Entry:
        """Return a document that a task sees. Raises `notFound`, `notPublished`, `notAttached`."""
        entry = self.entry(id)
        if not entry.is_ready:
            raise VademecumError(
                ErrorKind.NOT_PUBLISHED, "The document waits for review. Publish it, or read another one.", id=id
            )
        if id not in self.state.attached(checked_task(task)):
            raise VademecumError(
                ErrorKind.NOT_ATTACHED,
                "The document is not attached to this task. Attach it, or read another one.",
                id=id,
            )
        return entry

    def body(self, entry: Entry, cancel: Cancel | None = None, *, pending: bool = False) -> Body | None:
        """Return what is told of a document (or of its newer revision); None when its file has changed just now."""
        head, name = entry.head, entry.volume.name
        if pending:
            assert entry.volume.pending is not None
            head, name = entry.volume.pending, entry.pending_name
        key = body_key(entry.id, head)
        body = self.bodies.get(key)
        if body is None:
            text = entry.shelf.text(name, head.revision)
            if text is None:
                return None

            body = make_body(
                text,
                head.form,
                lambda told, form, stop: self.outlines.of(entry.id, head.revision, told, form, stop),
                cancel or Cancel(),
            )
            self.bodies.keep(key, body)
        return body

    def told(self, entry: Entry, cancel: Cancel | None = None) -> Body:
        """Return what is told of a document. Raises `conflict` when its file has changed just now."""
        body = self.body(entry, cancel)
        if body is None:
            raise VademecumError(ErrorKind.CONFLICT, "The document was changed just now; try again.", id=entry.id)
        return body

    def document(
        self, entry: Entry, cancel: Cancel | None = None, source_state: SourceState | None = None
    ) -> Document | None:
        """Return what is known of a document; None when its file has changed just now."""
        body = self.body(entry, cancel)
        if body is None:
            return None
        head, volume = entry.head, entry.volume
        return Document(
            id=entry.id,
            title=entry.title,
            owner=entry.owner,
            source=head.source or "text",
            form=head.form,
            status=head.status,
            revision=head.revision,
            sections=len(body.outline.sections),
            characters=len(body.told),
            tokens=body.outline.tokens,
            updated=head.updated,
            uri=entry.shelf.path(volume.name).as_uri(),
            writable=entry.shelf.writable,
            redacted=body.redacted,
            summary=redact(head.summary) or None,
            pending_revision=volume.pending.revision if volume.pending else None,
            pending_uri=entry.shelf.path(entry.pending_name).as_uri() if volume.pending else None,
            source_state=source_state,
        )

    def written(self, id: str) -> Document:
        """Return what is known of a document that was written just now."""
        for _ in range(3):  # another writer may be at it too
            if (document := self.document(self.entry(id))) is not None:
                return document
        raise VademecumError(ErrorKind.CONFLICT, "The document is being changed by another program; try again.", id=id)

    def tidy(self) -> None:
        """Keep nothing that was derived of revisions that are gone, nor of documents that are, whoever removed them."""
        known = self.entries()
        if any(shelf.is_silent for shelf in self.shelves):
            return  # what lies there is not known to be gone
        self.index.drop_dead({each.key for each in known.values() if each.is_ready})
        heads = [(each.id, each.head) for each in known.values()]
        heads += [(each.id, each.volume.pending) for each in known.values() if each.volume.pending is not None]
        self.outlines.retain({(id, head.revision) for id, head in heads})
        self.bodies.retain({body_key(id, head) for id, head in heads})


def visible(known: Mapping[str, Entry], attached: Collection[str]) -> dict[str, Entry]:
    """Return those documents that are published and attached, in the order of their titles."""
    seen = [entry for id in attached if (entry := known.get(id)) is not None and entry.is_ready]
    seen.sort(key=lambda entry: (entry.head.title.casefold(), entry.id))
    return {entry.id: entry for entry in seen}


def _shutting_out(settings: FileSettings, folders: tuple[Path, ...]) -> FileSettings:
    there = (folder for folder in folders if disks.answers(folder))  # nothing is read on a disk that does not answer
    return attrs.evolve(settings, own_folders=(*settings.own_folders, *there))


def body_key(id: str, head: Head) -> str:
    """Under which key the body of a revision is kept."""
    return f"{id}@{head.revision}@{head.form}"


def checked_task(task: str) -> str:
    """Return the name of a task.

    :raises InvalidField: `task`, when it is empty or too long.
    """
    if not task or len(task) > TASK_CHARACTERS:
        raise InvalidField("task", f"must have 1 to {TASK_CHARACTERS} characters")
    return task
