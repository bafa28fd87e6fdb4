"""The hook that agents call when a session starts: what they say on standard input, and how they want to be answered.

Claude Code, Codex and VS Code name the event `SessionStart` and take `hookSpecificOutput.additionalContext`; Cursor
names it `sessionStart` and takes `additional_context`. All of them name the session and the folder.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

LONGEST = 9_500
"""Characters of the block, unless the command line names another number: Claude Code puts an answer of more than 10,000
into a file instead of the conversation."""

LARGEST_INPUT = 1_000_000
"""Bytes of standard input that are read; what agents send is a few hundred."""


@frozen
class SessionStart:
    """What an agent said.

    :param session: the agent's name for the session; None where it has none.
    :param folder: the folder that the session is in; None where it is not told, or not there.
    :param flat: whether the answer is one flat object, as Cursor wants it.
    """

    session: str | None
    folder: Path | None
    flat: bool

    @classmethod
    def read(cls, data: bytes) -> "SessionStart":
        """What stands in the JSON that the agent sent; whatever is not there or not usable is left out."""
        try:
            said = json.loads(data[:LARGEST_INPUT] or b"{}")
        except (ValueError, RecursionError):
            said = {}
        if not isinstance(said, dict):
            said = {}
        session = said.get("session_id") or said.get("conversation_id")
        roots = said.get("workspace_roots")
        folder = said.get("cwd") or (roots[0] if isinstance(roots, list) and roots else None)
        path = Path(folder) if isinstance(folder, str) and folder else None
        return cls(
            session=session[:200] if isinstance(session, str) and session and _is_text(session) else None,
            folder=path if path is not None and path.is_absolute() and path.is_dir() else None,
            flat=said.get("hook_event_name") == "sessionStart",
        )

    def answer(self, text: str) -> Mapping[str, Any]:
        """What the agent puts at the head of the session."""
        if self.flat:
            return {"additional_context": text}
        return {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}


def _is_text(value: str) -> bool:
    """Whether it holds no half of a surrogate pair, which JSON can write and no name can hold."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
