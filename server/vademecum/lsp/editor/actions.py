"""`textDocument/codeAction`: on references that are no longer true relocate, cite what stands there now, remove; in a
memory's file mend what is amiss; and remember what is selected.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import evolve, frozen
from lsprotocol import types

from vademecum.evidence.reference import mint
from vademecum.evidence.verdicts import Verdict
from vademecum.files.content import Refused
from vademecum.lsp.editor.diagnostics import diagnostics
from vademecum.lsp.editor.judging import Judged, gates, judge, places
from vademecum.lsp.editor.memory_files import mendings
from vademecum.lsp.editor.remembering import REMEMBER, remembering
from vademecum.lsp.editor.snapshot import Snapshot
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.lsp.editor.references import References

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.vademecum"

# What stands around a reference and goes with it when it is removed.
_PAIRS = {"`": "`", "(": ")", "[": "]", "<": ">", "（": "）"}
_BEFORE = re.compile(r"[ \t]*((?:(?:[-*+>#]|//|\d{1,3}[.)])[ \t]+)*)([\"'`]?)")
_AFTER = re.compile(r"[\"'`]?(,?)[ \t]*")
_LINE_END = re.compile(r"\r\n|\r|\n|\Z")


@frozen
class _Fix:
    title: str
    text: str
    start: int
    end: int
    preferred: bool = False


def register(references: "References") -> None:
    """Answer `textDocument/codeAction`: edits for a client that takes them, commands for one that runs them."""
    can = references.can
    kinds = [*([types.CodeActionKind.QuickFix, FIX_ALL] if can.actions else []), *([REMEMBER] if can.commands else [])]

    @references.server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=kinds))
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        snapshot = references.snapshot(params.text_document.uri)
        if snapshot is None:
            return []

        def work(cancel: Cancel) -> list[types.CodeAction | types.Command]:
            offered: list[types.CodeAction | types.Command] = []
            if can.actions:
                offered += _actions(references, snapshot, params, cancel)
                offered += _mendings(references, snapshot, params)
            if can.commands and _wanted(REMEMBER, params.context.only):
                offered += remembering(references, snapshot, params.range)
            return offered

        return await references.aside(work)


def _actions(
    references: "References", snapshot: Snapshot, params: types.CodeActionParams, cancel: Cancel
) -> Iterator[types.CodeAction]:
    only = params.context.only
    asked = gates(references.server.workspaces, snapshot.path)
    first, last = params.range.start.line, max(params.range.start.line, params.range.end.line)
    moved_here = False
    if _wanted(types.CodeActionKind.QuickFix.value, only):
        here = judge(snapshot.occurrences_on(first, last, cancel), asked, cancel)
        wrong = [one for one in here if one.verdict is not Verdict.VALID]
        for one, diagnostic in zip(wrong, diagnostics(snapshot, wrong), strict=True):
            if _touches(diagnostic.range, params.range):
                moved_here = moved_here or one.verdict is Verdict.RELOCATED
                given = [known for known in params.context.diagnostics if _same(known, diagnostic)]
                for fix in _fixes(snapshot, one):
                    yield evolve(
                        _action(references, snapshot, fix.title, [(one, fix)]),
                        kind=types.CodeActionKind.QuickFix,
                        diagnostics=given or None,
                        is_preferred=True if fix.preferred and references.can.preferred else None,
                    )
    # Editors ask at every move of the cursor; the whole document is judged only where somebody may want it.
    if _wanted(FIX_ALL, only) and (only or moved_here):
        everywhere = judge(snapshot.occurrences(cancel), asked, cancel)
        moved = [(one, _relocation(one)) for one in everywhere if one.verdict is Verdict.RELOCATED]
        if len(moved) > (0 if only else 1):  # a single one has its quick fix, unless nothing else was asked for
            title = f"Relocate all references that moved ({len(moved)})"
            yield evolve(_action(references, snapshot, title, moved), kind=FIX_ALL)


def _mendings(
    references: "References", snapshot: Snapshot, params: types.CodeActionParams
) -> Iterator[types.CodeAction]:
    """The ways to mend a memory's file."""
    if not _wanted(types.CodeActionKind.QuickFix.value, params.context.only):
        return
    for diagnostic, fix, edits in mendings(references, snapshot, params.range):
        given = [known for known in params.context.diagnostics if _same(known, diagnostic)]
        yield types.CodeAction(
            title=fix.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=given or None,
            is_preferred=True if fix.preferred and references.can.preferred else None,
            edit=_workspace_edit(references, snapshot, edits),
        )


def _wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether a kind of action is among those asked for: `source` asks for `source.fixAll.vademecum` too."""
    if only is None:
        return True
    asked = [one.value if isinstance(one, types.CodeActionKind) else one for one in only]
    return any(not one or kind == one or kind.startswith(f"{one}.") for one in asked)


def _touches(one: types.Range, other: types.Range) -> bool:
    return one.start <= other.end and other.start <= one.end


def _same(one: types.Diagnostic, other: types.Diagnostic) -> bool:
    return (one.range, one.code, one.source) == (other.range, other.code, other.source)


def _fixes(snapshot: Snapshot, judged: Judged) -> Iterator[_Fix]:
    match judged.verdict:
        case Verdict.RELOCATED:
            yield _relocation(judged)
        case Verdict.CHANGED | Verdict.AMBIGUOUS:
            yield from _citations(judged)
        case _:
            pass
    yield _removal(snapshot, judged)


def _relocation(judged: Judged) -> _Fix:
    now = judged.verified.relocated_to
    assert now is not None
    return _Fix(f"Relocate to {_lines(now.start, now.end)}", str(now), judged.start, judged.end, preferred=True)


def _citations(judged: Judged) -> Iterator[_Fix]:
    """Of a changed span what stands in its place; of an ambiguous one each of the places."""
    content = judged.gate.read(judged.reference.path)
    if isinstance(content, Refused):
        return
    for start, end in places(judged, content):
        text = str(mint(content, start, end))
        ambiguous = judged.verdict is Verdict.AMBIGUOUS
        title = f"Relocate to {_lines(start, end)}" if ambiguous else f"Cite current {_lines(start, end)}"
        yield _Fix(title, text, judged.start, judged.end)


def _removal(snapshot: Snapshot, judged: Judged) -> _Fix:
    """The reference with what encloses it; the whole line where nothing else is on it."""
    text, start, end = snapshot.text, judged.start, judged.end
    line = judged.occurrence.line_start
    line_end = _LINE_END.search(text, end)
    assert line_end is not None  # the end of the text is one, too
    after = line_end.start()
    if _is_alone(text, line, start, end, after):
        return _Fix("Remove the reference", "", line, line_end.end())
    while start > line and end < after and _PAIRS.get(text[start - 1]) == text[end]:
        start, end = start - 1, end + 1
    if start > line and text[start - 1] == " " and (end == after or text[end] in " .,;:!?)"):
        start -= 1
    return _Fix("Remove the reference", "", start, end)


def _is_alone(text: str, line: int, start: int, end: int, after: int) -> bool:
    """Whether a line holds nothing but the reference: as an item of a list, say."""
    before, behind = _BEFORE.fullmatch(text, line, start), _AFTER.fullmatch(text, end, after)
    if before is None or behind is None:
        return False
    # A quoted string with no comma after it may be the last of its list; without it, the list would end in a comma.
    return bool(before[1] or before[2] in ("", "`") or behind[1])


def _lines(start: int, end: int) -> str:
    return f"line {start}" if start == end else f"lines {start}-{end}"


def _action(
    references: "References", snapshot: Snapshot, title: str, fixes: Iterable[tuple[Judged, _Fix]]
) -> types.CodeAction:
    edits = [types.TextEdit(_range(snapshot, judged, fix), fix.text) for judged, fix in fixes]
    return types.CodeAction(title=title, edit=_workspace_edit(references, snapshot, edits))


def _workspace_edit(references: "References", snapshot: Snapshot, edits: list[types.TextEdit]) -> types.WorkspaceEdit:
    if references.can.versioned:
        document = types.OptionalVersionedTextDocumentIdentifier(snapshot.uri, snapshot.version)
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, list(edits))])
    return types.WorkspaceEdit(changes={snapshot.uri: edits})


def _range(snapshot: Snapshot, judged: Judged, fix: _Fix) -> types.Range:
    """The range of a fix, which may take the end of its line with it."""
    line = judged.occurrence.line
    if fix.end > fix.start and snapshot.text[fix.end - 1] in "\r\n":
        return types.Range(types.Position(line, 0), types.Position(line + 1, 0))
    return snapshot.ranges([(judged.occurrence, fix.start, fix.end)])[0]
