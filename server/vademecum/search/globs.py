"""Path patterns of a query, as expressions that the index itself can apply.

`*` and `?` stay within one path part, `**` spans any number, `[a-z]`, `[!a-z]` and `{a,b}` work as in an editor.
A pattern with a slash before its end is anchored at the top; one without is looked for in every folder. A pattern that
matches a folder takes in all that is below it: `src`, `src/`, `src/**` and `/src` say the same of a folder at the top.
A pattern that begins with `!` leaves out what it matches.
"""

from collections.abc import Mapping

from attrs import frozen

from vademecum.errors import InvalidField

MAX_PATTERNS = 100
MAX_PATTERN = 500
"""Characters of one pattern."""

_SPECIAL = frozenset("\\.+*?()|[]{}^$#&-~")
_ESCAPABLE = frozenset("*?[]{}!\\,")


@frozen
class PathFilter:
    """Regular expressions over whole paths, each under the pattern that it was made of: a path must match one of the
    first, where there are any, and none of the second. They stay apart, since the index bounds the size of each."""

    include: Mapping[str, str]
    exclude: Mapping[str, str]


def path_filter(patterns: tuple[str, ...]) -> PathFilter:
    """The filter that a query's patterns make.

    :raises InvalidField: for a pattern that cannot be understood.
    """
    if len(patterns) > MAX_PATTERNS:
        raise InvalidField("paths", f"may hold at most {MAX_PATTERNS} patterns")
    include = {pattern: expression(pattern) for pattern in patterns if not pattern.startswith("!")}
    exclude = {pattern: expression(pattern[1:]) for pattern in patterns if pattern.startswith("!")}
    return PathFilter(include, exclude)


def beginning(text: str) -> str:
    """The regular expression of the paths that begin with a text, whatever characters it holds."""
    return "".join(map(_literal, text)) + ".*"


def expression(pattern: str) -> str:
    """The regular expression of one pattern, without its `!`, to be matched against whole paths.

    :raises InvalidField: for an empty one, one that leaves the folder, or one with a bracket that is never closed.
    """
    text = pattern.strip().removeprefix("./")
    if not text or len(text) > MAX_PATTERN or "\0" in text:
        raise InvalidField("paths", f"each pattern has 1 to {MAX_PATTERN} characters")
    anchored = "/" in text.rstrip("/") or text.startswith("/")
    body = text.strip("/")
    if body in {"", ".", "**", "*"}:
        return ".*"
    if ".." in body.split("/"):
        raise InvalidField("paths", f"{pattern[:60]!r} leaves the folder; patterns are relative to its top")
    head = "" if anchored else "(.*/)?"
    return f"{head}{_translate(body, pattern)}(/.*)?"


def _translate(body: str, pattern: str) -> str:
    out: list[str] = []
    depth = 0
    place = 0
    while place < len(body):
        here = body[place]
        if body.startswith("**", place) and (place == 0 or body[place - 1] == "/"):
            after = place + 2
            if after == len(body):
                out.append(".*")
            elif body[after] == "/":
                out.append("(.*/)?")
                after += 1
            else:
                out.append(".*")
            place = after
            continue
        place += 1
        match here:
            case "*":
                while place < len(body) and body[place] == "*":
                    place += 1
                out.append("[^/]*")
            case "?":
                out.append("[^/]")
            case "[":
                text, place = _class(body, place, pattern)
                out.append(text)
            case "{":
                depth += 1
                out.append("(")
            case "}" if depth:
                depth -= 1
                out.append(")")
            case "," if depth:
                out.append("|")
            case "\\":
                if place < len(body) and body[place] in _ESCAPABLE:
                    out.append(_literal(body[place]))
                    place += 1
                else:
                    # Windows' own separator.
                    out.append("/")
            case _:
                out.append(_literal(here))
    if depth:
        raise InvalidField("paths", f"{pattern[:60]!r} has a '{{' that is never closed")
    return "".join(out)


def _class(body: str, place: int, pattern: str) -> tuple[str, int]:
    end = body.find("]", place + 1)
    if end < 0:
        raise InvalidField("paths", f"{pattern[:60]!r} has a '[' that is never closed")
    inside = body[place:end]
    negated = inside[:1] in {"!", "^"}
    if negated:
        inside = inside[1:]
    if not inside or "/" in inside:
        raise InvalidField("paths", f"{pattern[:60]!r} has brackets that match nothing")
    parts: list[str] = []
    position = 0
    while position < len(inside):
        low = inside[position]
        if position + 2 < len(inside) and inside[position + 1] == "-":
            high = inside[position + 2]
            if low > high:
                raise InvalidField("paths", f"{pattern[:60]!r} has a range that is the wrong way round")
            parts.append(f"{_literal(low)}-{_literal(high)}")
            position += 3
        else:
            parts.append(_literal(low))
            position += 1
    return f"[{'^/' if negated else ''}{''.join(parts)}]", end + 1


def _literal(character: str) -> str:
    return f"\\{character}" if character in _SPECIAL else character
