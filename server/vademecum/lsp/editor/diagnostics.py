"""Diagnostics on references that are no longer true as they stand, and on what is amiss with a memory's file;
`textDocument/diagnostic` for clients that ask.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from vademecum.evidence.verdicts import Verdict
from vademecum.lsp.editor.judging import Judged
from vademecum.lsp.editor.memory_files import faults, marked
from vademecum.lsp.editor.snapshot import Snapshot
from vademecum.lsp.editor.words import told

if TYPE_CHECKING:
    from vademecum.lsp.editor.references import References

SOURCE = "vademecum"

#: What is wrong is a warning, what needs a look information, and what can be mended with no thought a hint.
SEVERITIES: Mapping[Verdict, types.DiagnosticSeverity] = {
    Verdict.CHANGED: types.DiagnosticSeverity.Warning,
    Verdict.DELETED: types.DiagnosticSeverity.Warning,
    Verdict.AMBIGUOUS: types.DiagnosticSeverity.Information,
    Verdict.EXCLUDED: types.DiagnosticSeverity.Information,
    Verdict.UNREADABLE: types.DiagnosticSeverity.Information,
    Verdict.RELOCATED: types.DiagnosticSeverity.Hint,
}


def diagnostics(snapshot: Snapshot, judged: Sequence[Judged]) -> list[types.Diagnostic]:
    """One for each reference whose verdict is not `valid`; its code is the verdict."""
    wrong = [one for one in judged if one.verdict in SEVERITIES]
    ranges = snapshot.ranges((one.occurrence, one.start, one.end) for one in wrong)
    return [
        types.Diagnostic(
            range=span, message=told(one), severity=SEVERITIES[one.verdict], code=one.verdict.value, source=SOURCE
        )
        for one, span in zip(wrong, ranges, strict=True)
    ]


def register(references: "References", pulled: Callable[[str, list[types.Diagnostic]], None]) -> None:
    """Answer `textDocument/diagnostic`; only for a client that is to ask.

    :param pulled: told what the client was given, and for which document.
    """
    options = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE)

    @references.server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def diagnostic(
        params: types.DocumentDiagnosticParams,
    ) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
        snapshot = references.snapshot(params.text_document.uri)
        items: list[types.Diagnostic] = []
        if snapshot is not None:
            items = diagnostics(snapshot, await references.judged(snapshot))
            items += await references.aside(lambda _: marked(snapshot, faults(references, snapshot)))
        pulled(params.text_document.uri, items)
        number = _result_id(items)
        if number == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=number)
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=number)


def _result_id(items: Sequence[types.Diagnostic]) -> str:
    text = "\n".join(f"{item.range!r} {item.code} {item.message}" for item in items)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
