"""`evidence/*`: params and results."""

from typing import Literal

from attrs import frozen

from vademecum.api.types.common import Notice, Range
from vademecum.evidence.verdicts import Verdict


@frozen
class Invalidated:
    """Lines that the session was given and that are no longer what they were."""

    reference: str
    """As the session was last given it."""
    verdict: Verdict


@frozen
class SessionNews:
    """What an answer tells a session beside its items."""

    invalidated: tuple[Invalidated, ...]
    """Each told once. Forget what these named; it is given anew when it comes up again."""


@frozen
class Cite:
    """`evidence/cite`: mint a reference to lines of a file."""

    uri: str
    range: Range
    """Whole lines are cited: every line that the range touches."""
    session: str | None = None
    """A word for one conversation, whose context still holds what was given under it: 200 characters at most."""
    workspace: str | None = None


@frozen
class Citation:
    """A reference and the lines it names."""

    reference: str
    snippet: str | None
    """Null, with `reused`, when the session holds this very text already."""
    reused: bool | None = None
    memory: SessionNews | None = None
    notices: tuple[Notice, ...] | None = None


@frozen
class Verify:
    """`evidence/verify`: is what was read still true? Either references are named, or a session."""

    references: tuple[str, ...] | None = None
    """At most 1,000."""
    session: str | None = None
    """All that it was given is judged, also what it was told to be no longer so."""
    workspace: str | None = None


@frozen
class ReferenceProblem:
    """Why a reference could not be judged."""

    kind: str
    message: str


@frozen
class VerifyItem:
    """One reference with its verdict, or with why it has none."""

    reference: str
    verdict: Verdict | None = None
    relocated_to: str | None = None
    """The reference to the same bytes where they are now."""
    moved_to: str | None = None
    """Where the file of a `deleted` reference seems to have gone, as git can tell at once; a hint, no verdict."""
    error: ReferenceProblem | None = None


@frozen
class Verified:
    """The verdicts: in the order of the references, or by path and line for a session."""

    items: tuple[VerifyItem, ...]
    all_valid: bool
    """True only when there are references and every one is `valid` or `relocated`."""


@frozen
class Forget:
    """`evidence/forget`: forget what a session was given, or with `all` what every session was."""

    session: str | None = None
    all: Literal[True] | None = None
    workspace: str | None = None


@frozen
class Forgotten:
    """What was removed."""

    sessions: int
    deliveries: int
