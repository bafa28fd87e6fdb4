"""The functions behind `memory/*`: from params to results, through the memories of the folders meant."""

from typing import Any, TypeVar

import attrs

from vademecum.api.calls import Call
from vademecum.api.limits import between
from vademecum.api.types import memory as wire
from vademecum.api.types.common import Gone, Id, Nothing
from vademecum.errors import InvalidField
from vademecum.memory.types import (
    UNSET,
    Changes,
    FoundPage,
    HeadPage,
    Memory,
    MemoryChange,
    NewMemory,
    PromptBlock,
    PromptBudget,
    Purged,
    Reindexed,
    Scope,
    Span,
    Trust,
    Unset,
)

T = TypeVar("T")


def add(call: Call, params: wire.Add) -> wire.Added:
    """Keep a new memory.

    `duplicate` (with `data.id`) when the scope holds the same content already; `secret` when the text holds one.
    """
    added = call.workspaces.memories(params.workspace).add(
        NewMemory(
            title=params.title,
            content=params.content,
            category=params.category,
            scope=params.scope,
            type=params.type,
            description=params.description or "",
            keywords=params.keywords,
            evidence=params.evidence,
            supersedes=params.supersedes,
        )
    )
    _announce(call, added.memory)
    return wire.Added(**_fields(added.memory), similar=added.similar or None)


def update(call: Call, params: wire.Update) -> Memory:
    """Change fields of a memory; its prior version is kept. `conflict` when `revision` is not the current one."""
    changed = call.workspaces.memories(params.workspace).update(
        params.id,
        MemoryChange(
            title=_given(params.title),
            content=_given(params.content),
            category=_given(params.category),
            scope=_given(params.scope),
            type=_given(params.type),
            description=_given(params.description),
            keywords=_given(params.keywords),
            evidence=_given(params.evidence),
            pinned=_given(params.pinned),
            revision=params.revision,
        ),
    )
    return _announce(call, changed)


def _fields(memory: Memory) -> dict[str, Any]:
    return {a.name: getattr(memory, a.name) for a in attrs.fields(Memory)}


def _announce(call: Call, memory: Memory) -> Memory:
    call.workspaces.observer.memory_changed(memory.scope, (memory.id,))
    return memory


def _given(value: T | None) -> T | Unset:
    return UNSET if value is None else value


def delete(call: Call, params: Id) -> Gone:
    """Delete a memory: gone from its file, the index and every later answer. `memory/restore` brings it back."""
    memories = call.workspaces.memories(params.workspace)
    memory = memories.get(params.id)
    memories.delete(params.id)
    _announce(call, memory)
    return Gone(params.id)


def get(call: Call, params: Id) -> Memory:
    """One memory, whole."""
    return call.workspaces.memories(params.workspace).get(params.id)


def list_(call: Call, params: wire.ListParams) -> HeadPage:
    """The manifest: every memory without its body, newest first."""
    return call.workspaces.memories(params.workspace).list(
        scope=params.scope,
        category=params.category,
        type=params.type,
        status=params.status,
        offset=between("offset", params.offset, 0, 1_000_000),
        limit=between("limit", params.limit, 1, 2_000),
    )


def search(call: Call, params: wire.Search) -> FoundPage:
    """Memories by words, best first; everything when there is no query.

    A memory that holds the query as a substring of its title, content or keywords is always among the matches.
    """
    memories = call.workspaces.memories(params.workspace)
    return memories.search(params.query, scope=params.scope, limit=between("limit", params.limit, 1, 200))


def remember(call: Call, params: wire.Remember) -> wire.Kept:
    """Keep a note, with its first sentence as the title. A note already known is returned, not doubled."""
    memories = call.workspaces.memories(params.workspace)
    kept = memories.remember(params.note, scope=params.scope, category=params.category)
    if not kept.known:
        _announce(call, kept.memory)
    return wire.Kept(**_fields(kept.memory), known=kept.known or None)


def prompt(call: Call, params: wire.Prompt) -> PromptBlock:
    """The text for the head of a chat, from the charters and the memories that matter most.

    With a `session` it is a snapshot: the same bytes every time, whatever is remembered meanwhile, also after a
    restart. Deleting, purging, switching memory off and losing trust void it.
    """
    budget = PromptBudget(params.budget.entries, params.budget.characters) if params.budget else None
    return call.workspaces.memories(params.workspace).prompt(params.session, budget, params.explain)


def changes(call: Call, params: wire.ChangesParams) -> Changes:
    """What changed since the session's prompt block, each change told once; append `text` to the chat."""
    return call.workspaces.memories(params.workspace).changes(params.session)


def history(call: Call, params: Id) -> wire.History:
    """Prior versions of a memory, newest first; of a deleted one too, until it is purged."""
    return wire.History(call.workspaces.memories(params.workspace).history(params.id))


def restore(call: Call, params: wire.Restore) -> Memory:
    """Bring back a prior version, or a deleted memory."""
    return _announce(call, call.workspaces.memories(params.workspace).restore(params.id, params.revision))


def purge(call: Call, params: wire.Purge) -> Purged:
    """Remove for good, prior versions included: no byte stays in any store, index or history. For the user alone.

    Scope `all` forgets the chat histories and the session values of the folders meant, too.
    """
    memories = call.workspaces.memories(params.workspace)
    if (params.id is None) == (params.scope is None):
        raise InvalidField("id", "name either an id or a scope, not both and not neither")
    purged = memories.purge(id=params.id, scope=params.scope)
    if params.scope is Span.ALL:
        call.workspaces.forget_sessions(params.workspace)
    return purged


def clear(call: Call, params: wire.Clear) -> wire.Removed:
    """Delete every memory of a scope. For the user alone: never a model's tool."""
    removed = call.workspaces.memories(params.workspace).clear(params.scope)
    for scope in Scope if params.scope is Span.ALL else (Scope(params.scope.value),):
        call.workspaces.observer.memory_changed(scope, ())
    return wire.Removed(removed)


def trust(call: Call, params: wire.SetTrust) -> Trust:
    """Say whether memory that came with this repository may be used; kept per workspace. For the user alone."""
    return call.workspaces.memories(params.workspace).trust(params.trusted)


def reindex(call: Call, params: Nothing) -> Reindexed:
    """Rebuild what is derived from the memory files."""
    return call.workspaces.memories(params.workspace).reindex()


def status(call: Call, params: Nothing) -> wire.MemoryStatusResult:
    """How memory is: where it lies, how much there is, what is withheld or could not be read."""
    told = call.workspaces.memories(params.workspace).status()
    return wire.MemoryStatusResult(
        enabled=told.enabled,
        message=told.message,
        stores=told.stores,
        counts=dict(told.counts),
        withheld=told.withheld,
        unreadable=told.unreadable,
        health=told.health,
        trust=told.trust,
    )
