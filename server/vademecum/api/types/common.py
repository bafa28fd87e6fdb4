"""Shapes that several families of requests share."""

from attrs import frozen


@frozen
class Position:
    """A place in a document, as in LSP: zero-based, characters counted in the negotiated position encoding."""

    line: int
    character: int


@frozen
class Range:
    """A span of a document, as in LSP: `end` is exclusive."""

    start: Position
    end: Position


@frozen
class Nothing:
    """Params of a request that needs none but the workspace."""

    workspace: str | None = None
    """URI of the folder meant, when several are open."""


@frozen
class Id:
    """Names one thing by its id."""

    id: str
    workspace: str | None = None
    """URI of the folder meant, when several are open."""


@frozen
class Gone:
    """What was deleted."""

    id: str


@frozen
class Notice:
    """Something a reader of an answer should know about it."""

    kind: str
    """One of a closed set, which is under "Errors"."""
    message: str
    """One sentence for a person."""
