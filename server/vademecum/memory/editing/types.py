"""What is told of a memory's file in the making, what mends it, and what is known of the memories beside it."""

from enum import StrEnum
from pathlib import Path

from attrs import frozen

from vademecum.memory.types import Scope


class FaultKind(StrEnum):
    """What is amiss with the text."""

    SYNTAX = "syntax"
    """The front matter is no YAML, or is not ended: the file cannot be changed by Vademecum until it is mended."""
    DUPLICATE_KEY = "duplicateKey"
    """A key is there twice; the same."""
    SECRET = "secret"
    """A password, key or token."""
    LEFT_ALONE = "leftAlone"
    """The file is no memory as it is: too large, or no text."""
    GENERATED = "generated"
    """The table of contents, which is written anew, was edited."""
    BAD_VALUE = "badValue"
    """A value that the key cannot hold, so that it counts as left out."""
    WRONG_TYPE = "wrongType"
    """A list where a text is read, or something nested."""
    TOO_LONG = "tooLong"
    """More than a memory may hold when it comes through a request."""
    DOUBLED_ID = "doubledId"
    """Another memory has the id, too."""
    MISSPELT_KEY = "misspeltKey"
    """A key that is nearly one of ours."""
    UNKNOWN_KEY = "unknownKey"
    """A key that is none of ours; it stays, and nothing reads it."""
    OTHER_NAME = "otherName"
    """The file's name ends in the id of another memory: it was copied."""
    UNKNOWN_MEMORY = "unknownMemory"
    """There is no memory of that id."""
    NO_TITLE = "noTitle"
    """It is shown under the name of its file."""
    OTHER_LABEL = "otherLabel"
    """A type that is nearly one of the usual ones."""


@frozen
class Edit:
    """`text` in place of what stands from `start` to `end`."""

    start: int
    end: int
    text: str


@frozen
class Fix:
    """One way to mend a fault. `preferred`: the one that hardly anybody would not choose."""

    title: str
    edits: tuple[Edit, ...]
    preferred: bool = False


@frozen
class Fault:
    """Something amiss from `start` to `end`, and the ways to mend it, the best first."""

    kind: FaultKind
    start: int
    end: int
    message: str
    fixes: tuple[Fix, ...] = ()


@frozen
class Neighbour:
    """A memory that is known here, as one who writes another wants to know it.

    :param written: the id that its file says; another one than `id` where two say the same.
    :param file: where it lies.
    :param alone: whether it has the file for itself.
    """

    id: str
    title: str
    type: str
    keywords: tuple[str, ...]
    scope: Scope
    file: Path
    alone: bool = True
    written: str | None = None


@frozen
class Subject:
    """The file that is edited.

    :param file: where it lies; its name may give the title.
    :param neighbours: every memory that is known here, this one too when it was saved; None where nobody can say.
    :param now: the time, as ISO 8601 in UTC.
    """

    file: Path
    scope: Scope
    neighbours: tuple[Neighbour, ...] | None
    now: str

    def is_this(self, neighbour: Neighbour) -> bool:
        """Whether it is the memory of this very file."""
        return neighbour.alone and neighbour.file == self.file

    @property
    def others(self) -> tuple[Neighbour, ...]:
        """The memories beside this one."""
        return tuple(each for each in self.neighbours or () if not self.is_this(each))
