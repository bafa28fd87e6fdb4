"""What the sessions of one workspace were given, and therefore need not be given again.

Given some snippets that an answer is about to tell, `Deliveries.deliver` says which of them the session holds already,
byte for byte, and which of the spans that it holds have changed since. It looks at a finished answer and changes none:
whoever puts the withheld snippets back has the answer without a session.
"""

import hashlib
import math
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from sqlite3 import Connection

from attrs import define, frozen

from vademecum.errors import InvalidField, VademecumError
from vademecum.evidence import records
from vademecum.evidence.ledger import ledger_path, open_ledger, size, sweep
from vademecum.evidence.records import Collected, Given, Held, Totals
from vademecum.evidence.reference import PRINTED_DIGITS, Reference
from vademecum.evidence.settings import EvidenceSettings
from vademecum.evidence.standing import Standing
from vademecum.evidence.verdicts import Verdict
from vademecum.files.database import Database
from vademecum.files.gate import Gate
from vademecum.work import Cancel

#: Longest session tag, in characters.
MAX_TAG = 200
#: How a snippet's tokens are counted, as everywhere: four characters each.
CHARACTERS_A_TOKEN = 4

_DAY_MS = 86_400_000


class Form(StrEnum):
    """How much of its lines a snippet shows."""

    WHOLE = "whole"
    PARTIAL = "partial"
    """Some of the lines, or all with secrets taken out."""
    SKELETON = "skeleton"
    """The lines with bodies folded away."""


@define(frozen=True, slots=False)
class Snippet:
    """A text that is about to be given, and the lines that it shows.

    :param form: what it is where it is not the very lines; whether it is, its hash tells.
    """

    reference: Reference
    text: str
    form: Form = Form.PARTIAL

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).digest()

    @property
    def tokens(self) -> int:
        """What it takes, about."""
        return math.ceil(len(self.text) / CHARACTERS_A_TOKEN)

    @property
    def given(self) -> Given:
        """What is kept of it. Only of lines as they are can the first one's hash be known."""
        whole = self.digest.hex().startswith(self.reference.digest)
        first_line = self.text.split("\n", 1)[0].encode("utf-8", "surrogatepass")
        return Given(
            path=self.reference.path,
            digest=self.reference.digest[:PRINTED_DIGITS],
            lines=self.reference.line_count,
            first_line=hashlib.sha256(first_line).hexdigest()[:PRINTED_DIGITS] if whole else None,
            start=self.reference.start,
            snippet=self.digest,
            form=Form.WHOLE if whole else self.form,
            tokens=self.tokens,
        )


@frozen
class Invalidated:
    """A span that the session holds, and that is not what it was."""

    reference: Reference
    verdict: Verdict


@frozen
class Delivery:
    """What became of the snippets of one answer.

    :param withheld: for each snippet, whether the session holds it already.
    :param invalidated: what it holds and has changed since it was given; each told once.
    :param trouble: why nothing is withheld and no change told, as a sentence; None when all is well.
    """

    withheld: tuple[bool, ...]
    invalidated: tuple[Invalidated, ...] = ()
    trouble: str | None = None


def _at_once() -> None:
    """Nobody can take back what is given."""


class Deliveries:
    """The sessions of one workspace; opens its ledger at the first use. Safe to share between threads."""

    def __init__(
        self,
        state: Path,
        root: Path,
        gate: Callable[[], Gate],
        settings: Callable[[], EvidenceSettings],
        now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        """
        :param state: the state directory.
        :param root: the opened folder.
        :param gate: gives the gate of the folder as it is now.
        :param settings: gives the settings as they are now.
        :param now: milliseconds since 1970.
        """
        self._settings = settings
        self._state = state
        self._root = root
        self._gate = gate
        self._now = now
        self._standing = Standing()
        self._lock = threading.Lock()
        self._ledger: Database | None = None
        self._inserted = 0

    def deliver(
        self,
        session: str,
        snippets: Sequence[Snippet],
        cancel: Cancel | None = None,
        settle: Callable[[], None] = _at_once,
    ) -> Delivery:
        """Note that a session is given `snippets`, and say which of them it holds already and what else has changed.

        What the answer itself shows is not looked at again: its lines were read just now.

        :param settle: called when all is decided and before it is kept; from then on the answer must be sent.
        :raises InvalidField: for an unusable tag.
        :raises Cancelled: when told to stop, or when `settle` finds that nobody waits for the answer; nothing is kept.
        """
        ledger = self.ledger
        tag = _tag(session, ledger)
        nothing = Delivery((False,) * len(snippets))
        if not self._settings().enabled:
            return nothing
        given = [snippet.given for snippet in snippets]
        try:
            if not given and not ledger.path.exists():
                return nothing
            lost = self._lost(ledger, tag, given, cancel or Cancel())
            with ledger.write() as db:
                number = records.enter(db, tag, self._now())
                told = [held for held, verdict in lost.items() if records.mark(db, held, verdict)]
                withheld = records.deliver(db, number, given, self._now())
                records.count(db, number, given, withheld, len(told))
                self._collect_when_due(db, withheld.count(False))
                settle()
        except VademecumError as error:
            return Delivery(nothing.withheld, trouble=error.message)
        invalidated = dict.fromkeys(Invalidated(held.reference, lost[held]) for held in told)
        return Delivery(tuple(withheld), tuple(invalidated))

    def held(self, session: str) -> dict[Reference, str | None]:
        """All that a session was ever given and is remembered, by path and line, with hints for `verify_all`.

        :raises InvalidField: for an unusable tag.
        :raises VademecumError: `busy` or `storeUnreadable` when the ledger cannot be used.
        """
        ledger = self.ledger
        tag = _tag(session, ledger)
        if not self._settings().enabled or not ledger.path.exists():
            return {}
        with ledger.read() as db:
            held = records.held(db, tag, told_too=True)
        held.sort(key=lambda each: (each.path, each.start, each.lines))
        return {each.reference: each.first_line for each in held}

    def forget(self, session: str | None) -> Collected:
        """Forget a session, or all of them; returns what was removed.

        :raises InvalidField: for an unusable tag.
        :raises VademecumError: `busy` or `storeUnreadable` when the ledger cannot be used.
        """
        ledger = self.ledger
        tag = None if session is None else _tag(session, ledger)
        if not ledger.path.exists():
            return Collected(0, 0)
        with ledger.write() as db:
            removed = records.forget(db, tag)
        _shrink(ledger)
        return removed

    def collect(self) -> Collected:
        """Forget what is past its time or beyond the bound, also of folders that are not opened any more.

        :raises VademecumError: `busy` or `storeUnreadable` when the ledger cannot be used.
        """
        ledger = self.ledger
        removed = Collected(0, 0)
        if ledger.path.exists():
            with ledger.write() as db:
                removed = self._collect(db)
            _shrink(ledger)
        sweep(ledger.path.parent, self._settings().retention_days * _DAY_MS / 1000, ledger.path)
        return removed

    def totals(self) -> Totals | None:
        """How much is kept; None while evidence is switched off.

        :raises VademecumError: `busy` or `storeUnreadable` when the ledger cannot be used.
        """
        ledger = self.ledger
        if not self._settings().enabled:
            return None
        if not ledger.path.exists():
            return Totals(0, 0, 0)
        with ledger.read() as db:
            return records.totals(db)

    @property
    def size(self) -> int:
        """Bytes that the ledger takes on the disk."""
        return size(self.ledger.path)

    @property
    def ledger(self) -> Database:
        """The ledger; another one once the folder became part of a repository, as all paths are others then."""
        path = ledger_path(self._state, self._root, self._gate().prefix)
        with self._lock:
            if self._ledger is None or self._ledger.path != path:
                if self._ledger is not None:
                    self._ledger.close()
                self._ledger = open_ledger(path)
            return self._ledger

    def close(self) -> None:
        """Close the ledger; the next use opens it again."""
        if self._ledger is not None:
            self._ledger.close()

    def _lost(self, ledger: Database, tag: bytes, given: Iterable[Given], cancel: Cancel) -> dict[Held, Verdict]:
        """What the session holds, no longer stands, and was not told of yet."""
        if not ledger.path.exists():
            return {}
        now = {(each.path, each.digest, each.lines) for each in given}
        with ledger.read() as db:
            held = [each for each in records.held(db, tag) if (each.path, each.digest, each.lines) not in now]
        return self._standing.lost(held, self._gate(), cancel)

    def _collect_when_due(self, db: Connection, inserted: int) -> None:
        """Once a day, and after so many deliveries that the bound may be near."""
        self._inserted += inserted
        bound = max(1, self._settings().max_deliveries // 50)
        if self._inserted >= bound or self._now() - records.collected_at(db) >= _DAY_MS:
            self._inserted = 0
            self._collect(db)

    def _collect(self, db: Connection) -> Collected:
        now, settings = self._now(), self._settings()
        return records.collect(db, now - settings.retention_days * _DAY_MS, settings.max_deliveries, now)


def _shrink(ledger: Database) -> None:
    """Give back the room of what was removed, as far as nobody else reads just now."""
    with suppress(VademecumError):
        ledger.scrub()


def _tag(session: str, ledger: Database) -> bytes:
    """What stands for a session in the ledger: no other workspace has the same for the same word."""
    if not session.strip() or len(session) > MAX_TAG:
        raise InvalidField("session", f"must hold text, of {MAX_TAG} characters at most")
    return hashlib.sha256(f"session:{ledger.path.stem}:{session}".encode()).digest()
