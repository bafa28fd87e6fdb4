"""All memories that are visible here, each under one id, with who wrote it."""

import base64
import hashlib
import secrets
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from vademecum.memory.places import Placed
from vademecum.memory.settings import Format
from vademecum.memory.slug import printable
from vademecum.memory.store import Item, Scan
from vademecum.memory.types import MemoryStatus, Origin, Scope, StoreKind, Unreadable

#: Letters of an id: 13 of 32 are 65 bits. Left out are those that are taken for another in reading or in handwriting.
LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH = 13


@frozen
class Entry:
    """A memory in its place. `id` is the one it is known by, which its file may lack."""

    id: str
    item: Item
    placed: Placed
    origin: Origin

    @property
    def scope(self) -> Scope:
        """The scope, which the place decides, whatever the file says."""
        return self.placed.store.scope

    @property
    def updated(self) -> str:
        """When it was last changed: what the file says, or else its time."""
        return self.item.record.updated or self.item.record.created or _time(self.item.modified)

    @property
    def created(self) -> str:
        """When it was made, likewise."""
        return self.item.record.created or self.item.record.updated or _time(self.item.modified)

    @property
    def is_told(self) -> bool:
        """Whether it may be told to a model: not while it waits for review, and not when it was superseded."""
        return self.item.record.status is MemoryStatus.ACTIVE


@frozen
class Library:
    """The visible memories by id, in the order of their places. `withheld` came with a repository without trust.

    `doubled` are ids that more than one place holds; `left` is what moves that a crash cut short have left behind.
    """

    entries: Mapping[str, Entry]
    withheld: Mapping[str, Entry]
    unreadable: tuple[Unreadable, ...]
    doubled: frozenset[str] = frozenset()
    left: tuple[Entry, ...] = ()


def assemble(
    places: Sequence[Placed],
    scans: Sequence[Scan],
    own: Mapping[str, Collection[str]],
    trusted: Collection[Path],
    moved: Collection[tuple[str, str]] = (),
) -> Library:
    """Return the library of what the places hold.

    :param own: by project, digests of shared memories that this user wrote or accepted on this machine.
    :param trusted: working trees whose memories may be used.
    :param moved: ids and revisions that were to be moved elsewhere: where two places hold such an id, the one of this
        revision was left behind by a crash.
    """
    doubled: set[str] = set()
    left: list[Entry] = []
    entries: dict[str, Entry] = {}
    withheld: dict[str, Entry] = {}
    unreadable: list[Unreadable] = []
    shared: dict[str, Placed] = {}
    for placed, scan in zip(places, scans, strict=True):
        store = placed.store
        unreadable += [Unreadable(store.kind, store.scope, printable(flaw.name), flaw.reason) for flaw in scan.flaws]
        is_shared = store.kind is StoreKind.SHARED
        # An id that a file names goes before one that is only derived from a name.
        for item in sorted(scan.items, key=lambda item: item.record.id is None):
            wanted = item.record.id or _derived(placed, item)
            other = shared.get(wanted)
            if is_shared and other is not None and other.project == placed.project and other.root != placed.root:
                continue  # the same file in another worktree
            is_own = item.digest in own.get(placed.project, ()) if is_shared else not item.record.foreign
            id = wanted
            if first := entries.get(id):
                doubled.add(id)
                # Only for what this user wrote in both places: a stranger can give a file any id.
                is_pair = is_own and first.origin is Origin.USER and first.placed is not placed
                if is_pair and (id, item.revision) in moved:
                    left.append(Entry(id, item, placed, Origin.USER))
                    continue
                if is_pair and (id, first.item.revision) in moved:
                    left.append(entries.pop(id))
            while id in entries or id in withheld:
                id = _derived(placed, item, salt=id)
            entry = Entry(id, item, placed, Origin.USER if is_own else Origin.REPOSITORY)
            is_visible = is_own or not is_shared or placed.root in trusted
            (entries if is_visible else withheld)[id] = entry
            if is_shared:
                shared[id] = placed
    return Library(entries, withheld, tuple(unreadable), frozenset(doubled), tuple(left))


def new_id() -> str:
    """Return a new id: 13 letters and digits, 65 bits of chance."""
    return "".join(secrets.choice(LETTERS) for _ in range(_ID_LENGTH))


def _derived(placed: Placed, item: Item, salt: str = "") -> str:
    """An id that stays the same as long as the file keeps its name (or the JSON item, which has none, its content)."""
    store = placed.store
    name = item.name if store.format is Format.MARKDOWN else item.digest
    text = "\0".join((store.scope.value, placed.project, store.kind.value, store.format.value, name, salt))
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    standard = base64.b32encode(digest).decode("ascii")[:_ID_LENGTH]
    return standard.translate(str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", LETTERS))


def _time(nanoseconds: int) -> str:
    from datetime import UTC, datetime, timedelta

    from vademecum.memory.schema import stamp

    try:
        return stamp(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=nanoseconds // 1_000))
    except OverflowError:  # some file systems know times beyond the year 9999
        return stamp(datetime.min.replace(tzinfo=UTC) if nanoseconds < 0 else datetime.max.replace(tzinfo=UTC))
