"""The promise that nothing stale is given as fresh: every candidate is read again before it becomes a hit."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from enum import StrEnum

from attrs import frozen

from vademecum.evidence.reference import Reference, mint
from vademecum.evidence.verdicts import relocate
from vademecum.files.content import Content, Refused
from vademecum.files.gate import Gate
from vademecum.files.redact import redact
from vademecum.search.candidates import Candidate
from vademecum.search.stored import CLEAN_BYTES

REDACTED_FILES = 128
"""Files whose redacted text is kept, by the hash of their content: looking for secrets costs more than reading."""


class Freshness(StrEnum):
    """What became of an indexed chunk."""

    FRESH = "fresh"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"


@frozen
class Current:
    """A chunk as it is now.

    :param start: its first line now, one-based.
    :param end: its last.
    :param content: the file it was read from, once for all chunks of an answer.
    """

    freshness: Freshness
    start: int
    end: int
    content: Content
    reference: Reference


class Rereader:
    """Reads the files of one answer, each once."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._read: dict[str, Content | Refused] = {}
        self.behind: set[str] = set()
        """Files of which the index is known to be behind."""

    def read(self, paths: Iterable[str]) -> None:
        """Read files that are likely to be asked for, which costs less together than one by one."""
        self._read.update(self._gate.read_many(path for path in paths if path not in self._read))

    def current(self, candidate: Candidate) -> Current | None:
        """The chunk as it is now; None when its file is gone, or not allowed any more, or empty."""
        path = candidate.path
        if path not in self._read:
            self.read([path])
        content = self._read[path]
        if isinstance(content, Refused):
            self.behind.add(path)
            return None
        start, end = candidate.start, candidate.end
        if content.digest[:CLEAN_BYTES] == candidate.clean:  # the very file that was indexed
            reference = Reference(path, start, end, candidate.digest.hex())
            return Current(Freshness.FRESH, start, end, content, reference)
        lines = content.lines
        if end <= len(lines) and _digest(lines[start - 1 : end]) == candidate.digest:
            return Current(Freshness.FRESH, start, end, content, mint(content, start, end))
        self.behind.add(path)
        count = end - start + 1
        found = relocate(lines, candidate.digest.hex(), count)
        if found is not None and len(found) == 1:
            start = found[0]
            return Current(Freshness.MOVED, start, start + count - 1, content, mint(content, start, start + count - 1))
        if not lines:
            return None
        end = min(end, len(lines))
        start = min(start, max(1, end - count + 1))
        return Current(Freshness.CHANGED, start, end, content, mint(content, start, end))


def _digest(lines: tuple[bytes, ...]) -> bytes:
    return hashlib.sha256(b"\n".join(lines)).digest()


class Shown:
    """Texts of files with their secrets redacted, as lines; remembered for files that are shown again and again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: OrderedDict[bytes, tuple[str, ...]] = OrderedDict()

    def lines(self, content: Content, start: int, end: int, clean: bytes) -> Sequence[str]:
        """Lines of the file as they may be shown.

        :param start: the first, one-based.
        :param end: the last, included.
        :param clean: see `vademecum.search.stored.Stored`.
        """
        key = content.digest
        if key[:CLEAN_BYTES] == clean:
            return [line.decode("utf-8", "replace") for line in content.some_lines(start, end)]
        return self._redacted(content, key)[start - 1 : end]

    def _redacted(self, content: Content, key: bytes) -> tuple[str, ...]:
        with self._lock:
            known = self._texts.get(key)
            if known is not None:
                self._texts.move_to_end(key)
                return known
        # The whole file: a key block may begin before the lines that are shown.
        lines = tuple(redact(content.text).split("\n"))
        with self._lock:
            self._texts[key] = lines
            while len(self._texts) > REDACTED_FILES:
                self._texts.popitem(last=False)
        return lines
