"""`textDocument/documentLink`: references are links; where one leads is found when it is followed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from vademecum.errors import VademecumError
from vademecum.evidence.occurrences import Occurrence, Reading
from vademecum.evidence.reference import parse
from vademecum.evidence.verdicts import Verdict
from vademecum.files.content import Refused
from vademecum.lsp.editor.judging import gates, is_there, judge, places, read_as
from vademecum.lsp.editor.snapshot import Snapshot
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.lsp.editor.references import References


def register(references: "References") -> None:
    """Answer `textDocument/documentLink` and `documentLink/resolve`."""
    server = references.server

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK, types.DocumentLinkOptions(resolve_provider=True))
    async def document_link(params: types.DocumentLinkParams) -> list[types.DocumentLink]:
        snapshot = references.snapshot(params.text_document.uri)
        if snapshot is None:
            return []
        return await references.aside(lambda cancel: _links(references, snapshot, cancel))

    @server.feature(types.DOCUMENT_LINK_RESOLVE)
    async def resolve(link: types.DocumentLink) -> types.DocumentLink:
        data = link.data
        if isinstance(data, Mapping) and isinstance(data.get("reference"), str):
            link.target = await references.aside(lambda cancel: _target(references, data, cancel))
        return link


def _links(references: "References", snapshot: Snapshot, cancel: Cancel) -> list[types.DocumentLink]:
    asked = gates(references.server.workspaces, snapshot.path)
    shown: list[tuple[Occurrence, Reading]] = []
    for occurrence in snapshot.occurrences(cancel):
        cancel.check()
        reading = read_as(occurrence, asked)
        if any(is_there(reading.reference.path, gate) for gate in asked):
            shown.append((occurrence, reading))
    ranges = snapshot.ranges((occurrence, reading.start, occurrence.end) for occurrence, reading in shown)
    return [
        types.DocumentLink(span, data={"reference": str(reading.reference), "uri": snapshot.uri})
        for span, (_, reading) in zip(ranges, shown, strict=True)
    ]


def _target(references: "References", data: Mapping[str, Any], cancel: Cancel) -> str | None:
    """The file, at the lines where the span is now (as `#L5-L6`); None when there is no such file any more."""
    try:
        reference = parse(data["reference"])
    except VademecumError:
        return None
    reading = Reading(0, reference)
    asked = gates(references.server.workspaces, references.path_of(data.get("uri")))
    for judged in judge([Occurrence(0, 0, 0, (reading,), reading)], asked, cancel):
        if judged.verdict is Verdict.DELETED:
            return None
        target = judged.gate.absolute(reference.path).as_uri()
        content = judged.gate.read(reference.path)
        found = () if isinstance(content, Refused) else places(judged, content)
        return f"{target}#L{found[0][0]}-L{found[0][1]}" if found else target
    return None
