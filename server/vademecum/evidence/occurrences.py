"""References as they stand in running text: in prose and code, in tables and lists, in any language.

What makes a reference is its end, `:start-end@hash`, which hardly anything else looks like; where its path begins is
a matter of what stands around it. The rule:

- A path begins after a blank, a quote, a backtick, `<`, `>`, `|`, `*`, a long dash, an arrow, CJK punctuation, a
  bracket that is not closed within the path (`app/[id]/page.tsx` holds its brackets, `(src/a.py:1-2@…)` stands in
  them), or the end of the reference before it; at the latest where the line does.
- Some paths go on where that rule sees their beginning (blanks: `docs/my notes.md`), and in some texts something
  stands before them that the rule takes for a part (`see=src/a.py`, a CJK word, an emoji). So an occurrence has several
  `readings`, the longest first, and whoever knows the files takes the first whose file is there. Where there is none,
  the `usual` one counts: the whole of a code span in backticks, else the shortest.
- URLs, absolute paths, paths in the home directory, drive letters and `..` are no references (see `reference`).

Lines are those of the line model: LF, CRLF and CR end them, and nothing else. A reference lies within one line.
"""

import re
from collections.abc import Iterator

from attrs import frozen

from vademecum.errors import VademecumError
from vademecum.evidence.reference import MAX_CHARACTERS, Reference, parse
from vademecum.work import Cancel

# Begins with a plain character, so that the engine goes through megabytes that hold none at the speed of memory.
_HASH = re.compile(r"@[0-9A-Fa-f]{12,64}(?![0-9A-Za-z_])")
_LINES = re.compile(r":[1-9][0-9]{0,8}-[1-9][0-9]{0,8}\Z")
_LINES_CHARACTERS = 20
#: Characters searched at a stretch, which nobody can interrupt: a few milliseconds.
_STRETCH = 1 << 18

_BRACKETS = {")": "(", "]": "[", "}": "{", "）": "（", "］": "［", "】": "【", "》": "《", "〉": "〈", "〕": "〔"}
_OPENING = frozenset(_BRACKETS.values())
_QUOTES = frozenset("'‘’")
_STOPS = frozenset('`"|<>*“”„«»‹›「」『』—–→⇒•，。、；：！？…')
_LOOSE = ",;:=!"
_SEPARATOR = re.compile(r"[,;:=]")
_CJK = "\u1100-\u11ff\u2e80-\u2fdf\u3040-\u30ff\u3100-\u312f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_SYMBOLS = "\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
_FOREIGN_THEN_LATIN = re.compile(rf"(?<=[{_CJK}{_SYMBOLS}])(?=[0-9A-Za-z_@])")
_CJK_RUN = re.compile(rf"[{_CJK}]{{1,12}}")

#: How many later beginnings of one path are tried, the shortest paths first. Far more than any real text offers; each
#: is a look at the disk, and a line of commas would offer thousands.
_MOST_WITHIN = 16
#: How many words before a blank may belong to a path.
_MOST_WORDS = 8


@frozen
class Reading:
    """One way to read an occurrence.

    :param start: where it begins, in code points of the text.
    """

    start: int
    reference: Reference


@frozen
class Occurrence:
    """A reference in a text. Offsets are in code points.

    :param end: the offset after its last character.
    :param line: its line, from 0.
    :param line_start: the offset of that line.
    :param readings: every way to read it, the longest first.
    :param usual: the one that counts when the file of none is there.
    """

    end: int
    line: int
    line_start: int
    readings: tuple[Reading, ...]
    usual: Reading


def find(text: str, limit: int | None = None, cancel: Cancel | None = None) -> Iterator[Occurrence]:
    """Yield the references in `text` in their order, at most `limit`.

    :raises Cancelled: when told to stop.
    """
    found = 0
    line, line_start, floor = 0, 0, 0
    for end, colon in _ends(text, cancel):
        breaks = text.count("\n", line_start, colon) + text.count("\r", line_start, colon)
        if breaks:
            line += breaks - text.count("\r\n", line_start, colon)
            line_start = max(text.rfind("\n", line_start, colon), text.rfind("\r", line_start, colon)) + 1
        readings = _readings(text, max(line_start, floor, end - MAX_CHARACTERS), colon, end)
        if readings is None:
            continue
        yield Occurrence(end, line, line_start, *readings)
        floor = end
        found += 1
        if found == limit:
            return


def _ends(text: str, cancel: Cancel | None) -> Iterator[tuple[int, int]]:
    """Yield the offset after each end of a reference, and that of the colon before its lines."""
    place = 0
    while place < len(text):
        if cancel is not None:
            cancel.check()
        stop = min(place + _STRETCH, len(text))
        following = stop
        for match in _HASH.finditer(text, place, stop):
            if match.end() == stop < len(text) and match.start() > place:
                following = match.start()  # it may go on: it is looked at again, whole
                break
            lines = _LINES.search(text, max(0, match.start() - _LINES_CHARACTERS), match.start())
            if lines is not None:
                yield match.end(), lines.start()
        else:
            following = max(place + 1, stop - _tail(text, place, stop))
        place = following


def _tail(text: str, place: int, stop: int) -> int:
    """How many characters before `stop` may be the beginning of a hash that the next stretch goes on with."""
    if stop == len(text):
        return 0
    at = text.rfind("@", max(place, stop - 65), stop)
    return stop - at if at >= 0 and _HASH.match(text, at, stop) is None else 0


def _readings(text: str, floor: int, colon: int, end: int) -> tuple[tuple[Reading, ...], Reading] | None:
    word = _word_start(text, floor, colon, end)
    while word < colon and text[word] in _LOOSE:
        word += 1
    written = text[word:colon]
    if not written or "://" in written or written.startswith("~/"):
        return None
    starts = {word}
    starts.update(sorted(_within(written, word))[-_MOST_WITHIN:])
    usual = _code_span(text, floor, colon, end)
    if usual is None:
        usual = max(starts)
    else:
        starts.add(usual)
    starts.update(_over_blanks(text, floor, word))
    read = {start: reading for start in sorted(starts) if (reading := _read(text, start, end)) is not None}
    if word not in read or usual not in read:
        return None
    return tuple(read.values()), read[usual]


def _read(text: str, start: int, end: int) -> Reading | None:
    try:
        return Reading(start, parse(text[start:end]))
    except VademecumError:
        return None


def _word_start(text: str, floor: int, colon: int, end: int) -> int:
    """Where the path begins by the rule above."""
    open_closers: list[tuple[str, int]] = []
    following = text[end : end + 1]
    at = colon
    while at > floor:
        one = text[at - 1]
        if one in _STOPS or one.isspace() or not one.isprintable():
            break
        if one in _QUOTES and (following in _QUOTES or at - 1 == floor or not text[at - 2].isalnum()):
            break
        if one in _BRACKETS:
            open_closers.append((_BRACKETS[one], at))
        elif one in _OPENING:
            if not open_closers or open_closers[-1][0] != one:
                break
            open_closers.pop()
        at -= 1
    return open_closers[0][1] if open_closers else at


def _within(written: str, word: int) -> Iterator[int]:
    """Where a path may begin later than the rule says: after a separator, a CJK word or a symbol."""
    for match in _SEPARATOR.finditer(written):
        if match.end() < len(written):
            yield word + match.end()
    head = written.partition("/")[0]
    for match in _FOREIGN_THEN_LATIN.finditer(head):
        yield word + match.start()


def _code_span(text: str, floor: int, colon: int, end: int) -> int | None:
    """The start of what stands in backticks, when the reference ends it."""
    if text[end : end + 1] != "`":
        return None
    start = text.rfind("`", floor, colon) + 1
    if start <= floor:
        return None
    while start < colon and text[start] == " ":
        start += 1
    return start if start < colon else None


def _over_blanks(text: str, floor: int, word: int) -> Iterator[int]:
    """Where a path may begin earlier than the rule says, as it may hold blanks; and within a CJK word."""
    run = _CJK_RUN.match(text, word)
    if run is not None:
        yield from range(word + 1, run.end())
    at = word
    for _ in range(_MOST_WORDS):
        blank = at
        while blank > floor and text[blank - 1] in " \u00a0\u3000":
            blank -= 1
        start = blank
        while start > floor and not text[start - 1].isspace() and text[start - 1] not in _STOPS:
            start -= 1
        enclosed = at > floor and (text[at - 1] in _OPENING or text[at - 1] in _QUOTES)
        if start == blank or (blank == at and not enclosed):
            return
        yield start
        if text[start] in _OPENING or text[start] in _QUOTES:
            yield start + 1
        at = start
