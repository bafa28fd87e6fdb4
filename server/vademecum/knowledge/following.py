"""Followed folders: what changed in them waits for review beside what is served.

They are looked at when the owner lists documents or asks for it; nothing runs in between.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from vademecum.errors import ErrorKind, VademecumError
from vademecum.files.content import Stamp
from vademecum.knowledge.entry import Entry
from vademecum.knowledge.holdings import Holdings
from vademecum.knowledge.importing import prepare_all, store
from vademecum.knowledge.source import MOST_SKIPPED
from vademecum.knowledge.state import Origin
from vademecum.knowledge.types import Document, Owner, Refreshed, SkippedSource, SourceState
from vademecum.work import Cancel, Progress, silent


def refresh(held: Holdings, cancel: Cancel, progress: Progress = silent) -> Refreshed:
    """Look at the followed folders: a new file becomes a document that waits for review, a changed one a revision that
    waits beside the published one. Only changed files are read.

    A file that is gone leaves its document as it is, and is told. So does a folder that is gone, or may not be read any
    more; the files in it are not told one by one.
    """
    ids: list[str] = []
    skipped: list[SkippedSource] = []
    # Without the setting there is no shared folder that system documents could go to.
    followed = [each for each in held.state.followed() if any(shelf.owner is each[1] for shelf in held.shelves)]
    for folder, owner in followed:
        cancel.check()
        try:
            found, left = _refresh_one(held, folder, owner, cancel, progress)
        except VademecumError as error:
            if error.kind is ErrorKind.BUSY:
                raise
            skipped.append(SkippedSource(folder.name, error.message))
            continue
        ids += found
        skipped += left
    return Refreshed(
        documents=_documents(held, ids, cancel), folders=len(followed), skipped=tuple(skipped[:MOST_SKIPPED])
    )


def _documents(held: Holdings, ids: Sequence[str], cancel: Cancel) -> tuple[Document, ...]:
    origins = held.state.origins()
    known = held.entries()
    told = []
    for id in dict.fromkeys(ids):
        entry = known.get(id)
        document = held.document(entry, cancel, source_state(entry, origins.get(id))) if entry is not None else None
        if document is not None:
            told.append(document)
    return tuple(told)


def _refresh_one(
    held: Holdings, folder: Path, owner: Owner, cancel: Cancel, progress: Progress
) -> tuple[list[str], tuple[SkippedSource, ...]]:
    shelf = held.shelf(owner)
    known = held.entries()
    stamps: Mapping[Path, Stamp] = {
        Path(origin.path): origin.stamp
        for id, origin in held.state.origins().items()
        if id in known and known[id].owner is owner
    }
    gathered = held.sources.folder(folder, cancel, progress, stamps)
    left_out = held.state.left_out(owner)
    prepared = prepare_all([each for each in gathered.sources if each.key not in left_out], cancel, progress)
    stored = store(held, shelf, prepared, beside=True) if prepared else []
    gone = [
        id
        for id, origin in held.state.origins().items()
        if id in known
        and known[id].owner is owner
        and folder in Path(origin.path).parents
        and not os.path.lexists(origin.path)
    ]
    return [*(each.id for each in stored if each.changed), *gone], gathered.skipped


def source_state(entry: Entry, origin: Origin | None) -> SourceState | None:
    """Return how the source of a document is, as far as its stamp tells; None where that is not known here."""
    if origin is None:
        return None
    try:
        stamp = Stamp.of(Path(origin.path).stat())
    except OSError:
        return SourceState.MISSING
    if entry.volume.pending is not None:
        return SourceState.CHANGED
    if origin.stamp.size < 0:
        return None
    return SourceState.CURRENT if stamp == origin.stamp else SourceState.CHANGED
