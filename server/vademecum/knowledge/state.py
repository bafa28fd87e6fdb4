"""What is kept beside the documents: what is attached to which task, and which folders are followed."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from attrs import frozen

from vademecum.files.content import Stamp
from vademecum.files.database import Database
from vademecum.knowledge.types import Owner

#: - `attachments`: the documents that a task sees once they are published.
#: - `followed`: folders whose changes are noticed.
#: - `sources`: where a document came from on this machine, and the stamp of that file when it was read last.
#: - `left_out`: keys of files in followed folders whose documents were removed; they are not taken up again by
#:   themselves.
_MIGRATIONS = (
    (
        "CREATE TABLE attachments (task TEXT NOT NULL, document TEXT NOT NULL, PRIMARY KEY (task, document))",
        "CREATE TABLE followed (folder TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (folder, owner))",
        "CREATE TABLE sources (document TEXT PRIMARY KEY, path TEXT NOT NULL, size INTEGER NOT NULL,"
        " mtime INTEGER NOT NULL, ctime INTEGER NOT NULL, inode INTEGER NOT NULL)",
        "CREATE TABLE left_out (key TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (key, owner))",
    ),
)


@frozen
class Origin:
    """The file that a document came from, as it was when it was read last."""

    path: str
    stamp: Stamp


class State:
    """The file `knowledge.sqlite` in the state directory. Any call may raise `storeUnreadable` or `busy`."""

    def __init__(self, folder: Path) -> None:
        # "VDMK"
        self._database = Database(folder / "knowledge.sqlite", "database of attachments", 0x56444D4B, _MIGRATIONS)

    def attached(self, task: str) -> frozenset[str]:
        """Return the ids of what is attached to a task."""
        if not self._database.path.exists():
            return frozenset()
        with self._database.read() as read:
            rows = read.execute("SELECT document FROM attachments WHERE task = ?", (task,)).fetchall()
        return frozenset(row[0] for row in rows)

    def attach(self, task: str, documents: Iterable[str]) -> None:
        """Attach documents to a task."""
        with self._database.write() as write:
            write.executemany("INSERT OR IGNORE INTO attachments VALUES (?, ?)", [(task, each) for each in documents])

    def detach(self, task: str, documents: Iterable[str]) -> None:
        """Detach documents from a task."""
        with self._database.write() as write:
            write.executemany(
                "DELETE FROM attachments WHERE task = ? AND document = ?", [(task, each) for each in documents]
            )

    def followed(self) -> tuple[tuple[Path, Owner], ...]:
        """Return the folders that are followed, and for whom."""
        if not self._database.path.exists():
            return ()
        with self._database.read() as read:
            rows = read.execute("SELECT folder, owner FROM followed ORDER BY folder, owner").fetchall()
        return tuple((Path(folder), Owner(owner)) for folder, owner in rows)

    def follow(self, folder: Path, owner: Owner, *, following: bool) -> None:
        """Follow a folder, or no longer."""
        with self._database.write() as write:
            if following:
                write.execute("INSERT OR IGNORE INTO followed VALUES (?, ?)", (str(folder), owner.value))
            else:
                write.execute("DELETE FROM followed WHERE folder = ? AND owner = ?", (str(folder), owner.value))

    def origins(self, documents: Collection[str] | None = None) -> Mapping[str, Origin]:
        """Return where documents came from, by their ids: all of them, or these (a few)."""
        if not self._database.path.exists():
            return {}
        only = "" if documents is None else f" WHERE document IN ({','.join('?' * len(documents))})"
        with self._database.read() as read:
            rows = read.execute(
                f"SELECT document, path, size, mtime, ctime, inode FROM sources{only}", tuple(documents or ())
            ).fetchall()
        return {row[0]: Origin(row[1], Stamp(*row[2:])) for row in rows}

    def came_from(self, origins: Mapping[str, Origin | None]) -> None:
        """Keep where documents came from; None for those that came from no file."""
        rows = [
            (document, each.path, each.stamp.size, each.stamp.mtime_ns, each.stamp.ctime_ns, each.stamp.inode)
            for document, each in origins.items()
            if each is not None
        ]
        with self._database.write() as write:
            write.executemany(
                "DELETE FROM sources WHERE document = ?", [(id,) for id, each in origins.items() if each is None]
            )
            write.executemany("INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?, ?)", rows)

    def left_out(self, owner: Owner) -> frozenset[str]:
        """Return the keys of sources that are not taken up again by themselves."""
        if not self._database.path.exists():
            return frozenset()
        with self._database.read() as read:
            rows = read.execute("SELECT key FROM left_out WHERE owner = ?", (owner.value,)).fetchall()
        return frozenset(row[0] for row in rows)

    def take_in(self, keys: Iterable[str], owner: Owner) -> None:
        """Take sources up again, since the user named them."""
        if self.left_out(owner):
            with self._database.write() as write:
                write.executemany(
                    "DELETE FROM left_out WHERE key = ? AND owner = ?", [(key, owner.value) for key in keys]
                )

    def removed(self, document: str, key: str, owner: Owner) -> None:
        """Forget a document; the source of that key is not taken up again by itself."""
        if not self._database.path.exists():
            return
        with self._database.write() as write:
            write.execute("DELETE FROM attachments WHERE document = ?", (document,))
            write.execute("DELETE FROM sources WHERE document = ?", (document,))
            if key and write.execute("SELECT 1 FROM followed WHERE owner = ?", (owner.value,)).fetchone():
                write.execute("INSERT OR IGNORE INTO left_out VALUES (?, ?)", (key, owner.value))

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        self._database.close()
