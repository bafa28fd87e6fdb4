"""Matching: what a proposal is to the memories that are there: new, known, an update, or none of our business."""

from collections.abc import Iterable

from attrs import frozen

from vademecum.memory import alike
from vademecum.memory.capture.proposal import Proposal
from vademecum.memory.types import MemoryStatus, Origin, Provenance, Scope

#: Share of words that two descriptions of one type have in common from which on they are about the same thing.
SAME_SUBJECT = 0.6


@frozen
class Existing:
    """A memory that is there, as far as matching needs it. `supersedes` is the id that it would replace."""

    id: str
    scope: Scope
    type: str
    title: str
    content: str
    description: str
    provenance: Provenance
    origin: Origin
    status: MemoryStatus
    revision: str
    supersedes: str = ""


@frozen
class Add:
    """Nothing like it is there."""


@frozen
class Update:
    """A captured memory is about the same and is to be brought up to date."""

    existing: Existing


@frozen
class Known:
    """A memory says the same."""

    existing: Existing


@frozen
class Protected:
    """A memory that somebody asked for is about the same; capture does not touch it."""

    existing: Existing


Match = Add | Update | Known | Protected


def match(proposal: Proposal, memories: Iterable[Existing]) -> Match:
    """Return what to do with the proposal.

    The same content, in whatever scope it is told, is known. Else the memory of the same scope and type whose
    description is most alike is what the proposal is about, if that is alike enough. Only one that was captured before,
    and is this user's, is ever changed.
    """
    wanted = alike.normal(proposal.content)
    words = _subject(proposal.description, proposal.title)
    best: tuple[float, bool, Existing] | None = None
    for memory in memories:
        if alike.normal(memory.content) == wanted:
            return Known(memory)
        if (memory.scope, memory.type) != (proposal.scope, proposal.type):
            continue
        score = alike.share(words, _subject(memory.description, memory.title))
        is_pending = memory.status is MemoryStatus.PENDING
        if score >= SAME_SUBJECT and (best is None or (score, is_pending) > best[:2]):
            best = score, is_pending, memory
    if best is None:
        return Add()
    found = best[2]
    if found.provenance is Provenance.AUTO and found.origin is Origin.USER:
        return Update(found)
    return Protected(found)


def _subject(description: str, title: str) -> frozenset[str]:
    """The words of the description, or of the title where there is none."""
    return alike.words(description or title)
