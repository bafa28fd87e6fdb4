"""A long body in few lines: its outline and the lines that answer, with what lies between left out and counted."""

import math
import re
from collections.abc import Collection, Sequence

CHARACTERS_A_TOKEN = 4
"""How a token budget counts text."""

HEAD_LINES = 3
"""Lines kept at the beginning in any case: decorators and the signature."""

_DEFINES = re.compile(
    r"^\s*(?:(?:export|default|public|private|protected|internal|static|abstract|final|async|pub(?:\([^)]*\))?|"
    r"override|virtual|inline|unsafe|extern|const)\s+)*"
    r"(?:def|class|fn|func|function|fun|interface|struct|enum|trait|impl|type|module|namespace|sub|macro_rules!|"
    r"protocol|extension|record|object)\b|^\s*#{1,6}\s|^\s*(?:@|#\[)"
)
"""Lines that say what is defined in a body: keywords of many languages, headings, decorators and attributes."""


def cost(text: str) -> int:
    """How many tokens of a budget a text takes."""
    return math.ceil(len(text) / CHARACTERS_A_TOKEN)


def skeleton(lines: Sequence[str], answering: Collection[int], budget: int) -> str | None:
    """The outline of some lines within a token budget; None when not even its first line fits.

    Kept are, as far as the budget reaches and in this order: the first line, lines that answer the query, the rest of
    the head, lines that define something, the last line, and lines by their depth, outer ones first. A run that is left
    out becomes one line that says how many there were.

    :param answering: places in `lines`, from 0, of what answers the query, best first.
    """
    depth = [_depth(line) for line in lines]
    inner = [at for at, line in enumerate(lines) if line.strip()]
    wanted = [0, *answering, *range(1, min(HEAD_LINES, len(lines)))]
    wanted += [at for at in inner if _DEFINES.match(lines[at])]
    wanted += [len(lines) - 1, *sorted(inner, key=lambda at: (depth[at], at))]
    kept: set[int] = set()
    text: str | None = None
    for at in dict.fromkeys(wanted):
        tried = _text(lines, depth, kept | {at})
        if cost(tried) > budget:
            if not kept:
                return None
            if at in answering:
                continue
            break
        kept.add(at)
        text = tried
    return text


def _depth(line: str) -> int:
    bare = line.lstrip()
    return len(line[: len(line) - len(bare)].expandtabs(4))


def _text(lines: Sequence[str], depth: Sequence[int], kept: Collection[int]) -> str:
    out: list[str] = []
    at = 0
    while at < len(lines):
        if at in kept:
            out.append(lines[at])
            at += 1
            continue
        end = at
        while end < len(lines) and end not in kept:
            end += 1
        if end - at == 1 and not lines[at].strip():
            out.append(lines[at])
        else:
            least = min((depth[row] for row in range(at, end) if lines[row].strip()), default=0)
            out.append(f"{' ' * least}… {end - at} {'line' if end - at == 1 else 'lines'}")
        at = end
    return "\n".join(out)
