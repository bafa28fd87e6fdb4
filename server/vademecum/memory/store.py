"""A place that memories are kept in: what every form of it can do."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from attrs import frozen

from vademecum.memory.record import Change, Record
from vademecum.memory.settings import Format
from vademecum.memory.types import Scope, StoreKind


@frozen
class Item:
    """A memory in its store. `name` finds it there again: a file's name, or an item's place in a JSON file.

    `digest` is of its bytes with line ends normalised, since git may change those.
    """

    name: str
    record: Record
    revision: str
    digest: str
    modified: int


@frozen
class Flaw:
    """A file of the store, or an item in it, that was left alone, and why."""

    name: str
    reason: str


@frozen
class Scan:
    """All that a store holds at one moment, in the order of the names. The same object as long as nothing changed."""

    items: tuple[Item, ...]
    flaws: tuple[Flaw, ...]


class Store(Protocol):
    """One place of memories in one form. Whoever changes it holds its lock (see lock.py)."""

    @property
    def kind(self) -> StoreKind:
        """Which of the places it is."""

    @property
    def scope(self) -> Scope:
        """The scope of all its memories."""

    @property
    def format(self) -> Format:
        """The form of its files."""

    @property
    def path(self) -> Path:
        """Its folder or file; also the name of its lock."""

    def scan(self) -> Scan:
        """Return what it holds now, whoever changed it; cheap when nothing did."""

    def forget(self) -> None:
        """Drop what is remembered from earlier scans."""

    def read(self, item: Item) -> bytes:
        """Return the item's bytes.

        :raises VademecumError: `conflict` when they changed since the scan, `storeUnreadable` when they cannot be read.
        """

    def read_all(self, items: Sequence[Item]) -> tuple[bytes, ...]:
        """Return the bytes of many items, in their order. Raises as `read`."""

    def add(self, record: Record) -> Item:
        """Store a new memory; never over another one. Raises `storeUnreadable` when the file system refuses."""

    def form(self, record: Record) -> tuple[str, bytes]:
        """Return the name and the bytes that `add` would store for a record."""

    def put_all(self, pieces: Sequence[tuple[str, bytes]], done: Callable[[int], None]) -> tuple[Item, ...]:
        """Store many new pieces, as `form` or `read` gave them, each under its name or near it, in their order.

        Quicker than one by one, and durable once it returns; what it wrote before it failed stays.

        :param done: told how many are written.
        """

    def change(self, item: Item, changes: Change, content: str | None) -> Item:
        """Change some keys of an item, and its content when given. Raises as `read`."""

    def put(self, name: str, data: bytes, over: Item | None = None) -> Item:
        """Store bytes that `read` once gave: over an item, else as a new one of that name or near it."""

    def remove(self, item: Item) -> None:
        """Remove an item. Raises as `read`."""

    def uri(self, item: Item) -> str:
        """Return the file URI that shows the item to a person."""


def revision_of(data: bytes) -> str:
    """Return the first 16 hex digits of the bytes' SHA-256: the name of this version."""
    return hashlib.sha256(data).hexdigest()[:16]


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of the bytes with line ends normalised."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()
