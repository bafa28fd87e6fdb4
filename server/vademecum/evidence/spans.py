"""The spans of a file's lines by their hashes: what stands where, and where else it stands.

A span's hash says nothing of the hashes of others, but SHA-256 goes on where it was: all spans that begin at a line are
hashed in one go, however many lengths are wanted. So the work grows with the file, not with what is asked of it.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

from attrs import frozen

from vademecum.evidence.reference import LEAST_DIGITS, PRINTED_DIGITS
from vademecum.work import Cancel

#: How much work looking for moved lines may be: places tried times lines in each. Past it the verdict is `changed`,
#: which is never wrong about what stands at the reference, only less helpful.
MAX_LINE_STEPS = 200_000


@frozen
class Wanted:
    """Spans of a length that are looked for.

    :param first_line_hint: the first 16 digits of the SHA-256 of their first line, if known: fewer places are tried.
    :param digests: of the spans, each at least `LEAST_DIGITS` long.
    """

    line_count: int
    first_line_hint: str | None
    digests: frozenset[str]


class Spans:
    """The spans of a file's lines, which may be looked through several times."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._lines = lines
        # One text, looked at through windows: to join each span anew would copy every line `line_count` times.
        self._text = memoryview(b"\n".join(lines))
        self._begins = list(accumulate((len(line) + 1 for line in lines), initial=0))

    def at(self, places: Collection[tuple[int, int]], cancel: Cancel | None = None) -> dict[tuple[int, int], str]:
        """Return the hash of each span, given by its first line and how many lines it has; without those that are not
        all in the file.

        :raises Cancelled: when told to stop.
        """
        counts: dict[int, list[int]] = {}
        for start, count in sorted(places):
            if start + count - 1 <= len(self._lines):
                counts.setdefault(start, []).append(count)
        told = {}
        for start, those in counts.items():
            if cancel is not None:
                cancel.check()
            for count, digest in self._hashes(start, those):
                told[start, count] = digest.hex()
        return told

    def find(self, wanted: Iterable[Wanted], cancel: Cancel | None = None) -> dict[tuple[int, str], dict[int, str]]:
        """Return, for each length and digest, the first lines of its spans, two at most, with their whole hashes.

        What would take more than `MAX_LINE_STEPS` is not looked for, and not told.

        :raises Cancelled: when told to stop.
        """
        found: dict[tuple[int, str], dict[int, str]] = {}
        by_beginning: dict[tuple[int, bytes], list[str]] = {}
        everywhere: list[int] = []
        hinted: dict[int, list[int]] = {}
        for each in wanted:
            count, last = each.line_count, len(self._lines) - each.line_count + 1
            starts: Sequence[int] = range(1, last + 1)
            if each.first_line_hint:
                starts = [start for start in self._first_lines.get(each.first_line_hint, ()) if start <= last]
            if len(starts) * count > MAX_LINE_STEPS:
                continue
            for digest in each.digests:
                if (count, digest) not in found:
                    found[count, digest] = {}
                    by_beginning.setdefault((count, bytes.fromhex(digest[:LEAST_DIGITS])), []).append(digest)
            if not each.first_line_hint:
                everywhere.append(count)
            else:
                for start in starts:
                    hinted.setdefault(start, []).append(count)
        everywhere = sorted(set(everywhere))
        starts = range(1, len(self._lines) - everywhere[0] + 2) if everywhere else sorted(hinted)
        for start in starts if not everywhere else sorted({*starts, *hinted}):
            if cancel is not None:
                cancel.check()
            counts = everywhere[: bisect_right(everywhere, len(self._lines) - start + 1)]
            if start in hinted:
                counts = sorted({*counts, *hinted[start]})
            for count, now in self._hashes(start, counts):
                for digest in by_beginning.get((count, now[: LEAST_DIGITS // 2]), ()):
                    places = found[count, digest]
                    if len(places) < 2 and now.hex().startswith(digest):
                        places[start] = now.hex()
        return found

    def _hashes(self, start: int, counts: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """The hashes of the spans of so many lines, in rising order, that begin at a line."""
        at = self._begins[start - 1]
        digest = hashlib.sha256()
        for count in counts:
            end = self._begins[start - 1 + count] - 1
            digest.update(self._text[at:end])
            at = end
            yield count, digest.digest()

    @cached_property
    def _first_lines(self) -> Mapping[str, Sequence[int]]:
        """Where lines stand, by the beginning of their hash."""
        places: dict[str, list[int]] = {}
        for number, line in enumerate(self._lines, start=1):
            places.setdefault(hashlib.sha256(line).hexdigest()[:PRINTED_DIGITS], []).append(number)
        return places
