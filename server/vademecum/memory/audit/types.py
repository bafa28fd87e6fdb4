"""What an audit finds, and what mends it."""

from enum import StrEnum

from attrs import frozen

from vademecum.memory.types import MemoryChange, NewMemory


class FindingKind(StrEnum):
    """What is amiss, the gravest first."""

    SECRET = "secret"
    """A password, key or token, written in by hand."""
    INSTRUCTION = "instruction"
    """Text that speaks to a model and could override the user, or imitates a frame."""
    CONTRADICTION = "contradiction"
    """Two memories say opposite or different things of the same."""
    NEAR_COPIES = "nearCopies"
    """Memories that say the same in nearly the same words."""
    STALE_EVIDENCE = "staleEvidence"
    """It rests on lines of code that are no longer what they were."""
    EMPTY = "empty"
    """It has no text."""
    IMPERATIVE = "imperative"
    """An order that is not kept as a rule, so that a model may take it for the wish of the moment."""
    PROJECT_IN_USER_SCOPE = "projectInUserScope"
    """It names the open project and is told in every project."""
    PERSONAL_IN_PROJECT = "personalInProject"
    """It is about the user and is told in one project alone."""
    TITLE_REPEATED = "titleRepeated"
    """Its text begins with its title."""
    DESCRIPTION_REPEATED = "descriptionRepeated"
    """Its description says what its title or its text says."""
    NEVER_RECALLED = "neverRecalled"
    """It was neither changed nor recalled in 90 days."""


class FixAction(StrEnum):
    """What a fix does."""

    UPDATE = "update"
    """Changes fields of the memory."""
    DELETE = "delete"
    """Deletes it; it can be restored."""
    MERGE = "merge"
    """Keeps one, with what the others add to it, and deletes those."""
    MOVE = "move"
    """Moves it to the other scope."""
    RENEW = "renew"
    """Keeps of its evidence what still holds, where it is now."""
    PIN = "pin"
    """Pins it, which says that it is to stay."""
    REPLACE = "replace"
    """Adds it anew without what is amiss, and removes the old one for good, with its prior versions."""
    PURGE = "purge"
    """Removes it for good, with its prior versions."""


@frozen
class Update:
    """Change fields of a memory, if it still has the revision that was looked at."""

    id: str
    change: MemoryChange


@frozen
class Delete:
    """Delete a memory."""

    id: str


@frozen
class Purge:
    """Remove a memory for good."""

    id: str


@frozen
class Add:
    """Add a memory."""

    new: NewMemory


Step = Update | Delete | Purge | Add


@frozen
class Fix:
    """One way to mend a finding: its steps are requests, in this order. `title` is for a button or a question."""

    action: FixAction
    title: str
    steps: tuple[Step, ...]


@frozen
class Finding:
    """What is amiss with which memories, why, and what mends it, the best way first."""

    kind: FindingKind
    ids: tuple[str, ...]
    message: str
    fixes: tuple[Fix, ...]


@frozen
class Audit:
    """What an audit found; `checked` memories were looked at."""

    findings: tuple[Finding, ...]
    total: int
    checked: int
