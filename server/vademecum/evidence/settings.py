"""Settings of evidence; folded together by `vademecum.settings`, owned here."""

from attrs import field, frozen, validators


@frozen
class EvidenceSettings:
    """What is kept of what sessions were given, and for how long.

    A value that cannot be used raises ValueError naming the field.
    """

    enabled: bool = True
    """Whether a `session` counts at all: off, nothing is kept or withheld, and answers are those without a session."""

    retention_days: int = field(default=14, validator=[validators.ge(1), validators.le(3_650)])
    """Days after its last use that a session is forgotten."""

    max_deliveries: int = field(default=50_000, validator=[validators.ge(1), validators.le(10_000_000)])
    """Snippets remembered for one folder, at most; the sessions longest unused go first."""
