"""The pattern language of `.gitignore`, for where git itself is not asked: folders without git, `.vademecumignore`.

Written out here, rather than taken from a library, for three reasons that tests show: the libraries at hand decide
for a path and its folders at once, so that `*`, `!*/`, `!*.py` keeps what git ignores; they match characters where git
matches bytes; and they build regular expressions that a stranger's pattern can make run for hours. Here a wildcard is
matched without backtracking (each run between two stars goes to its first place), and `**` over whole segments.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from attrs import field, frozen

_CLASSES: Mapping[str, Callable[[str], bool]] = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "blank": lambda c: c in " \t",
    "cntrl": lambda c: ord(c) < 32 or ord(c) == 127,
    "digit": str.isdigit,
    "graph": lambda c: 33 <= ord(c) < 127,
    "lower": str.islower,
    "print": lambda c: 32 <= ord(c) < 127,
    "punct": lambda c: 33 <= ord(c) < 127 and not c.isalnum(),
    "space": lambda c: c in " \t\n\r\f\v",
    "upper": str.isupper,
    "xdigit": lambda c: c in "0123456789abcdefABCDEF",
}

#: A segment of a pattern: a compiled wildcard, or None for `**`.
_Segment = re.Pattern[str] | None


class _Never(Exception):
    """The pattern can match nothing: a class without its `]`, a backslash at the end."""


@frozen
class Pattern:
    """One line of an ignore file.

    :param source: the line as it was written.
    :param negated: whether a match takes back what earlier lines ignored (`!`).
    :param folder_only: whether it matches folders alone (a trailing `/`).
    :param segments: what the segments of a path have to match, one by one; a pattern without `/` has one segment
        and looks at the last segment of a path.
    :param anchored: whether it speaks of the whole path below its file, rather than of the last segment.
    """

    source: str
    negated: bool
    folder_only: bool
    anchored: bool
    segments: tuple[_Segment, ...] = field(repr=False)

    def matches(self, parts: Sequence[str], is_folder: bool) -> bool:
        """Whether the path of these parts (see `parts_of`), relative to the ignore file, is itself matched."""
        if self.folder_only and not is_folder:
            return False
        if not self.anchored:
            segment = self.segments[0]
            return segment is not None and segment.fullmatch(parts[-1]) is not None
        return _match_segments(self.segments, parts)


def part_of(name: str) -> str:
    """Return a name as git sees it: one character a byte."""
    return name if name.isascii() else os.fsencode(name).decode("latin-1")


def parts_of(path: str) -> tuple[str, ...]:
    """Return the segments of a path as git sees them."""
    return tuple(part_of(path).split("/"))


def parse(data: bytes) -> tuple[Pattern, ...]:
    """Return the patterns in an ignore file; lines that can never match are left out."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    lines = (line.removesuffix("\r") for line in text.split("\n"))
    return tuple(pattern for line in lines if (pattern := parse_line(line)) is not None)


def parse_strings(lines: Iterable[str]) -> tuple[Pattern, ...]:
    """Return the patterns in lines that come from a setting."""
    return parse("\n".join(lines).encode("utf-8", errors="surrogateescape"))


def parse_line(line: str) -> Pattern | None:
    """Return the pattern in one line (one character a byte); None for blank lines, comments, and what never matches."""
    source = _trim(line)
    if not source or source.startswith("#"):
        return None
    body = source.removeprefix("!") if source.startswith("!") else source
    folder_only = body.endswith("/")
    if folder_only:
        body = body[:-1]
    if not body:
        return None
    anchored = "/" in body
    try:
        segments = _compile(body.removeprefix("/") if anchored else body, anchored)
    except _Never:
        return None
    return Pattern(source, source.startswith("!"), folder_only, anchored, segments)


def last_match(patterns: Sequence[Pattern], parts: Sequence[str], is_folder: bool) -> Pattern | None:
    """Return the last of the patterns that matches the path itself: the one that decides."""
    for pattern in reversed(patterns):
        if pattern.matches(parts, is_folder):
            return pattern
    return None


def _trim(line: str) -> str:
    """Drop trailing spaces, except one that a backslash keeps."""
    end = len(line)
    while end and line[end - 1] == " ":
        backslashes = end - 1 - len(line[: end - 1].rstrip("\\"))
        if backslashes % 2:
            break
        end -= 1
    return line[:end]


def _match_segments(segments: Sequence[_Segment], parts: Sequence[str]) -> bool:
    """Match all segments against all parts, keeping the set of places reached instead of backtracking."""
    reached = {0}
    last = len(segments) - 1
    for number, segment in enumerate(segments):
        if segment is None:
            first = min(reached)
            # In the middle `**` stands for any number of folders; at the end for everything inside, at least one part.
            reached = set(range(first + 1, len(parts) + 1)) if number == last else set(range(first, len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and segment.fullmatch(parts[at])}
        if not reached:
            return False
    return len(parts) in reached


@lru_cache(maxsize=4096)
def _compile(body: str, anchored: bool) -> tuple[_Segment, ...]:
    segments: list[_Segment] = []
    tokens: list[str] = []  # regular expressions of one character each; "*" for a star
    stars_only = 0
    at = 0

    def close() -> None:
        nonlocal stars_only
        if anchored and stars_only >= 2 and stars_only == len(tokens):
            segments.append(None)
        else:
            segments.append(_wildcard(tokens))
        tokens.clear()
        stars_only = 0

    while at < len(body):
        character = body[at]
        if character == "\\":
            at += 1
            if at == len(body):
                raise _Never
            character = body[at]
            if character == "/" and anchored:
                close()
            else:
                tokens.append(re.escape(character))
        elif character == "/":
            close()
        elif character == "*":
            tokens.append("*")
            stars_only += 1
        elif character == "?":
            tokens.append("[^/]")
        elif character == "[":
            members, at = _character_class(body, at)
            tokens.append(members)
        else:
            tokens.append(re.escape(character))
        at += 1
    close()
    return tuple(segments)


def _wildcard(tokens: Sequence[str]) -> re.Pattern[str]:
    """Compile one segment: text between two stars is matched at its first place, once and for all (`(?>…)`)."""
    runs = [""]
    for token in tokens:
        if token == "*":
            runs.append("")
        else:
            runs[-1] += token
    first, *rest = runs
    if not rest:
        return re.compile(first, re.DOTALL)
    *inner, end = rest
    middle = "".join(f"(?>.*?{run})" for run in inner if run)
    return re.compile(f"{first}{middle}.*{end}" if end else f"{first}{middle}.*", re.DOTALL)


def _character_class(body: str, start: int) -> tuple[str, int]:
    """Read the class that opens at `start`; return its regular expression and the place of its `]`."""
    at = start + 1
    negated = at < len(body) and body[at] in "!^"
    if negated:
        at += 1
    members: set[int] = set()
    previous = ""
    first = True
    while first or body[at : at + 1] != "]":
        first = False
        character = body[at : at + 1]
        if not character:
            raise _Never
        if character == "\\":
            at += 1
            character = body[at : at + 1]
            if not character:
                raise _Never
            members.add(ord(character))
            previous = character
        elif character == "-" and previous and body[at + 1 : at + 2] not in ("", "]"):
            at += 1
            if body[at] == "\\":
                at += 1
            if at >= len(body):
                raise _Never
            members.update(range(ord(previous), ord(body[at]) + 1))
            previous = ""
        elif character == "[" and body[at + 1 : at + 2] == ":":
            end = body.find("]", at + 2)
            if end < 0:
                raise _Never
            if end == at + 2 or body[end - 1] != ":":
                members.add(ord("["))
                previous = "["
            else:
                test = _CLASSES.get(body[at + 2 : end - 1])
                if test is None:
                    raise _Never
                members.update(code for code in range(128) if test(chr(code)))
                at = end
                previous = ""
        else:
            members.add(ord(character))
            previous = character
        at += 1
    allowed = set(range(1, 256)) - members if negated else members
    allowed.discard(ord("/"))
    if not allowed:
        raise _Never
    return "[" + "".join(f"\\x{code:02x}" for code in sorted(allowed)) + "]", at
