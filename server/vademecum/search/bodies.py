"""Whole bodies with their surroundings, for a question that wants to be explained something.

They are put together from the chunks of the index, so that no file is parsed here, where a parser that breaks would
take the server along.
"""

from collections.abc import Sequence

from vademecum.lexical.index import Snapshot
from vademecum.search.candidates import Candidate
from vademecum.search.stored import Stored, unpack

BODY_LINES = 240
"""A body is told whole up to so many lines."""

AROUND_LINES = 60
"""Neighbours of the same scope join a body until it has so many lines."""

MOST_CHUNKS = 2_000
"""Chunks of one file that are looked at."""


def body(snapshot: Snapshot, candidate: Candidate) -> tuple[int, int]:
    """The first and last line, as indexed, of the definition that a chunk is a part of, with its surroundings."""
    chunks = chunks_of(snapshot, candidate.path)
    own = next((at for at, chunk in enumerate(chunks) if chunk.start == candidate.start), None)
    if own is None:
        return candidate.start, candidate.end
    first = last = own
    # The pieces of one long definition have its name.
    while candidate.symbol and first > 0 and _fits(chunks, first - 1, last, BODY_LINES):
        if chunks[first - 1].symbol != candidate.symbol:
            break
        first -= 1
    while candidate.symbol and last + 1 < len(chunks) and _fits(chunks, first, last + 1, BODY_LINES):
        if chunks[last + 1].symbol != candidate.symbol:
            break
        last += 1
    scope = _scope(candidate.symbol)
    grew = True
    while grew:
        grew = False
        if first > 0 and _near(chunks[first - 1], scope) and _fits(chunks, first - 1, last, AROUND_LINES):
            first, grew = first - 1, True
        if last + 1 < len(chunks) and _near(chunks[last + 1], scope) and _fits(chunks, first, last + 1, AROUND_LINES):
            last, grew = last + 1, True
    return chunks[first].start, chunks[last].end


def chunks_of(snapshot: Snapshot, path: str) -> list[Stored]:
    """The chunks of a file, as indexed, by line."""
    found = snapshot.search(snapshot.one_of("path", [path]), MOST_CHUNKS)
    return sorted((unpack(each.blob("stored")) for each in found), key=lambda chunk: chunk.start)


def _fits(chunks: Sequence[Stored], first: int, last: int, most: int) -> bool:
    return chunks[last].end - chunks[first].start + 1 <= most


def _scope(symbol: str | None) -> str:
    """What a symbol is a member of; empty at the top of a file."""
    return symbol.rpartition(".")[0] if symbol else ""


def _near(chunk: Stored, scope: str) -> bool:
    """Whether a neighbour belongs to the same scope, is that scope itself, or is text of none."""
    return chunk.symbol is None or _scope(chunk.symbol) == scope or chunk.symbol == scope
