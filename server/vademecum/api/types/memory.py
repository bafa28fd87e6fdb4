"""`memory/*`: params and results."""

from collections.abc import Mapping
from typing import Literal

from attrs import frozen

from vademecum.memory.capture.types import CapturedMemory, CaptureOutcome
from vademecum.memory.settings import ProjectPlace
from vademecum.memory.types import (
    Category,
    Decision,
    Memory,
    MemoryStatus,
    Scope,
    Span,
    StoreStatus,
    Trust,
    Unreadable,
    Version,
)


@frozen
class Add:
    """`memory/add`: keep a new memory."""

    title: str
    """At most 200 characters."""
    content: str
    """Markdown, at most 64 KiB."""
    category: Category
    scope: Scope
    type: str | None = None
    """`user`, `feedback`, `project`, `reference` or a label of your own; `project` in project scope, else `user`."""
    description: str | None = None
    """One line, for lists, and for the prompt where the whole does not fit."""
    keywords: tuple[str, ...] = ()
    """At most 32."""
    evidence: tuple[str, ...] = ()
    """At most 64 references `path:start-end@hash` to the code that this memory rests on. They must hold; a hash that is
    left out is taken from the file as it is now."""
    supersedes: str | None = None
    """Id of a memory that this one replaces; that one is retired and its text kept in its history."""
    workspace: str | None = None


@frozen(kw_only=True)
class Added(Memory):
    """The memory that was kept."""

    similar: tuple[str, ...] | None = None
    """Ids of memories that come close to it, where there are any; perhaps one of them should have been updated."""
    contradicts: tuple[str, ...] | None = None
    """Ids of those that say the opposite, or differ in nothing but a day, a number or a choice, as far as words tell.
    Update one, or name it as `supersedes`, to replace it."""


@frozen
class Update:
    """`memory/update`: change fields of a memory. A field left out stays; an empty string blanks an optional one."""

    id: str
    title: str | None = None
    content: str | None = None
    category: Category | None = None
    type: str | None = None
    description: str | None = None
    keywords: tuple[str, ...] | None = None
    evidence: tuple[str, ...] | None = None
    """All of it. New references must hold, as in `memory/add`; those that the memory has may stay, true or not."""
    scope: Scope | None = None
    """Moves the memory: to the place of new memories of that scope, or to `place`."""
    place: ProjectPlace | None = None
    """Moves a memory of a project between your home (`private`) and the repository (`shared`)."""
    pinned: bool | None = None
    """Pinned memories are told before others; only rules come first."""
    revision: str | None = None
    """The revision this change is based on; `conflict` when the memory has another by now."""
    workspace: str | None = None


@frozen
class Delete:
    """`memory/delete`: which memory is to go."""

    id: str
    revision: str | None = None
    """The revision that was read before; `conflict` when the memory has another by now."""
    workspace: str | None = None
    """URI of the folder meant, when several are open."""


@frozen
class ListParams:
    """`memory/list`: the manifest, without bodies, newest first."""

    scope: Scope | None = None
    category: Category | None = None
    type: str | None = None
    status: MemoryStatus | None = None
    offset: int = 0
    limit: int = 200
    """At most 2,000."""
    workspace: str | None = None


@frozen
class Search:
    """`memory/search`: memories by words; everything when there is no query."""

    query: str | None = None
    """At most 1,000 characters."""
    scope: Scope | None = None
    limit: int = 20
    """At most 200."""
    workspace: str | None = None


@frozen
class Remember:
    """`memory/remember`: keep a note; a note already known is returned, not doubled."""

    note: str
    """At most 8 KiB. Its first sentence becomes the title."""
    scope: Scope | None = None
    """`project` in a workspace, else `user`, when left out."""
    category: Category | None = None
    """`Knowledge` when left out."""
    workspace: str | None = None


@frozen(kw_only=True)
class Kept(Memory):
    """The memory that a note became."""

    known: bool | None = None
    """True when the note was known already and nothing was written."""
    similar: tuple[str, ...] | None = None
    """As in `memory/add`."""
    contradicts: tuple[str, ...] | None = None
    """As in `memory/add`."""


@frozen
class Budget:
    """Bounds of a prompt block."""

    entries: int | None = None
    """Memories in full; 32 when left out."""
    characters: int | None = None
    """Of the whole final text, charters included. When left out: 12,000, and 24,000 more for the charters."""


@frozen
class Prompt:
    """`memory/prompt`: the text for the head of a chat; the same bytes for the whole of a session."""

    session: str | None = None
    budget: Budget | None = None
    explain: bool = False
    """Tell why each memory is in, or is not."""
    workspace: str | None = None


@frozen
class ChangesParams:
    """`memory/changes`: what changed since the session's prompt block, each change told once."""

    session: str
    workspace: str | None = None


@frozen
class ExchangeParams:
    """What the user said, and what the assistant answered."""

    user: str
    assistant: str
    tools: tuple[str, ...] = ()
    """Names of the tools that the assistant called for this answer."""


@frozen
class CaptureParams:
    """`memory/capture`: keep what the end of a conversation says that is worth keeping."""

    turns: tuple[ExchangeParams, ...]
    """At most 1,000, oldest first; the last three are looked at."""
    session: str | None = None
    """With it no exchange is judged twice, and one capture runs at a time."""
    workspace: str | None = None


@frozen
class CaptureResult:
    """What came of a capture."""

    outcome: CaptureOutcome
    """One of the outcomes in the table above; only `saved` wrote anything."""
    memories: tuple[CapturedMemory, ...]


@frozen
class Review:
    """`memory/review`: the user's word on a memory that waits for it."""

    id: str
    verdict: Decision
    workspace: str | None = None


@frozen
class RecallParams:
    """`memory/recall`: what of memory fits a prompt."""

    prompt: str
    """What the user asks, as it was written. Of more than 4,000 characters both ends are looked at."""
    session: str | None = None
    """What this conversation was given already is not given again, unless it has changed."""
    limit: int = 5
    """At most 5."""
    model: bool | None = None
    """`false`: the lent model is not asked, whatever `memory.recallModel` says, for whoever cannot wait for it."""
    workspace: str | None = None


@frozen
class CharterParams:
    """`memory/charter`: read a charter, or write PROJECT.md."""

    content: str | None = None
    """The whole new text, at most 64 KiB; an empty one removes the file. Without it nothing is written."""
    confirm: Literal[True] | None = None
    """Must be `true` with `content`: the user has seen this text and approved it."""
    revision: str | None = None
    """The revision that the text is based on; `conflict` when the file has another by now. Empty: there was none."""
    scope: Scope = Scope.PROJECT
    """`user` reads USER.md. That one is its user's alone: it is never written."""
    workspace: str | None = None


@frozen
class Restore:
    """`memory/restore`: bring back a prior version, or a deleted memory."""

    id: str
    """`PROJECT.md` for that charter."""
    revision: str | None = None
    """One of `memory/history`; the newest when left out."""
    workspace: str | None = None


@frozen
class Purge:
    """`memory/purge`: remove for good, with every prior version. Name an `id` or a `scope`."""

    id: str | None = None
    scope: Span | None = None
    workspace: str | None = None


@frozen
class Clear:
    """`memory/clear`: delete every memory of a scope; what was deleted can be restored until it is purged."""

    scope: Span
    confirm: Literal[True]
    """Must be `true`: clearing is only ever done on purpose."""
    workspace: str | None = None


@frozen
class Removed:
    """How much was removed."""

    removed: int


@frozen
class SetTrust:
    """`memory/trust`: whether memory that came with this repository may be used."""

    trusted: bool
    workspace: str | None = None


@frozen
class History:
    """Prior versions of a memory, newest first; those of a deleted one too, until it is purged."""

    items: tuple[Version, ...]


@frozen
class MemoryStatusResult:
    """How memory is."""

    enabled: bool
    message: str
    """One sentence for a person."""
    stores: tuple[StoreStatus, ...]
    counts: Mapping[MemoryStatus, int]
    withheld: int
    """Memories that came with a repository that is not trusted; they are not used."""
    unreadable: tuple[Unreadable, ...]
    """Files that were left alone, and why."""
    health: tuple[str, ...]
    """What a person should look at; empty when all is well."""
    trust: Trust | None = None
