"""Cutting a section into passages: what is ranked as one, so that a long section is as easily found as a short one."""

from collections.abc import Iterator, Sequence

from attrs import frozen

from vademecum.knowledge.outline import Section

PASSAGE_CHARACTERS = 1_500
"""About how long a passage is. Paragraphs are not cut unless they are longer."""


@frozen
class Passage:
    """A piece of a section.

    :param line: its first line, from 1.
    :param column: where in that line it begins; more than 0 only within a line that is longer than a passage.
    """

    text: str
    line: int
    column: int = 0


def passages(lines: Sequence[str], section: Section) -> Iterator[Passage]:
    """Yield the passages of a section, one at least.

    :param lines: of the whole document.
    """
    start = section.start
    pieces: list[str] = []
    length = 0
    for number in range(section.start, section.end + 1):
        line = lines[number - 1]
        if length and length + len(line) > PASSAGE_CHARACTERS and (length > PASSAGE_CHARACTERS // 2 or not line):
            yield Passage("\n".join(pieces), start)
            start, pieces, length = number, [], 0
        if len(line) > 2 * PASSAGE_CHARACTERS:
            if pieces:
                yield Passage("\n".join(pieces), start)
            yield from _windows(line, number)
            start, pieces, length = number + 1, [], 0
            continue
        pieces.append(line)
        length += len(line) + 1
    if pieces or start == section.start:
        yield Passage("\n".join(pieces), start)


def _windows(line: str, number: int) -> Iterator[Passage]:
    """Pieces of one long line, cut between words where there are any."""
    column = 0
    while column < len(line):
        end = min(column + PASSAGE_CHARACTERS, len(line))
        if end < len(line):
            blank = line.rfind(" ", column + PASSAGE_CHARACTERS // 2, end)
            end = blank + 1 if blank > 0 else end
        yield Passage(line[column:end], number, column)
        column = end
