"""The function behind `memory/audit`: findings of the memory room, their fixes as requests that a client can send."""

from collections.abc import Mapping

import attrs

from vademecum.api.calls import Call
from vademecum.api.limits import between
from vademecum.api.types import audit as wire
from vademecum.api.wire import unstructure
from vademecum.memory.audit.types import Add, Delete, Fix, Purge, Step, Update
from vademecum.memory.types import UNSET, MemoryChange, NewMemory


def audit(call: Call, params: wire.AuditParams) -> wire.AuditResult:
    """Look at the memories and tell what is amiss with them, the gravest first. Changes nothing.

    | kind | what is amiss |
    |---|---|
    | `secret` | a password, key or token that was written in by hand; it is never shown |
    | `instruction` | text that speaks to a model and could override the user, or imitates a frame |
    | `contradiction` | two memories say the opposite, or different things of the same |
    | `nearCopies` | memories say the same in nearly the same words |
    | `staleEvidence` | it rests on lines of code that are no longer what they were |
    | `empty` | it has no text |
    | `imperative` | an order that is not kept as a rule |
    | `projectInUserScope` | it names the open project and is told in every one |
    | `personalInProject` | it is about the user and is told in one project alone |
    | `titleRepeated`, `descriptionRepeated` | its text begins with its title; its description says nothing more |
    | `neverRecalled` | neither changed nor recalled in 90 days; rules and pinned memories are told anyway |

    Each finding has at least one fix, the best one first: requests to be sent in their order, once the user agreed. A
    fix that changes a memory names its revision, so that one that was changed meanwhile is left alone (`conflict`).
    """
    memories = call.workspaces.memories(params.workspace)
    limit = between("limit", params.limit, 1, 2_000)
    found = memories.audit(params.scope, params.kinds, limit, call.cancel, call.progress)
    findings = tuple(
        wire.AuditFinding(each.kind, each.ids, each.message, tuple(_fix(fix, params.workspace) for fix in each.fixes))
        for each in found.findings
    )
    return wire.AuditResult(findings, found.total, found.checked)


def _fix(fix: Fix, workspace: str | None) -> wire.AuditFix:
    return wire.AuditFix(fix.action, fix.title, tuple(_request(step, workspace) for step in fix.steps))


def _request(step: Step, workspace: str | None) -> wire.FixRequest:
    where = {} if workspace is None else {"workspace": workspace}
    match step:
        case Update(id, change):
            return wire.FixRequest("memory/update", {"id": id, **_given(change), **where})
        case Delete(id):
            return wire.FixRequest("memory/delete", {"id": id, **where})
        case Purge(id):
            return wire.FixRequest("memory/purge", {"id": id, **where})
        case Add(new):
            return wire.FixRequest("memory/add", {**_given(new), **where})


def _given(value: MemoryChange | NewMemory) -> Mapping[str, object]:
    """The fields that say something, as JSON has them."""
    fields = {a.name: getattr(value, a.name) for a in attrs.fields(type(value))}
    if isinstance(value, NewMemory):
        fields = {name: each for name, each in fields.items() if each and name != "pinned"}  # no field of memory/add
    return {name: unstructure(each) for name, each in fields.items() if each is not UNSET and each is not None}
