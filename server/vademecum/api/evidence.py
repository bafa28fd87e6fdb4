"""The functions behind `evidence/*`: minting references, judging them, and forgetting who was given which."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import attrs

from vademecum.api.calls import Call
from vademecum.api.limits import between
from vademecum.api.positions import touched_lines
from vademecum.api.reading import readable
from vademecum.api.reuse import asked_of, once
from vademecum.api.types import evidence as wire
from vademecum.api.types.common import Nothing
from vademecum.errors import InvalidField, VademecumError
from vademecum.evidence.moves import Moves
from vademecum.evidence.reference import Reference, mint, parse
from vademecum.evidence.verdicts import HOLDS, Verdict, Verified, verify_all
from vademecum.files.redact import redact
from vademecum.files.uris import path_of_uri
from vademecum.workspace import Workspace

if TYPE_CHECKING:
    from vademecum.evidence.records import Collected

_MAX_REFERENCES = 1_000
_UNKNOWN_HERE = (Verdict.DELETED, Verdict.EXCLUDED)
_BEST = (Verdict.VALID, Verdict.RELOCATED)


def cite(call: Call, params: wire.Cite) -> wire.Citation:
    """Mint a reference to lines of a file, as they are now in the editor or on the disk.

    With a session, lines that it holds already come without their text, and what it holds and has changed since is
    told, in all open folders or in the one that is named.
    """
    path = path_of_uri(params.uri, "uri")
    start, end = touched_lines(params.range)
    folder = call.workspaces.holding(path, params.workspace)
    content = readable(folder, path)
    if end > len(content.lines):
        raise InvalidField("range", f"ends at line {end}, but the file has {len(content.lines)} lines")
    snippet = b"\n".join(content.lines[start - 1 : end]).decode("utf-8", "replace")
    citation = wire.Citation(str(mint(content, start, end)), redact(snippet))
    told = once(call, params.session, asked_of(call, params.workspace, folder), [(folder, citation)])
    return attrs.evolve(told.items[0], memory=told.memory, notices=told.notices or None)


def verify_(call: Call, params: wire.Verify) -> wire.Verified:
    """Judge references: are the bytes they name still there?

    With several folders open and no `workspace`, a reference is judged where it holds best. With a session in place of
    references, all that it was given is judged; that changes nothing of what it will be told or given.
    """
    if (params.references is None) == (params.session is None):
        raise InvalidField("references", "give either references or a session")
    folders = call.workspaces.chosen(params.workspace)
    if params.session is not None:
        return _verify_session(call, folders, params.session)
    asked = params.references or ()
    between("references", len(asked), 0, _MAX_REFERENCES)
    read = [_parsed(text) for text in asked]
    known = list(dict.fromkeys(one for one in read if isinstance(one, Reference)))
    told = [dict(zip(known, verify_all(known, folder.gate, call.cancel), strict=True)) for folder in folders]
    moves = [Moves(folder.gate) for folder in folders]
    items = []
    for text, one in zip(asked, read, strict=True):
        call.cancel.check()
        if isinstance(one, wire.ReferenceProblem):
            items.append(wire.VerifyItem(text, error=one))
        else:
            items.append(_item(text, one, [(hints, by[one]) for hints, by in zip(moves, told, strict=True)]))
    return wire.Verified(tuple(items), bool(items) and all(item.verdict in HOLDS for item in items))


def _verify_session(call: Call, folders: Sequence[Workspace], session: str) -> wire.Verified:
    items: list[wire.VerifyItem] = []
    for folder in folders:
        held = folder.deliveries.held(session)
        moves = Moves(folder.gate)
        for one in verify_all(list(held), folder.gate, call.cancel, held):
            call.cancel.check()
            items.append(_item(str(one.reference), one.reference, [(moves, one)]))
    return wire.Verified(tuple(items), bool(items) and all(item.verdict in HOLDS for item in items))


def forget(call: Call, params: wire.Forget) -> wire.Forgotten:
    """Forget what a session was given, so that all of it is given anew; with `all`, what every session was."""
    if (params.session is None) == (params.all is None):
        raise InvalidField("session", "give either a session or all: true")
    return _sum(folder.deliveries.forget(params.session) for folder in call.workspaces.chosen(params.workspace))


def collect(call: Call, params: Nothing) -> wire.Forgotten:
    """Forget sessions that are past their time or beyond the bound, as is done once a day anyway."""
    return _sum(folder.deliveries.collect() for folder in call.workspaces.chosen(params.workspace))


def _sum(removed: "Iterable[Collected]") -> wire.Forgotten:
    each = list(removed)
    return wire.Forgotten(sum(one.sessions for one in each), sum(one.deliveries for one in each))


def _rank(verdict: Verdict) -> int:
    """How little a folder's verdict says for the reference: it stands, it moved, the file is known, it is not."""
    return _BEST.index(verdict) if verdict in _BEST else len(_BEST) + (verdict in _UNKNOWN_HERE)


def _parsed(text: str) -> Reference | wire.ReferenceProblem:
    try:
        return parse(text)
    except VademecumError as error:
        return wire.ReferenceProblem(error.kind.value, error.message)


def _item(text: str, reference: Reference, told: Sequence[tuple[Moves, Verified]]) -> wire.VerifyItem:
    """What is told of a reference: by the folder in which it holds best, the first of several."""
    if not told:
        return wire.VerifyItem(text, Verdict.DELETED)
    moves, best = min(told, key=lambda one: _rank(one[1].verdict))
    return wire.VerifyItem(
        text,
        best.verdict,
        relocated_to=str(best.relocated_to) if best.relocated_to is not None else None,
        moved_to=moves.of(reference) if best.verdict is Verdict.DELETED else None,
    )
