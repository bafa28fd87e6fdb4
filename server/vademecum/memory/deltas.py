"""What a running session is told when memories change: each change once, never more than fits.

What a session knows is kept as digests, not as text, so that nothing removed lives on here.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence

from attrs import frozen

from vademecum.memory import frames
from vademecum.memory.candidate import Candidate
from vademecum.memory.charters import Charter
from vademecum.memory.disputes import Dispute, disputes, settled
from vademecum.memory.prompt import render_gist, render_head, render_whole
from vademecum.memory.prompt_types import Changes
from vademecum.memory.selection import order, weigh
from vademecum.memory.surroundings import NOWHERE

_MORE = "More has changed and follows with the next message."

#: Of the memories that have changed, so many are looked at for contradictions; no more would fit at once.
_LOOKED_AT = 300
#: Memories that one is said to hold against, at most.
_NAMED = 3


@frozen
class Told:
    """The changes to tell now, and what the session knows once they are told (id or charter to digest).

    :param charters: the sources of the charters whose text is among the changes.
    :param named: the ids of the memories that the text names beside those that it tells.
    """

    changes: Changes
    known: Mapping[str, str]
    charters: tuple[str, ...] = ()
    named: tuple[str, ...] = ()


def known_of(memories: Mapping[str, str], charters: Sequence[Charter]) -> dict[str, str]:
    """Return what a session knows that was just told of these; memories by id with their `digest_of`."""
    return {**memories, **{_key(charter): _digest(charter.text) for charter in charters}}


def compose_changes(
    known: Mapping[str, str],
    candidates: Sequence[Candidate],
    charters: Sequence[Charter],
    limit: int,
    memories: Mapping[str, str] | None = None,
    beside: Collection[str] = (),
) -> Told:
    """Return what differs from what the session knows, in at most `limit` characters.

    :param memories: the candidates' digests by id, where they are at hand.
    :param beside: the ids of memories that the session was told; a change that contradicts one of them says so.

    Removals come first, since a model must stop using them; what does not fit is left for the next call.
    """
    now = known_of({each.id: digest_of(each) for each in candidates} if memories is None else memories, charters)
    after = dict(known)
    told = _Told(limit)
    for key in sorted(known.keys() - now.keys()):
        is_charter = key.startswith(_CHARTER)
        line = f"- removed {key.removeprefix(_CHARTER) if is_charter else f'[{key}]'}: do not use it any longer"
        if told.take(line):
            del after[key]
            if not is_charter:
                told.removed.append(key)
    changed: list[str] = []
    for charter in charters:
        key = _key(charter)
        if now[key] != known.get(key):
            body = f"- changed {charter.source}\n{frames.margined(charter.text)}"
            pointer = f"- changed {charter.source}: read the file"
            if told.take(body, pointer):
                after[key] = now[key]
                changed.append(charter.source)
    differing = [each for each in candidates if now[each.id] != known.get(each.id)]
    named: list[str] = []
    ordered, disputed = _disputed(differing, [each for each in candidates if each.id in beside][:_LOOKED_AT])
    for candidate in ordered:
        is_new = candidate.id not in known
        rivals = disputed.get(candidate.id, ())
        marks = ["added" if is_new else "changed", *(["standing"] if candidate.standing else [])]
        marks += [mark for mark, _ in rivals]
        if told.take(render_whole(candidate, *marks), render_gist(candidate, *marks), render_head(candidate, *marks)):
            after[candidate.id] = now[candidate.id]
            (told.added if is_new else told.changed).append(candidate.id)
            named += [id for _, id in rivals]
    return Told(told.changes(), after, tuple(changed), tuple(named))


def _disputed(
    differing: Sequence[Candidate], beside: Sequence[Candidate]
) -> tuple[Sequence[Candidate], Mapping[str, Sequence[tuple[str, str]]]]:
    """Return what differs, in the order to tell it, and by id the marks of contradictions, each with the id it names.

    Of two that differ the one that does not hold is marked, as in the block. What was told before and holds no longer
    is not told again; so what holds says it.
    """
    ordered = order(differing, weigh(differing, NOWHERE))
    first = {each.id: each for each in ordered[:_LOOKED_AT]}
    found = disputes([*first.values(), *(each for each in beside if each.id not in first)]) if first else {}
    marks: dict[str, list[tuple[str, str]]] = {}
    within: dict[str, Dispute] = {}
    for id, dispute in found.items():
        holds = dispute.holds.id
        if id in first:
            marks.setdefault(id, []).insert(0, (dispute.mark, holds))
            if holds in first:
                within[id] = dispute
        elif holds in first and len(marks.get(holds, ())) < _NAMED:
            marks.setdefault(holds, []).append((f"holds against [{id}], told before: {dispute.why}", id))
    return [*settled(list(first.values()), within), *ordered[_LOOKED_AT:]], marks


class _Told:
    def __init__(self, limit: int) -> None:
        around = (frames.CHANGES_OPEN, frames.CHANGES_CLOSE, _MORE)
        self._room = limit - sum(len(text) + 1 for text in around) + 1
        self._longest = self._room // 2
        self._lines: list[str] = []
        self._has_more = False
        self.added: list[str] = []
        self.changed: list[str] = []
        self.removed: list[str] = []

    def take(self, *forms: str) -> bool:
        """Take the first form that fits; a long one leaves room for others."""
        for number, text in enumerate(forms):
            is_last = number == len(forms) - 1
            if len(text) < self._room and (is_last or len(text) <= self._longest):
                self._lines.append(text)
                self._room -= len(text) + 1
                return True
        self._has_more = True
        return False

    def changes(self) -> Changes:
        lines = [*self._lines, _MORE] if self._has_more else self._lines
        text = "\n".join([frames.CHANGES_OPEN, *lines, frames.CHANGES_CLOSE]) if self._lines else ""
        return Changes(text, tuple(self.added), tuple(self.changed), tuple(self.removed))


#: Sets the keys of charters apart from ids, which hold no space.
_CHARTER = "charter "


def _key(charter: Charter) -> str:
    return _CHARTER + charter.source


def digest_of(candidate: Candidate) -> str:
    """Return the digest of what is told of a memory."""
    return _digest(
        "\0".join(
            (
                candidate.scope.value,
                candidate.category.value,
                candidate.title,
                candidate.content,
                candidate.description,
                candidate.source,
                str(candidate.standing),
                str(candidate.stale),
            )
        )
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
