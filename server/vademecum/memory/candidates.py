"""What may be told of all memories, made once for as long as nothing changes: there may be thousands of them."""

import threading
from collections.abc import Callable, Mapping

from attrs import field, frozen

from vademecum.memory import selection, technologies
from vademecum.memory.candidate import Candidate
from vademecum.memory.library import Entry, Library
from vademecum.memory.selection import Use, Worth
from vademecum.memory.store import Item
from vademecum.memory.surroundings import Surroundings
from vademecum.memory.types import Category, Origin, Provenance

#: So much of a long memory says what it is about, in characters.
_ABOUT = 4_000


@frozen
class Telling:
    """Memories that may be told, as they are at one moment, and what each is worth here."""

    candidates: tuple[Candidate, ...]
    worth: Mapping[str, Worth]
    ordered: tuple[Candidate, ...]


@frozen
class _Made:
    item: Item
    origin: Origin
    stale: bool
    candidate: Candidate = field(repr=False)


class Candidates:
    """Makes candidates of entries, and weighs them. Safe from every thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._each: dict[str, _Made] = {}
        self._last: tuple[Library, frozenset[str], bool, tuple[Candidate, ...]] | None = None
        self._digests: tuple[tuple[Candidate, ...], Mapping[str, str]] | None = None
        self._weighed: tuple[tuple[Candidate, ...], Surroundings, Mapping[str, Use], Telling] | None = None

    def of(self, library: Library, stale: frozenset[str], *, leave_out_stale: bool) -> tuple[Candidate, ...]:
        """Return the memories that may be told; the same object as long as nothing changed.

        :param stale: ids of those whose evidence does not hold now.
        """
        with self._lock:
            last = self._last
            if last is not None and last[0] is library and last[1:3] == (stale, leave_out_stale):
                return last[3]
            each: dict[str, _Made] = {}
            for entry in library.entries.values():
                if entry.is_told and not (leave_out_stale and entry.id in stale):
                    each[entry.id] = self._one(entry, is_stale=entry.id in stale)
            self._each = each
            candidates = tuple(made.candidate for made in each.values())
            if last is not None and last[3] == candidates:  # the same, read again
                candidates = last[3]
            self._last = (library, stale, leave_out_stale, candidates)
            return candidates

    def weighed(
        self, candidates: tuple[Candidate, ...], surroundings: Surroundings, uses: Mapping[str, Use]
    ) -> Telling:
        """Return the candidates with what each is worth in these surroundings."""
        with self._lock:
            last = self._weighed
            if last is not None and last[0] is candidates and last[1:3] == (surroundings, uses):
                return last[3]
        worth = selection.weigh(candidates, surroundings, uses)
        telling = Telling(candidates, worth, tuple(selection.order(candidates, worth)))
        with self._lock:
            self._weighed = (candidates, surroundings, uses, telling)
        return telling

    def digests(self, candidates: tuple[Candidate, ...], digest: Callable[[Candidate], str]) -> Mapping[str, str]:
        """Return the digest of each candidate by its id, made once."""
        with self._lock:
            last = self._digests
            if last is not None and last[0] is candidates:
                return last[1]
        made = {candidate.id: digest(candidate) for candidate in candidates}
        with self._lock:
            self._digests = (candidates, made)
        return made

    def forget(self) -> None:
        """Drop everything."""
        with self._lock:
            self._each, self._last, self._weighed, self._digests = {}, None, None, None

    def _one(self, entry: Entry, *, is_stale: bool) -> _Made:
        made = self._each.get(entry.id)
        is_same = made is not None and made.item is entry.item and made.origin is entry.origin
        if is_same and made is not None and made.stale == is_stale and made.candidate.scope is entry.scope:
            return made
        return _Made(entry.item, entry.origin, is_stale, candidate_of(entry, is_stale=is_stale))


def candidate_of(entry: Entry, *, is_stale: bool) -> Candidate:
    """Return the memory as it is told."""
    record = entry.item.record
    source = "from the user"
    if entry.origin is Origin.REPOSITORY:
        source = "from the repository"
    elif record.provenance is Provenance.AUTO:
        source = "captured"
    about = "\n".join((record.title, *record.keywords, record.description, record.content[:_ABOUT]))
    words = selection.words_of(about)
    return Candidate(
        id=entry.id,
        scope=entry.scope,
        category=record.category,
        title=record.title,
        content=record.content,
        description=record.description,
        source=source,
        standing=record.category is Category.RULE and source == "from the user",
        pinned=record.pinned,
        stale=is_stale,
        updated=entry.updated,
        type=record.type,
        keywords=record.keywords,
        evidence=record.evidence,
        words=words,
        named=technologies.named_in(about, words, record.keywords),
    )
