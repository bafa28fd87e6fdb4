"""The course of a capture: window, skip, cues, judgment, merit, match, write. If it fails, the conversation does not.

Every end is one of `CaptureOutcome`. Of the conversation nothing is logged or kept; of exchanges that a model has
judged a digest is remembered for the session, so that the same words are not paid for twice.
"""

import hashlib
import heapq
import logging
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from attrs import evolve, frozen

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.memory import alike, history, writing
from vademecum.memory.capture import judging, merit
from vademecum.memory.capture.cues import Cue, cues
from vademecum.memory.capture.matching import Add, Existing, Known, Protected, Update, match
from vademecum.memory.capture.proposal import Proposal, proposals
from vademecum.memory.capture.types import (
    CaptureAction,
    Captured,
    CapturedMemory,
    CaptureOutcome,
    Exchange,
)
from vademecum.memory.capture.window import latest, saved_already
from vademecum.memory.holdings import Holdings
from vademecum.memory.library import Entry
from vademecum.memory.model_answer import Unusable
from vademecum.memory.settings import Capture
from vademecum.memory.types import MemoryChange, MemoryStatus, NewMemory, Origin, Provenance, Scope
from vademecum.model import Complete, Lack, Purpose
from vademecum.work import Cancel

logger = logging.getLogger(__name__)

#: Sessions whose judged exchanges are remembered, and how many of each; the oldest go first.
_SESSIONS = 256
_JUDGED = 64

_LACKS = {
    Lack.NOT_LENT.value: CaptureOutcome.NO_MODEL,
    Lack.NO_ANSWER.value: CaptureOutcome.MODEL_FAILED,
    Lack.MALFORMED.value: CaptureOutcome.UNUSABLE,
}


class _Ended(Exception):
    """The capture ends early."""

    def __init__(self, outcome: CaptureOutcome) -> None:
        super().__init__(outcome.value)
        self.outcome = outcome


@frozen
class _Seen:
    """An exchange of the window with its cues: none when a model has judged it, or the assistant saved in it."""

    exchange: Exchange
    cues: frozenset[Cue]


class Capturing:
    """Captures for some open folders. Safe to use from several threads; one capture at a time in each session."""

    def __init__(self, held: Holdings, complete: Complete | None) -> None:
        """
        :param complete: the lent model, where there is one.
        """
        self._held = held
        self._complete = complete
        self._guard = threading.Lock()
        self._underway: set[str] = set()
        self._judged: OrderedDict[str, OrderedDict[bytes, None]] = OrderedDict()

    def capture(
        self, turns: Sequence[Exchange], session: str | None, cancel: Cancel, settle: Callable[[], None]
    ) -> Captured:
        """Look at the latest exchanges, and keep what is worth it.

        :param settle: called before the first memory is written.
        :return: what came of it; nothing that fails on the way is raised but `Cancelled`.
        """
        try:
            return self._capture(turns, session, cancel, settle)
        except _Ended as ended:
            return Captured(ended.outcome)
        except VademecumError as error:
            logger.warning("a capture failed: %s", error.kind)
            return Captured(CaptureOutcome.FAILED)
        except InvalidField as error:
            logger.warning("a capture failed: %s cannot be used", error.field)
            return Captured(CaptureOutcome.FAILED)

    def _capture(
        self, turns: Sequence[Exchange], session: str | None, cancel: Cancel, settle: Callable[[], None]
    ) -> Captured:
        if self._held.settings.capture is Capture.OFF:
            raise _Ended(CaptureOutcome.OFF)
        window = latest(turns)
        if window and saved_already(window[-1]):
            raise _Ended(CaptureOutcome.SKIPPED)
        with self._alone(session):
            seen = [self._look_at(exchange, session) for exchange in window]
            if not any(each.cues for each in seen):
                raise _Ended(CaptureOutcome.NO_CUE)
            proposed = self._ask(seen, cancel)
            if proposed:
                settle()
                asked_for = any(Cue.EXPLICIT in each.cues for each in seen)
                captured = self._keep(proposed, despite_deletion=asked_for)
            else:
                captured = Captured(CaptureOutcome.NOTHING)
            self._remember_judged(window, session)
            return captured

    # What is asked -------------------------------------------------------------------------------------------------

    def _look_at(self, exchange: Exchange, session: str | None) -> _Seen:
        if saved_already(exchange) or self._is_judged(exchange, session):
            return _Seen(exchange, frozenset())
        return _Seen(exchange, cues(exchange.user))

    def _ask(self, seen: Sequence[_Seen], cancel: Cancel) -> list[Proposal]:
        if self._complete is None:
            raise _Ended(CaptureOutcome.NO_MODEL)
        scopes = self._scopes()
        known = self._close(" ".join(each.exchange.user for each in seen if each.cues))
        asked = judging.messages([each.exchange for each in seen], scopes, known)
        try:
            answer = self._complete(Purpose.CAPTURE, asked, judging.TOKENS, cancel)
        except VademecumError as error:
            if error.kind is ErrorKind.BUSY:
                raise _Ended(CaptureOutcome.BUSY) from None
            if error.kind is ErrorKind.NO_MODEL:
                lack = _LACKS.get(str(error.data.get("reason")), CaptureOutcome.NO_MODEL)
                raise _Ended(lack) from None
            raise
        try:
            found = proposals(answer)
        except Unusable as problem:
            logger.warning("the model's answer to a capture is not used: %s", problem)
            raise _Ended(CaptureOutcome.UNUSABLE) from None
        return merit.worthy(found, {each.exchange: each.cues for each in seen}, scopes)

    def _scopes(self) -> tuple[Scope, ...]:
        """The scopes that can be written: that of a project only where it is plain which project is meant."""
        try:
            self._held.target(Scope.PROJECT)
        except InvalidField:
            return (Scope.USER,)
        return (Scope.USER, Scope.PROJECT)

    def _close(self, said: str) -> list[judging.KnownHead]:
        """The memories nearest to what was said by their words: this user's own, no stranger's text."""
        wanted = alike.words(said)
        scored = []
        for entry in self._held.library().entries.values():
            record = entry.item.record
            if record.status is MemoryStatus.SUPERSEDED or entry.origin is not Origin.USER:
                continue
            words = alike.words(f"{record.title} {record.description} {record.content}")
            if common := len(wanted & words):
                scored.append(
                    (-common / math.sqrt(len(words)), entry.id, judging.KnownHead(record.title, record.description))
                )
        return [head for _, _, head in heapq.nsmallest(judging.HEADS, scored, key=lambda each: each[:2])]

    # What is kept --------------------------------------------------------------------------------------------------

    def _keep(self, proposed: Sequence[Proposal], *, despite_deletion: bool) -> Captured:
        deleted = frozenset() if despite_deletion else history.deleted_contents(self._held.state, self._held.projects())
        kept: list[CapturedMemory] = []
        for proposal in proposed:
            if alike.normal(proposal.content) in deleted:
                continue
            try:
                kept.append(self._keep_one(proposal))
            except InvalidField as error:
                logger.info("a captured memory is not kept: %s cannot be used", error.field)
            except VademecumError as error:
                if error.kind is not ErrorKind.SECRET and error.kind is not ErrorKind.DUPLICATE:
                    if kept:
                        logger.warning("not all of a capture was kept: %s", error.kind)
                        break
                    raise
                logger.info("a captured memory is not kept: %s", error.kind)
        wrote = any(each.action in (CaptureAction.ADDED, CaptureAction.UPDATED) for each in kept)
        return Captured(CaptureOutcome.SAVED if wrote else CaptureOutcome.NOTHING_NEW, tuple(kept))

    def _keep_one(self, proposal: Proposal) -> CapturedMemory:
        held = self._held
        library = held.library()
        found = match(proposal, self._existing())
        match found:
            case Known(existing):
                return CapturedMemory(CaptureAction.KNOWN, held.memory(library.entries[existing.id]))
            case Protected(existing):
                return CapturedMemory(CaptureAction.PROTECTED, held.memory(library.entries[existing.id]))
            case Update(existing) if existing.status is MemoryStatus.PENDING or held.settings.capture is Capture.ON:
                changed = writing.update(held, existing.id, _change(proposal, existing))
                return CapturedMemory(CaptureAction.UPDATED, changed)
            case Update(existing):
                # What is told to models already is replaced only once the user has seen by what.
                return self._add(proposal, MemoryStatus.PENDING, supersedes=existing.id)
            case Add():
                is_on = held.settings.capture is Capture.ON
                return self._add(proposal, MemoryStatus.ACTIVE if is_on else MemoryStatus.PENDING)

    def _add(self, proposal: Proposal, status: MemoryStatus, supersedes: str | None = None) -> CapturedMemory:
        new = NewMemory(
            title=proposal.title,
            content=proposal.content,
            category=proposal.category,
            scope=proposal.scope,
            type=proposal.type,
            description=proposal.description,
            keywords=_keywords(proposal),
            supersedes=supersedes,
        )
        added = writing.add(self._held, new, Provenance.AUTO, status)
        return CapturedMemory(CaptureAction.ADDED, added.memory)

    def _existing(self) -> list[Existing]:
        """What is there, but for what a memory that waits for review is to replace anyway."""
        scopes = {scope: self._held.target(scope).project for scope in self._scopes()}
        there = [
            _existing(entry)
            for entry in self._held.library().entries.values()
            if entry.item.record.status is not MemoryStatus.SUPERSEDED
            and scopes.get(entry.scope) == entry.placed.project
        ]
        replaced = {each.supersedes for each in there if each.status is MemoryStatus.PENDING}
        return [each for each in there if each.id not in replaced]

    # Sessions ------------------------------------------------------------------------------------------------------

    @contextmanager
    def _alone(self, session: str | None) -> Iterator[None]:
        if session is None:
            yield
            return
        with self._guard:
            if session in self._underway:
                raise _Ended(CaptureOutcome.BUSY)
            self._underway.add(session)
        try:
            yield
        finally:
            with self._guard:
                self._underway.discard(session)

    def _is_judged(self, exchange: Exchange, session: str | None) -> bool:
        with self._guard:
            return session is not None and _digest(exchange) in self._judged.get(session, ())

    def _remember_judged(self, window: Sequence[Exchange], session: str | None) -> None:
        if session is None:
            return
        with self._guard:
            judged = self._judged.setdefault(session, OrderedDict())
            self._judged.move_to_end(session)
            judged.update((_digest(exchange), None) for exchange in window)
            while len(judged) > _JUDGED:
                judged.popitem(last=False)
            while len(self._judged) > _SESSIONS:
                self._judged.popitem(last=False)


def _digest(exchange: Exchange) -> bytes:
    """By the user's words alone, on which memories rest: clients tell the answer with and without what they added."""
    return hashlib.sha256(exchange.user.encode("utf-8", "surrogatepass")).digest()


def _existing(entry: Entry) -> Existing:
    record = entry.item.record
    return Existing(
        id=entry.id,
        scope=entry.scope,
        type=record.type,
        title=record.title,
        content=record.content,
        description=record.description,
        provenance=record.provenance,
        origin=entry.origin,
        status=record.status,
        revision=entry.item.revision,
        supersedes=record.supersedes,
    )


def _change(proposal: Proposal, existing: Existing) -> MemoryChange:
    """What an update changes: the text. Id, provenance, status, pin, counts and creation time stay."""
    change = MemoryChange(
        title=proposal.title,
        content=proposal.content,
        description=proposal.description,
        category=proposal.category,
        revision=existing.revision,
    )
    return evolve(change, keywords=_keywords(proposal)) if proposal.keywords else change


def _keywords(proposal: Proposal) -> tuple[str, ...]:
    """The keywords that can be kept; a bad one is no reason to lose the memory."""
    return tuple(word for word in proposal.keywords if not {"|", ","}.intersection(word))
