"""The functions behind `memory/*`: from params to results, through the memories of the folders meant."""

from typing import Any, TypeVar

import attrs

from vademecum.api.calls import Call
from vademecum.api.limits import between
from vademecum.api.types import memory as wire
from vademecum.api.types.common import Gone, Id, Nothing
from vademecum.errors import InvalidField
from vademecum.files.pages import Pages
from vademecum.memory.capture.types import CaptureAction, Exchange
from vademecum.memory.charters import PROJECT_CHARTER, CharterFile
from vademecum.memory.prompt_types import Changes, PromptBlock, PromptBudget
from vademecum.memory.types import (
    UNSET,
    Decision,
    FoundPage,
    HeadPage,
    Memory,
    MemoryChange,
    NewMemory,
    Purged,
    Recall,
    Reindexed,
    Scope,
    Span,
    Trust,
    Unset,
)

T = TypeVar("T")

_MAX_TURNS = 1_000


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
    near, against = added.similar or None, added.contradicts or None
    return wire.Added(**_fields(added.memory), similar=near, contradicts=against)


def update(call: Call, params: wire.Update) -> Memory:
    """Change fields of a memory, pin it, or move it; its prior version is kept.

    `conflict` when `revision` is not the current one. A moved memory keeps its id, its history and what was counted of
    it; nothing is left where it lay, and `memory/restore` moves it back. Sharing a memory that came from elsewhere does
    not make it yours.
    """
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
            place=_given(params.place),
            revision=params.revision,
        ),
    )
    return _announce(call, changed)


def _fields(memory: Memory) -> dict[str, Any]:
    return {a.name: getattr(memory, a.name) for a in attrs.fields(Memory)}


def _announce(call: Call, memory: Memory) -> Memory:
    call.workspaces.observer.memory_changed(memory.scope, (memory.id,))
    return memory


def _announce_scopes(call: Call, span: Span, ids: tuple[str, ...] = ()) -> None:
    for scope in Scope if span is Span.ALL else (Scope(span.value),):
        call.workspaces.observer.memory_changed(scope, ids)


def _given(value: T | None) -> T | Unset:
    return UNSET if value is None else value


def delete(call: Call, params: wire.Delete) -> Gone:
    """Delete a memory: gone from its file, the index and every later answer. `memory/restore` brings it back."""
    memories = call.workspaces.memories(params.workspace)
    memory = memories.get(params.id)
    memories.delete(params.id, params.revision)
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
    near, against = kept.similar or None, kept.contradicts or None
    return wire.Kept(**_fields(kept.memory), known=kept.known or None, similar=near, contradicts=against)


def prompt(call: Call, params: wire.Prompt) -> PromptBlock:
    """The text for the head of a chat, from the charters and the memories that matter most.

    With a `session` it is a snapshot: the same bytes every time, whatever is remembered meanwhile, also after a
    restart. Deleting, purging, switching memory off and losing trust void it. Where it cannot be kept, as on a full
    disk, it is told all the same, and `notices` says so.
    """
    budget = PromptBudget(params.budget.entries, params.budget.characters) if params.budget else None
    memories = call.workspaces.memories(params.workspace)
    block = memories.prompt(params.session, budget, params.explain)
    if call.workspaces.is_serving:
        memories.warm()  # a chat begins, and what is said in it will recall
    return block


def changes(call: Call, params: wire.ChangesParams) -> Changes:
    """What changed since the session's prompt block, each change told once; append `text` to the chat.

    A change that contradicts another memory is marked as in the block; where the other was told before and no longer
    holds, the line of the one that holds says so.
    """
    return call.workspaces.memories(params.workspace).changes(params.session)


def capture(call: Call, params: wire.CaptureParams) -> wire.CaptureResult:
    """Keep what the end of a conversation says that is worth keeping, as the model judges that the client lends.

    The last three exchanges are looked at. Most captures end without asking the model: when the assistant changed
    memory itself, or nothing that the user said hints at something lasting. What is found waits for `memory/review`
    (`memory.capture` = `review`), or is kept at once (`on`). Nothing that fails on the way fails the request:

    | outcome | what happened |
    |---|---|
    | `saved` | at least one memory was added or updated |
    | `off` | `memory.capture` is `off` |
    | `skipped` | the assistant saved, updated or deleted memory itself in its last answer |
    | `noCue` | nothing hints at something lasting; no model was asked |
    | `noModel` | no model is lent; nothing is invented |
    | `busy` | a capture of this session is under way, or the model is busy; the next capture makes up for it |
    | `modelFailed` | the model failed, or did not answer in time |
    | `unusable` | the answer does not keep to the form; nothing of it was taken |
    | `nothing` | nothing is worth keeping |
    | `nothingNew` | what is worth keeping is known, holds a secret, or was rejected or deleted before |
    | `failed` | the memories could not be read or written |

    An `action` is `added`, `updated`, `known` (nothing was written) or `protected` (a memory on this that somebody
    asked for is there, and is left as it is).
    """
    between("turns", len(params.turns), 0, _MAX_TURNS)
    turns = [Exchange(turn.user, turn.assistant, turn.tools) for turn in params.turns]
    memories = call.workspaces.memories(params.workspace)
    captured = memories.capture(turns, params.session, call.cancel, call.settle)
    for each in captured.memories:
        if each.action in (CaptureAction.ADDED, CaptureAction.UPDATED):
            _announce(call, each.memory)
    return wire.CaptureResult(captured.outcome, captured.memories)


def review(call: Call, params: wire.Review) -> Memory | Gone:
    """Accept or reject a memory that waits. Accepted, it is one that the user asked for. For the user alone.

    A rejected one is deleted, and what it said is not captured again; `memory/restore` brings it back. `conflict` when
    the memory waits for no review. The result of a rejection is a `Gone`.
    """
    memories = call.workspaces.memories(params.workspace)
    if params.verdict is Decision.ACCEPT:
        return _announce(call, memories.accept(params.id))
    memory = memories.get(params.id)
    memories.reject(params.id)
    _announce(call, memory)
    return Gone(params.id)


def recall(call: Call, params: wire.RecallParams) -> Recall:
    """What of memory fits a prompt, best first, each with why, and as text to give a model; nothing when nothing fits.

    Words of the prompt and its meaning decide together; without a model of meaning words alone.

    With `memory.recallModel` = `auto` the language model that the client lends chooses where that ranking is in doubt.
    It is shown the prompt, and titles and descriptions of up to 200 memories, the best and the most recent, with
    secrets taken out; what it picks has `why.picked` and comes in its order. It has four seconds
    (`model.timeoutSeconds` where that is less). When it refuses, fails, is late, or does not keep to the form, the
    ranking stands and `notices` says why; after a failure it is not asked for a minute. A recall never waits for its
    turn: while the model answers another question, be it a capture's or another recall's, the ranking stands at once
    (`busy`), which is no failure. A recall can be cancelled until something is given.
    """
    memories = call.workspaces.memories(params.workspace)
    return memories.recall(
        params.prompt,
        session=params.session,
        limit=between("limit", params.limit, 1, 5),
        ask_model=params.model is not False,
        cancel=call.cancel,
        settle=call.settle,
    )


def charter(call: Call, params: wire.CharterParams) -> CharterFile:
    """Read the charter of the project, or write it once the user approved the text; see what `confirm` says.

    A charter is told in full at the head of every chat, with the authority of its user, so no model writes it by
    itself. Written is the PROJECT.md in the place of new project memories (`memory.project`). What it replaces is kept:
    `memory/history` and `memory/restore` take the id `PROJECT.md`. `notices` warns of charters that have outgrown what
    is told of them. An id of `PROJECT.md` in `memory/purge` removes it for good; purging or clearing a scope leaves
    charters alone.
    """
    memories = call.workspaces.memories(params.workspace)
    if params.content is None:
        if params.confirm is not None:
            raise InvalidField("content", "must be given to write; leave confirm out to read")
        return memories.charter(params.scope)
    if params.confirm is None and params.scope is Scope.PROJECT:
        raise InvalidField("confirm", "must be true, which says that the user has seen this text and approved it")
    written = memories.write_charter(params.content, scope=params.scope, revision=params.revision)
    call.workspaces.observer.memory_changed(written.scope, (written.name,))
    return written


def history(call: Call, params: Id) -> wire.History:
    """Prior versions of a memory, newest first; of a deleted one too, until it is purged. Of `PROJECT.md`, likewise."""
    return wire.History(call.workspaces.memories(params.workspace).history(params.id))


def restore(call: Call, params: wire.Restore) -> Memory | CharterFile:
    """Bring back a prior version, or a deleted memory. The result is a `CharterFile` for the id `PROJECT.md`."""
    memories = call.workspaces.memories(params.workspace)
    if params.id == PROJECT_CHARTER:
        restored = memories.restore_charter(params.revision)
        call.workspaces.observer.memory_changed(restored.scope, (restored.name,))
        return restored
    return _announce(call, memories.restore(params.id, params.revision))


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
    Pages(call.workspaces.places.cache).forget()  # an editor may still show what is gone; no file of ours does
    # Of one that was deleted before, nothing tells any more which scope it was of.
    _announce_scopes(call, params.scope or Span.ALL, purged.ids if params.scope is None else ())
    return purged


def clear(call: Call, params: wire.Clear) -> wire.Removed:
    """Delete every memory of a scope. For the user alone: never a model's tool."""
    removed = call.workspaces.memories(params.workspace).clear(params.scope)
    _announce_scopes(call, params.scope)
    return wire.Removed(removed)


def trust(call: Call, params: wire.SetTrust) -> Trust:
    """Say whether memory that came with this repository may be used; kept per workspace. For the user alone."""
    said = call.workspaces.memories(params.workspace).trust(params.trusted)
    _announce_scopes(call, Span.PROJECT)
    return said


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
