"""The file of a memory in the editor: what is amiss with it, what may be written in it, and what its words mean.

What is said comes from `vademecum.memory.editing`; here it is put into the words of the protocol. The text is the one
in the editor, saved or not, and nothing of it is kept.
"""

import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from vademecum.errors import InvalidField, VademecumError
from vademecum.lsp.editor.snapshot import Snapshot
from vademecum.memory.editing.types import Edit, Fault, FaultKind, Fix, Subject
from vademecum.memory.schema import stamp
from vademecum.memory.types import Scope, StoreKind

if TYPE_CHECKING:
    from vademecum.lsp.editor.references import References
    from vademecum.memory.editing.offers import Offer
    from vademecum.memory.editing.types import Neighbour

SOURCE = "vademecum"

#: An error keeps Vademecum from reading or changing the file; of a warning it reads something else than stands there.
SEVERITIES: Mapping[FaultKind, types.DiagnosticSeverity] = {
    FaultKind.SYNTAX: types.DiagnosticSeverity.Error,
    FaultKind.DUPLICATE_KEY: types.DiagnosticSeverity.Error,
    FaultKind.SECRET: types.DiagnosticSeverity.Error,
    FaultKind.LEFT_ALONE: types.DiagnosticSeverity.Error,
    FaultKind.GENERATED: types.DiagnosticSeverity.Warning,
    FaultKind.BAD_VALUE: types.DiagnosticSeverity.Warning,
    FaultKind.WRONG_TYPE: types.DiagnosticSeverity.Warning,
    FaultKind.TOO_LONG: types.DiagnosticSeverity.Warning,
    FaultKind.DOUBLED_ID: types.DiagnosticSeverity.Warning,
    FaultKind.MISSPELT_KEY: types.DiagnosticSeverity.Warning,
    FaultKind.OTHER_NAME: types.DiagnosticSeverity.Information,
    FaultKind.UNKNOWN_MEMORY: types.DiagnosticSeverity.Information,
    FaultKind.NO_TITLE: types.DiagnosticSeverity.Information,
    FaultKind.UNKNOWN_KEY: types.DiagnosticSeverity.Hint,
    FaultKind.OTHER_LABEL: types.DiagnosticSeverity.Hint,
}

_KINDS: Mapping[str, types.CompletionItemKind] = {
    "key": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.EnumMember,
    "memory": types.CompletionItemKind.Reference,
    "word": types.CompletionItemKind.Text,
    "head": types.CompletionItemKind.Snippet,
}

_SNIPPET = re.compile(r"([\\$}])")
_MARKUP = re.compile(r"\*\*|`|\\(?=\W)")


def is_memory(references: "References", snapshot: Snapshot) -> bool:
    """Whether a document is the file of a memory (or the table of contents beside it)."""
    return _kind(references, snapshot) is not None


def subject(references: "References", snapshot: Snapshot) -> Subject | None:
    """What is known of a memory's file; None for any other document. On any thread but the loop's."""
    kind = _kind(references, snapshot)
    if kind is None or snapshot.path is None:
        return None
    scope = Scope.USER if kind is StoreKind.USER else Scope.PROJECT
    try:
        neighbours = references.server.workspaces.memories(None).neighbours()
    except (VademecumError, InvalidField):  # switched off, or it cannot be read
        neighbours = None
    file = Path(os.path.realpath(snapshot.path.parent), snapshot.path.name)
    return Subject(file, scope, neighbours, stamp(datetime.now(UTC)))


def faults(references: "References", snapshot: Snapshot) -> tuple[Fault, ...]:
    """What is amiss with a memory's file; nothing for any other document. On any thread but the loop's."""
    about = subject(references, snapshot)
    if about is None:
        return ()
    from vademecum.memory.contents import FILE_NAME
    from vademecum.memory.editing import faults as found

    if not found.is_generated(snapshot.text):
        return found.faults(snapshot.text, about)
    is_ours = about.file.name == FILE_NAME and _kind(references, snapshot) is not StoreKind.SHARED
    return (found.edited_table(snapshot.text),) if is_ours and not _is_saved(about.file, snapshot.text) else ()


def marked(snapshot: Snapshot, found: tuple[Fault, ...]) -> list[types.Diagnostic]:
    """The faults as diagnostics; the code is the kind."""
    return [
        types.Diagnostic(
            range=snapshot.span(fault.start, fault.end),
            message=fault.message,
            severity=SEVERITIES[fault.kind],
            code=fault.kind.value,
            source=SOURCE,
        )
        for fault in found
    ]


def mendings(
    references: "References", snapshot: Snapshot, span: types.Range
) -> Iterator[tuple[types.Diagnostic, Fix, list[types.TextEdit]]]:
    """Each way to mend a fault that a range touches, with the diagnostic that tells of it."""
    found = faults(references, snapshot)
    for fault, diagnostic in zip(found, marked(snapshot, found), strict=True):
        if diagnostic.range.start <= span.end and span.start <= diagnostic.range.end:
            for fix in fault.fixes:
                yield diagnostic, fix, [_edit(snapshot, edit) for edit in fix.edits]


def item(references: "References", snapshot: Snapshot, offer: "Offer", number: int) -> types.CompletionItem:
    """An offer as the client takes it; they stay in their order."""
    can, new = references.can, offer.edit.text
    as_snippet = can.snippets and offer.caret is not None
    if as_snippet and offer.caret is not None:
        before, after = (_SNIPPET.sub(r"\\\1", part) for part in (new[: offer.caret], new[offer.caret :]))
        new = f"{before}$0{after}"
    elif offer.plain is not None:
        new = offer.plain
    return types.CompletionItem(
        label=offer.shown,
        kind=_KINDS[offer.kind],
        detail=offer.detail,
        documentation=documentation(offer.meaning, can.described) if offer.meaning else None,
        filter_text=offer.shown,
        sort_text=f"{number:04}",
        insert_text_format=types.InsertTextFormat.Snippet if as_snippet else None,
        text_edit=_edit(snapshot, Edit(offer.edit.start, offer.edit.end, new)),
        # A client of ours opens the list by itself: while a key is typed, and where the next thing can be chosen, too.
        data={"memory": {"more": offer.more}},
    )


def documentation(text: str, markdown: bool) -> types.MarkupContent:
    """What is said, with its marks only where the client renders them."""
    if markdown:
        return types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.MarkupContent(types.MarkupKind.PlainText, _MARKUP.sub("", text))


def hover(references: "References", snapshot: Snapshot, place: int) -> types.Hover | None:
    """What the word at a place means. On any thread but the loop's."""
    from vademecum.memory.editing.meanings import meaning

    about = subject(references, snapshot)
    found = None if about is None else meaning(snapshot.text, place, about)
    if found is None:
        return None
    return types.Hover(documentation(found.text, references.can.markdown), snapshot.span(found.start, found.end))


def named(references: "References", snapshot: Snapshot, place: int) -> "tuple[Neighbour, types.Range] | None":
    """The other memory that is named at a place. On any thread but the loop's."""
    from vademecum.memory.editing.meanings import meaning

    about = subject(references, snapshot)
    found = None if about is None else meaning(snapshot.text, place, about)
    if found is None or found.memory is None:
        return None
    return found.memory, snapshot.span(found.start, found.end)


def _kind(references: "References", snapshot: Snapshot) -> StoreKind | None:
    from vademecum.memory.places import kind_of  # not needed before a document is open

    return None if snapshot.path is None else kind_of(snapshot.path, references.server.workspaces.places.home)


def _is_saved(file: Path, text: str) -> bool:
    """Whether the disk holds the text, whatever the editor makes of line ends and of a byte order mark."""
    try:
        there = file.read_text("utf-8-sig")
    except (OSError, ValueError):
        return False
    return there == text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _edit(snapshot: Snapshot, edit: Edit) -> types.TextEdit:
    return types.TextEdit(snapshot.span(edit.start, edit.end), edit.text)
