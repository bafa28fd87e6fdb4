"""What the owner of a document decides: that it is served, that it is not, its summary, its end."""

import attrs

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.knowledge.entry import Entry
from vademecum.knowledge.holdings import Holdings
from vademecum.knowledge.record import Head, written
from vademecum.knowledge.types import SUMMARY_CHARACTERS, Document, DocumentStatus


def publish(held: Holdings, id: str, revision: str | None = None) -> Document:
    """Serve a document from now on: the newer revision where one waits, else the one that is there.

    :param revision: the one that was reviewed.
    :raises VademecumError: `notFound`; `conflict`, when another revision than that waits; as `Shelf.writing`.
    """
    with held.entry(id).shelf.writing():
        entry = held.entry(id)
        wanted = entry.volume.pending or entry.head
        if revision is not None and revision != wanted.revision:
            raise _conflict(id, wanted.revision)
        if entry.volume.pending is not None:
            text = _text(entry, entry.pending_name, wanted)
            entry.shelf.put(entry.volume.name, attrs.evolve(wanted, id=id, status=DocumentStatus.READY), text)
        elif not entry.is_ready:
            _rewrite(held, entry, status=DocumentStatus.READY)
        entry.shelf.drop(entry.pending_name)
    held.tidy()
    return held.written(id)


def withdraw(held: Holdings, id: str) -> Document:
    """Serve a document no longer; it waits for review again. Raises `notFound`, and as `Shelf.writing`."""
    with held.entry(id).shelf.writing():
        entry = held.entry(id)
        if entry.is_ready:
            _rewrite(held, entry, status=DocumentStatus.PENDING)
    held.tidy()
    return held.written(id)


def remove(held: Holdings, id: str) -> None:
    """Remove a document: its files, its attachments, and all that was derived from it. Raises `notFound`, and as
    `Shelf.writing`.
    """
    with held.entry(id).shelf.writing():
        entry = held.entry(id)
        entry.shelf.drop(entry.pending_name)
        entry.shelf.drop(entry.volume.name)
    held.tidy()
    held.state.removed(id, entry.head.key, entry.owner)


def summarize(held: Holdings, id: str, revision: str, summary: str) -> Document:
    """Keep a summary of the revision that it was made of; a blank one removes it.

    :raises InvalidField: `summary`, when it is too long.
    :raises VademecumError: `notFound`; `conflict`, when the document has another revision by now; as `Shelf.writing`.
    """
    told = summary.strip()
    if len(told) > SUMMARY_CHARACTERS:
        raise InvalidField("summary", f"must have at most {SUMMARY_CHARACTERS:,} characters")
    with held.entry(id).shelf.writing():
        entry = held.entry(id)
        pending = entry.volume.pending
        if revision == entry.head.revision:
            _rewrite(held, entry, summary=told)
        elif pending is not None and revision == pending.revision:
            text = _text(entry, entry.pending_name, pending)
            entry.shelf.put(entry.pending_name, attrs.evolve(pending, summary=told), text)
        else:
            raise _conflict(id, entry.head.revision)
    return held.written(id)


def _rewrite(held: Holdings, entry: Entry, **changes: object) -> None:
    head = entry.head
    text = _text(entry, entry.volume.name, head)
    updated = head.updated or written(held.now())
    entry.shelf.put(
        entry.volume.name,
        attrs.evolve(head, id=entry.id, updated=updated, **changes),  # type: ignore[arg-type]
        text,
    )


def _text(entry: Entry, name: str, head: Head) -> str:
    text = entry.shelf.text(name, head.revision)
    if text is None:
        raise VademecumError(ErrorKind.CONFLICT, "The document was changed just now; try again.", id=entry.id)
    return text


def _conflict(id: str, revision: str) -> VademecumError:
    return VademecumError(
        ErrorKind.CONFLICT,
        f"The document has the revision {revision} by now. Look at that one, then try again.",
        id=id,
        revision=revision,
    )
