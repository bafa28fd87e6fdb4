"""A memory as it may be told to a model."""

from attrs import frozen

from vademecum.memory.types import Category, Scope


@frozen
class Candidate:
    """A memory that may be told. `standing`: a rule that this user wrote or accepted.

    A secret that somebody wrote into it by hand is taken out when it is rendered.
    """

    id: str
    scope: Scope
    category: Category
    title: str
    content: str
    description: str
    source: str
    standing: bool
    pinned: bool
    stale: bool
    updated: str
    type: str = ""
    keywords: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    """The identifiers in all its text; see `selection.words_of`."""
    named: tuple[frozenset[str], ...] = ()
    """The languages and frameworks that it speaks of; see `technologies.named_in`."""
