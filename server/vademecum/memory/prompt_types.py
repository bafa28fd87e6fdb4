"""What a prompt block is asked for, and what it answers."""

from enum import StrEnum

from attrs import frozen

from vademecum.memory.types import Scope


@frozen
class PromptBudget:
    """Bounds for one prompt block, in memories and in code points; None: as set in the settings."""

    entries: int | None = None
    characters: int | None = None


@frozen
class PromptEntry:
    """A memory whose text (or description) is in the prompt block."""

    id: str
    scope: Scope
    title: str
    stale: bool | None = None
    """True when its evidence does not hold now, whatever it did when the block was made."""


class PromptForm(StrEnum):
    """How a memory got into the prompt block, or why not."""

    WHOLE = "whole"
    DESCRIPTION = "description"
    HEAD = "head"
    COPY = "copy"
    OMITTED = "omitted"


@frozen
class PromptChoice:
    """Why one memory is in the prompt block in this form, for `explain`."""

    id: str
    form: PromptForm
    reason: str
    score: float | None = None
    """What it is worth in this workspace, beside the others of its rank; rules and what is pinned come first."""
    because: tuple[str, ...] = ()
    """What the score is made of, for a person."""


@frozen
class PromptBlock:
    """The text for the head of a chat. `omitted` counts the memories that are not among `entries`."""

    text: str
    snapshot: str
    entries: tuple[PromptEntry, ...]
    omitted: int
    characters: int
    explain: tuple[PromptChoice, ...] | None = None
    notices: tuple[str, ...] | None = None
    """What its user should look at, where there is anything; no part of the text."""


@frozen
class Changes:
    """What changed since a session's snapshot and was not told yet; ids, and the text to append to the chat."""

    text: str
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    """What was told of changes before, oldest first, for whoever sends the conversation again: each stays in its place,
    and is empty once something in it, or in the block, was removed and the block is made anew."""
