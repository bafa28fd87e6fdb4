"""Memories that contradict each other, and which of two holds until their user settles it.

Both are told, since neither program nor model may drop what somebody wanted remembered; the one that holds comes first,
and the other says so. What the user follows as a standing wish holds against background, what is not from the
repository against what is, the project's against the user's, then the newer against the older.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from attrs import frozen

from vademecum.memory.candidate import Candidate
from vademecum.memory.claims import OPPOSITE, SAME_MATTER, contradiction, said
from vademecum.memory.nearness import Nearness
from vademecum.memory.types import Scope

#: Memories that one is compared to.
_MOST_NEAR = 10

#: Others that differ from a memory in nothing but a value, past which they are a series ("item 1 is …", "item 2 is …")
#: rather than answers to one question.
_RIVALS = 2


@frozen
class Dispute:
    """That a memory is contradicted by another, which holds.

    :param why: why that one holds.
    """

    holds: Candidate
    why: str

    @property
    def mark(self) -> str:
        """What the line of the contradicted memory says."""
        return f"contradicted by [{self.holds.id}], which holds: {self.why}"


def disputes(candidates: Sequence[Candidate]) -> Mapping[str, Dispute]:
    """Return, for each memory that another of them contradicts and that does not hold, that other one; by its id."""
    near = Nearness(SAME_MATTER)
    by_id = {each.id: each for each in candidates}
    pairs: list[tuple[str, str, bool]] = []
    for each in candidates:
        matter = said(each.content).matter
        others = [(id, contradiction(each.content, by_id[id].content)) for id in near.near(matter, _MOST_NEAR)]
        pairs += [(each.id, id, why == OPPOSITE) for id, why in others if why]
        near.add(each.id, matter)
    rivals = Counter(id for *both, is_opposite in pairs if not is_opposite for id in both)
    found: dict[str, Dispute] = {}
    for one, other, is_opposite in pairs:
        if is_opposite or max(rivals[one], rivals[other]) <= _RIVALS:
            loser, dispute = _settled(by_id[one], by_id[other])
            before = found.get(loser.id)
            if before is None or _rank(dispute.holds) > _rank(before.holds):
                found[loser.id] = dispute
    return found


def settled(ordered: Sequence[Candidate], found: Mapping[str, Dispute]) -> list[Candidate]:
    """Return the memories in their order, but what holds before what it contradicts, where it would come later."""
    if not found:
        return list(ordered)
    result: dict[str, Candidate] = {}
    for each in ordered:
        # What holds may be contradicted itself; a chain ends, as each next one ranks higher.
        first = [each]
        while (dispute := found.get(first[-1].id)) is not None:
            first.append(dispute.holds)
        for one in reversed(first):
            result.setdefault(one.id, one)
    return list(result.values())


def _settled(one: Candidate, other: Candidate) -> tuple[Candidate, Dispute]:
    loser, holds = sorted((one, other), key=_rank)
    if holds.standing != loser.standing:
        why = "a standing wish of the user"
    elif _is_foreign(holds) != _is_foreign(loser):
        why = "not from the repository"
    elif holds.scope is not loser.scope:
        why = "of this project"
    else:
        why = "newer"
    return loser, Dispute(holds, why)


def _rank(each: Candidate) -> tuple[bool, bool, bool, str, str]:
    return each.standing, not _is_foreign(each), each.scope is Scope.PROJECT, each.updated, each.id


def _is_foreign(each: Candidate) -> bool:
    return each.source == "from the repository"
