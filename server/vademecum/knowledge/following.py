"""Followed folders: what changed in them waits for review beside what is served.

They are looked at when the owner lists documents or asks for it; nothing runs in between.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from vademecum.errors import ErrorKind, VademecumError
from vademecum.files import disks
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
    more, or lies on a disk that does not answer; the files in it are not told one by one.
    """
    ids: list[str] = []
    skipped: list[SkippedSource] = []
    unreachable: list[str] = []
    # Without the setting there is no shared folder that system documents could go to.
    followed = [each for each in held.state.followed() if any(shelf.owner is each[1] for shelf in held.shelves)]
    for folder, owner in followed:
        cancel.check()
        try:
            found, left = _refresh_one(held, folder, owner, cancel, progress)
        except disks.NoAnswer as silence:
            unreachable.append(folder.name)
            skipped.append(SkippedSource(folder.name, silence.message))
            continue
        except VademecumError as error:
            if error.kind is ErrorKind.BUSY:
                raise
            skipped.append(SkippedSource(folder.name, error.message))
            continue
        ids += found
        skipped += left
    return Refreshed(
        documents=_documents(held, ids, cancel),
        folders=len(followed),
        skipped=tuple(skipped[:MOST_SKIPPED]),
        unreachable=tuple(unreachable),
    )


def _documents(held: Holdings, ids: Sequence[str], cancel: Cancel) -> tuple[Document, ...]:
    known = held.entries()
    entries = [entry for id in dict.fromkeys(ids) if (entry := known.get(id)) is not None]
    states = source_states(entries, held.state.origins(), cancel)
    told = [held.document(entry, cancel, states.get(entry.id)) for entry in entries]
    return tuple(document for document in told if document is not None)


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
    gathered = disks.look(folder, lambda alive: held.sources.folder(folder, alive, progress, stamps), cancel)
    left_out = held.state.left_out(owner)
    prepared = prepare_all([each for each in gathered.sources if each.key not in left_out], cancel, progress)
    stored = store(held, shelf, prepared, beside=True) if prepared else []
    below = {
        id: Path(origin.path)
        for id, origin in held.state.origins().items()
        if id in known and known[id].owner is owner and folder in Path(origin.path).parents
    }
    gone = [id for id, there in disks.look_at_each(below, os.path.lexists, cancel).items() if there is False]
    return [*(each.id for each in stored if each.changed), *gone], gathered.skipped


def source_states(entries: Sequence[Entry], origins: Mapping[str, Origin], cancel: Cancel) -> dict[str, SourceState]:
    """Return how the sources of documents are, by their ids, as far as their stamps tell; those are left out of which
    that is not known here.
    """
    known = {entry.id: origins[entry.id] for entry in entries if entry.id in origins}
    stamps = disks.look_at_each({id: Path(origin.path) for id, origin in known.items()}, _stamp, cancel)
    states = {entry.id: _state(entry, known[entry.id], stamps[entry.id]) for entry in entries if entry.id in known}
    return {id: state for id, state in states.items() if state is not None}


def _stamp(path: Path) -> Stamp | None:
    try:
        return Stamp.of(path.stat())
    except OSError:
        return None


def _state(entry: Entry, origin: Origin, stamp: Stamp | disks.NoAnswer | None) -> SourceState | None:
    if isinstance(stamp, disks.NoAnswer):
        return SourceState.UNREACHABLE
    if stamp is None:
        return SourceState.MISSING
    if entry.volume.pending is not None:
        return SourceState.CHANGED
    if origin.stamp.size < 0:
        return None
    return SourceState.CURRENT if stamp == origin.stamp else SourceState.CHANGED
