"""Recalling: what of memory fits a prompt, at most a few whole memories, with why, each once in a session."""

import logging
from collections.abc import Callable, Sequence

from vademecum.errors import InvalidField
from vademecum.memory import checks, frames
from vademecum.memory.candidates import candidate_of
from vademecum.memory.holdings import Holdings
from vademecum.memory.library import Entry, Library
from vademecum.memory.prompt import render_gist, render_whole
from vademecum.memory.recall_meaning import Meanings
from vademecum.memory.recall_ranking import Ranked, distinct, rank
from vademecum.memory.recall_words import Words
from vademecum.memory.record import Record
from vademecum.memory.snapshots import session_key
from vademecum.memory.telling import workspace_key
from vademecum.memory.types import Head, Recall, Recalled, RecallReason

log = logging.getLogger(__name__)

#: Heads that a lent model chooses from.
MANIFEST = 200
#: Prompts are cut here, in characters: what is asked stands at one end, and either is kept.
PROMPT_CHARACTERS = 4_000
#: A memory longer than this, in characters, is told by its description in the text.
_LONGEST = 4_000
#: What was given is known for this many sessions.
_SESSIONS = 200

#: Picks memories by a model: is given the prompt and the manifest, returns ids, best first. May fail in any way.
Select = Callable[[str, Sequence[Head]], Sequence[str]]


class Recaller:
    """Ranks memories for prompts; keeps the words of those that it saw last. Safe from every thread."""

    def __init__(self, held: Holdings, meanings: Meanings | None) -> None:
        self._held = held
        self._meanings = meanings
        self._made: tuple[Library, tuple[Entry, ...], Words, tuple[Record, ...]] | None = None

    def recall(self, prompt: str, session: str | None, limit: int, select: Select | None = None) -> Recall:
        """Return the memories that fit a prompt, and the text to give a model; nothing when none does.

        :raises InvalidField: `prompt` or `session`.
        :raises VademecumError: `storeUnreadable` or `busy`.
        """
        asked = _asked(prompt)
        if session is not None:
            checks.session(session)
        ranked = self._ranked(asked)
        given = self._given(session)
        ranked = [each for each in ranked if given.get(each.entry.id) != each.entry.item.revision]
        chosen = self._selected(asked, ranked, select) if select is not None and ranked else None
        if chosen is None:
            floor = self._held.settings.recall_min_score
            chosen = [each for each in ranked[: limit * 4] if each.score >= floor]
        chosen = distinct(chosen, limit)
        if not chosen:
            return Recall((), "")
        self._note(session, [each.entry for each in chosen])
        recalls = self._held.recalls()
        evidence = self._held.evidence(each.entry for each in chosen)
        items = tuple(
            Recalled(
                self._held.memory(each.entry, recalls, evidence[each.entry.id]),
                each.score,
                RecallReason(each.words, each.meaning),
            )
            for each in chosen
        )
        return Recall(items, self._text(items, chosen))

    def warm(self) -> None:
        """Begin to make what recall will need. Returns soon."""
        if self._meanings is not None:
            self._meanings.follow(self._words()[3])

    def _words(self) -> tuple[Library, tuple[Entry, ...], Words, tuple[Record, ...]]:
        library = self._held.library()
        made = self._made
        if made is None or made[0] is not library:
            entries = tuple(entry for entry in library.entries.values() if entry.is_told)
            records = tuple(entry.item.record for entry in entries)
            if made is not None and records == made[3]:  # the same, read again
                made = (library, entries, made[2], made[3])
            else:
                made = (library, entries, Words(records), records)
            self._made = made
        return made

    def _ranked(self, prompt: str) -> list[Ranked]:
        _, entries, words, records = self._words()
        if not entries:
            return []
        near = self._meanings.near(records, prompt) if self._meanings is not None else None
        return rank(entries, words.answer(prompt), near)

    def _selected(self, prompt: str, ranked: Sequence[Ranked], select: Select) -> list[Ranked] | None:
        """What a model picks from the best and the most recent heads; None when it fails, so that the ranking holds."""
        recent = sorted(ranked, key=lambda each: each.entry.updated, reverse=True)[: MANIFEST // 2]
        offered = {each.entry.id: each for each in [*ranked[: MANIFEST - len(recent)], *recent]}
        heads = [self._held.head(each.entry, ()) for each in offered.values()]
        try:
            picked = select(prompt, heads)
            if isinstance(picked, str) or not all(isinstance(id, str) for id in picked):
                raise TypeError("ids are wanted")
            known = list(dict.fromkeys(id for id in picked if id in offered))
            if picked and not known:
                raise ValueError("no id that was offered")
        except Exception as error:  # whatever a lent model does
            log.warning("the choice by a model failed, the ranking stands: %s", type(error).__name__)
            return None
        return [offered[id] for id in known]

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
        with self._held.state.write() as db:
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

    def _text(self, items: Sequence[Recalled], chosen: Sequence[Ranked]) -> str:
        stale = {item.memory.id for item in items if item.memory.status.value == "stale"}
        lines = [frames.RECALL_OPEN]
        for each in chosen:
            candidate = candidate_of(each.entry, is_stale=each.entry.id in stale)
            lines.append(render_whole(candidate) if len(candidate.content) <= _LONGEST else render_gist(candidate))
        return "\n".join([*lines, frames.RECALL_CLOSE])


def _asked(prompt: str) -> str:
    if not prompt.strip():
        raise InvalidField("prompt", "must hold text")
    if len(prompt) <= PROMPT_CHARACTERS:
        return prompt
    half = PROMPT_CHARACTERS // 2
    return f"{prompt[:half]}\n{prompt[-half:]}"
