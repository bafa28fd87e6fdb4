"""Changing files of the user's: what would be different, doing it, and undoing it.

Each round of changes is recorded with what stood there before, so that it can be undone for as long as the files are as
they were left. Records are this user's alone, as the files may hold what is nobody else's.
"""

import contextlib
import difflib
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from attrs import frozen

from vademecum.cli.install.jsonc import Unreadable
from vademecum.cli.install.pieces import Piece, Text

FOLDER = "installs"
"""Of the records, below the state folder."""

KEPT_RECORDS = 10

LARGEST = 50_000_000
"""Bytes of a file that is changed; agents keep histories of many megabytes beside their settings."""


@frozen
class Change:
    """A file as it is and as it would be; None for one that is not there."""

    path: Path
    what: str
    before: Text
    after: Text

    @property
    def is_any(self) -> bool:
        """Whether anything would be different."""
        return self.before != self.after

    def diff(self) -> str:
        """What would be different, as `diff -u` tells it."""
        before, after = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        old = str(self.path) if self.before is not None else os.devnull
        new = str(self.path) if self.after is not None else os.devnull
        lines = difflib.unified_diff(before, after, old, new)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def change(piece: Piece, remove: bool) -> Change:
    """What a piece would change now.

    :raises Unreadable: when the file is not understood, is too large, or no text.
    :raises OSError: when it cannot be read.
    """
    before = read(piece.path)
    return Change(piece.path, piece.what, before, piece.take(before) if remove else piece.put(before))


def read(path: Path) -> Text:
    """The text of a file; None when there is none.

    :raises Unreadable: when it is no file, no text in UTF-8, or larger than any configuration.
    """
    try:
        told = path.stat()
        if not stat.S_ISREG(told.st_mode):
            raise Unreadable("it is no file")  # reading a pipe would wait for good
        if told.st_size > LARGEST:
            raise Unreadable("it is too large")
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise Unreadable("it is no text in UTF-8") from error


def carry_out(changes: Sequence[Change], state: Path) -> None:
    """Write changes, each at once or not at all, after a record of them.

    :raises Unreadable: when a file has changed since it was read.
    :raises OSError: when something cannot be written; what was written before it stays, and can be undone.
    """
    for each in changes:
        if read(each.path) != each.before:
            raise Unreadable(f"{each.path} has changed in the meantime; try again")
    _record(changes, state)
    for each in changes:
        write(each.path, each.after)


def write(path: Path, text: Text) -> None:
    """Make a file hold a text, or remove it: at once, with its permissions, through a symbolic link to its target."""
    real = path.resolve() if path.is_symlink() else path
    if text is None:
        real.unlink(missing_ok=True)
        return
    for folder in reversed(_missing(real)):
        folder.mkdir(mode=0o700)
    mode = stat.S_IMODE(real.stat().st_mode) if real.exists() else 0o600
    descriptor, name = tempfile.mkstemp(prefix=f".{real.name}.", dir=real.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(real)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _missing(path: Path) -> list[Path]:
    """The folders that a file needs and that are not there, the innermost first."""
    return [each for each in path.parents if not each.exists()]


def _record(changes: Iterable[Change], state: Path) -> None:
    folder = state / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    files = [
        {
            "path": str(each.path),
            "before": each.before,
            "after": each.after,
            "made": [str(one) for one in _missing(each.path)],
        }
        for each in changes
    ]
    write(folder / f"{time.time_ns():020d}.json", json.dumps(files, ensure_ascii=False))
    for old in _records(state)[:-KEPT_RECORDS]:
        old.unlink(missing_ok=True)


def _records(state: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return sorted((state / FOLDER).glob("*.json"))
    return []


def undoing(state: Path) -> tuple[list[Change], list[Path], Path | None]:
    """What would undo the last round: changes, files that are no longer as they were left, and the record.

    :raises Unreadable: when a file or the record cannot be read.
    """
    records = _records(state)
    if not records:
        return [], [], None
    try:
        files = json.loads(records[-1].read_text("utf-8"))
        told = [(Path(one["path"]), one["before"], one["after"]) for one in files]
    except (ValueError, TypeError, KeyError) as error:
        raise Unreadable("the record of the last change is damaged") from error
    undone = [Change(path, "as it was", after, before) for path, before, after in told if read(path) == after]
    return undone, [path for path, _, after in told if read(path) != after], records[-1]


def undo(changes: Sequence[Change], record: Path) -> None:
    """Carry out what `undoing` told, and forget the record.

    Folders that were made go where they are empty: an empty `~/.emacs.d`, say, would hide `~/.config/emacs`.
    """
    made = {Path(folder) for one in json.loads(record.read_text("utf-8")) for folder in one.get("made", ())}
    for each in changes:
        write(each.path, each.after)
    for folder in sorted(made, reverse=True):  # the innermost first
        with contextlib.suppress(OSError):
            folder.rmdir()
    record.unlink(missing_ok=True)
