"""A document in its place: the shelf it lies on, and what is known of it."""

import base64
import hashlib
import secrets
from collections.abc import Iterable, Sequence

from attrs import frozen

from vademecum.files.redact import redact
from vademecum.knowledge.record import Head
from vademecum.knowledge.shelf import PENDING, Shelf, Volume
from vademecum.knowledge.types import DocumentStatus, Owner

#: Letters of an id: 13 of 32 are 65 bits. Left out are those that are taken for another in reading.
_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH = 13


@frozen
class Entry:
    """A document under the id it is known by, which its file may lack."""

    id: str
    shelf: Shelf
    volume: Volume

    @property
    def owner(self) -> Owner:
        """Whose it is, which the place decides, whatever the file says."""
        return self.shelf.owner

    @property
    def head(self) -> Head:
        """What is known of the revision that is served, or would be."""
        return self.volume.head

    @property
    def title(self) -> str:
        """What it is called, as it is told."""
        return redact(self.head.title)

    @property
    def is_ready(self) -> bool:
        """Whether it is published."""
        return self.head.status is DocumentStatus.READY

    @property
    def key(self) -> str:
        """Changes with everything that the index holds of the document."""
        return f"{self.id}@{self.head.revision}@{self.head.form}@{self.head.title}"

    @property
    def pending_name(self) -> str:
        """The name of the file that keeps a newer revision."""
        return f"{PENDING}/{self.volume.name}"


def entries(shelves: Iterable[tuple[Shelf, Sequence[Volume]]]) -> dict[str, Entry]:
    """Return every document on some shelves under one id.

    Where two files claim one, the first shelf's, and on it the first name's, has it; the other gets an id of its own,
    so that nobody's file is ever taken for another's.
    """
    found: dict[str, Entry] = {}
    for shelf, volumes in shelves:
        # An id that a file names goes before one that is only derived from a name.
        for volume in sorted(volumes, key=lambda volume: volume.head.id is None):
            id = volume.head.id or _derived(shelf.owner, volume.name)
            while id in found:
                id = _derived(shelf.owner, f"{volume.name}\0{id}")
            found[id] = Entry(id, shelf, volume)
    return found


def new_id() -> str:
    """Return a new id: 13 letters and digits, 65 bits of chance."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_ID_LENGTH))


def _derived(owner: Owner, name: str) -> str:
    digest = hashlib.sha256(f"{owner}\0{name}".encode("utf-8", "surrogateescape")).digest()
    standard = base64.b32encode(digest).decode("ascii")[:_ID_LENGTH]
    return standard.translate(str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", _LETTERS))
