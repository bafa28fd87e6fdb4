"""Where symbols are defined, by a piece of their name or by file, for an editor's lists; and which files there are.

The index knows which names a chunk defines, squeezed (`vademecum.search.entry.squeeze`), so a name is found however it
is spelled. Where the name stands is read from the file as it is now; a name that is no longer there is left out.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from attrs import frozen

from vademecum.evidence.reference import Reference
from vademecum.files.gate import Gate
from vademecum.lexical.index import Snapshot
from vademecum.search.candidates import Candidate
from vademecum.search.entry import squeeze
from vademecum.search.freshness import Rereader
from vademecum.search.globs import beginning
from vademecum.search.stored import unpack
from vademecum.search.types import MAX_QUERY, ContentClass, SymbolKind
from vademecum.work import Cancel

SCANNED = 600
"""Chunks looked at for each way to match; a piece that more of them define is too short to tell them apart."""

TOGETHER = 50
"""Chunks whose files are read at once."""

LONGEST = 40
"""Characters of a name that are looked for with gaps between them; longer ones are matched as a whole alone."""

_ANY = re.compile(".*")
_WORD = re.compile(r"\w+")
_SEPARATORS = re.compile(r"[\s.:\\/#]+")
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|;|%|\"\"\"|''')")

# What stands before a name tells what it names, where a chunk holds several small definitions.
_BEFORE = {
    "class": SymbolKind.CLASS,
    "interface": SymbolKind.INTERFACE,
    "trait": SymbolKind.INTERFACE,
    "protocol": SymbolKind.INTERFACE,
    "enum": SymbolKind.ENUM,
    "struct": SymbolKind.STRUCT,
    "record": SymbolKind.STRUCT,
    "type": SymbolKind.TYPE,
    "typedef": SymbolKind.TYPE,
    "module": SymbolKind.MODULE,
    "namespace": SymbolKind.MODULE,
    "package": SymbolKind.MODULE,
    "const": SymbolKind.CONSTANT,
    "define": SymbolKind.MACRO,
    "macro": SymbolKind.MACRO,
    "def": SymbolKind.FUNCTION,
    "fn": SymbolKind.FUNCTION,
    "fun": SymbolKind.FUNCTION,
    "func": SymbolKind.FUNCTION,
    "function": SymbolKind.FUNCTION,
}


@frozen
class Defined:
    """A symbol, and where its name stands now.

    :param container: what it is a member of, qualified; None at the top of a file.
    :param line: one-based.
    :param text: the whole line, of which the name is `text[start:end]`.
    :param reference: names the lines of the chunk that defines it, as they are now.
    """

    name: str
    kind: SymbolKind | None
    container: str | None
    path: str
    absolute: Path
    line: int
    text: str
    start: int
    end: int
    reference: Reference


def defined(snapshot: Snapshot, gate: Gate, asked: str, limit: int, cancel: Cancel) -> list[Defined]:
    """The symbols whose name is like the last word of `asked`: equal, then beginning so, holding it, its characters.

    Words before the last one (`Circle.area`, `shapes area`) must stand in the path or among what the symbol is a
    member of.

    :raises Unusable: when the index turns out to be damaged.
    :raises Cancelled: when told to stop.
    """
    *within, last = [part for part in _SEPARATORS.split(asked[:MAX_QUERY]) if part] or [""]
    name = squeeze(last)
    if not name or limit < 1:
        return []
    rereader = Rereader(gate)
    found: dict[tuple[str, int, int], Defined] = {}
    for expression in _expressions(name):
        try:
            clause = snapshot.matching("symbol", expression)
        except ValueError:  # a name of a shape that no expression can be made of defines nothing
            continue
        pattern = re.compile(expression)
        hits = snapshot.search(snapshot.filtered(snapshot.all(), [clause]), SCANNED)
        candidates = [Candidate(*unpack(hit.blob("stored"))) for hit in hits]
        candidates = [candidate for candidate in candidates if _is_within(candidate, within)]
        for place in range(0, len(candidates), TOGETHER):
            some = candidates[place : place + TOGETHER]
            rereader.read({candidate.path for candidate in some})
            for candidate in some:
                cancel.check()
                for one in _places(candidate, pattern, rereader, gate):
                    found.setdefault((one.path, one.line, one.start), one)
                    if len(found) == limit:
                        return list(found.values())
    return list(found.values())


def defined_in(snapshot: Snapshot, gate: Gate, path: str, cancel: Cancel) -> list[Defined]:
    """The symbols that a file defines, by line.

    :raises Unusable: when the index turns out to be damaged.
    :raises Cancelled: when told to stop.
    """
    rereader = Rereader(gate)
    found: list[Defined] = []
    for hit in snapshot.search(snapshot.filtered(snapshot.all(), [snapshot.one_of("path", [path])]), SCANNED):
        cancel.check()
        found += _places(Candidate(*unpack(hit.blob("stored"))), _ANY, rereader, gate)
    return sorted(found, key=lambda one: (one.line, one.start))


def paths(snapshot: Snapshot, begin: str, limit: int) -> list[str]:
    """Indexed files whose path begins with a text, by name.

    :raises Unusable: when the index turns out to be damaged.
    """
    clause = snapshot.matching("path", beginning(begin[:MAX_QUERY]))
    found = snapshot.search(snapshot.filtered(snapshot.all(), [clause]), SCANNED)
    return sorted({unpack(hit.blob("stored")).path for hit in found})[:limit]


def _expressions(name: str) -> Iterator[str]:
    """Ways to match a name, the strictest first; it holds letters and digits alone, so nothing needs escaping."""
    yield name
    yield f"{name}.+"
    yield f".+{name}.*"
    if 2 < len(name) <= LONGEST:
        yield ".*".join(("", *name, ""))


def _is_within(candidate: Candidate, within: Sequence[str]) -> bool:
    around = f"{candidate.path} {candidate.symbol or ''}".lower()
    return all(part.lower() in around for part in within)


def _places(candidate: Candidate, pattern: re.Pattern[str], rereader: Rereader, gate: Gate) -> Iterator[Defined]:
    """Where the names of a chunk that match stand in the file as it is now."""
    wanted = {name for name in candidate.defines if pattern.fullmatch(name)}
    current = rereader.current(candidate) if wanted else None
    if current is None:
        return
    lines = [line.decode("utf-8", "replace") for line in current.content.some_lines(current.start, current.end)]
    own = squeeze(candidate.symbol) if candidate.symbol else None
    prose = candidate.content == ContentClass.DOCS
    for name in sorted(wanted):
        place = _place(lines, name, prose)
        if place is None:
            continue
        row, start, end = place
        text = lines[row]
        is_own = name == own
        outer = candidate.symbol.rpartition(".")[0] if is_own and candidate.symbol else ""
        yield Defined(
            name=text[start:end],
            kind=SymbolKind(candidate.kind) if is_own and candidate.kind else _kind(text[:start], prose),
            container=outer or None,
            path=candidate.path,
            absolute=gate.absolute(candidate.path),
            line=current.start + row,
            text=text,
            start=start,
            end=end,
            reference=current.reference,
        )


def _place(lines: Sequence[str], name: str, prose: bool) -> tuple[int, int, int] | None:
    """The line and columns where a name is defined, as far as text alone tells: first outside of comments."""
    spelled = _spelled(name)
    in_comment: tuple[int, int, int] | None = None
    for row, line in enumerate(lines):
        span = _span(line, name, spelled, prose)
        if span is None:
            continue
        if prose or not _COMMENT.match(line):  # a heading of Markdown begins like a comment
            return (row, *span)
        in_comment = in_comment or (row, *span)
    return in_comment


@lru_cache(maxsize=1024)
def _spelled(name: str) -> re.Pattern[str]:
    """A word that squeezes to a name, as plain letters spell it."""
    return re.compile(rf"\b_*{'_*'.join(map(re.escape, name))}_*\b", re.IGNORECASE)


def _span(line: str, name: str, spelled: re.Pattern[str], prose: bool) -> tuple[int, int] | None:
    if (found := spelled.search(line)) is not None:
        return found.span()
    if not line.isascii():  # letters with accents and the like are squeezed to plain ones
        for word in _WORD.finditer(line):
            if squeeze(word.group()) == name:
                return word.span()
    if prose and squeeze(heading := line.strip("# \t")) == name:
        start = line.index(heading)
        return start, start + len(heading)
    return None


def _kind(before: str, prose: bool) -> SymbolKind | None:
    if prose:
        return SymbolKind.HEADING
    words = _WORD.findall(before.lower())
    return next((_BEFORE[word] for word in reversed(words) if word in _BEFORE), None)
