"""The window: which exchanges are looked at, and whether the assistant has done the work already."""

import re
from collections.abc import Sequence

from vademecum.memory.capture.types import Exchange

#: How many of the latest exchanges are looked at: a fact is rarely told over more, and older ones had their turn.
EXCHANGES = 3

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_MEMORY = frozenset({"memory", "memories"})
_SAVES = frozenset({"remember", "forget", "memorize", "memorise"})
#: What a tool does that has `memory` in its name, when it changes it. `manage` is CodeBuddy's one tool for everything.
_CHANGES = frozenset({
    "add", "append", "change", "clear", "create", "delete", "edit", "insert", "manage", "put", "remove", "replace",
    "save", "set", "store", "update", "write",
})  # fmt: skip
#: Tools whose whole name is this, as Copilot's and Claude's.
_KNOWN = frozenset({("memory",), ("copilot", "memory")})


def latest(turns: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """Return the exchanges to look at, oldest first; those in which the user said nothing are none."""
    return tuple(turn for turn in turns if turn.user.strip())[-EXCHANGES:]


def saved_already(exchange: Exchange) -> bool:
    """Whether the assistant saved, updated or deleted memory in this exchange, as the names of its tools tell."""
    return any(map(changes_memory, exchange.tools))


def changes_memory(tool: str) -> bool:
    """Whether a tool of this name changes what is remembered: `vademecum_updateMemory`, `memory/add`."""
    words = tuple(word.lower() for word in _WORD.findall(tool))
    if words in _KNOWN or _SAVES.intersection(words):
        return True
    return bool(_MEMORY.intersection(words) and _CHANGES.intersection(words))
