"""Which of many lines no longer hold, asked again and again of files that hardly change.

A file whose stamp is the same, and was settled when its lines were last compared, is not read again; whether it may be
read at all is asked every time.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from vademecum.evidence.records import Held
from vademecum.evidence.verdicts import HOLDS, Verdict, verdict_of, verify_each
from vademecum.files.content import Content, Refused, Stamp
from vademecum.files.gate import Gate
from vademecum.work import Cancel

#: How many files are remembered, some hundred bytes each.
MOST_FILES = 4_096

#: Lines of a file: their hash, how many they are, the first one.
_Place = tuple[str, int, int]
_NOTHING: frozenset[_Place] = frozenset()


class Standing:
    """What was found to hold, and in which state of its file. Safe for use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._proven: OrderedDict[str, tuple[Stamp, frozenset[_Place]]] = OrderedDict()

    def lost(self, held: Iterable[Held], gate: Gate, cancel: Cancel) -> dict[Held, Verdict]:
        """Return what of `held` no longer holds, with why; unsaved text of the editor counts as the file.

        :raises Cancelled: when told to stop.
        """
        by_path: dict[str, list[Held]] = {}
        for each in held:
            by_path.setdefault(each.path, []).append(each)
        open_ = {str(path) for path in gate.buffers.paths()}
        lost: dict[Held, Verdict] = {}
        unproven: dict[str, Sequence[Held]] = {}
        for path, stamp in gate.stamps(by_path).items():
            asked = by_path[path]
            if isinstance(stamp, Refused):
                lost.update(dict.fromkeys(asked, verdict_of(stamp)))
                continue
            proven = _NOTHING if open_ and str(gate.absolute(path)) in open_ else self._known(path, stamp)
            if rest := [each for each in asked if _place(each) not in proven]:
                unproven[path] = rest
        for path, read in gate.read_many(unproven).items():
            cancel.check()
            lost.update(self._compared(path, unproven[path], read))
        return lost

    def _known(self, path: str, stamp: Stamp | None) -> frozenset[_Place]:
        with self._lock:
            before, proven = self._proven.get(path, (None, _NOTHING))
        return proven if before is not None and before == stamp else _NOTHING

    def _compared(self, path: str, asked: Sequence[Held], read: Content | Refused) -> dict[Held, Verdict]:
        if isinstance(read, Refused):
            return dict.fromkeys(asked, verdict_of(read))
        references = {each: each.reference for each in asked}
        hints = {reference: each.first_line for each, reference in references.items()}
        by_reference = {one.reference: one.verdict for one in verify_each(hints, read, hints)}
        told = {each: by_reference[reference] for each, reference in references.items()}
        if read.stamp is not None and read.stamp.settled(time.time_ns()):
            holding = frozenset(_place(each) for each, verdict in told.items() if verdict in HOLDS)
            self._remember(path, read.stamp, holding)
        return {each: verdict for each, verdict in told.items() if verdict not in HOLDS}

    def _remember(self, path: str, stamp: Stamp, holding: frozenset[_Place]) -> None:
        with self._lock:
            before, proven = self._proven.pop(path, (None, _NOTHING))
            self._proven[path] = (stamp, proven | holding if before == stamp else holding)
            while len(self._proven) > MOST_FILES:
                self._proven.popitem(last=False)


def _place(held: Held) -> _Place:
    return (held.digest, held.lines, held.start)
