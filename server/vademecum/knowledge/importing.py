"""Import: from sources to documents that wait for review.

In two steps. Reading and finding the headings takes the time; it can be stopped, and has changed nothing. Writing then
goes through to its end, document by document, each of them whole.
"""

import os
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import attrs
from attrs import frozen

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files import disks
from vademecum.files.content import Stamp
from vademecum.files.redact import redact
from vademecum.files.secrets import find
from vademecum.knowledge.body import Body
from vademecum.knowledge.entry import Entry, new_id
from vademecum.knowledge.holdings import Holdings, body_key
from vademecum.knowledge.outline import Heading, headings_of, outline
from vademecum.knowledge.record import Head, written
from vademecum.knowledge.shelf import Shelf
from vademecum.knowledge.slug import file_slug
from vademecum.knowledge.source import MOST_SKIPPED, Gathered, Source, from_text, revision_of
from vademecum.knowledge.state import Origin
from vademecum.knowledge.types import TITLE_CHARACTERS, Document, DocumentForm, DocumentStatus, ImportedFolder, Owner
from vademecum.work import Cancel, Progress, silent

#: A stamp that no file has: what was read may have changed within the same tick of the file system's clock.
_UNSETTLED = Stamp(-1, 0, 0, 0)


@frozen
class Prepared:
    """A source whose structure is known.

    :param named: whether the title is the user's word rather than the document's own.
    """

    source: Source
    title: str
    named: bool
    revision: str
    body: Body
    headings: tuple[str | None, int, tuple[Heading, ...]]


@frozen
class Stored:
    """What became of a source: the document's id, and whether it was new or changed anything."""

    id: str
    changed: bool


def nothing() -> None:
    """Where nobody needs to know that writing begins."""


def import_text(
    held: Holdings,
    text: str,
    title: str | None,
    owner: Owner | None,
    id: str | None,
    cancel: Cancel,
    settle: Callable[[], None] = nothing,
) -> Document:
    """Import a text that came with the request; without an `id` it is a new document, whatever its title.

    :raises InvalidField: `title`, when it is missing, blank or too long; `text`.
    :raises VademecumError: `tooLarge`, `notFound` for an unknown id, and as `Shelf.writing`.
    """
    entry = held.entry(id) if id is not None else None
    if title is None and entry is None:
        raise InvalidField("title", "is needed for a text")
    named = _checked_title(title) if title is not None else entry.head.title if entry is not None else ""
    prepared = prepare(from_text(text, named), named, cancel)
    return _import_one(held, prepared, _shelf(held, owner, entry), entry, settle)


def import_file(
    held: Holdings,
    path: Path,
    title: str | None,
    owner: Owner | None,
    id: str | None,
    cancel: Cancel,
    settle: Callable[[], None] = nothing,
) -> Document:
    """Import a file: a new document, or a new revision of the one that came from it (or that `id` names).

    :raises VademecumError: as `Sources.file` and `Shelf.writing`; `notFound` for an unknown id.
    """
    entry = held.entry(id) if id is not None else None
    named = _checked_title(title) if title is not None else None
    source = disks.look(path, lambda _: held.sources.file(path), cancel)
    prepared = prepare(source, named, cancel)
    return _import_one(held, prepared, _shelf(held, owner, entry), entry, settle)


def import_folder(
    held: Holdings,
    path: Path,
    owner: Owner | None,
    follow: bool,
    cancel: Cancel,
    progress: Progress = silent,
    settle: Callable[[], None] = nothing,
) -> ImportedFolder:
    """Import every Markdown and text file of a folder; with `follow`, changes are noticed from now on.

    :raises VademecumError: as `Sources.folder` and `Shelf.writing`.
    """
    shelf = held.shelf(owner or Owner.PERSONAL)

    def gather(alive: Cancel) -> tuple[Gathered, Path]:
        return held.sources.folder(path, alive, progress), Path(os.path.realpath(path))

    gathered, real = disks.look(path, gather, cancel)
    prepared = prepare_all(gathered.sources, cancel, progress)
    settle()
    stored = store(held, shelf, prepared)
    held.state.take_in([each.source.key for each in prepared], shelf.owner)
    held.state.follow(real, shelf.owner, following=follow)
    return ImportedFolder(
        documents=tuple(held.written(each.id) for each in stored if each.changed),
        unchanged=sum(not each.changed for each in stored),
        skipped=gathered.skipped[:MOST_SKIPPED],
        ignored=gathered.ignored,
        followed=follow,
    )


def prepare(source: Source, title: str | None, cancel: Cancel) -> Prepared:
    """Return a source with its structure. Changes nothing."""
    secrets = len(find(source.text))
    told = redact(source.text) if secrets else source.text
    headings = (None, 0, ()) if source.form is DocumentForm.TEXT else headings_of(told, cancel)
    found = outline(told, *headings)
    named = title or found.title or " ".join(source.name.split())[:TITLE_CHARACTERS] or "Untitled"
    return Prepared(
        source, named, title is not None, revision_of(source.text), Body(source.text, told, found, secrets), headings
    )


def prepare_all(sources: Sequence[Source], cancel: Cancel, progress: Progress) -> list[Prepared]:
    """Return sources with their structure. Changes nothing."""
    prepared = []
    for number, source in enumerate(sources):
        cancel.check()
        progress(number, len(sources), f"reading the headings of {source.relative}")
        prepared.append(prepare(source, None, cancel))
    return prepared


def store(
    held: Holdings, shelf: Shelf, prepared: Sequence[Prepared], into: str | None = None, *, beside: bool = False
) -> list[Stored]:
    """Write documents: new ones, and new revisions of those that came from the same sources.

    A source that is as it was changes nothing. A new revision waits for review, and its document with it; `beside`
    keeps it beside the published one instead, which goes on being served.

    :param into: the id of the document that the only source is a revision of.
    """
    with shelf.writing():
        here = [entry for entry in held.entries().values() if entry.shelf is shelf]
        by_key = {entry.head.key: entry for entry in here if entry.head.key}
        by_id = {entry.id: entry for entry in here}
        stored = []
        for each in prepared:
            entry = by_id.get(into) if into is not None else by_key.get(each.source.key)
            if into is not None and entry is None:
                raise VademecumError(ErrorKind.NOT_FOUND, "There is no such document.", id=into)
            stored.append(_put(held, shelf, each, entry, beside=beside))
    held.state.came_from(
        {
            done.id: Origin(str(each.source.path), _settled(each.source.stamp))
            if each.source.path is not None
            else None
            for done, each in zip(stored, prepared, strict=True)
        }
    )
    held.tidy()
    return stored


def _put(held: Holdings, shelf: Shelf, new: Prepared, entry: Entry | None, *, beside: bool) -> Stored:
    head = Head(
        id=entry.id if entry is not None else new_id(),
        title=new.title,
        source=_label(new.source, shelf.owner),
        key=new.source.key,
        form=new.source.form,
        status=DocumentStatus.PENDING,
        revision=new.revision,
        updated=_date(held.now(), entry),
    )
    assert head.id is not None
    text = new.source.text
    if entry is None:
        shelf.put(shelf.free_name(file_slug(new.title), head.id), head, text)
    elif entry.head.revision == new.revision:
        if entry.volume.pending is not None:  # the source is again what is served
            shelf.drop(entry.pending_name)
        known = entry.head
        kept = attrs.evolve(
            known, id=head.id, title=head.title if new.named else known.title, source=head.source, key=head.key
        )
        if beside or kept == known:
            return Stored(head.id, changed=entry.volume.pending is not None)
        shelf.put(entry.volume.name, kept, text)
    elif beside and entry.is_ready:
        if entry.volume.pending is not None and entry.volume.pending.revision == new.revision:
            return Stored(head.id, changed=False)
        shelf.put(entry.pending_name, head, text)
    else:
        shelf.put(entry.volume.name, head, text)
        shelf.drop(entry.pending_name)
    held.outlines.keep(head.id, head.revision, new.headings)
    held.bodies.keep(body_key(head.id, head), new.body)
    return Stored(head.id, changed=True)


def _date(now: datetime, entry: Entry | None) -> str:
    """When a revision is imported: after the ones before it, also where another machine's clock is ahead."""
    told = written(now)
    if entry is None:
        return told
    pending = entry.volume.pending
    last = max(entry.head.updated, pending.updated if pending is not None else "")
    if told > last:
        return told
    try:
        return written(datetime.fromisoformat(last) + timedelta(milliseconds=1))
    except (ValueError, OverflowError):  # a date that somebody made up
        return told


def _import_one(
    held: Holdings, prepared: Prepared, shelf: Shelf, entry: Entry | None, settle: Callable[[], None]
) -> Document:
    settle()
    (stored,) = store(held, shelf, [prepared], entry.id if entry is not None else None)
    if prepared.source.path is not None:
        held.state.take_in([prepared.source.key], shelf.owner)
    return held.written(stored.id)


def _shelf(held: Holdings, owner: Owner | None, entry: Entry | None) -> Shelf:
    if entry is not None:
        if owner not in (None, entry.owner):
            raise InvalidField("owner", f"must be `{entry.owner}`, whose document it is")
        return entry.shelf
    return held.shelf(owner or Owner.PERSONAL)


def _label(source: Source, owner: Owner) -> str:
    """What is kept of where a text came from; a team is not told the paths of whoever imported it."""
    if source.path is None:
        return ""
    return source.path.as_uri() if owner is Owner.PERSONAL else source.relative


def _settled(stamp: Stamp | None) -> Stamp:
    return stamp if stamp is not None and stamp.settled(time.time_ns()) else _UNSETTLED


def _checked_title(title: str) -> str:
    named = " ".join(title.split())
    if not named or len(named) > TITLE_CHARACTERS:
        raise InvalidField("title", f"must have 1 to {TITLE_CHARACTERS} characters")
    return named
