"""Asking the one that writes an index to compare or remake it, from a server whose own indexer only follows.

The asker lays a file into a folder beside the builds and keeps touching it; the writer does what it asks and lays the
answer beside it. An asker that is gone stops touching its file, one that has changed its mind removes it; either way
nobody does, or goes on doing, what nobody waits for. A writer that is killed meanwhile leaves the file to the next one.
"""

import contextlib
import json
import logging
import os
import secrets
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from attrs import frozen

from vademecum.search.messages import Event
from vademecum.work import Cancel

log = logging.getLogger(__name__)

FOLDER = "asked"
"""Beside the builds."""

FORGOTTEN = 10.0
"""Seconds after which a file that nobody touched is of an asker that is gone."""

_QUESTION, _ANSWER = ".question", ".answer"


class Asker:
    """The asking side; used by one thread, every fraction of a second.

    :param home: the index's folder.
    :param tell: says to the server what became of a request (an `Event`, and its fields by name).
    """

    def __init__(self, home: Path, tell: Callable[..., None]) -> None:
        self._folder = home / FOLDER
        self._tell = tell
        self._open: dict[Path, tuple[object, bool, Cancel]] = {}

    def ask(self, request: object, force: bool, cancel: Cancel) -> None:
        """Lay down a question; what cannot be laid down has failed."""
        question = self._folder / f"{secrets.token_hex(8)}{_QUESTION}"
        try:
            self._folder.mkdir(exist_ok=True, mode=0o700)
            _write(question, {"force": force})
        except OSError as error:
            text = f"the index's folder cannot be written: {error.strerror}"
            self._tell(Event.FAILED, id=request, reason="failed", message=text)
            return
        self._open[question] = (request, force, cancel)

    def look(self) -> None:
        """Take in answers, keep the open questions fresh, and withdraw those that were cancelled."""
        for question, (request, _, cancel) in list(self._open.items()):
            answer = question.with_suffix(_ANSWER)
            if cancel.is_set:
                self._close(question)
                self._tell(Event.FAILED, id=request, reason="cancelled", message="stopped")
            elif (told := _read(answer)) is not None:
                self._close(question)
                self._tell(Event(str(told.pop("event"))), **{**told, "id": request})
            else:
                with contextlib.suppress(OSError):
                    os.utime(question)

    def take_back(self) -> list[tuple[object, bool]]:
        """The open questions as (request, force), withdrawn: whoever asked has become the one that writes."""
        taken = [(request, force) for request, force, _ in self._open.values()]
        for question in list(self._open):
            self._close(question)
        return taken

    def _close(self, question: Path) -> None:
        del self._open[question]
        for file in (question, question.with_suffix(_ANSWER)):
            with contextlib.suppress(OSError):
                file.unlink()


@frozen
class Question:
    """Something that another server asks."""

    file: Path
    force: bool
    withdrawn: "Withdrawn"

    def answer(self, event: Event, message: Mapping[str, object]) -> None:
        """Lay the answer beside it, unless nobody waits any more."""
        if not self.file.exists():
            return
        try:
            _write(self.file.with_suffix(_ANSWER), {"event": event, **message})
        except OSError as error:
            log.warning("an answer cannot be given, so the same will be asked once more: %s", error)


class Withdrawn(Cancel):
    """Set as soon as whoever asked is gone or has changed its mind."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file
        self._looked = 0.0

    def check(self) -> None:
        """Look at the question, not more often than is of use. Raises Cancelled."""
        now = time.monotonic()
        if now - self._looked > 0.25:
            self._looked = now
            if not _is_fresh(self._file):
                self.set()
        super().check()


def questions(home: Path) -> list[Question]:
    """What other servers ask and nobody has answered yet, oldest first; what is left of askers that are gone goes."""
    try:
        files = sorted((home / FOLDER).iterdir(), key=lambda file: file.name)
    except OSError:
        return []
    found: list[Question] = []
    for file in files:
        if not _is_fresh(file):
            # An answer is as old as it is; its question is what tells whether somebody waits.
            if file.suffix != _ANSWER or not _is_fresh(file.with_suffix(_QUESTION)):
                with contextlib.suppress(OSError):
                    file.unlink()
        elif file.suffix == _QUESTION and not file.with_suffix(_ANSWER).exists():
            asked = _read(file) or {}
            found.append(Question(file, bool(asked.get("force")), Withdrawn(file)))
    return found


def _is_fresh(file: Path) -> bool:
    try:
        return abs(time.time() - file.stat().st_mtime) < FORGOTTEN
    except OSError:
        return False


def _read(file: Path) -> dict[str, object] | None:
    try:
        value = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _write(file: Path, value: Mapping[str, object]) -> None:
    """Others see the whole file or none."""
    temporary = file.with_name(f".{file.name}")
    try:
        temporary.write_text(json.dumps(value), encoding="utf-8")
        temporary.chmod(0o600)
        temporary.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
