"""Where the parts of an archive go: to the user's own places, or to those of a project that is recognised here."""

import json
from collections.abc import Mapping

from attrs import frozen

from vademecum.errors import VademecumError
from vademecum.memory import checks
from vademecum.memory.holdings import Holdings
from vademecum.memory.json_store import item_of
from vademecum.memory.library import Entry, Library, assemble
from vademecum.memory.places import Placed
from vademecum.memory.record import NotText, Record, is_generated, parse
from vademecum.memory.registry import Registered, recognised
from vademecum.memory.settings import Format
from vademecum.memory.store import digest_of
from vademecum.memory.transfer.archive import Piece
from vademecum.memory.transfer.archiving import places_of
from vademecum.memory.types import Scope, StoreKind


@frozen
class Shelf:
    """The places of the user (`project` is '') or of a project; `adopted` is one that nobody has opened here yet."""

    project: str
    places: tuple[Placed, ...]
    adopted: Registered | None = None

    @property
    def scope(self) -> Scope:
        """The scope of all its memories."""
        return Scope.PROJECT if self.project else Scope.USER

    def place(self, piece: Piece) -> Placed | None:
        """Return the place of the piece's kind and form; None for what is shared while its repository is not open."""
        for placed in self.places:
            if placed.store.kind is piece.store and placed.store.format is piece.format:
                return placed
        return None

    def first(self, kind: StoreKind) -> Placed | None:
        """Return the first place of a kind, in whose folder a charter lies."""
        return next((placed for placed in self.places if placed.store.kind is kind), None)

    def library(self, held: Holdings) -> Library:
        """Return what lies there now; with it, for what is open, all else that is visible."""
        if any(placed in self.places for placed in held.opened().places):
            return held.library()
        return assemble(self.places, [placed.store.scan() for placed in self.places], {}, ())

    def entries(self, held: Holdings) -> Mapping[tuple[str, str], Entry]:
        """Return what lies there by the path of its store and its name in it."""
        library = self.library(held)
        everything = (*library.entries.values(), *library.withheld.values())
        return {(str(entry.placed.store.path), entry.item.name): entry for entry in everything}


def shelf_of(held: Holdings, about: Registered | None, *, into_open: bool) -> Shelf:
    """Return where a part belongs.

    :param about: the project, as the archive knows it; None for the user's part.
    :param into_open: a project that nobody knows here is the one that is open.
    :raises InvalidField: with `into_open`, when it is not plain which one that is.
    """
    opened = held.opened().places
    if about is None:
        return Shelf("", tuple(placed for placed in opened if placed.store.scope is Scope.USER))
    known = recognised(held.state, about)
    key = known.key if known else held.target(Scope.PROJECT).project if into_open else about.key
    places = tuple(placed for placed in opened if placed.project == key)
    return Shelf(key, places or places_of(held, known or about), None if known or places else about)


def record_of(piece: Piece) -> Record:
    """Return what a piece says.

    :raises NotText: when it is none of ours to store.
    """
    if is_generated(piece.data):
        raise NotText("it is a table of contents, no memory")
    if piece.format is Format.JSON:
        return item_of("0", json.loads(piece.data.decode("utf-8", "surrogatepass"))).record
    return parse(piece.data, piece.name[: -len(".md")])


def digest(piece: Piece) -> str:
    """Return the digest by which a store knows the piece's bytes."""
    if piece.format is Format.JSON:
        return item_of("0", json.loads(piece.data.decode("utf-8", "surrogatepass"))).digest
    return digest_of(piece.data)


def secret_in(record: Record) -> VademecumError | None:
    """Return the refusal of a record that holds a secret, else None."""
    try:
        checks.no_secrets_in(record)
    except VademecumError as error:
        return error
    return None
