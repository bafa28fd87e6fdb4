"""What `workspace/executeCommand` takes: every request by the name of its command, and commands of an editor's own.

An editor that sends no custom requests has commands alone, often typed by hand. So the one argument of a command may be
the params of the request, as everywhere, or just a text where a request has one thing to say (`"where are sessions
expired"` for `vademecum.search.query`).
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
from attrs import frozen

from vademecum.api.calls import Call, Method
from vademecum.api.dispatch import COMMANDS
from vademecum.api.errors import FieldError, InvalidParams
from vademecum.api.memory import remember
from vademecum.api.types.common import Range
from vademecum.api.types.memory import Kept, Remember
from vademecum.lsp.editor.remembering import REMEMBER_SELECTION
from vademecum.lsp.editor.selection import remember_selection
from vademecum.memory.types import Category, Scope

if TYPE_CHECKING:
    from vademecum.lsp.server import VademecumServer

NOTE = "vademecum.note"

# The field that a text is for, where it is not the only one that must be given.
_SAID = {
    "memory/search": "query",
    "memory/prompt": "session",
    "memory/purge": "id",
    "evidence/verify": "references",
    "evidence/forget": "session",
    "knowledge/import": "source",
}


@frozen
class Note:
    """`vademecum.note`: one line, as it is typed; a leading `#` is left out."""

    note: str
    scope: Scope | None = None
    category: Category | None = None
    workspace: str | None = None


@frozen
class Selection:
    """`vademecum.selection.remember`: lines of an open document."""

    uri: str
    range: Range
    """What is selected; the whole line where it is empty."""
    scope: Scope | None = None
    category: Category | None = None
    version: int | None = None
    """The version of the document that the range is of; `conflict` when it has another by now."""
    workspace: str | None = None


def commands(server: "VademecumServer") -> Mapping[str, Method[Any, Any]]:
    """Every command by its name."""

    def note(call: Call, params: Note) -> Kept:
        """Keep one line as a note."""
        text = params.note.strip().lstrip("#").strip()
        return remember(call, Remember(text, params.scope, params.category, params.workspace))

    def selection(call: Call, params: Selection) -> Kept:
        """Keep what is selected in an open document, with a reference to its lines."""
        return remember_selection(server, call, params)

    example = {"uri": "{uri}", "range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}}
    own: tuple[Method[Any, Any], ...] = (
        Method(NOTE, Note, Kept, note, {"note": "# Deploys go out on Tuesdays."}, writes=True),
        Method(REMEMBER_SELECTION, Selection, Kept, selection, example, writes=True),
    )
    return {**COMMANDS, **{method.name: method for method in own}}


NAMES = (*COMMANDS, NOTE, REMEMBER_SELECTION)
"""What is announced to the client."""


def params_of(method: Method[Any, Any], arguments: object) -> object:
    """The params in the arguments of a command.

    :raises InvalidParams: when they are not the params, and no text either where the command takes one.
    """
    if arguments is None or arguments == []:
        return {}
    if not isinstance(arguments, list):
        raise InvalidParams([FieldError("arguments", "must be an array")])
    if all(isinstance(one, str) for one in arguments):
        field = _said(method)
        if field is not None:
            return {
                field.name: arguments if field.type is not str and "tuple" in str(field.type) else " ".join(arguments)
            }
    if len(arguments) > 1:
        raise InvalidParams([FieldError("arguments", "must hold the params of the command as its one item")])
    return arguments[0]


def _said(method: Method[Any, Any]) -> "attrs.Attribute[Any] | None":
    """The field that a text stands for; None where there is no such field."""
    fields: Sequence[attrs.Attribute[Any]] = attrs.fields(method.params)
    if (name := _SAID.get(method.name)) is not None:
        return next(field for field in fields if field.name == name)
    required = [field for field in fields if field.default is attrs.NOTHING]
    is_one_text = len(required) == 1 and required[0].type in (str, "str")
    return required[0] if is_one_text else None
