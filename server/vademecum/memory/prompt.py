"""The prompt block: which memories are told at the head of a chat, in what words, within what bounds.

A pure function of what it is given: no clock, no files, no chance, so the same memories give the same bytes. Whole
memories only: one that is long is told by its description with a pointer, so that the small ones still fit.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from attrs import frozen

from vademecum.files import redact as secrets
from vademecum.memory import alike, claims, frames
from vademecum.memory.candidate import Candidate
from vademecum.memory.charters import Charter, render_charters
from vademecum.memory.disputes import Dispute, disputes, settled
from vademecum.memory.prompt_types import PromptChoice, PromptEntry, PromptForm
from vademecum.memory.selection import Tier, Worth, order, weigh
from vademecum.memory.surroundings import NOWHERE

#: The part of the block that one memory may take in full; past it, its description stands for it.
_LONGEST_PART = 8
#: A memory of this many characters is told in full however small the block is.
_ALWAYS_SHORT = 240
#: Longest description made from a memory that has none, in characters.
_GIST = 200

#: Room, in characters, below which no further memory (or title) is tried: next to none would fit, and there may be
#: thousands.
_LEAST_ENTRY = 160
_LEAST_TITLE = 80

_TITLE_ONLY = "title only"

#: Of the memories in their order, so many are looked at for contradictions for each that may be told: those that are
#: told, and those that may be told by their title.
_LOOKED_AT = 3

#: Of the memories that are left out, so many are explained: the first in order, which a larger block would tell next.
EXPLAINED = 50

#: Why a memory is told before others.
_RANKS = {
    Tier.STANDING: "standing rule",
    Tier.RULE: "rule",
    Tier.PINNED: "pinned",
    Tier.OTHER: "next in order",
}


@frozen
class Bounds:
    """Bounds in memories and in code points. With `all_in`, `characters` bounds the charters too."""

    entries: int
    characters: int
    charter_characters: int
    all_in: bool = False


@frozen
class Composed:
    """A prompt block. `forms` are of those that were chosen or are copies, by id; `lack` is why no more were."""

    text: str
    entries: tuple[PromptEntry, ...]
    omitted: int
    forms: Mapping[str, tuple[PromptForm, str]] = {}
    ordered: tuple[Candidate, ...] = ()
    worth: Mapping[str, Worth] = {}
    lack: str = ""

    @property
    def shown(self) -> dict[str, PromptForm]:
        """How each memory stands in the text, those told by their title included, by id."""
        return {id: form for id, (form, _) in self.forms.items() if form is not PromptForm.COPY}

    def choices(self, left_out: int = EXPLAINED) -> tuple[PromptChoice, ...]:
        """Return why each memory is in the block, and why the first that are not are left out, as they were weighed."""
        told: list[PromptChoice] = []
        for candidate in self.ordered:
            form, why = self.forms.get(candidate.id, (PromptForm.OMITTED, self.lack))
            if form is PromptForm.OMITTED:
                if not left_out:
                    continue
                left_out -= 1
            worth = self.worth[candidate.id]
            told.append(PromptChoice(candidate.id, form, why, worth.score, worth.reasons))
        return tuple(told)


def compose(
    candidates: Sequence[Candidate],
    charters: Sequence[Charter],
    bounds: Bounds,
    worth: Mapping[str, Worth] | None = None,
    ordered: Sequence[Candidate] | None = None,
) -> Composed:
    """Return the prompt block: empty when there is nothing to tell, or no room to tell it in.

    :param worth: what each memory is worth here; without it, what it is worth anywhere.
    :param ordered: the candidates as `selection.order` gives them, where that is at hand.
    """
    worth = weigh(candidates, NOWHERE) if worth is None else worth
    ordered = order(candidates, worth) if ordered is None else ordered
    first = bounds.entries * _LOOKED_AT
    disputed = disputes(ordered[:first])
    ordered = [*settled(ordered[:first], disputed), *ordered[first:]]
    framed = render_charters(charters, _charter_limit(bounds, bool(candidates)))
    room = bounds.characters - (sum(len(text) + 1 for text in framed) if bounds.all_in else 0)
    block = _Block(room, bounds.entries, len(candidates), worth, disputed, has_charters=bool(framed))
    for number, candidate in enumerate(ordered):
        if block.is_full:
            block.leave(ordered[number:])
            break
        block.offer(candidate)
    block.add_titles()
    text = block.text(framed)
    if not text and framed:
        return compose(candidates, (), bounds, worth, ordered)  # better some memories than nothing
    if not text:
        return Composed("", (), len(candidates), ordered=tuple(ordered), worth=worth, lack="no room for any memory")
    forms = {id: (form, why) for id, (form, why) in block.forms.items() if form is not PromptForm.OMITTED}
    copies = sum(form is PromptForm.COPY for form, _ in forms.values())
    omitted = len(candidates) - len(block.entries) - copies
    return Composed(text, tuple(block.entries), omitted, forms, tuple(ordered), worth, block.lack)


@lru_cache(maxsize=4_096)  # looking for secrets takes most of the time
def redact(text: str) -> str:
    """Return the text without what looks like a secret."""
    return secrets.redact(text)


def render_head(candidate: Candidate, *marks: str) -> str:
    """Return our own line about a memory: its id, scope, category, source, what else is to be said, and its title."""
    return _head(candidate, frames.inline(redact(candidate.title)), marks)


def _head(candidate: Candidate, text: str, marks: Sequence[str]) -> str:
    said = [candidate.scope.value, candidate.category.value, candidate.source]
    if candidate.stale:
        said.append("evidence no longer holds")
    return f"- [{candidate.id}] {' · '.join([*said, *marks])}: {text}"


def render_whole(candidate: Candidate, *marks: str) -> str:
    """Return a memory in full. A single line that begins with the title, as notes do, stands in the title's place."""
    title = alike.normal(candidate.title.removesuffix("…"))
    content = redact(candidate.content)
    if "\n" not in frames.escape(content) and alike.normal(candidate.content).startswith(title):
        return _head(candidate, frames.inline(content), marks)
    return f"{render_head(candidate, *marks)}\n{frames.margined(content)}"


def render_gist(candidate: Candidate, *marks: str) -> str:
    """Return a memory by its description, saying how much there is and how to get it."""
    gist = frames.inline(redact(candidate.description)) or _gist(frames.inline(redact(candidate.content)))
    pointer = f"  (shortened from {len(candidate.content):,} characters; get memory {candidate.id} to read it)"
    return f"{render_head(candidate, *marks)}\n{frames.MARGIN}{gist}\n{pointer}"


class _Block:
    """The block while it is filled. Each piece is admitted by its final length, line end included."""

    def __init__(
        self,
        room: int,
        entries: int,
        total: int,
        worth: Mapping[str, Worth],
        disputed: Mapping[str, Dispute],
        *,
        has_charters: bool,
    ) -> None:
        self._worth = worth
        self._disputed = disputed
        self.forms: dict[str, tuple[PromptForm, str]] = {}
        self.lack = "no room left"
        self.entries: list[PromptEntry] = []
        self._most = entries
        self._longest = max(_ALWAYS_SHORT, room // _LONGEST_PART)
        self._lines: dict[bool, list[str]] = {True: [], False: []}
        self._told: list[Candidate] = []
        self._texts: set[str] = set()
        self._left_out: list[Candidate] = []
        self._late_copies = 0
        # The last line is paid for in advance, at its longest.
        self._room = room - sum(map(_cost, (frames.OPEN, frames.INTRO, frames.CLOSE))) + 1
        self._has_charters = has_charters
        if has_charters:
            self._room -= _cost(frames.STANDING_OPEN) + _cost(frames.STANDING_CLOSE)
        self._room -= _cost(_left_line(total)) if total else 0
        self._has_room = self._room >= 0

    @property
    def is_full(self) -> bool:
        """Whether no further memory is told, whatever it is: there may be thousands."""
        if len(self.entries) >= self._most:
            self.lack = f"{self._most} memories are told already"
            return True
        return not self._has_room or bool(self.entries and self._room < _LEAST_ENTRY)

    def leave(self, candidates: Iterable[Candidate]) -> None:
        """Leave out the candidates, in the order in which they would have been told."""
        self._left_out += candidates

    def offer(self, candidate: Candidate) -> None:
        """Take the candidate in full or by its description, if it tells anything new and there is room."""
        if self._is_copy(candidate):
            self._choose(candidate, PromptForm.COPY, "says the same as one that is told")
            return
        marks = self._marks(candidate)
        whole = render_whole(candidate, *marks) if len(candidate.content) <= self._longest else None
        if whole is not None and len(whole) <= self._longest and self._admit(candidate, whole):
            self._choose(candidate, PromptForm.WHOLE, ", ".join((_RANKS[self._worth[candidate.id].tier], *marks)))
        elif self._admit(candidate, render_gist(candidate, *marks)):
            self._choose(candidate, PromptForm.DESCRIPTION, ", ".join(("too long to be told in full", *marks)))
        else:
            self._left_out.append(candidate)
            return
        self._texts.add(alike.normal(candidate.content))
        self._told.append(candidate)
        self.entries.append(
            PromptEntry(candidate.id, candidate.scope, redact(candidate.title), candidate.stale or None)
        )

    def add_titles(self) -> None:
        """Fill what room is left with the titles of memories that were left out, copies of told ones aside."""
        for candidate in self._left_out if self.entries else ():
            if self._room < _LEAST_TITLE:
                return
            head = render_head(candidate, _TITLE_ONLY, *self._marks(candidate))
            if len(head) >= self._room:
                continue
            if self._is_copy(candidate):
                self._choose(candidate, PromptForm.COPY, "says the same as one that is told")
                self._late_copies += 1
            elif self._admit(candidate, head):
                self._choose(candidate, PromptForm.HEAD, self.lack)

    def _is_copy(self, candidate: Candidate) -> bool:
        if alike.normal(candidate.content) in self._texts:
            return True
        return any(claims.is_copy(candidate.content, other.content) for other in self._told)

    def _marks(self, candidate: Candidate) -> tuple[str, ...]:
        dispute = self._disputed.get(candidate.id)
        return () if dispute is None else (dispute.mark,)

    def text(self, charters: Sequence[str]) -> str:
        """Return the block, or nothing when there is nothing in it."""
        left = len(self._left_out) - self._late_copies
        lines = [frames.OPEN, frames.INTRO]
        if charters or self._lines[True]:
            lines += [frames.STANDING_OPEN, *charters, *self._lines[True], frames.STANDING_CLOSE]
        if self._lines[False]:
            lines += [frames.BACKGROUND_OPEN, *self._lines[False], frames.BACKGROUND_CLOSE]
        if left:
            lines.append(_left_line(left))
        if len(lines) == 2 or not self._has_room:
            return ""
        return "\n".join([*lines, frames.CLOSE])

    def _admit(self, candidate: Candidate, text: str) -> bool:
        lines = self._lines[candidate.standing]
        cost = _cost(text)
        if not lines and not (candidate.standing and self._has_charters):
            around = (
                (frames.STANDING_OPEN, frames.STANDING_CLOSE)
                if candidate.standing
                else (frames.BACKGROUND_OPEN, frames.BACKGROUND_CLOSE)
            )
            cost += sum(map(_cost, around))
        if cost > self._room:
            return False
        self._room -= cost
        lines.append(text)
        return True

    def _choose(self, candidate: Candidate, form: PromptForm, reason: str) -> None:
        self.forms[candidate.id] = (form, reason)


def _charter_limit(bounds: Bounds, has_memories: bool) -> int:
    if not bounds.all_in:
        return bounds.charter_characters
    # In a block of one size for everything, charters must leave half of it to the memories, if there are any.
    around = sum(map(_cost, (frames.OPEN, frames.INTRO, frames.STANDING_OPEN, frames.STANDING_CLOSE, frames.CLOSE)))
    room = bounds.characters // 2 if has_memories else bounds.characters - around
    return min(bounds.charter_characters, max(0, room))


def _left_line(count: int) -> str:
    if count == 1:
        return "1 more memory is not told in full. Search memory, or get one by its id."
    return f"{count:,} more memories are not told in full. Search memory, or get one by its id."


def _gist(text: str) -> str:
    if len(text) <= _GIST:
        return text
    end = text.rfind(" ", _GIST // 2, _GIST)
    return text[: end if end > 0 else _GIST - 1].rstrip() + "…"


def _cost(text: str) -> int:
    return len(text) + 1
