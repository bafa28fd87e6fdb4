"""Cuts a file into the pieces that are searched: along its syntax tree where there is a grammar, by lines elsewhere.

Chunks of a file never overlap and together hold every line, so that whatever stands in a file is found, and once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from attrs import define, evolve, frozen

from vademecum.search.languages import Language
from vademecum.search.symbols import CONTAINERS, Definition, definition
from vademecum.search.types import SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

log = logging.getLogger(__name__)

CHUNKER_VERSION = 1
"""Raised whenever the same file would be cut differently; indexes made by another version are rebuilt."""

LONGEST = 1.5
"""A definition up to so many times the target stays whole."""

STANDS_ALONE = 10
"""A definition of at least so many lines is a chunk of its own, whatever stands beside it."""

SHORTEST_TAIL = 8
"""Fewer lines than this at the end of a long function stay with the piece before them."""

MAX_DEPTH = 24
"""How deep the tree is followed; deeper nests are cut by lines."""

MAX_NAMES = 200
"""Most names of definitions kept for one chunk."""


@frozen
class Chunk:
    """A piece of a file.

    :param start: first line, one-based.
    :param end: last line, included.
    :param symbol: the definition it is, or is part of, qualified by its parents (`Parser.parse`); None for other text.
    :param names: unqualified names of all that is defined in it, for finding definitions.
    """

    start: int
    end: int
    symbol: str | None = None
    kind: SymbolKind | None = None
    names: tuple[str, ...] = ()


@define
class _Unit:
    """What must not be cut further, in rows from 0, before small ones are put together."""

    start: int
    end: int
    scope: str
    symbol: str | None = None
    kind: SymbolKind | None = None
    names: list[str] = []  # noqa: RUF008  (never mutated: always replaced)
    comment: bool = False

    @property
    def rows(self) -> int:
        return self.end - self.start + 1


def chunk(lines: Sequence[bytes], language: Language, target: int) -> tuple[Chunk, ...]:
    """Cut a file.

    :param lines: the file's lines without their ends, as `vademecum.files.lines.split` gives them.
    :param target: lines a chunk aims at; none is longer than `LONGEST` times it.
    """
    if not lines:
        return ()
    units: list[_Unit] = []
    if language.grammar is not None and (parser := _parser(language.grammar)) is not None:
        try:
            # Joined by \n, so that rows are the lines of the one line model whatever the file's line ends are.
            root = parser.parse(b"\n".join(lines)).root_node
            _outline(root, "", round(target * LONGEST), " > " if language.docs else ".", 0, units, member=False)
        except (RecursionError, ValueError):
            log.info("a file could not be cut along its syntax tree; it is cut by lines", exc_info=True)
            units = []
    merged = _merge(_closed(units, len(lines)), target) if units else []
    if not merged:
        merged = [_Unit(0, len(lines) - 1, "")]
    longest = round(target * LONGEST)
    return tuple(piece for unit in merged for piece in _pieces(unit, lines, target, longest))


@cache
def _parser(grammar: str) -> Parser | None:
    """The parser of a grammar, kept for the life of the process; None when it cannot be had on this platform."""
    import semble_grammars

    try:
        return semble_grammars.get_parser(grammar)  # type: ignore[no-any-return]
    except (
        semble_grammars.GrammarLoadError,
        semble_grammars.LanguageNotFoundError,
        semble_grammars.UnsupportedPlatformError,
        OSError,
        ValueError,
    ) as error:
        log.warning("no grammar for %s: its files are cut by lines (%s)", grammar, error)
        return None


def _rows(node: Node) -> tuple[int, int]:
    start, (end, column) = node.start_point[0], node.end_point
    return start, end - 1 if column == 0 and end > start else end


def _outline(node: Node, scope: str, longest: int, joint: str, depth: int, into: list[_Unit], *, member: bool) -> None:
    for child in node.named_children:
        start, end = _rows(child)
        found = definition(child)
        if found is not None:
            symbol = f"{scope}{joint}{found.name}" if scope else found.name
            if member and found.kind is SymbolKind.FUNCTION:
                found = evolve(found, kind=SymbolKind.METHOD)
            names = [found.name]
            if end - start < longest or depth >= MAX_DEPTH:
                if found.kind in CONTAINERS:
                    _names(found.node, depth, names)
                into.append(_Unit(start, end, scope, symbol, found.kind, names))
            elif found.kind in CONTAINERS:
                first = len(into)
                _members(found, symbol, longest, joint, depth + 1, into)
                head = into[first].start - 1 if len(into) > first else end
                into.insert(first, _Unit(start, max(start, head), symbol, symbol, found.kind, names))
            else:
                _body(child, start, end, symbol, found.kind, names, longest, into)
        elif end - start < longest or depth >= MAX_DEPTH or not child.named_child_count:
            names = []
            if _holds_definitions(child):
                _names(child, depth, names)
            into.append(_Unit(start, end, scope, names=names, comment="comment" in child.type))
        else:
            _outline(child, scope, longest, joint, depth + 1, into, member=member)


def _members(found: Definition, scope: str, longest: int, joint: str, depth: int, into: list[_Unit]) -> None:
    node, body = found.node, found.node.child_by_field_name("body")
    if body is None:
        body = next((child for child in node.named_children if child.type.endswith(("body", "block", "list"))), None)
    member = found.kind is not SymbolKind.MODULE
    _outline(node if body is None else body, scope, longest, joint, depth, into, member=member)


def _body(
    node: Node,
    start: int,
    end: int,
    symbol: str,
    kind: SymbolKind,
    names: list[str],
    longest: int,
    into: list[_Unit],
) -> None:
    """Cut one long function between its statements."""
    cuts = sorted({row for row in _statement_rows(node, longest, 0) if start < row <= end})
    target = max(1, round(longest / LONGEST))
    first = start
    for index, row in enumerate(cuts):
        following = cuts[index + 1] if index + 1 < len(cuts) else end + 1
        if following - first > target and row > first:
            into.append(_Unit(first, row - 1, symbol, symbol, kind, names if first == start else []))
            first = row
    if first > start and end - first < SHORTEST_TAIL and into[-1].rows + end - first < longest:
        into[-1].end = end
    else:
        into.append(_Unit(first, end, symbol, symbol, kind, names if first == start else []))


def _statement_rows(node: Node, longest: int, depth: int) -> Iterable[int]:
    for child in node.named_children:
        start, end = _rows(child)
        yield start
        if end - start >= longest // 2 and depth < MAX_DEPTH:
            yield from _statement_rows(child, longest, depth + 1)


_HOLDERS = (
    "body",
    "block",
    "list",
    "preproc",
    "if_statement",
    "declaration",
    "section",
    "export",
    "namespace",
    "extern",
)


def _holds_definitions(node: Node) -> bool:
    return any(part in node.type for part in _HOLDERS)


def _names(node: Node, depth: int, names: list[str]) -> None:
    """Names of the definitions inside a node, without looking into functions."""
    if depth >= MAX_DEPTH:
        return
    for child in node.named_children:
        if len(names) >= MAX_NAMES:
            return
        found = definition(child)
        if found is not None:
            if found.node == node:
                continue
            names.append(found.name)
            if found.kind in CONTAINERS:
                _names(found.node, depth + 1, names)
        elif _holds_definitions(child):
            _names(child, depth + 1, names)


def _closed(units: list[_Unit], total: int) -> list[_Unit]:
    """The units made disjoint and complete: a gap goes to what follows it, since that is what a comment speaks of."""
    closed: list[_Unit] = []
    for unit in units:
        last = closed[-1].end if closed else -1
        end = min(unit.end, total - 1)
        if end <= last:
            if unit.names:
                closed[-1].names = [*closed[-1].names, *unit.names]
            if closed[-1].symbol is None and unit.symbol is not None:
                closed[-1].symbol, closed[-1].kind = unit.symbol, unit.kind
            continue
        unit.start, unit.end = last + 1, end
        closed.append(unit)
    if closed:
        closed[-1].end = total - 1
    return closed


def _merge(units: list[_Unit], target: int) -> list[_Unit]:
    """Small neighbours put together up to the target; a definition of some size keeps to itself and its comment."""
    merged: list[_Unit] = []
    stands = False
    for unit in units:
        alone = unit.symbol is not None and unit.rows >= STANDS_ALONE
        last = merged[-1] if merged else None
        if last is not None and last.rows + unit.rows <= target and _joins(last, unit, stands, alone):
            merged[-1] = _joined(last, unit)
            stands = stands or alone
        else:
            merged.append(unit)
            stands = alone
    return merged


def _joins(last: _Unit, unit: _Unit, stands: bool, alone: bool) -> bool:
    if stands:
        return unit.symbol is None and not unit.comment and unit.rows <= 3
    if alone:
        return last.symbol is None and (last.comment or last.rows <= 3)
    return last.scope == unit.scope or last.symbol == unit.scope


def _joined(last: _Unit, unit: _Unit) -> _Unit:
    symbol, kind = last.symbol, last.kind
    if symbol is None:
        symbol, kind = unit.symbol, unit.kind
    elif unit.symbol is not None and unit.scope and last.symbol != unit.scope and last.scope == unit.scope:
        # Several small members: the class they belong to says more than the first of them.
        symbol, kind = unit.scope, SymbolKind.CLASS
    return _Unit(
        last.start,
        unit.end,
        last.scope,
        symbol,
        kind,
        [*last.names, *unit.names][:MAX_NAMES],
        comment=last.comment and unit.comment,
    )


def _pieces(unit: _Unit, lines: Sequence[bytes], target: int, longest: int) -> Iterable[Chunk]:
    """The unit as chunks of bounded length, cut at blank lines where there are some near."""
    names = tuple(dict.fromkeys(unit.names))
    start = unit.start
    while unit.end - start + 1 > longest:
        stop = start + target
        blank = next((row for row in range(stop, start + target // 2, -1) if not lines[row - 1].strip()), None)
        stop = stop if blank is None else blank
        yield Chunk(start + 1, stop, unit.symbol, unit.kind, names)
        start, names = stop, ()
    if start == unit.start or any(line.strip() for line in lines[start : unit.end + 1]):
        yield Chunk(start + 1, unit.end + 1, unit.symbol, unit.kind, names)
