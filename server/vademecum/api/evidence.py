"""The functions behind `evidence/*`: minting references and judging them."""

from pathlib import Path

from vademecum.api.calls import Call
from vademecum.api.limits import between
from vademecum.api.positions import touched_lines
from vademecum.api.types import evidence as wire
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.evidence.moves import moved_to
from vademecum.evidence.reference import Reference, mint, parse
from vademecum.evidence.verdicts import HOLDS, Verdict, verify
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
    items: list[wire.VerifyItem] = []
    for text in params.references:
        call.cancel.check()
        items.append(_judge(text, folders))
    return wire.Verified(tuple(items), bool(items) and all(item.verdict in HOLDS for item in items))


def _judge(text: str, folders: tuple[Workspace, ...]) -> wire.VerifyItem:
    try:
        reference = parse(text)
    except VademecumError as error:
        return wire.VerifyItem(text, error=wire.ReferenceProblem(error.kind.value, error.message))
    found = [_judged(text, reference, folder) for folder in folders]
    if not found:
        return wire.VerifyItem(text, Verdict.DELETED)
    known = [item for item in found if item.verdict not in _UNKNOWN_HERE]
    return (known or found)[0]


def _judged(text: str, reference: Reference, folder: Workspace) -> wire.VerifyItem:
    told = verify(reference, folder.gate)
    return wire.VerifyItem(
        text,
        told.verdict,
        relocated_to=str(told.relocated_to) if told.relocated_to is not None else None,
        moved_to=moved_to(reference, folder.gate) if told.verdict is Verdict.DELETED else None,
    )
