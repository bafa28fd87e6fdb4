"""The memories that are known beside the one that is edited."""

import os
from functools import lru_cache
from pathlib import Path

from vademecum.memory.editing.types import Neighbour
from vademecum.memory.library import Library
from vademecum.memory.settings import Format


def neighbours(library: Library) -> tuple[Neighbour, ...]:
    """Return every visible memory, with the file that it lies in."""
    real = lru_cache(None)(os.path.realpath)
    found = []
    for entry in library.entries.values():
        store, record = entry.placed.store, entry.item.record
        alone = store.format is Format.MARKDOWN
        file = Path(real(store.path), entry.item.name) if alone else store.path
        words = record.keywords
        found.append(Neighbour(entry.id, record.title, record.type, words, entry.scope, file, alone, record.id))
    return tuple(found)
