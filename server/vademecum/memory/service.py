"""The memory of a workspace: everything that the faces ask of it, in one place.

One `Memories` serves a workspace; one can span all open folders, and one can have none. When memory is switched off,
every call but `status` is refused, and nothing is read or written.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from attrs import evolve

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.memory import chartering, checks, health, review, snapshots, telling, trust, undoing, writing
from vademecum.memory.audit.types import Audit, FindingKind
from vademecum.memory.capture.capturing import Capturing
from vademecum.memory.capture.types import Captured, Exchange
from vademecum.memory.charters import CharterFile
from vademecum.memory.grounds import GateOf
from vademecum.memory.holdings import Holdings
from vademecum.memory.library import Entry
from vademecum.memory.note import title_of
from vademecum.memory.places import Places, ProjectMemory
from vademecum.memory.prompt_types import Changes, PromptBlock, PromptBudget
from vademecum.memory.recall import Recaller
from vademecum.memory.recall_choice import Chooser
from vademecum.memory.recall_meaning import Meanings
from vademecum.memory.settings import MemorySettings, RecallModel
from vademecum.memory.types import (
    Added,
    Category,
    Found,
    FoundPage,
    HeadPage,
    Memory,
    MemoryChange,
    MemoryStatus,
    NewMemory,
    Purged,
    Recall,
    Reindexed,
    Remembered,
    Scope,
    Span,
    Status,
    Trust,
    Version,
)
from vademecum.model import Complete
from vademecum.work import Cancel, Progress, silent

if TYPE_CHECKING:
    from vademecum.memory.editing.types import Neighbour
    from vademecum.memory.transfer.service import Transfer

#: Why a call is refused while memory is off, and what to do.
DISABLED = (
    "Memory is switched off. Switch it on with the setting memory.enabled = true (and without VADEMECUM_MEMORY=0 in the"
    " environment)."
)


class Memories:
    """The memories of some open folders and of the user.

    Nothing is touched before the first call. Safe to use from several threads, and beside other servers and terminals
    that use the same places. Any call but `status` may raise `VademecumError` with `storeUnreadable` or `busy` when
    home or state directory cannot be used, and with `memoryDisabled` while memory is off.
    """

    def __init__(
        self,
        places: Places,
        projects: Sequence[ProjectMemory] = (),
        settings: MemorySettings | None = None,
        gate_of: GateOf | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        complete: Complete | None = None,
        meanings: Meanings | None = None,
    ) -> None:
        """
        :param places: the home and the state directory.
        :param projects: the open folders.
        :param gate_of: gives the gate of an open folder, by which evidence is checked; without it nobody can tell.
        :param complete: the lent model, where there is one.
        :param meanings: the vectors of memories; without them words alone recall.
        """
        self._settings = settings or MemorySettings()
        self._held = Holdings(places, projects, self._settings, gate_of, now)
        self._capturing = Capturing(self._held, complete)
        self._meanings = meanings
        self._recaller = Recaller(self._held, meanings)
        is_asked = complete is not None and self._settings.recall_model is RecallModel.AUTO
        self._chooser = Chooser(complete) if complete is not None and is_asked else None

    def add(self, new: NewMemory) -> Added:
        """Store a new memory; see `writing.add` for what is refused."""
        return writing.add(self._on(), new)

    def update(self, id: str, change: MemoryChange) -> Memory:
        """Change fields of a memory, moving it when its scope changes; see `writing.update` for what is refused."""
        return writing.update(self._on(), id, change)

    def delete(self, id: str, revision: str | None = None) -> None:
        """Delete a memory, if it is of this revision where one is given. `restore` brings it back until it is purged.
        Raises `notFound`, `untrusted`, `conflict`."""
        writing.delete(self._on(), id, revision)
        self._drop_meanings()

    def get(self, id: str) -> Memory:
        """Return one memory. Raises `notFound`, `untrusted`."""
        held = self._on()
        return held.memory(held.find(id))

    def list(
        self,
        *,
        scope: Scope | None = None,
        category: Category | None = None,
        type: str | None = None,
        status: MemoryStatus | None = None,
        offset: int = 0,
        limit: int = 200,
    ) -> HeadPage:
        """Return a page of the manifest, newest first. Superseded memories are in it only when asked for by status."""
        held = self._on()
        chosen: list[Entry] = []
        for entry in held.library().entries.values():
            record = entry.item.record
            if scope not in (None, entry.scope) or category not in (None, record.category):
                continue
            if type is not None and type.casefold() != record.type.casefold():
                continue
            if status is None and record.status is MemoryStatus.SUPERSEDED:
                continue
            chosen.append(entry)
        if status is not None:
            evidence = held.evidence(chosen)
            chosen = [entry for entry in chosen if held.status_of(entry, evidence[entry.id]) is status]
        chosen.sort(key=lambda entry: entry.id)
        chosen.sort(key=lambda entry: entry.updated, reverse=True)
        page = chosen[offset : offset + limit]
        evidence = held.evidence(page)
        items = tuple(held.head(entry, evidence[entry.id]) for entry in page)
        return HeadPage(items, len(chosen), telling.notices(held))

    def search(self, query: str | None = None, *, scope: Scope | None = None, limit: int = 20) -> FoundPage:
        """Return memories by words, best first; all (pinned and newest first) when there is no query.

        A memory that holds the query, whatever the case, in its title, content or keywords is always among the
        matches. Those that wait for review or were superseded never are. No characters of a query are special.

        :raises InvalidField: `query` when it is too long.
        """
        held = self._on()
        words = checks.query(query)
        entries = {
            entry.id: entry
            for entry in held.library().entries.values()
            if entry.is_told and scope in (None, entry.scope)
        }
        if words:
            ranked = held.lookup.rank(words, {id: entry.item for id, entry in entries.items()})
        else:
            newest = sorted(entries.values(), key=lambda entry: entry.updated, reverse=True)
            newest.sort(key=lambda entry: not entry.item.record.pinned)
            ranked = [(entry.id, 0.0) for entry in newest]
        recalls = held.recalls()
        evidence = held.evidence(entries[id] for id, _ in ranked[:limit])
        items = tuple(Found(held.memory(entries[id], recalls, evidence[id]), score) for id, score in ranked[:limit])
        return FoundPage(items, len(ranked))

    def remember(self, note: str, *, scope: Scope | None = None, category: Category | None = None) -> Remembered:
        """Store a note under the title of its first sentence; one that is known already is returned as it is.

        Without a scope: `project` when a folder is open, else `user`; a note that either scope knows is known. Raises
        as `add`, with `note` for the field.
        """
        held = self._on()
        content = checks.note(note)
        checks.no_secrets(note=content)
        wanted = scope or (Scope.PROJECT if held.opened().folders else Scope.USER)
        target = held.target(wanted)
        scopes = (scope,) if scope else (wanted, Scope.USER)
        places = (target, held.target(Scope.USER))
        library = held.library()
        there = writing.known(library, content, scopes, places)
        if there is None:
            new = NewMemory(title_of(content), content, category or Category.KNOWLEDGE, wanted)
            try:
                added = writing.add(held, new)
                return Remembered(added.memory, False, added.similar, added.contradicts)
            except VademecumError as error:
                if error.kind is not ErrorKind.DUPLICATE:
                    raise
                there = held.find(str(error.data["id"]))  # another writer was faster
        if there.item.record.status is MemoryStatus.PENDING:
            return Remembered(writing.accept(held, there.id), known=True)
        return Remembered(held.memory(there), known=True)

    def prompt(
        self, session: str | None = None, budget: PromptBudget | None = None, explain: bool = False
    ) -> PromptBlock:
        """Return the text for the head of a chat; see `telling.prompt`."""
        return telling.prompt(self._on(), session, budget, explain=explain)

    def changes(self, session: str) -> Changes:
        """Return what changed since the session's prompt block, each change told once; see `telling.changes`."""
        return telling.changes(self._on(), session)

    def capture(
        self,
        turns: Sequence[Exchange],
        session: str | None = None,
        cancel: Cancel | None = None,
        settle: Callable[[], None] = lambda: None,
    ) -> Captured:
        """Keep what the latest exchanges say that is worth keeping; see `Capturing.capture`. Raises only `Cancelled`,
        `memoryDisabled`, and `InvalidField` for an unusable session.
        """
        self._on()
        if session is not None:
            checks.session(session)
        return self._capturing.capture(turns, session, cancel or Cancel(), settle)

    def accept(self, id: str) -> Memory:
        """Make a memory that waits for review an active one. Raises `notFound`, `conflict` when it waits for none."""
        return review.accept(self._on(), id)

    def reject(self, id: str) -> None:
        """Delete a memory that waits for review; it is not captured again. Raises as `accept`."""
        review.reject(self._on(), id)

    def charter(self, scope: Scope = Scope.PROJECT) -> CharterFile:
        """Return PROJECT.md, or the user's USER.md; see `chartering.read`."""
        held = self._on()
        return evolve(chartering.read(held, scope), notices=telling.notices(held))

    def write_charter(self, content: str, *, scope: Scope = Scope.PROJECT, revision: str | None = None) -> CharterFile:
        """Give PROJECT.md the text that the user approved; see `chartering.write` for what is refused."""
        held = self._on()
        return evolve(chartering.write(held, content, scope, revision), notices=telling.notices(held))

    def history(self, id: str) -> tuple[Version, ...]:
        """Return the prior versions of a memory (a deleted one too) or of PROJECT.md, newest first; `notFound`."""
        held = self._on()
        return chartering.versions(held) if id == chartering.ID else undoing.versions(held, id)

    def restore(self, id: str, revision: str | None = None) -> Memory:
        """Bring back a prior version (the newest without a revision), or a deleted memory; see `undoing.restore`."""
        return undoing.restore(self._on(), id, revision)

    def restore_charter(self, revision: str | None = None) -> CharterFile:
        """Bring back a prior version of PROJECT.md; see `chartering.restore`."""
        return chartering.restore(self._on(), revision)

    def purge(self, *, id: str | None = None, scope: Span | None = None) -> Purged:
        """Remove one memory, or all of a scope, for good, with every prior version. Raises `notFound`."""
        held = self._on()
        if id == chartering.ID:
            return chartering.purge(held)
        if id is not None:
            purged = undoing.purge(held, id)
            self._drop_meanings()
            return purged
        if scope is None:
            raise InvalidField("id", "must be given, or else a scope")
        purged = undoing.purge_scopes(held, self._scopes(scope))
        self._drop_meanings()
        return purged

    def clear(self, scope: Span) -> int:
        """Delete every memory of the scope and return how many there were; they can be restored until purged."""
        removed = writing.clear(self._on(), self._scopes(scope))
        self._drop_meanings()
        return removed

    def recall(
        self,
        prompt: str,
        *,
        session: str | None = None,
        limit: int | None = None,
        ask_model: bool = True,
        cancel: Cancel | None = None,
        settle: Callable[[], None] = lambda: None,
    ) -> Recall:
        """Return what of memory fits a prompt; see `Recaller.recall`.

        A session is not given again what it was given, unless that has changed since.

        :param limit: memories at most; as set in the settings without it.
        :param ask_model: whether the lent model may be asked, where there is one and the settings allow it.
        :param settle: called before it is kept what was given.
        """
        self._on()
        most = self._settings.recall_top_k
        choose = None
        if ask_model and self._chooser is not None:
            choose = partial(self._chooser.choose, cancel=cancel or Cancel())
        return self._recaller.recall(prompt, session, most if limit is None else min(limit, most), choose, settle)

    @property
    def transfer(self) -> "Transfer":
        """Import and export."""
        from vademecum.memory.transfer.service import Transfer  # loaded by who needs it

        return Transfer(self._on())

    def audit(
        self,
        scope: Scope | None = None,
        kinds: Sequence[FindingKind] = (),
        limit: int = 200,
        cancel: Cancel | None = None,
        progress: Progress = silent,
    ) -> Audit:
        """Return what is amiss with the memories, the gravest first; see `auditing.audit`."""
        from vademecum.memory.audit.auditing import audit

        return audit(self._on(), scope, kinds, limit, cancel or Cancel(), progress)

    def neighbours(self) -> "tuple[Neighbour, ...]":
        """Return every visible memory, as one who edits a file of one by hand wants to know the others."""
        from vademecum.memory.editing.beside import neighbours

        return neighbours(self._on().library())

    def warm(self) -> None:
        """Begin to make what recall needs, in the background; nothing while memory is off."""
        if self._settings.enabled:
            self._recaller.warm()

    def _drop_meanings(self) -> None:
        """Vectors tell of the texts that they were made of; those of what is left are made again."""
        if self._meanings is not None:
            self._meanings.drop()

    def trust(self, trusted: bool) -> Trust:
        """Keep the user's word on whether memory that came with the repository may be used, and return what holds.

        :raises InvalidField: `workspace`, when not exactly one folder is open.
        """
        held = self._on()
        folders = held.opened().folders
        if len(folders) != 1:
            raise InvalidField("workspace", "must name one open folder")
        trust.say(held.state, folders[0].place, trusted, held.now())
        now = held.opened().folders[0].trust
        if not now.trusted:
            snapshots.void(held.state, workspace=telling.workspace_key(held))
        return now

    def reindex(self) -> Reindexed:
        """Drop all that was derived from the files and read them again."""
        held = self._on()
        held.forget()
        library = held.library()
        return Reindexed(len(library.entries), len(library.unreadable))

    def status(self) -> Status:
        """Return how memory is; never fails. While memory is off it says only that, and nothing is read."""
        if not self._settings.enabled:
            return Status(enabled=False, message=DISABLED)
        try:
            return health.examine(self._held)
        except VademecumError as error:
            return Status(enabled=True, message=error.message, health=(error.message,))

    def void(self) -> None:
        """Drop all kept prompt blocks. For whoever switches memory off, also when it is off already."""
        if self._held.state.path.exists():
            snapshots.void(self._held.state)

    def close(self) -> None:
        """Close the state database; a later call opens it again."""
        self._held.state.close()

    def _on(self) -> Holdings:
        if not self._settings.enabled:
            raise VademecumError(ErrorKind.MEMORY_DISABLED, DISABLED)
        return self._held

    def _scopes(self, span: Span) -> tuple[Scope, ...]:
        if span is Span.USER:
            return (Scope.USER,)
        if span is Span.ALL:
            return (Scope.USER, Scope.PROJECT)
        self._held.target(Scope.PROJECT)  # refuses when it is not plain which project is meant
        return (Scope.PROJECT,)
