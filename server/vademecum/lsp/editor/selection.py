"""Remembering what is selected: the text as a note, with a reference to its lines where those can be cited."""

import re
import textwrap
from typing import TYPE_CHECKING

import attrs
from lsprotocol import types

from vademecum.api.calls import Call
from vademecum.api.memory import add, get
from vademecum.api.positions import touched_lines
from vademecum.api.types.common import Id, Range
from vademecum.api.types.memory import Add, Kept
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.evidence.reference import mint
from vademecum.files.content import Content
from vademecum.lsp.editor.judging import gates
from vademecum.lsp.editor.snapshot import Snapshot
from vademecum.lsp.texts import line_start, offset
from vademecum.memory.types import Category, Memory, Scope

if TYPE_CHECKING:
    from vademecum.lsp.commands import Selection
    from vademecum.lsp.server import VademecumServer

# Languages whose text is read as it stands; everything else is put into a fence.
_PROSE = frozenset(
    {"markdown", "md", "plaintext", "text", "txt", "rst", "restructuredtext", "asciidoc", "org", "latex"}
)

_FAR = 2**31 - 1
"""The largest number that the protocol has for a line or a column (`uinteger`)."""

_BACKTICKS = re.compile("`+")


def remember_selection(server: "VademecumServer", call: Call, asked: "Selection") -> Kept:
    """Keep what is selected in an open document; a text that is known already is returned, not doubled.

    :raises InvalidField: when the document is not open, or nothing is selected.
    :raises VademecumError: `conflict` when the document has changed since, and as `memory/remember`.
    """
    snapshot = server.editor.snapshot(asked.uri)
    if snapshot is None:
        raise InvalidField("uri", "must be a document that is open in the editor")
    if asked.version is not None and snapshot.version != asked.version:
        raise VademecumError(ErrorKind.CONFLICT, "The document has changed since; select the text again.")
    first, last = touched_lines(asked.range)
    text = selected(snapshot, asked.range)
    if not any(character.isalnum() for character in text):
        raise InvalidField("range", "must select some text")
    scope = asked.scope or (Scope.PROJECT if call.workspaces.folders else Scope.USER)
    evidence = _evidence(server, snapshot, first, last) if scope is Scope.PROJECT else ()
    from vademecum.memory.note import title_of  # not needed before somebody remembers something

    note = as_note(snapshot, text)
    category = asked.category or Category.KNOWLEDGE
    try:
        return _kept(
            add(call, Add(title_of(note), note, category, scope, evidence=evidence, workspace=asked.workspace)), None
        )
    except VademecumError as error:
        if error.kind is not ErrorKind.DUPLICATE:
            raise
        return _kept(get(call, Id(str(error.data["id"]), asked.workspace)), known=True)


def _kept(memory: Memory, known: bool | None) -> Kept:
    return Kept(**{field.name: getattr(memory, field.name) for field in attrs.fields(Memory)}, known=known)


def selected(snapshot: Snapshot, span: Range) -> str:
    """The text of a range; of an empty one its whole line."""
    text, encoding = snapshot.text, snapshot.encoding
    start, end = (
        offset(text, types.Position(min(at.line, _FAR), min(at.character, _FAR)), encoding)
        for at in (span.start, span.end)
    )
    if start >= end:
        start = line_start(text, span.start.line)
        end = line_start(text, 1, start)
    return text[start:end]


def as_note(snapshot: Snapshot, text: str) -> str:
    """The text as it is kept: prose as it is, code in a fence that names its language."""
    plain = textwrap.dedent(text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n").rstrip()
    language = (snapshot.language or "").lower()
    if snapshot.is_markdown or language in _PROSE or not language:
        return plain.strip()
    fence = "`" * max(3, 1 + max((len(run) for run in _BACKTICKS.findall(plain)), default=0))
    return f"{fence}{language}\n{plain}\n{fence}"


def _evidence(server: "VademecumServer", snapshot: Snapshot, first: int, last: int) -> tuple[str, ...]:
    """The reference to the lines, by the first open folder that the document lies in and may be read in."""
    if snapshot.path is None:
        return ()
    for gate in gates(server.workspaces, snapshot.path):
        relative = gate.relative(snapshot.path)
        content = gate.read(relative) if isinstance(relative, str) else relative
        if isinstance(content, Content):
            try:
                return (str(mint(content, first, min(last, len(content.lines)))),)
            except VademecumError:  # the document has lines that the file will only get when it is saved
                return ()
    return ()
