"""`evidence/*`: params and results."""

from attrs import frozen

from vademecum.api.types.common import Range
from vademecum.evidence.verdicts import Verdict


@frozen
class Cite:
    """`evidence/cite`: mint a reference to lines of a file."""

    uri: str
    range: Range
    """Whole lines are cited: every line that the range touches."""
    workspace: str | None = None


@frozen
class Citation:
    """A reference and the lines it names."""

    reference: str
    snippet: str


@frozen
class Verify:
    """`evidence/verify`: is what was read still true?"""

    references: tuple[str, ...]
    """At most 1,000."""
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
    """Where the file of a `deleted` reference seems to have gone, as far as git can tell; a hint, not a verdict."""
    error: ReferenceProblem | None = None


@frozen
class Verified:
    """The verdicts in the order of the references."""

    items: tuple[VerifyItem, ...]
    all_valid: bool
    """True only when there are references and every one is `valid` or `relocated`."""
