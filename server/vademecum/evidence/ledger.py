"""The evidence ledger of one folder: a SQLite file of its own, which every answer can do without.

It lies in the state directory under a name that says nothing. It is not waited for longer than `BUSY_MILLISECONDS`, and
a power cut may cost its last moments: then a snippet is given twice.
"""

import contextlib
import hashlib
import os
import time
from pathlib import Path

from vademecum.evidence.ledger_schema import MIGRATIONS
from vademecum.files.database import Database

FOLDER = "evidence"
"""Of all ledgers, in the state directory."""

#: How long a call waits for another process's transaction, in milliseconds. Ours take about one.
BUSY_MILLISECONDS = 200

#: "VDME", in SQLite's header: tells our file from another program's.
APPLICATION_ID = 0x56444D45

_BESIDE = ("-wal", "-shm", ".lock")


def ledger_path(state: Path, root: Path, prefix: str = "") -> Path:
    """Where the ledger of a folder lies: named by a hash of its real path alone.

    :param prefix: the folder relative to the repository around it, since paths in the ledger begin with it.
    """
    key = os.fsencode(os.path.realpath(root)) + (b"\0" + os.fsencode(prefix) if prefix else b"")
    return state / FOLDER / f"{hashlib.sha256(key).hexdigest()[:32]}.sqlite"


def open_ledger(path: Path) -> Database:
    """The ledger at `path`, which is made at its first use."""
    return Database(
        path, "evidence ledger", APPLICATION_ID, MIGRATIONS, busy_milliseconds=BUSY_MILLISECONDS, durable=False
    )


def size(path: Path) -> int:
    """Bytes that a ledger takes on the disk, with what lies beside it."""
    total = 0
    for each in _family(path):
        with contextlib.suppress(OSError):
            total += each.stat().st_size
    return total


def sweep(folder: Path, seconds: float, kept: Path) -> int:
    """Remove ledgers in `folder` (all but `kept`) that nobody has written to for so long; returns how many.

    Those are of folders that are not opened any more, and every session in them is past its time. Damaged ones that
    were moved aside go the same way.
    """
    oldest = time.time() - seconds
    removed = 0
    with contextlib.suppress(OSError):
        for path in sorted(folder.glob("*.sqlite*")):
            if path.name.endswith(_BESIDE) or path == kept or max(map(_changed, _family(path))) >= oldest:
                continue
            for each in _family(path):
                each.unlink(missing_ok=True)
            removed += 1
    return removed


def _family(path: Path) -> tuple[Path, ...]:
    return (path, *(path.with_name(path.name + suffix) for suffix in _BESIDE))


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
