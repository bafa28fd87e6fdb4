"""The functions behind `evidence/*`: minting references and judging them."""

from collections.abc import Sequence
from pathlib import Path

from vademecum.api.calls import Call
from vademecum.api.limits import between
from vademecum.api.positions import touched_lines
from vademecum.api.types import evidence as wire
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.evidence.moves import moved_to
from vademecum.evidence.reference import Reference, mint, parse
from vademecum.evidence.verdicts import HOLDS, Verdict, Verified, verify_all
from vademecum.files.gate import Content, Reason, Refused
from vademecum.files.redact import redact
from vademecum.workspace import Workspace, path_of_uri

_MAX_REFERENCES = 1_000
_UNKNOWN_HERE = (Verdict.DELETED, Verdict.EXCLUDED)


def cite(call: Call, params: wire.Cite) -> wire.Citation:
    """Mint a reference to lines of a file, as they are now in the editor or on the disk."""
    path = path_of_uri(params.uri, "uri")
    start, end = touched_lines(params.range)
    folder = call.workspaces.holding(path, params.workspace)
    content = _read(folder, path)
    if end > len(content.lines):
        raise InvalidField("range", f"ends at line {end}, but the file has {len(content.lines)} lines")
    snippet = b"\n".join(content.lines[start - 1 : end]).decode("utf-8", "replace")
    return wire.Citation(str(mint(content, start, end)), redact(snippet))


def _read(folder: Workspace, path: Path) -> Content:
    relative = folder.gate.relative(path)
    content = folder.gate.read(relative) if isinstance(relative, str) else relative
    if isinstance(content, Refused):
        raise _refusal(content)
    return content


def _refusal(refused: Refused) -> VademecumError:
    if refused.reason is Reason.OUTSIDE:
        return VademecumError(ErrorKind.OUTSIDE_WORKSPACE, "The file lies outside the open folders.")
    if refused.reason is Reason.MISSING:
        return VademecumError(ErrorKind.NOT_FOUND, "There is no such file.")
    message = f"The file may not be read: {refused.detail or refused.reason.value}."
    return VademecumError(ErrorKind.EXCLUDED, message, reason=refused.reason.value)


def verify_(call: Call, params: wire.Verify) -> wire.Verified:
    """Judge references: are the bytes they name still there?

    With several folders open and no `workspace`, a reference is judged where it holds best.
    """
    between("references", len(params.references), 0, _MAX_REFERENCES)
    folders = call.workspaces.chosen(params.workspace)
    read = [_parsed(text) for text in params.references]
    known = list(dict.fromkeys(one for one in read if isinstance(one, Reference)))
    told = [dict(zip(known, verify_all(known, folder.gate, call.cancel), strict=True)) for folder in folders]
    items = []
    for text, one in zip(params.references, read, strict=True):
        call.cancel.check()
        if isinstance(one, wire.ReferenceProblem):
            items.append(wire.VerifyItem(text, error=one))
        else:
            items.append(_item(text, one, [(folder, by[one]) for folder, by in zip(folders, told, strict=True)]))
    return wire.Verified(tuple(items), bool(items) and all(item.verdict in HOLDS for item in items))


def _parsed(text: str) -> Reference | wire.ReferenceProblem:
    try:
        return parse(text)
    except VademecumError as error:
        return wire.ReferenceProblem(error.kind.value, error.message)


def _item(text: str, reference: Reference, told: Sequence[tuple[Workspace, Verified]]) -> wire.VerifyItem:
    """What is told of a reference: by the first folder that knows its file, else by the first."""
    if not told:
        return wire.VerifyItem(text, Verdict.DELETED)
    folder, best = next((one for one in told if one[1].verdict not in _UNKNOWN_HERE), told[0])
    return wire.VerifyItem(
        text,
        best.verdict,
        relocated_to=str(best.relocated_to) if best.relocated_to is not None else None,
        moved_to=moved_to(reference, folder.gate) if best.verdict is Verdict.DELETED else None,
    )
