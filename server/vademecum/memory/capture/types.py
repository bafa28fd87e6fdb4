"""What a capture is given and what it answers."""

from enum import StrEnum

from attrs import frozen

from vademecum.memory.types import Memory


@frozen
class Exchange:
    """What the user said, what the assistant answered, and the names of the tools that it called for that."""

    user: str
    assistant: str
    tools: tuple[str, ...] = ()


class CaptureOutcome(StrEnum):
    """What became of a capture. Only `saved` means that something was written."""

    SAVED = "saved"
    """At least one memory was added or updated."""
    OFF = "off"
    """`memory.capture` is `off`."""
    SKIPPED = "skipped"
    """The assistant saved, updated or deleted memory itself in its last answer."""
    NO_CUE = "noCue"
    """Nothing that the user said hints at something lasting; no model was asked."""
    NO_MODEL = "noModel"
    """The client lends no model, or its user does not want that."""
    BUSY = "busy"
    """A capture of this session is under way, or the model answers somebody else; the next capture makes up for it."""
    MODEL_FAILED = "modelFailed"
    """The model did not answer in time, or failed."""
    UNUSABLE = "unusable"
    """The model's answer does not keep to the form that was asked for; nothing of it was taken."""
    NOTHING = "nothing"
    """The model found nothing that is worth keeping."""
    NOTHING_NEW = "nothingNew"
    """All that is worth keeping is known, refused as a secret, or was rejected or deleted before."""
    FAILED = "failed"
    """The memories could not be read or written."""


class CaptureAction(StrEnum):
    """What was done with something that is worth keeping."""

    ADDED = "added"
    UPDATED = "updated"
    KNOWN = "known"
    """A memory says the same already; nothing was written."""
    PROTECTED = "protected"
    """A memory on this that somebody asked for is there, and is left as it is."""


@frozen
class CapturedMemory:
    """One memory that a capture came upon; `status` is `pending` when it waits for `memory/review`."""

    action: CaptureAction
    memory: Memory


@frozen
class Captured:
    """The answer to `memory/capture`."""

    outcome: CaptureOutcome
    memories: tuple[CapturedMemory, ...] = ()
