"""What memories rest on: references to code, held against the working trees of their projects each time one is shown.

Nothing is written: a memory whose lines changed is stale here and now, and true again when the bytes come back. What
was found out is remembered by the state of the file, so that thousands of memories cost no more than a look at the
files' stamps; whether a file may be read at all is asked every time.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from attrs import frozen

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.evidence.reference import Reference, mint, parse, parse_lines
from vademecum.evidence.spans import MAX_LINE_STEPS
from vademecum.evidence.verdicts import HOLDS, Verdict, Verified, verdict_of, verify_in
from vademecum.files.content import Content, Reason, Refused, Stamp
from vademecum.files.gate import Gate
from vademecum.files.lines import span_hash
from vademecum.memory.types import Evidence

#: Gives the gate of an open folder; None where its files cannot be read.
GateOf = Callable[[Path], Gate | None]

#: Open folders of one project.
Folders = tuple[Path, ...]

#: References that one memory may carry.
MOST = 64

#: How much work looking for moved lines may be in one request, in the steps of `MAX_LINE_STEPS`: about half a second.
#: Past it the verdict is `changed`, which is never wrong about what stands at the reference; the next request looks on.
MOST_LINE_STEPS = 500_000

#: Files whose verdicts are remembered, some hundred bytes each.
_MOST_FILES = 16_384
#: References whose text is remembered as read, some hundred bytes each.
_MOST_READ = 65_536

#: The verdicts of a folder that does not know the file, so that another folder of the project is asked.
_UNKNOWN_HERE = (Verdict.DELETED, Verdict.EXCLUDED)

_KINDS = {Verdict.DELETED: ErrorKind.NOT_FOUND, Verdict.EXCLUDED: ErrorKind.EXCLUDED}
_WHY = {
    Verdict.CHANGED: "the lines are not what they were when this was cited; cite them anew",
    Verdict.AMBIGUOUS: "the lines have moved, and stand in the file more than once; cite them anew",
    Verdict.DELETED: "there is no such file",
    Verdict.EXCLUDED: "the file may not be read",
    Verdict.UNREADABLE: "the file cannot be read",
}


@frozen
class _Known:
    """What was found of references (as they are written) into a file with these bytes.

    `stamp` is None while equal stamps prove nothing.
    """

    stamp: Stamp | None
    digest: bytes
    told: Mapping[str, Evidence]


class Grounds:
    """Judges references. Safe for use from several threads. Without `gate_of` nobody can tell, and all are taken."""

    def __init__(self, gate_of: GateOf | None) -> None:
        self._gate_of = gate_of
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[Path, str], _Known] = OrderedDict()

    def judge(self, asked: Mapping[Folders, Iterable[str]]) -> dict[Folders, dict[str, Evidence]]:
        """Return what is to be shown of references, each given under the folders of the project that it belongs to.

        One holds when it does in one of the folders. What is no reference, having been written by hand, has no verdict.
        """
        if self._gate_of is None:
            return {folders: {text: Evidence(text) for text in texts} for folders, texts in asked.items()}
        by_folder: dict[Path, dict[str, list[str]]] = {}
        for folders, texts in asked.items():
            for text in texts:
                if (reference := _read(text)) is not None:
                    for folder in folders:
                        by_folder.setdefault(folder, {}).setdefault(reference.path, []).append(text)
        steps = _Steps()
        told = {folder: self._in_folder(folder, by_path, steps) for folder, by_path in by_folder.items()}
        answer: dict[Folders, dict[str, Evidence]] = {}
        for folders, texts in asked.items():
            if len(folders) == 1 and folders[0] in told:
                known = told[folders[0]]
                answer[folders] = {text: known[text] if text in known else Evidence(text) for text in texts}
            else:
                found = [told[folder] for folder in folders if folder in told]
                answer[folders] = {text: _best(text, [one[text] for one in found if text in one]) for text in texts}
        return answer

    def settled(self, given: Sequence[str], folders: Sequence[Path], known: Collection[str] = ()) -> tuple[str, ...]:
        """Return references that a caller gave in the form in which they are kept, without repeats.

        A hash that was left out is taken from the file as it is now; lines that moved are named where they are now.

        :param folders: those of the project; with none, nobody can tell, and whole references are taken as they are.
        :param known: references that the memory carries already, which stay as they are, true or not.
        :raises InvalidField: `evidence`, when there are too many.
        :raises VademecumError: naming the reference that is none, or does not hold, or names a file that may not be
            read: `invalidReference`, `notFound`, `excluded`, `outsideWorkspace`.
        """
        if len(given) > MOST:
            raise InvalidField("evidence", f"may hold {MOST} references, not {len(given):,}")
        gates = [gate for folder in folders if (gate := self._gate(folder)) is not None]
        kept = [text if text in known else self._settled(f"evidence[{n}]", text, gates) for n, text in enumerate(given)]
        return tuple(dict.fromkeys(kept))

    def forget(self) -> None:
        """Drop what was found out."""
        with self._lock:
            self._known.clear()

    def _gate(self, folder: Path) -> Gate | None:
        return None if self._gate_of is None else self._gate_of(folder)

    def _settled(self, field: str, text: str, gates: Sequence[Gate]) -> str:
        try:
            lines = parse_lines(text)
            reference = parse(text) if lines is None else None
        except VademecumError as error:
            raise _unusable(field, error.kind, error.message) from None
        if not gates:
            if reference is None:
                raise _unusable(field, ErrorKind.INVALID_REFERENCE, "write its hash, since no open folder has the file")
            return str(reference)
        refused: list[VademecumError] = []
        for gate in gates:
            read = gate.read(reference.path if reference else lines[0] if lines else "")
            if isinstance(read, Refused):
                refused.append(_refusal(field, read))
                continue
            if lines is not None:
                try:
                    return str(mint(read, lines[1], lines[2]))
                except VademecumError as error:
                    refused.insert(0, _unusable(field, error.kind, error.message))
                    continue
            assert reference is not None
            told = verify_in(reference, read)
            if told.verdict in HOLDS:
                return str(told.relocated_to or reference)
            refused.insert(0, _unusable(field, ErrorKind.INVALID_REFERENCE, _WHY[told.verdict], told.verdict))
        raise refused[0]

    def _in_folder(self, folder: Path, by_path: Mapping[str, Sequence[str]], steps: "_Steps") -> dict[str, Evidence]:
        gate = self._gate(folder)
        told: dict[str, Evidence] = {}
        if gate is None:
            for asked in by_path.values():
                told.update((text, Evidence(text, Verdict.UNREADABLE)) for text in asked)
            return told
        refused = gate.admit_many(by_path)
        unread: list[str] = []
        for path, asked in by_path.items():
            if path in refused:
                told.update((text, Evidence(text, verdict_of(refused[path]))) for text in asked)
                continue
            known = self._still(path, gate)
            if known is not None and known.told.keys() >= set(asked):
                told.update(known.told)
            else:
                unread.append(path)
        for path, read in gate.read_many(unread).items() if unread else ():
            if isinstance(read, Refused):
                told.update((text, Evidence(text, verdict_of(read))) for text in by_path[path])
            else:
                told.update(self._compared(gate, path, by_path[path], read, steps))
        return told

    def _still(self, path: str, gate: Gate) -> _Known | None:
        """What is known of the file, if its stamp proves that it is still so."""
        with self._lock:
            known = self._known.get((gate.top, path))
        if known is None or known.stamp is None or gate.buffers.get(gate.absolute(path)) is not None:
            return None
        return known if gate.stamp(path) == known.stamp else None

    def _compared(
        self, gate: Gate, path: str, asked: Sequence[str], read: Content, steps: "_Steps"
    ) -> dict[str, Evidence]:
        with self._lock:
            before = self._known.get((gate.top, path))
        known = dict(before.told) if before is not None and before.digest == read.digest else {}
        told = {}
        for text in asked:
            reference = _read(text)
            assert reference is not None
            if text not in known and steps.allow(reference, read):
                known[text] = _shown(text, verify_in(reference, read))
            # Where no more work is allowed, nothing is remembered either.
            told[text] = known.get(text) or Evidence(text, Verdict.CHANGED)
        stamp = read.stamp if read.stamp is not None and read.stamp.settled(time.time_ns()) else None
        with self._lock:
            self._known[gate.top, path] = _Known(stamp, read.digest, known)
            self._known.move_to_end((gate.top, path))
            while len(self._known) > _MOST_FILES:
                self._known.popitem(last=False)
        return told


class _Steps:
    """What is left of the work that one request may do."""

    def __init__(self) -> None:
        self._left = MOST_LINE_STEPS

    def allow(self, reference: Reference, read: Content) -> bool:
        """Whether the reference may be verified; pays for it when its lines have to be looked for."""
        now = span_hash(read.lines, reference.start, reference.end)
        if now is not None and now.startswith(reference.digest):
            return True
        cost = max(len(read.lines) - reference.line_count + 1, 0) * reference.line_count
        if cost > MAX_LINE_STEPS:
            return True  # it will not be looked for
        self._left -= cost
        return self._left >= 0


@lru_cache(maxsize=_MOST_READ)
def _read(text: str) -> Reference | None:
    try:
        return parse(text)
    except VademecumError:
        return None


def _shown(text: str, verified: Verified) -> Evidence:
    relocated_to = verified.relocated_to
    return Evidence(text, verified.verdict, None if relocated_to is None else str(relocated_to))


def _best(text: str, told: Sequence[Evidence]) -> Evidence:
    """What is shown of a reference that several folders were asked about."""
    if not told:
        return Evidence(text)
    holding = next((one for one in told if one.verdict in HOLDS), None)
    return holding or next((one for one in told if one.verdict not in _UNKNOWN_HERE), told[0])


def _refusal(field: str, refused: Refused) -> VademecumError:
    verdict = verdict_of(refused)
    if refused.reason is Reason.OUTSIDE:
        return _unusable(field, ErrorKind.OUTSIDE_WORKSPACE, "the file lies outside the open folder", verdict)
    detail = f" ({refused.detail or refused.reason.value})" if verdict is Verdict.EXCLUDED else ""
    return _unusable(field, _KINDS.get(verdict, ErrorKind.INVALID_REFERENCE), _WHY[verdict] + detail, verdict)


def _unusable(field: str, kind: ErrorKind, why: str, verdict: Verdict | None = None) -> VademecumError:
    data = {} if verdict is None else {"verdict": verdict.value}
    return VademecumError(kind, f"{field}: {why[:1].lower() + why[1:].rstrip('.')}.", field=field, **data)
