"""A folder of Markdown files, one a memory."""

import os
import secrets
import threading
import time
from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

from vademecum.errors import ErrorKind, VademecumError
from vademecum.files import durable
from vademecum.files.frontmatter import Broken
from vademecum.files.stillness import Stillness
from vademecum.memory.access import CannotRead, Corner, Stamp
from vademecum.memory.record import Change, NotText, Record, is_generated, parse, render, rewrite
from vademecum.memory.settings import Format
from vademecum.memory.slug import slug
from vademecum.memory.store import Flaw, Item, Scan, digest_of, revision_of
from vademecum.memory.types import Scope, StoreKind

_SUFFIX = ".md"

#: A file changed this shortly before it was read, in nanoseconds, may change again without its times showing it, and is
#: read again at the next scan. File systems keep times to some milliseconds; those with whole seconds to two of them.
_RACY_NANOSECONDS = 60_000_000
_RACY_WHOLE_SECONDS = 2_100_000_000

#: Files of one import that are written at a time.
_WRITERS = 8

#: How much of a memory's id stands in its file's name.
SHORT_ID = 8


@frozen
class _Seen:
    stamp: Stamp
    settled: bool
    """Whether an equal stamp proves that the file is the same."""
    result: Item | Flaw | None

    def holds(self, stamp: Stamp) -> bool:
        return self.settled and self.stamp == stamp


def _is_settled(stamp: Stamp, read_at: int) -> bool:
    window = _RACY_NANOSECONDS if stamp.modified % 1_000_000_000 else _RACY_WHOLE_SECONDS
    return max(stamp.modified, stamp.changed) + window < read_at


class FolderStore:
    """The Markdown files of one folder. `corner.top` is set for a folder that came with a repository."""

    format = Format.MARKDOWN

    def __init__(self, kind: StoreKind, scope: Scope, corner: Corner) -> None:
        self.kind = kind
        self.scope = scope
        self._corner = corner
        self._guard = threading.Lock()
        self._seen: dict[str, _Seen] = {}
        self._settled: dict[str, Stamp] | None = None
        self._scan: Scan | None = None
        self._still: Stillness | None = None
        self._still_at: int | None = None
        self._tried_with: Scan | None = None
        self._has_tried = False

    @property
    def path(self) -> Path:
        """The folder."""
        return self._corner.path

    @property
    def _private(self) -> bool:
        return self.kind is not StoreKind.SHARED

    def scan(self) -> Scan:
        """Return what the files hold now; only changed files are read, and none is looked at where the kernel says that
        nothing changed."""
        with self._guard:
            count = self._changes()
            if count is not None and count == self._still_at and self._scan is not None:
                return self._scan
            self._still_at = None
            try:
                stamps = self._corner.stamps(_SUFFIX)
            except CannotRead as error:
                self._scan = None
                return Scan((), (Flaw(".", str(error)),))
            if all(stamp.alone for stamp in stamps.values()):
                self._still_at = count
            if self._scan is not None and stamps == self._settled:
                return self._scan
            seen: dict[str, _Seen] = {}
            same = self._scan is not None and stamps.keys() == self._seen.keys()
            for name, stamp in stamps.items():
                old = self._seen.get(name)
                if old is not None and old.holds(stamp):
                    seen[name] = old
                    continue
                read_at = time.time_ns()
                result = self._look(name, stamp, old)
                seen[name] = _Seen(stamp, _is_settled(stamp, read_at), result)
                same = same and old is not None and old.result is result
            self._seen = seen
            self._settled = stamps if all(each.settled for each in seen.values()) else None
            if not same or self._scan is None:
                results = [entry.result for entry in seen.values()]
                flaws = [result for result in results if isinstance(result, Flaw)]
                items = [result for result in results if isinstance(result, Item)]
                flaws += [Flaw(item.name, item.record.problem) for item in items if item.record.problem]
                self._scan = Scan(tuple(items), tuple(flaws))
            return self._scan

    def _changes(self) -> int | None:
        """How many times something changed in the folder since it is watched; None where it cannot be. In a repository
        a folder above may become a link without a change here, so that is not relied on."""
        if self._corner.top is not None:
            return None
        count = self._still.count() if self._still is not None else None
        if count is None and not (self._has_tried and self._tried_with is self._scan):
            self._has_tried, self._tried_with, self._still_at = True, self._scan, None
            self._still = Stillness.of(self.path)
            count = self._still.count() if self._still is not None else None
        return count

    def forget(self) -> None:
        """Drop what earlier scans read."""
        with self._guard:
            self._still_at = None
            self._seen = {}
            self._settled = None
            self._scan = None

    def read(self, item: Item) -> bytes:
        """Return the bytes of the item's file, which must be those that were scanned."""
        data = self._bytes(item.name)
        if data is None or revision_of(data) != item.revision:
            raise VademecumError(ErrorKind.CONFLICT, "The memory's file was changed just now; read it and try again.")
        return data

    def read_all(self, items: Sequence[Item]) -> tuple[bytes, ...]:
        """Return the bytes of the items' files."""
        return tuple(map(self.read, items))

    def add(self, record: Record) -> Item:
        """Write a new file; its name is readable and never another one's."""
        name, data = self.form(record)
        return self._write(name, data)

    def form(self, record: Record) -> tuple[str, bytes]:
        """Return a name that no file has, and the bytes of a new file."""
        return self._free_name(record), render(record)

    def put_all(self, pieces: Sequence[tuple[str, bytes]], done: Callable[[int], None]) -> tuple[Item, ...]:
        """Write many new files, several at a time; the folder is made durable once, after them all."""
        if not pieces:
            return ()
        taken: set[str] = set()
        targets = []
        with writing(pieces[0][0]):
            for name, data in pieces:
                free = self._beside(name, taken)
                taken.add(free.casefold())
                targets.append((self._corner.target(free), data))
            folder = targets[0][0].parent
            durable.make_folder(folder, private=self._private)
            durable.sweep(folder)
            try:
                # A file waits for the disk most of the time, and the disk takes several together.
                with ThreadPoolExecutor(_WRITERS, "vademecum-write") as pool:
                    written = pool.map(lambda each: durable.write(*each, private=self._private, settle=False), targets)
                    for number, _ in enumerate(written, 1):
                        done(number)
            finally:
                durable.sync_folder(folder)
        return tuple(self._item(path.name, data, self._corner.stamp(path.name)) for path, data in targets)

    def change(self, item: Item, changes: Change, content: str | None) -> Item:
        """Change keys and body of the item's file; every other byte stays."""
        return self._write(item.name, self.rewritten(item, changes, content))

    def rewritten(self, item: Item, changes: Change, content: str | None) -> bytes:
        """Return the bytes of the item's file with some keys and the body changed.

        :raises VademecumError: as `read`; `storeUnreadable` when its front matter cannot be changed without harm.
        """
        try:
            return rewrite(self.read(item), changes, content)
        except Broken as error:
            raise VademecumError(
                ErrorKind.STORE_UNREADABLE,
                f"{item.name} is left as it is, because of its front matter: {error}. Mend the file by hand.",
            ) from error

    def put(self, name: str, data: bytes, over: Item | None = None) -> Item:
        """Write the bytes of an earlier version, or of a file from elsewhere: over an item, or as a new file."""
        if over is not None:
            self.read(over)
            return self._write(over.name, data)
        return self._write(self._beside(name, ()), data)

    def remove(self, item: Item) -> None:
        """Remove the item's file."""
        self.read(item)
        with writing(item.name):
            durable.remove(self._corner.target(item.name))
            if os.path.lexists(self.path / item.name):  # a link, which leads nowhere now
                durable.remove(self.path / item.name)

    def uri(self, item: Item) -> str:
        """Return the URI of the item's file."""
        return (self.path / item.name).as_uri()

    def _look(self, name: str, stamp: Stamp, old: _Seen | None) -> Item | Flaw | None:
        try:
            data = self._corner.read(name)
            if data is None or is_generated(data):
                return None
            return self._item(name, data, stamp, old)
        except (CannotRead, NotText) as error:
            flaw = Flaw(name, str(error))
            return old.result if old is not None and old.result == flaw else flaw

    def _item(self, name: str, data: bytes, stamp: Stamp | None, old: _Seen | None = None) -> Item:
        revision = revision_of(data)
        if old is not None and isinstance(old.result, Item) and old.result.revision == revision:
            return old.result
        record = parse(data, name[: -len(_SUFFIX)])
        return Item(name, record, revision, digest_of(data), stamp.modified if stamp else 0)

    def _bytes(self, name: str) -> bytes | None:
        try:
            return self._corner.read(name)
        except CannotRead as error:
            raise VademecumError(ErrorKind.STORE_UNREADABLE, f"{name} cannot be read: {error}.") from error

    def _write(self, name: str, data: bytes) -> Item:
        with writing(name):
            target = self._corner.target(name)
            durable.make_folder(target.parent, private=self._private)
            durable.sweep(target.parent)
            durable.write(target, data, private=self._private)
        return self._item(name, data, self._corner.stamp(name))

    def _beside(self, name: str, taken: Container[str]) -> str:
        """The name, or one near it when a file has it, or it is among those (without case) that are taken."""
        if not os.path.lexists(self.path / name) and name.casefold() not in taken:
            return name
        return f"{name[: -len(_SUFFIX)]}-{secrets.token_hex(4)}{_SUFFIX}"

    def _free_name(self, record: Record) -> str:
        assert record.id is not None
        readable = slug(record.title, "memory")
        for end in (record.id[:SHORT_ID], record.id):
            name = f"{readable}-{end}{_SUFFIX}"
            if not os.path.lexists(self.path / name):
                return name
        raise VademecumError(ErrorKind.CONFLICT, f"There is a file {name} already; try again.")


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Turn what the file system refuses, while `name` is written, into `storeUnreadable`."""
    try:
        yield
    except CannotRead as error:
        raise VademecumError(ErrorKind.STORE_UNREADABLE, f"{name} cannot be written: {error}.") from error
    except FileExistsError as error:
        raise VademecumError(
            ErrorKind.STORE_UNREADABLE,
            f"{name} cannot be written: what stands in the place of its folder is none ({error.filename}).",
        ) from error
    except OSError as error:
        raise VademecumError(
            ErrorKind.STORE_UNREADABLE, f"{name} cannot be written: {error.strerror or error}."
        ) from error
