"""What became of the lines that the references in a document name, by the files of the open folders."""

import time
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from vademecum.evidence.occurrences import Occurrence, Reading
from vademecum.evidence.reference import Reference
from vademecum.evidence.verdicts import HOLDS, Verdict, Verified, relocate, verdict_of, verify_each
from vademecum.files.content import Content, Reason, Refused
from vademecum.files.gate import Gate
from vademecum.work import Cancel
from vademecum.workspaces import Workspaces

#: How long the references of one document are judged; what is not judged by then is left without a verdict. Far more
#: than hundreds of ordinary ones take (a millisecond each), but lines looked for in vain in huge files take longer.
MAX_SECONDS = 5.0

_NOT_THERE = frozenset({Reason.MISSING, Reason.OUTSIDE, Reason.BAD_NAME})
_UNKNOWN_HERE = frozenset({Verdict.DELETED, Verdict.EXCLUDED})


@frozen
class Judged:
    """An occurrence with its verdict.

    :param reading: how it is read here.
    :param gate: the folder by whose files it was judged.
    """

    occurrence: Occurrence
    reading: Reading
    gate: Gate
    verified: Verified

    @property
    def reference(self) -> Reference:
        """The reference that stands in the text."""
        return self.reading.reference

    @property
    def verdict(self) -> Verdict:
        """What became of its lines."""
        return self.verified.verdict

    @property
    def start(self) -> int:
        """The offset in the text at which it begins."""
        return self.reading.start

    @property
    def end(self) -> int:
        """The offset in the text after its end."""
        return self.occurrence.end


def gates(workspaces: Workspaces, document: Path | None) -> tuple[Gate, ...]:
    """The gates of the open folders in the order in which they are asked: the document's own first, innermost first."""
    asked = [folder.gate for folder in workspaces.folders]
    if document is None:
        return tuple(asked)
    own = [gate for gate in asked if not isinstance(gate.relative(document), Refused)]
    own.sort(key=lambda gate: len(gate.root.parts), reverse=True)
    return (*own, *(gate for gate in asked if gate not in own))


def read_as(occurrence: Occurrence, asked: Sequence[Gate]) -> Reading:
    """The reading whose file is there in some folder, the longest first; else the usual one."""
    if len(occurrence.readings) == 1:
        return occurrence.usual
    there = (one for one in occurrence.readings if any(is_there(one.reference.path, gate) for gate in asked))
    return next(there, occurrence.usual)


def is_there(path: str, gate: Gate) -> bool:
    """Whether there is something at `path`, on the disk or unsaved, whether or not it may be read."""
    stamp = gate.stamp(path)
    if not isinstance(stamp, Refused) or stamp.reason not in _NOT_THERE:
        return True
    return stamp.reason is Reason.MISSING and gate.buffers.get(gate.absolute(path)) is not None


def judge(occurrences: Sequence[Occurrence], asked: Sequence[Gate], cancel: Cancel) -> tuple[Judged, ...]:
    """Return the verdicts on references, in their order; none without a folder, nor after `MAX_SECONDS`.

    Where several folders know a file, the first in which the lines hold counts, else the first that knows the file.

    :raises Cancelled: when told to stop.
    """
    deadline = time.monotonic() + MAX_SECONDS
    read = [(occurrence, read_as(occurrence, asked)) for occurrence in occurrences]
    told: dict[Reference, tuple[Gate, Verified]] = {}
    for gate in asked:
        left = {
            reading.reference
            for _, reading in read
            if reading.reference not in told or told[reading.reference][1].verdict not in HOLDS
        }
        for verified in _verified(left, gate, cancel, deadline):
            before = told.get(verified.reference)
            if before is None or _better(verified, before[1]):
                told[verified.reference] = (gate, verified)
    return tuple(
        Judged(occurrence, reading, *told[reading.reference])
        for occurrence, reading in read
        if reading.reference in told
    )


def _better(one: Verified, other: Verified) -> bool:
    return one.verdict in HOLDS or (other.verdict in _UNKNOWN_HERE and one.verdict not in _UNKNOWN_HERE)


def _verified(references: set[Reference], gate: Gate, cancel: Cancel, deadline: float) -> list[Verified]:
    """Verdicts by one folder's files. Each file is read once, and let go before the next one is read."""
    by_path: dict[str, list[Reference]] = {}
    for reference in references:
        by_path.setdefault(reference.path, []).append(reference)
    gate.warm(by_path)
    found: list[Verified] = []
    for path in sorted(by_path):
        cancel.check()
        if time.monotonic() > deadline:
            break
        content = gate.read(path)
        if isinstance(content, Refused):
            found += (Verified(reference, verdict_of(content)) for reference in by_path[path])
            continue
        for verified in verify_each(by_path[path], content):
            cancel.check()
            found.append(verified)
            if time.monotonic() > deadline:
                break
    return found


def places(judged: Judged, content: Content) -> tuple[tuple[int, int], ...]:
    """The first and last lines (from 1) where the span of a reference is now, as near as can be told.

    Several when it is ambiguous; of a changed span, what stands in its place today, if anything.
    """
    now = judged.verified.relocated_to or judged.reference
    count = len(content.lines)
    if judged.verdict is Verdict.AMBIGUOUS:
        starts = relocate(content.lines, judged.reference.digest, judged.reference.line_count) or ()
        return tuple((start, start + judged.reference.line_count - 1) for start in starts)
    return ((now.start, min(now.end, count)),) if now.start <= count else ()


def stamps(occurrences: Sequence[Occurrence], asked: Sequence[Gate]) -> tuple[object, ...]:
    """What `stat` says of every file that the references may mean, in every folder: equal answers, equal files."""
    paths = dict.fromkeys(reading.reference.path for one in occurrences for reading in one.readings)
    return tuple((gate.root, path, gate.stamp(path)) for gate in asked for path in paths)
