"""Recalling: what of memory fits a prompt, at most a few whole memories, with why, each once in a session."""

import logging
import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from attrs import evolve, frozen

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.lexical.tokens import has_unspaced
from vademecum.memory import checks, frames
from vademecum.memory.candidate import Candidate
from vademecum.memory.candidates import candidate_of
from vademecum.memory.disputes import Dispute, disputes
from vademecum.memory.holdings import Holdings
from vademecum.memory.library import Entry, Library
from vademecum.memory.prompt import render_gist, render_whole
from vademecum.memory.recall_choice import MANIFEST, NotChosen, cut, is_in_doubt
from vademecum.memory.recall_kinds import by_words
from vademecum.memory.recall_meaning import Meanings
from vademecum.memory.recall_ranking import Ranking, above, distinct, rank
from vademecum.memory.recall_words import Words
from vademecum.memory.record import Record
from vademecum.memory.snapshots import session_key
from vademecum.memory.telling import workspace_key
from vademecum.memory.types import MemoryStatus, Recall, Recalled, RecallNotice, RecallReason, Scope

logger = logging.getLogger(__name__)

#: A memory longer than this, in characters, is told by its description in the text.
_LONGEST = 4_000
#: What was given is known for this many sessions.
_SESSIONS = 200

#: Lets a model pick: is given the prompt, what it may pick from with ids, and how many at most; returns ids, best
#: first, or raises `NotChosen`.
Choose = Callable[[str, Sequence[tuple[str, Record]], int], tuple[str, ...]]


@frozen
class _Told:
    """What of memory may be told, in the order that decides ties: a project's before the user's, then by id."""

    library: Library
    entries: tuple[Entry, ...]
    records: tuple[Record, ...]
    scripts: tuple[bool, ...]
    words: Words


class Recaller:
    """Ranks memories for prompts; keeps the words of those that it saw last. Safe from every thread."""

    def __init__(self, held: Holdings, meanings: Meanings | None) -> None:
        self._held = held
        self._meanings = meanings
        self._made: _Told | None = None

    def recall(
        self,
        prompt: str,
        session: str | None,
        limit: int,
        choose: Choose | None = None,
        settle: Callable[[], None] = lambda: None,
    ) -> Recall:
        """Return the memories that fit a prompt, and the text to give a model; nothing when none does.

        :param choose: lets a model pick where the ranking is in doubt.
        :param settle: called before it is kept what was given.
        :raises InvalidField: `prompt` or `session`.
        :raises VademecumError: `storeUnreadable` or `busy`.
        """
        asked = _asked(prompt)
        if session is not None:
            checks.session(session)
        ranking = self.ranking(asked)
        new = self._new(ranking, session)
        floor = self._held.settings.recall_min_score
        picked: tuple[str, ...] | None = None
        notices: tuple[RecallNotice, ...] | None = None
        if choose is not None and is_in_doubt(ranking.best(new), floor):
            try:
                picked = self._chosen(prompt, ranking, new, limit, choose)
            except NotChosen as problem:
                notices = (problem.notice,)
            # While a model thinks, memories are changed and deleted, and other recalls give them to the session.
            ranking = self.ranking(asked)
            new = self._new(ranking, session)
        if picked is None:
            fitting = above([ranking.at(place) for place in new[: limit * 4]], floor)
            kept = distinct(fitting, limit)
        else:
            places = {ranking.entries[place].id: place for place in new}
            kept = distinct((ranking.at(places[id]) for id in picked if id in places), limit)
        if not kept:
            return Recall((), "", notices)
        settle()
        try:
            self._note(session, [each.entry for each in kept])
        except VademecumError as error:  # on a full disk it is better told twice than not at all
            if error.kind is not ErrorKind.STORE_UNREADABLE:
                raise
            logger.warning("what was recalled is not counted: %s", error.message)
        recalls = self._held.recalls()
        evidence = self._held.evidence(each.entry for each in kept)
        memories = [self._held.memory(each.entry, recalls, evidence[each.entry.id]) for each in kept]
        candidates = [
            candidate_of(each.entry, is_stale=memory.status is MemoryStatus.STALE)
            for each, memory in zip(kept, memories, strict=True)
        ]
        disputed = disputes(candidates)
        items = tuple(
            Recalled(
                memory,
                each.score,
                RecallReason(each.words, each.meaning, picked=picked is not None or None),
                disputed[memory.id].holds.id if memory.id in disputed else None,
            )
            for each, memory in zip(kept, memories, strict=True)
        )
        return Recall(items, _text(candidates, disputed), notices)

    def ranking(self, prompt: str) -> Ranking:
        """Rank all memories that may be told for a prompt, whatever the floor."""
        told = self._told()
        meaning = self._meanings.meaning(told.records, prompt) if self._meanings is not None and told.records else None
        return rank(told.entries, told.scripts, prompt, told.words.answer(prompt), meaning)

    def warm(self) -> None:
        """Begin to make what recall will need, in the background, unless that was begun before. Returns at once."""
        if self._meanings is not None:
            self._meanings.begin(self._prepared)

    def _prepared(self) -> tuple[Record, ...]:
        """What may be told, with its words, and those of the examples, counted."""
        told = self._told()
        by_words("")
        told.words.answer("")
        return told.records

    def _told(self) -> _Told:
        library = self._held.library()
        made = self._made
        if made is not None and made.library is library:
            return made
        entries = tuple(
            sorted(
                (entry for entry in library.entries.values() if entry.is_told),
                key=lambda entry: (entry.scope is not Scope.PROJECT, entry.id),
            )
        )
        records = tuple(entry.item.record for entry in entries)
        if made is not None and len(records) == len(made.records) and all(map(operator.is_, records, made.records)):
            made = evolve(made, library=library, entries=entries)  # the same, in another library
        else:
            scripts = tuple(has_unspaced(record.title + record.content) for record in records)
            words = Words(records, made.words if made is not None else None)
            made = _Told(library, entries, records, scripts, words)
        self._made = made
        return made

    def _chosen(self, prompt: str, ranking: Ranking, new: Sequence[int], most: int, choose: Choose) -> tuple[str, ...]:
        """The ids that a model picks from the best and the most recent memories, without near-copies.

        :raises NotChosen: when it does not.
        """
        entries = ranking.entries
        recent = sorted(new, key=lambda place: entries[place].updated, reverse=True)[: MANIFEST // 2]
        # In turn, so that both are there where not all can be shown.
        places = dict.fromkeys([*chain.from_iterable(zip(new, recent, strict=False)), *new[: MANIFEST * 2]])
        offered = distinct(map(ranking.at, places), MANIFEST)
        return choose(prompt, [(each.entry.id, each.entry.item.record) for each in offered], most)

    def _new(self, ranking: Ranking, session: str | None) -> list[int]:
        """The places of what the session was not given as it is now, best first."""
        given = self._given(session)
        return [
            place
            for place in ranking.order
            if not given or given.get(ranking.entries[place].id) != ranking.entries[place].item.revision
        ]

    def _given(self, session: str | None) -> dict[str, str]:
        if session is None:
            return {}
        with self._held.state.read() as db:
            rows = db.execute(
                "SELECT id, revision FROM recalled WHERE session = ? AND workspace = ?",
                (session_key(session), workspace_key(self._held)),
            ).fetchall()
        return {str(id): str(revision) for id, revision in rows}

    def _note(self, session: str | None, entries: Sequence[Entry]) -> None:
        """Count the recall beside the files, and keep what the session was given."""
        now = self._held.now()
        with self._held.state.write(lasting=False) as db:
            db.executemany(
                "INSERT INTO recalls (project, id, count, last) VALUES (?, ?, 1, ?)"
                " ON CONFLICT (project, id) DO UPDATE SET count = count + 1, last = excluded.last",
                [(entry.placed.project, entry.id, now) for entry in entries],
            )
            if session is None:
                return
            db.executemany(
                "INSERT OR REPLACE INTO recalled (session, workspace, id, revision, at) VALUES (?, ?, ?, ?, ?)",
                [
                    (session_key(session), workspace_key(self._held), entry.id, entry.item.revision, now)
                    for entry in entries
                ],
            )
            db.execute(
                "DELETE FROM recalled WHERE session NOT IN"
                " (SELECT session FROM recalled GROUP BY session ORDER BY MAX(at) DESC LIMIT ?)",
                (_SESSIONS,),
            )


def _text(candidates: Sequence[Candidate], disputed: Mapping[str, Dispute]) -> str:
    lines = [frames.RECALL_OPEN]
    for candidate in candidates:
        marks = (disputed[candidate.id].mark,) if candidate.id in disputed else ()
        render = render_whole if len(candidate.content) <= _LONGEST else render_gist
        lines.append(render(candidate, *marks))
    return "\n".join([*lines, frames.RECALL_CLOSE])


def _asked(prompt: str) -> str:
    if not prompt.strip():
        raise InvalidField("prompt", "must hold text")
    return cut(prompt)
