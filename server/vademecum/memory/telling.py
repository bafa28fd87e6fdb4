"""Telling a chat what is remembered: the prompt block of a session, and what changed since."""

import hashlib
import logging
import os
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import islice

from attrs import evolve, frozen

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files.redact import redact
from vademecum.memory import checks, snapshots, store
from vademecum.memory.access import CannotRead, Corner
from vademecum.memory.candidate import Candidate
from vademecum.memory.charters import PROJECT_CHARTER, USER_CHARTER, Charter, outgrown, read_charter, source_of
from vademecum.memory.deltas import compose_changes, digest_of, known_of
from vademecum.memory.holdings import Holdings
from vademecum.memory.library import Entry, Library
from vademecum.memory.prompt import EXPLAINED, Bounds, Composed, compose
from vademecum.memory.prompt_types import Changes, PromptBlock, PromptBudget, PromptChoice, PromptEntry, PromptForm
from vademecum.memory.registry import SHARED_FOLDER
from vademecum.memory.selection import Use
from vademecum.memory.snapshots import Snapshot, Snapshots, ToldChange
from vademecum.memory.types import MemoryStatus, Scope, StoreKind, Unreadable

logger = logging.getLogger(__name__)

#: How often a block is made again because something was removed meanwhile, before it is given without being kept.
_ATTEMPTS = 5

#: The largest bounds that a caller may ask for.
_MOST_ENTRIES = 2_000
_MOST_CHARACTERS = 1_000_000


@frozen
class _Material:
    candidates: tuple[Candidate, ...]
    charters: tuple[Charter, ...]


def prompt(held: Holdings, session: str | None, budget: PromptBudget | None, *, explain: bool) -> PromptBlock:
    """Return the prompt block; with a session the same bytes each time, unless something told in it was removed.

    Where it cannot be kept (on a full disk), it is told all the same, and a notice says so.

    :raises InvalidField: `budget` or `session`.
    :raises VademecumError: `storeUnreadable` or `busy`, when the state database cannot be used.
    """
    bounds = _bounds(held, budget)
    if session is None:
        material = _gather(held)
        return _block(held, _compose(held, material, bounds), material.charters, explain=explain)
    checks.session(session)
    kept = Snapshots(held.state, workspace_key(held))
    composed: Composed | None = None
    unkept: str | None = None
    for _ in range(_ATTEMPTS):
        begun = snapshots.generation(held.state)
        library = held.library()
        charters = tuple(read_charters(held)[0])
        there = kept.get(session)
        is_asked_for = there is not None and (budget is None or there.bounds == str(bounds))
        if there is not None and is_asked_for and _still_holds(there, library, charters):
            return _kept_block(held, there, library, charters, explain=explain)
        material = _Material(_candidates(held, library), charters)
        composed = _compose(held, material, bounds)
        shown = {id: form.value for id, form in composed.shown.items()}
        shown |= {charter.source: "charter" for charter in material.charters}
        known = known_of(held.candidates.digests(material.candidates, digest_of), material.charters)
        made = Snapshot(composed.text, composed.entries, composed.omitted, str(bounds), shown, known)
        oldest = (held.moment() - timedelta(days=snapshots.DAYS)).isoformat()
        try:
            if kept.put(session, made, held.now(), oldest, begun, there):
                break
        except VademecumError as error:
            if error.kind is not ErrorKind.STORE_UNREADABLE:
                raise
            logger.warning("the block of a session is not kept: %s", error.message)
            unkept = f"This chat's memory block is not kept, and may be told otherwise later. {error.message}"
            break
    assert composed is not None
    block = _block(held, composed, charters, explain=explain)
    return evolve(block, notices=(*(block.notices or ()), unkept)) if unkept else block


def changes(held: Holdings, session: str) -> Changes:
    """Return what changed since the session's block, each change once. A session that is new knows all there is.

    Where it cannot be kept what was told (on a full disk), it is told again the next time.
    """
    checks.session(session)
    kept = Snapshots(held.state, workspace_key(held))
    begun = snapshots.generation(held.state)
    there = kept.get(session)
    if there is None:
        prompt(held, session, None, explain=False)
        return Changes("")
    material = _gather(held)
    memories = held.candidates.digests(material.candidates, digest_of)
    limit = held.settings.change_characters
    beside = {*there.shown, *(id for change in there.changes for id in change.ids)}
    told = compose_changes(there.known, material.candidates, material.charters, limit, memories, beside)
    if told.known != there.known:
        ids = dict.fromkeys((*told.changes.added, *told.changes.changed, *told.charters, *told.named))
        new = ToldChange(told.changes.text, tuple(ids))
        try:
            if not kept.learn(session, there, told.known, new, begun):
                return changes(held, session)  # another request of the session was faster, or something was removed
        except VademecumError as error:
            if error.kind is not ErrorKind.STORE_UNREADABLE:
                raise
            logger.warning("what a session was told is not kept, and will be told again: %s", error.message)
    return evolve(told.changes, earlier=tuple(each.text for each in there.changes))


def read_charters(held: Holdings) -> tuple[list[Charter], list[Unreadable]]:
    """Return the charters that may be told, and those that cannot be read; as the files are now."""
    found: list[Charter] = []
    flaws: list[Unreadable] = []
    for kind, scope, corner, name, source in _charter_places(held):
        charter = read_charter(corner, name, source, scope)
        if isinstance(charter, Charter):
            found.append(evolve(charter, text=redact(charter.text)))
        elif charter is not None:
            flaws.append(Unreadable(kind, scope, name, charter))
    return found, flaws


def _charter_places(held: Holdings) -> Iterator[tuple[StoreKind, Scope, Corner, str, str]]:
    yield StoreKind.USER, Scope.USER, Corner(held.places.home), USER_CHARTER, USER_CHARTER
    folders = held.opened().folders
    several = len({opened.project.key for opened in folders}) > 1
    seen = set()
    for opened in folders:
        private, root = opened.project.folders[0], opened.project.root
        if private not in seen:
            seen.add(private)
            source = source_of(StoreKind.PRIVATE, root, several=several)
            yield StoreKind.PRIVATE, Scope.PROJECT, Corner(private), PROJECT_CHARTER, source
        if os.path.realpath(root / SHARED_FOLDER) != os.path.realpath(held.places.home):
            shared = Corner(root / SHARED_FOLDER, root)
            if opened.trust.trusted or _is_own_charter(held, opened.project.key, shared):
                source = source_of(StoreKind.SHARED, root, several=several)
                yield StoreKind.SHARED, Scope.PROJECT, shared, PROJECT_CHARTER, source


def _is_own_charter(held: Holdings, project: str, corner: Corner) -> bool:
    """Whether this user wrote the PROJECT.md in a repository, which needs no trust in whoever made that."""
    try:
        data = corner.read(PROJECT_CHARTER)
    except CannotRead:
        return False
    return data is not None and held.is_own(project, store.digest_of(data))


def _gather(held: Holdings) -> _Material:
    return _Material(_candidates(held, held.library()), tuple(read_charters(held)[0]))


def _candidates(held: Holdings, library: Library) -> tuple[Candidate, ...]:
    entries = [entry for entry in library.entries.values() if entry.is_told]
    stale = _stale(held, entries)
    return held.candidates.of(library, frozenset(stale), leave_out_stale=held.settings.leave_out_stale)


def _stale(held: Holdings, entries: Sequence[Entry]) -> set[str]:
    """The ids of those memories whose evidence does not hold now."""
    resting = [entry for entry in entries if entry.item.record.evidence]
    evidence = held.evidence(resting)
    return {each.id for each in resting if held.status_of(each, evidence[each.id]) is MemoryStatus.STALE}


def _compose(held: Holdings, material: _Material, bounds: Bounds) -> Composed:
    surroundings = held.outlook.of([folder.given.folder for folder in held.opened().folders])
    uses = {id: Use(count, last) for id, (count, last) in held.recalls().items()}
    told = held.candidates.weighed(material.candidates, surroundings, uses)
    return compose(told.candidates, material.charters, bounds, told.worth, told.ordered)


def _still_holds(kept: Snapshot, library: Library, charters: Sequence[Charter]) -> bool:
    """Whether the block may be told again: all that it tells of is still there and may still be told."""
    if kept.text is None:
        return False
    there = library.entries.keys() | {charter.source for charter in charters}
    return kept.shown.keys() <= there and all(each.text == "" or there.issuperset(each.ids) for each in kept.changes)


def _bounds(held: Holdings, budget: PromptBudget | None) -> Bounds:
    settings = held.settings
    entries, characters = settings.prompt_entries, settings.prompt_characters
    if budget is not None and budget.entries is not None:
        entries = _in_range("budget.entries", budget.entries, _MOST_ENTRIES)
    if budget is not None and budget.characters is not None:
        characters = _in_range("budget.characters", budget.characters, _MOST_CHARACTERS)
    is_all_in = budget is not None and budget.characters is not None
    return Bounds(entries, characters, settings.charter_characters, all_in=is_all_in)


def _in_range(field: str, value: int, most: int) -> int:
    if not 0 <= value <= most:
        raise InvalidField(field, f"must be between 0 and {most:,}")
    return value


def notices(held: Holdings, charters: Sequence[Charter] | None = None) -> tuple[str, ...] | None:
    """Return what the user should look at, which is no part of what a model is told; None when all is well."""
    charters = read_charters(held)[0] if charters is None else charters
    too_long = outgrown(charters, held.settings.charter_characters)
    return (too_long,) if too_long else None


def _block(held: Holdings, composed: Composed, charters: Sequence[Charter], *, explain: bool) -> PromptBlock:
    choices = composed.choices() if explain else None
    return _told(composed.text, composed.entries, composed.omitted, choices, notices(held, charters))


def _kept_block(
    held: Holdings, kept: Snapshot, library: Library, charters: Sequence[Charter], *, explain: bool
) -> PromptBlock:
    """The block as it was first told. Why each memory was chosen is known no more than by the form it has in it."""
    choices = None
    if explain:
        choices = tuple(
            PromptChoice(id, PromptForm(form), "chosen when the session began")
            for id, form in kept.shown.items()
            if id in library.entries
        )
        others = (each.id for each in _candidates(held, library) if each.id not in kept.shown)
        choices += tuple(
            PromptChoice(id, PromptForm.OMITTED, "not chosen when the session began")
            for id in islice(others, EXPLAINED)
        )
    stale = _stale(held, [library.entries[entry.id] for entry in kept.entries])
    entries = tuple(evolve(entry, stale=entry.id in stale or None) for entry in kept.entries)
    return _told(kept.text or "", entries, kept.omitted, choices, notices(held, charters))


def _told(
    text: str,
    entries: tuple[PromptEntry, ...],
    omitted: int,
    choices: tuple[PromptChoice, ...] | None,
    notices: tuple[str, ...] | None,
) -> PromptBlock:
    snapshot = hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
    return PromptBlock(text, snapshot, entries, omitted, len(text), choices, notices)


def workspace_key(held: Holdings) -> str:
    """A key for the open folders, by which sessions of different workspaces are kept apart."""
    roots = sorted(f"{opened.project.key} {opened.project.root}" for opened in held.opened().folders)
    return hashlib.sha256("\0".join(roots).encode("utf-8", "surrogateescape")).hexdigest()[:16]
