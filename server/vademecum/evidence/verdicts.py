"""Verdicts: whether the lines that a reference names are still what they were."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import accumulate

from attrs import frozen

from vademecum.evidence.reference import Reference
from vademecum.files.content import Content, Reason, Refused
from vademecum.files.gate import Gate
from vademecum.files.lines import span_hash
from vademecum.work import Cancel

#: How much work looking for moved lines may be: places tried times lines in each. Past it the verdict is `changed`,
#: which is never wrong about what stands at the reference, only less helpful.
MAX_LINE_STEPS = 200_000

_NO_HINTS: Mapping[Reference, str | None] = {}


class Verdict(StrEnum):
    """What became of the lines."""

    VALID = "valid"
    RELOCATED = "relocated"
    CHANGED = "changed"
    AMBIGUOUS = "ambiguous"
    DELETED = "deleted"
    EXCLUDED = "excluded"
    UNREADABLE = "unreadable"


#: The verdicts under which the lines still hold.
HOLDS = frozenset({Verdict.VALID, Verdict.RELOCATED})


@frozen
class Verified:
    """A reference with its verdict.

    :param relocated_to: where the same bytes stand now; only with `relocated`.
    """

    reference: Reference
    verdict: Verdict
    relocated_to: Reference | None = None


def verify(reference: Reference, gate: Gate) -> Verified:
    """Return the verdict on `reference` for what its file holds now, unsaved text of the editor included."""
    read = gate.read(reference.path)
    if isinstance(read, Refused):
        return Verified(reference, verdict_of(read))
    return verify_in(reference, read)


def verify_all(
    references: Sequence[Reference],
    gate: Gate,
    cancel: Cancel | None = None,
    first_line_hints: Mapping[Reference, str | None] = _NO_HINTS,
) -> list[Verified]:
    """Return the verdicts on many references, in their order; each file is read once.

    :param first_line_hints: see `verify_in`.

    :raises Cancelled: when told to stop.
    """
    gate.warm({reference.path for reference in references})
    read: dict[str, Content | Refused] = {}
    verified: list[Verified] = []
    for reference in references:
        if cancel is not None:
            cancel.check()
        if reference.path not in read:
            read[reference.path] = gate.read(reference.path)
        found = read[reference.path]
        if isinstance(found, Refused):
            verified.append(Verified(reference, verdict_of(found)))
        else:
            verified.append(verify_in(reference, found, first_line_hints.get(reference)))
    return verified


def verify_in(reference: Reference, content: Content, first_line_hint: str | None = None) -> Verified:
    """Return the verdict on `reference` for `content`, which must be that of its file.

    :param first_line_hint: the beginning of the SHA-256 of the span's first line, if known: fewer places are tried.
    """
    now = span_hash(content.lines, reference.start, reference.end)
    if now is not None and now.startswith(reference.digest):
        return Verified(reference, Verdict.VALID)
    found = relocate(content.lines, reference.digest, reference.line_count, first_line_hint)
    if found is None or not found:
        return Verified(reference, Verdict.CHANGED)
    if len(found) > 1:
        return Verified(reference, Verdict.AMBIGUOUS)
    start = found[0]
    end = start + reference.line_count - 1
    digest = span_hash(content.lines, start, end)
    assert digest is not None
    return Verified(reference, Verdict.RELOCATED, Reference(reference.path, start, end, digest))


def relocate(
    lines: Sequence[bytes], digest: str, line_count: int, first_line_hint: str | None = None
) -> tuple[int, ...] | None:
    """Return the first lines of all spans of `line_count` lines with this digest (two at most, which is ambiguous).

    None when looking would take more than `MAX_LINE_STEPS`.
    """
    last = len(lines) - line_count + 1
    starts: Iterable[int] = range(1, last + 1)
    count = max(last, 0)
    if first_line_hint:
        starts = [start for start in starts if hashlib.sha256(lines[start - 1]).hexdigest().startswith(first_line_hint)]
        count = len(starts)
    if count * line_count > MAX_LINE_STEPS:
        return None
    found: list[int] = []
    # One text, looked at through windows: to join each span anew would copy every line `line_count` times.
    text = memoryview(b"\n".join(lines))
    begins = list(accumulate((len(line) + 1 for line in lines), initial=0))
    for start in starts:
        span = text[begins[start - 1] : begins[start - 1 + line_count] - 1]
        if hashlib.sha256(span).hexdigest().startswith(digest):
            found.append(start)
            if len(found) == 2:
                break
    return tuple(found)


def verdict_of(refused: Refused) -> Verdict:
    """Return the verdict on every reference into a file that the gate refuses."""
    match refused.reason:
        case Reason.MISSING:
            return Verdict.DELETED
        case Reason.NO_PERMISSION | Reason.UNREADABLE:
            return Verdict.UNREADABLE
        case _:
            return Verdict.EXCLUDED


def all_valid(verified: Iterable[Verified]) -> bool:
    """Whether there is at least one reference and every one still holds."""
    verdicts = [item.verdict for item in verified]
    return bool(verdicts) and all(verdict in HOLDS for verdict in verdicts)
