"""*Remember this selection*: the code actions on a selection. What they do, `vademecum.selection.remember` does."""

from typing import TYPE_CHECKING

from lsprotocol import types

from vademecum.api.types.common import Position, Range
from vademecum.lsp.editor.selection import selected
from vademecum.lsp.editor.snapshot import Snapshot

if TYPE_CHECKING:
    from vademecum.lsp.editor.references import References

REMEMBER = "vademecum.remember"
"""The kind of these code actions: they change no text, so none of the kinds that LSP names fits."""

REMEMBER_SELECTION = "vademecum.selection.remember"
SEARCH = "vademecum.search.query"

SHORTEST = 3
"""Characters of a selection that is offered to be remembered: some editors always have one selected."""

LONGEST_QUERY = 200
"""Characters of a selection that is offered to be searched for; more is a passage, not a query."""


def remembering(
    references: "References", snapshot: Snapshot, span: types.Range
) -> list[types.CodeAction | types.Command]:
    """What is offered on a selection: to keep it for this project or for all, and to search for it.

    The search is for clients that have no search of their own for us, whose results are shown by the server.
    """
    text = selected(snapshot, _range(span)).strip() if span.start < span.end else ""
    if len(text) < SHORTEST or not any(character.isalnum() for character in text):
        return []
    at = {
        "uri": snapshot.uri,
        "range": {
            "start": {"line": span.start.line, "character": span.start.character},
            "end": {"line": span.end.line, "character": span.end.character},
        },
        **({} if snapshot.version is None else {"version": snapshot.version}),
    }
    offered = []
    if references.server.workspaces.folders:
        offered.append(_command("Remember this selection", REMEMBER_SELECTION, {**at, "scope": "project"}))
    offered.append(_command("Remember this selection for every project", REMEMBER_SELECTION, {**at, "scope": "user"}))
    if references.can.shows and "\n" not in text and len(text) <= LONGEST_QUERY:
        offered.append(_command("Search for this selection", SEARCH, {"query": text}))
    if not references.can.actions:
        return list(offered)
    return [types.CodeAction(title=one.title, kind=REMEMBER, command=one) for one in offered]


def _command(title: str, name: str, params: dict[str, object]) -> types.Command:
    return types.Command(title=title, command=name, arguments=[params])


def _range(span: types.Range) -> Range:
    start, end = span.start, span.end
    return Range(Position(start.line, start.character), Position(end.line, end.character))
