"""`memory/audit`: params and result."""

from collections.abc import Mapping
from typing import Literal

from attrs import frozen

from vademecum.memory.audit.types import FindingKind, FixAction
from vademecum.memory.types import Scope


@frozen
class AuditParams:
    """`memory/audit`: what is amiss with the memories."""

    scope: Scope | None = None
    kinds: tuple[FindingKind, ...] = ()
    """Only findings of these kinds; of all when empty."""
    limit: int = 200
    """At most 2,000."""
    workspace: str | None = None


@frozen
class FixRequest:
    """A request that mends something, ready to be sent."""

    method: Literal["memory/add", "memory/update", "memory/delete", "memory/purge"]
    params: Mapping[str, object]


@frozen
class AuditFix:
    """One way to mend a finding: requests to be sent in their order."""

    action: FixAction
    title: str
    """What it does, for a button or a question."""
    requests: tuple[FixRequest, ...]


@frozen
class AuditFinding:
    """What is amiss with which memories, and why."""

    kind: FindingKind
    ids: tuple[str, ...]
    message: str
    fixes: tuple[AuditFix, ...]
    """The best one first; never empty."""


@frozen
class AuditResult:
    """What was found; `total` counts all findings, `checked` the memories that were looked at."""

    findings: tuple[AuditFinding, ...]
    total: int
    checked: int
