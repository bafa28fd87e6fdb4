"""Which of many spans no longer hold, asked again and again of files that hardly change.

A file whose stamp is the same, and was settled when its lines were last compared, is not read again; whether it may be
read at all is asked every time.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from attrs import frozen

from vademecum.evidence.reference import Reference
from vademecum.evidence.verdicts import HOLDS, Verdict, verdict_of, verify_in
from vademecum.files.content import Content, Refused, Stamp
from vademecum.files.gate import Gate
from vademecum.work import Cancel

#: How many files are remembered, some hundred bytes each.
MOST_FILES = 4_096


@frozen
class Span:
    """Lines that somebody was given.

    :param first_line: the beginning of the SHA-256 of the first line, if known.
    """

    reference: Reference
    first_line: str | None = None


class Standing:
    """What was found to hold, and in which state of its file. Safe for use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._proven: OrderedDict[str, tuple[Stamp, frozenset[Span]]] = OrderedDict()

    def lost(self, spans: Iterable[Span], gate: Gate, cancel: Cancel) -> dict[Span, Verdict]:
        """Return those of `spans` that no longer hold, with why; unsaved text of the editor counts as the file.

        :raises Cancelled: when told to stop.
        """
        by_path: dict[str, list[Span]] = {}
        for span in spans:
            by_path.setdefault(span.reference.path, []).append(span)
        refused = gate.admit_many(by_path)
        lost: dict[Span, Verdict] = {}
        unproven: dict[str, list[Span]] = {}
        for path, asked in by_path.items():
            if path in refused:
                lost.update(dict.fromkeys(asked, verdict_of(refused[path])))
            elif open_ := self._unproven(path, asked, gate):
                unproven[path] = open_
        for path, read in gate.read_many(unproven).items():
            cancel.check()
            lost.update(self._compared(path, unproven[path], read))
        return lost

    def _unproven(self, path: str, asked: Sequence[Span], gate: Gate) -> list[Span]:
        with self._lock:
            stamp, proven = self._proven.get(path, (None, frozenset[Span]()))
        if stamp is None or gate.buffers.get(gate.absolute(path)) is not None or gate.stamp(path) != stamp:
            return list(asked)
        return [span for span in asked if span not in proven]

    def _compared(self, path: str, asked: Sequence[Span], read: Content | Refused) -> dict[Span, Verdict]:
        if isinstance(read, Refused):
            return dict.fromkeys(asked, verdict_of(read))
        told = {span: verify_in(span.reference, read, span.first_line).verdict for span in asked}
        if read.stamp is not None and read.stamp.settled(time.time_ns()):
            self._remember(path, read.stamp, frozenset(span for span, verdict in told.items() if verdict in HOLDS))
        return {span: verdict for span, verdict in told.items() if verdict not in HOLDS}

    def _remember(self, path: str, stamp: Stamp, held: frozenset[Span]) -> None:
        with self._lock:
            before, proven = self._proven.pop(path, (None, frozenset[Span]()))
            self._proven[path] = (stamp, proven | held if before == stamp else held)
            while len(self._proven) > MOST_FILES:
                self._proven.popitem(last=False)
