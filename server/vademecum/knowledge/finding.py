"""Finding sections: ranked passages, one hit a section, phrases that hold, and the line that matches best."""

from collections.abc import Callable, Mapping, Sequence

from attrs import frozen

from vademecum.knowledge.body import Body
from vademecum.knowledge.entry import Entry
from vademecum.knowledge.index import Match, ranked
from vademecum.knowledge.passages import passages
from vademecum.knowledge.query import Query
from vademecum.lexical.index import Snapshot
from vademecum.lexical.tokens import prose_text
from vademecum.work import Cancel

EXCERPT_CHARACTERS = 240
"""Longest excerpt; of a longer line the piece around the match is given."""

_PAGE_OF_MATCHES = 64
"""Passages asked for at first, beyond those that the page needs; several may be of one section."""


@frozen
class Found:
    """A section that a query found."""

    entry: Entry
    body: Body
    section: int
    line: int
    excerpt: str
    score: float


def find(
    snapshot: Snapshot,
    query: Query,
    visible: Mapping[str, Entry],
    body_of: Callable[[Entry], Body | None],
    limit: int,
    offset: int,
    cancel: Cancel,
) -> tuple[tuple[Found, ...], bool]:
    """Return a page of the sections found, and whether there are more.

    :param visible: the documents that may be told of, by their keys.
    """
    needed = offset + limit + 1
    allowed = _holding_phrases(query, visible, body_of, cancel) if query.phrases else None
    asked = needed + _PAGE_OF_MATCHES
    while True:
        matches = ranked(snapshot, query, visible.keys(), asked, allowed)
        best = _by_section(matches)
        if len(best) >= needed or len(matches) < asked:
            break
        asked *= 4
        cancel.check()
    if allowed is not None:
        found = {(match.key, match.section) for match in best}
        # A phrase of signs alone has no words to be ranked by.
        best += [Match(key, section, 0, 0, 0.0) for key, section in allowed if (key, section) not in found]
    top = best[0].score if best else 0.0
    page = []
    for match in best[offset : offset + limit]:
        cancel.check()
        entry = visible[match.key]
        body = body_of(entry)
        if body is not None:
            line, excerpt = best_line(body, match, query)
            score = round(match.score / top, 4) if top else 1.0
            page.append(Found(entry, body, match.section, line, excerpt, score))
    return tuple(page), len(best) > offset + limit


def _by_section(matches: Sequence[Match]) -> list[Match]:
    best: dict[tuple[str, int], Match] = {}
    for match in matches:
        best.setdefault((match.key, match.section), match)
    return list(best.values())


def _holding_phrases(
    query: Query, visible: Mapping[str, Entry], body_of: Callable[[Entry], Body | None], cancel: Cancel
) -> dict[tuple[str, int], None]:
    """The sections that hold every phrase, as it is or but for marks of Markdown, in the order of the documents."""
    found: dict[tuple[str, int], None] = {}
    for key, entry in visible.items():
        cancel.check()
        body = body_of(entry)
        if body is not None:
            for number, folded in enumerate(body.folded):
                if all(phrase.holds(folded) or phrase.holds(body.unmarked[number]) for phrase in query.phrases):
                    found[key, number] = None
    return found


def best_line(body: Body, match: Match, query: Query) -> tuple[int, str]:
    """Return the line of a match that tells most of what was asked, from 1, and an excerpt of it."""
    section = body.outline.sections[match.section]
    if query.phrases and (place := _phrase_line(body, match, query)) is not None:
        return place
    passage = next(
        (each for each in passages(body.lines, section) if (each.line, each.column) == (match.line, match.column)),
        None,
    )
    if passage is None:
        return section.start, excerpt(body.lines[section.start - 1], 0) if section.end >= section.start else ""
    best, most = 0, 0.0
    lines = passage.text.split("\n")
    for number, line in enumerate(lines):
        tokens = set(prose_text(line).split())
        told = sum(weight for token, weight in query.weights.items() if token in tokens)
        if told > most:
            best, most = number, told
    if not most:  # found by its heading alone, or by those above it: the first line that says something
        best = next((number for number, line in enumerate(lines) if line.strip() and not line.startswith("#")), 0)
    return passage.line + best, excerpt(lines[best], _first_place(lines[best], query))


def excerpt(line: str, place: int) -> str:
    """Return a line, or so much of it around a place as an excerpt may hold; an ellipsis says where something is left
    out.
    """
    line_start = len(line) - len(line.lstrip())
    text = line.strip()
    if len(text) <= EXCERPT_CHARACTERS:
        return text
    room = EXCERPT_CHARACTERS - 2
    start = max(0, min(place - line_start - room // 4, len(text) - room))
    cut = text[start : start + room].strip()
    return f"{'…' if start else ''}{cut}{'…' if start + room < len(text) else ''}"


def _first_place(line: str, query: Query) -> int:
    lowered = line.lower()
    places = [lowered.find(token) for token, weight in query.weights.items() if weight >= 0.2]
    return min((place for place in places if place >= 0), default=0)


def _phrase_line(body: Body, match: Match, query: Query) -> tuple[int, str] | None:
    section = body.outline.sections[match.section]
    text = body.section_text(section)
    place = query.phrases[0].in_source(text)
    if place < 0:
        return None
    number = text.count("\n", 0, place)
    line_start = text.rfind("\n", 0, place) + 1
    return section.start + number, excerpt(body.lines[section.start - 1 + number], place - line_start)
