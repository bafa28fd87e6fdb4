"""What a tool is."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Generic, TypeVar

from attrs import frozen

from vademecum.api.calls import Call
from vademecum.settings import OtherSystem

P = TypeVar("P")
R = TypeVar("R")


class Access(StrEnum):
    """What calling a tool does to what is kept."""

    READS = "reads"
    ADDS = "adds"
    """Adds something, and changes nothing that is there."""
    CHANGES = "changes"


class Need(StrEnum):
    """What must be so for a tool to be offered."""

    NOTHING = "nothing"
    MEMORY = "memory"
    """Memory is switched on."""
    SEARCH = "search"
    """Code search is switched on."""
    DOCUMENTS = "documents"
    """The task sees a document."""
    DOCUMENTS_ALONE = "documents alone"
    """The task sees a document, and no model is lent that would read it for the caller."""


@frozen
class Asked:
    """What a tool's function is given beside its arguments."""

    call: Call
    task: str
    """Whose documents are read."""
    workspace: str | None = None
    """The folder meant where the arguments name none."""
    revision: str | None = None
    """That of the memory which the user agreed to have changed or deleted."""


@frozen
class Outcome(Generic[R]):
    """What a tool answers: the same as text and as values, within the same bounds."""

    text: str
    result: R


@frozen
class Tool(Generic[P, R]):
    """One tool: how a model is shown it, and the function that answers."""

    name: str
    title: str
    """For people, in the imperative."""
    description: str
    """For a model: when to use it, when not. Below 2,000 characters, since Claude Code cuts longer ones."""
    arguments: type[P]
    result: type[R]
    run: Callable[[Asked, P], Outcome[R]]
    requests: tuple[str, ...]
    """Names in `vademecum.api.dispatch.METHODS` of what it does."""
    example: Mapping[str, Any]
    """Arguments that work, as JSON has them; docs/tools.md shows them and a test calls it with them."""
    access: Access = Access.READS
    idempotent: bool = False
    """Called again with the same arguments it does nothing more."""
    need: Need = Need.NOTHING
    systems: tuple[OtherSystem, ...] = ()
    """Whose name this is; offered when `tools.aliases` names one of them. Empty: a tool of our own, always offered."""

    @property
    def writes(self) -> bool:
        """Whether it must be carried to its end once it has begun, so that its answer is the truth."""
        return self.access is not Access.READS
