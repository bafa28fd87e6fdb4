"""`tools/*`: what a caller is told of the tools that a model may call, and how it calls one."""

from collections.abc import Mapping

from attrs import frozen

from vademecum.knowledge.types import DEFAULT_TASK


@frozen
class ListTools:
    """`tools/list`: the tools that are offered to a model."""

    task: str = DEFAULT_TASK
    """Whose documents the tools read: at most 200 characters."""
    workspace: str | None = None


@frozen
class ToolHints:
    """What calling a tool does, for whoever decides whether it may run unasked."""

    read_only: bool
    """It changes nothing."""
    destructive: bool
    """It may change or remove what is there; else it only adds."""
    idempotent: bool
    """Called again with the same arguments it does nothing more."""


@frozen
class ToolItem:
    """One tool, as a model is shown it."""

    name: str
    title: str
    """For people."""
    description: str
    """For the model: when to use it, and when not."""
    input_schema: Mapping[str, object]
    """JSON Schema of its arguments."""
    output_schema: Mapping[str, object]
    """JSON Schema of its result."""
    hints: ToolHints
    requests: tuple[str, ...]
    """The requests that it makes."""


@frozen
class ToolList:
    """The tools that are offered now, and what a model should know to use them well."""

    items: tuple[ToolItem, ...]
    guidance: str
    """For the head of a chat that is given the tools: what is worth keeping, and what is not."""


@frozen
class CallTool:
    """`tools/call`: what a model called."""

    name: str
    """One of those that are offered."""
    arguments: Mapping[str, object] | None = None
    """As its input schema says."""
    task: str = DEFAULT_TASK
    """Whose documents the tools read: at most 200 characters."""
    workspace: str | None = None
    """URI of the folder meant where the arguments name none and several are open."""
    revision: str | None = None
    """Of the memory that its user was shown and agreed to have changed or deleted; `conflict` when it has another now.
    For tools that change or delete alone."""


@frozen
class ToolAnswer:
    """What a tool answers: the same twice, as text to give to a model and as values."""

    text: str
    """At most 30,000 characters."""
    result: object
    """As the tool's output schema says."""
