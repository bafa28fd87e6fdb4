"""Verdicts: whether the lines that a reference names are still what they were."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from attrs import frozen

from vademecum.evidence.reference import Reference
from vademecum.evidence.spans import MAX_LINE_STEPS, Spans, Wanted
from vademecum.files.content import Content, Reason, Refused
from vademecum.files.gate import Gate
from vademecum.files.lines import span_hash
from vademecum.work import Cancel

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
        for verified in verify_each(asked, read, first_line_hints, cancel):
            told[verified.reference] = verified
    return [told[reference] for reference in references]


def verify_in(reference: Reference, content: Content, first_line_hint: str | None = None) -> Verified:
    """Return the verdict on `reference` for `content`, which must be that of its file.

    :param first_line_hint: the first 16 digits of the SHA-256 of the span's first line, if known: fewer places are
        tried.
    """
    return next(verify_each((reference,), content, {reference: first_line_hint}))


def verify_each(
    references: Iterable[Reference],
    content: Content,
    first_line_hints: Mapping[Reference, str | None] = _NO_HINTS,
    cancel: Cancel | None = None,
) -> Iterator[Verified]:
    """Yield the verdicts on different references into one file, in any order.

    Lines that have to be looked for are so for all spans at once, in one pass through the file, however many lengths
    they have.

    :raises Cancelled: when told to stop.
    """
    asked = list(references)
    # Whoever hashes more lines than there are does well to put them together once.
    spans = Spans(content.lines) if sum(one.line_count for one in asked) > len(content.lines) else None
    standing = spans.at({(one.start, one.line_count) for one in asked}, cancel) if spans is not None else None
    moved: dict[tuple[int, str | None], list[Reference]] = {}
    for one in asked:
        if standing is not None:
            now = standing.get((one.start, one.line_count))
        else:
            now = span_hash(content.lines, one.start, one.end)
        if now is not None and now.startswith(one.digest):
            yield Verified(one, Verdict.VALID)
        else:
            moved.setdefault((one.line_count, first_line_hints.get(one)), []).append(one)
    if not moved:
        return
    wanted = [Wanted(count, hint, frozenset(each.digest for each in those)) for (count, hint), those in moved.items()]
    found = (spans or Spans(content.lines)).find(wanted, cancel)
    for those in moved.values():
        for one in those:
            yield _looked_for(one, found.get((one.line_count, one.digest), {}))


def _looked_for(reference: Reference, places: Mapping[int, str]) -> Verified:
    """The verdict on lines that do not stand where they did but begin at `places`, which tell their whole hashes."""
    if not places:
        return Verified(reference, Verdict.CHANGED)
    if len(places) > 1:
        return Verified(reference, Verdict.AMBIGUOUS)
    ((start, digest),) = places.items()
    end = start + reference.line_count - 1
    return Verified(reference, Verdict.RELOCATED, Reference(reference.path, start, end, digest))


def relocate(lines: Sequence[bytes], digest: str, line_count: int) -> tuple[int, ...] | None:
    """Return the first lines of all spans of `line_count` lines with this digest (two at most, which is ambiguous).

    None when looking would take more than `MAX_LINE_STEPS`.
    """
    if max(len(lines) - line_count + 1, 0) * line_count > MAX_LINE_STEPS:
        return None
    found = Spans(lines).find([Wanted(line_count, None, frozenset({digest}))])
    return tuple(found[line_count, digest])


def verdict_of(refused: Refused) -> Verdict:
    """Return the verdict on every reference into a file that the gate refuses."""
    match refused.reason:
        case Reason.MISSING:
            return Verdict.DELETED
        case Reason.NO_PERMISSION | Reason.UNREADABLE | Reason.SILENT:
            return Verdict.UNREADABLE
        case _:
            return Verdict.EXCLUDED


def all_valid(verified: Iterable[Verified]) -> bool:
    """Whether there is at least one reference and every one still holds."""
    verdicts = [item.verdict for item in verified]
    return bool(verdicts) and all(verdict in HOLDS for verdict in verdicts)
