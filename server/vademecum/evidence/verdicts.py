"""Verdicts: whether the lines that a reference names are still what they were."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import accumulate

from attrs import frozen

from vademecum.evidence.reference import PRINTED_DIGITS, Reference
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
    """Return the verdicts on many references, in their order; each file is read once, one after the other.

    :param first_line_hints: see `verify_in`.

    :raises Cancelled: when told to stop.
    """
    by_path: dict[str, dict[Reference, None]] = {}
    for reference in references:
        by_path.setdefault(reference.path, {})[reference] = None
    gate.warm(by_path)
    told: dict[Reference, Verified] = {}
    for path, asked in by_path.items():
        read = gate.read(path)
        if isinstance(read, Refused):
            told.update((one, Verified(one, verdict_of(read))) for one in asked)
            continue
        for verified in verify_each(asked, read, first_line_hints):
            if cancel is not None:
                cancel.check()
            told[verified.reference] = verified
    return [told[reference] for reference in references]


def verify_in(reference: Reference, content: Content, first_line_hint: str | None = None) -> Verified:
    """Return the verdict on `reference` for `content`, which must be that of its file.

    :param first_line_hint: the first 16 digits of the SHA-256 of the span's first line, if known: fewer places are
        tried.
    """
    return next(verify_each((reference,), content, {reference: first_line_hint}))


def verify_each(
    references: Iterable[Reference], content: Content, first_line_hints: Mapping[Reference, str | None] = _NO_HINTS
) -> Iterator[Verified]:
    """Yield the verdicts on different references into one file, in any order.

    Lines that have to be looked for are so for all spans of a length at once, in one pass through the file.
    """
    moved: dict[tuple[int, str | None], list[Reference]] = {}
    for one in references:
        now = span_hash(content.lines, one.start, one.end)
        if now is not None and now.startswith(one.digest):
            yield Verified(one, Verdict.VALID)
        else:
            moved.setdefault((one.line_count, first_line_hints.get(one)), []).append(one)
    if not moved:
        return
    spans = _Spans(content.lines)
    for (line_count, hint), asked in moved.items():
        places = spans.find({one.digest for one in asked}, line_count, hint)
        for one in asked:
            yield _looked_for(one, content, None if places is None else places[one.digest])


def _looked_for(reference: Reference, content: Content, places: Sequence[int] | None) -> Verified:
    """The verdict on lines that do not stand where they did but begin at `places`."""
    if not places:
        return Verified(reference, Verdict.CHANGED)
    if len(places) > 1:
        return Verified(reference, Verdict.AMBIGUOUS)
    start, end = places[0], places[0] + reference.line_count - 1
    digest = span_hash(content.lines, start, end)
    assert digest is not None
    return Verified(reference, Verdict.RELOCATED, Reference(reference.path, start, end, digest))


def relocate(lines: Sequence[bytes], digest: str, line_count: int) -> tuple[int, ...] | None:
    """Return the first lines of all spans of `line_count` lines with this digest (two at most, which is ambiguous).

    None when looking would take more than `MAX_LINE_STEPS`.
    """
    found = _Spans(lines).find({digest}, line_count)
    return None if found is None else tuple(found[digest])


class _Spans:
    """The spans of a file's lines, which may be looked through several times."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._lines = lines
        # One text, looked at through windows: to join each span anew would copy every line `line_count` times.
        self._text = memoryview(b"\n".join(lines))
        self._begins = list(accumulate((len(line) + 1 for line in lines), initial=0))

    def find(
        self, digests: Collection[str], line_count: int, first_line_hint: str | None = None
    ) -> dict[str, list[int]] | None:
        """Return, for each digest, the first lines of its spans, two at most; None past `MAX_LINE_STEPS`."""
        last = max(len(self._lines) - line_count + 1, 0)
        starts: Sequence[int] = range(1, last + 1)
        if first_line_hint:
            starts = [start for start in self._first_lines.get(first_line_hint, ()) if start <= last]
        if len(starts) * line_count > MAX_LINE_STEPS:
            return None
        found: dict[str, list[int]] = {digest: [] for digest in digests}
        digits = min(map(len, found))
        wanted: dict[str, list[str]] = {}
        for digest in found:
            wanted.setdefault(digest[:digits], []).append(digest)
        left = len(found)
        for start in starts:
            span = self._text[self._begins[start - 1] : self._begins[start - 1 + line_count] - 1]
            now = hashlib.sha256(span).hexdigest()
            for digest in wanted.get(now[:digits], ()):
                if now.startswith(digest) and len(found[digest]) < 2:
                    found[digest].append(start)
                    left -= len(found[digest]) == 2
            if not left:
                break
        return found

    @cached_property
    def _first_lines(self) -> Mapping[str, Sequence[int]]:
        """Where lines stand, by the beginning of their hash."""
        places: dict[str, list[int]] = {}
        for number, line in enumerate(self._lines, start=1):
            places.setdefault(hashlib.sha256(line).hexdigest()[:PRINTED_DIGITS], []).append(number)
        return places


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
