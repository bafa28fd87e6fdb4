"""How the folders of documents are: whether they can be read and written, and what in them is no document."""

from pathlib import Path

from attrs import frozen

from vademecum.knowledge.shelf import Flaw, Shelf
from vademecum.knowledge.types import Owner


@frozen(kw_only=True)
class ShelfHealth:
    """How a folder of documents is.

    :param fault: why nothing in it can be read, as the end of a sentence; None when it can.
    :param documents: how many it holds.
    :param flaws: files in it that are no documents.
    """

    owner: Owner
    folder: Path
    fault: str | None
    writable: bool
    documents: int
    flaws: tuple[Flaw, ...]


def health_of(shelf: Shelf) -> ShelfHealth:
    """Look at a folder of documents. Takes as long as its disk does: a network drive may never answer."""
    fault = shelf.fault()
    documents = len(shelf.volumes()) if fault is None else 0
    return ShelfHealth(
        owner=shelf.owner,
        folder=shelf.folder,
        fault=fault,
        writable=fault is None and shelf.writable,
        documents=documents,
        flaws=shelf.flaws if fault is None else (),
    )
