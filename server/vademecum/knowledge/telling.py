"""What a task is told: a map of its documents, their outlines, sections found and sections read."""

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files.redact import redact
from vademecum.knowledge.body import Body
from vademecum.knowledge.citing import Citing
from vademecum.knowledge.entry import Entry
from vademecum.knowledge.finding import Found, find
from vademecum.knowledge.holdings import Holdings, checked_task, visible
from vademecum.knowledge.query import read_query
from vademecum.knowledge.reading import cursor, page_of, read_cursor
from vademecum.knowledge.types import (
    ChildSection,
    DocumentMap,
    Lines,
    MapItem,
    OutlinePage,
    OutlineSection,
    SectionHit,
    SectionHits,
    SectionPage,
)
from vademecum.work import Cancel

MOST_CHILDREN = 1_000
"""Sections below one that are named with it; the outline has them all."""


def map_(held: Holdings, task: str, offset: int, limit: int, cancel: Cancel) -> DocumentMap:
    """Return a page of the documents that a task sees, without their texts."""
    seen = tuple(held.visible(task).values())
    items = []
    for entry in seen[offset : offset + limit]:
        cancel.check()
        body = held.body(entry, cancel)
        if body is not None:
            items.append(
                MapItem(
                    id=entry.id,
                    title=entry.title,
                    owner=entry.owner,
                    sections=len(body.outline.sections),
                    characters=len(body.told),
                    tokens=body.outline.tokens,
                    revision=entry.head.revision,
                    summary=redact(entry.head.summary) or None,
                )
            )
    after = offset + limit if offset + limit < len(seen) else None
    return DocumentMap(task, tuple(items), len(seen), after)


def outline(held: Holdings, task: str, id: str, offset: int, limit: int, cancel: Cancel) -> OutlinePage:
    """Return the sections of a document. Raises `notFound`, `notPublished`, `notAttached`."""
    entry = held.seen(task, id)
    sections = held.told(entry, cancel).outline.sections
    page = tuple(
        OutlineSection(
            each.anchor,
            each.title,
            each.level,
            Lines(each.start, max(each.start, each.end)),
            each.characters,
            each.tokens,
        )
        for each in sections[offset : offset + limit]
    )
    after = offset + limit if offset + limit < len(sections) else None
    return OutlinePage(id, entry.title, entry.head.revision, page, len(sections), after)


def found(
    held: Holdings, task: str, text: str, limit: int, offset: int, cancel: Cancel
) -> tuple[tuple[Found, ...], bool]:
    """Return a page of the sections that a query finds in what a task sees, and whether there are more."""
    query = read_query(text)
    known = held.entries()
    seen = {entry.key: entry for entry in visible(known, held.state.attached(checked_task(task))).values()}
    if not seen:
        return (), False
    alive = {entry.key for entry in known.values() if entry.is_ready}

    def body_of(entry: Entry) -> Body | None:
        return held.body(entry, cancel)

    snapshot = held.index.holding(seen.values(), alive, body_of, cancel)
    return find(snapshot, query, seen, body_of, limit, offset, cancel)


def search(held: Holdings, task: str, text: str, limit: int, offset: int, cancel: Cancel) -> SectionHits:
    """Return the sections that match a query best, in what a task sees.

    :raises InvalidField: `query`, when it is too long.
    """
    page, more = found(held, task, text, limit, offset, cancel)
    return SectionHits(hits(held, page), offset + limit if more else None)


def hits(held: Holdings, page: tuple[Found, ...]) -> tuple[SectionHit, ...]:
    """Return sections that were found, with their citations."""
    citing = Citing(held, {each.entry.id for each in page})
    told = []
    for each in page:
        section = each.body.outline.sections[each.section]
        told.append(
            SectionHit(
                id=each.entry.id,
                anchor=section.anchor,
                title=section.title or each.entry.title,
                path=section.path,
                line=each.line,
                excerpt=each.excerpt,
                score=each.score,
                citation=citing.citation(
                    each.entry, each.body, section, section.start, max(section.start, section.end)
                ),
            )
        )
    return tuple(told)


def read_section(held: Holdings, task: str, id: str, anchor: str, at: str | None, cancel: Cancel) -> SectionPage:
    """Return a page of a section's own text.

    :param at: the cursor of the page before.
    :raises InvalidField: `anchor`, `cursor`.
    :raises VademecumError: `notFound` for the document and for the section, `notPublished`, `notAttached`, `conflict`
        for a cursor of another revision.
    """
    entry = held.seen(task, id)
    body = held.told(entry, cancel)
    sections = body.outline.sections
    place = body.outline.place(anchor)
    if place is None:
        raise VademecumError(ErrorKind.NOT_FOUND, "The document has no such section. Its outline lists them.", id=id)
    section = sections[place]
    text = body.section_text(section)
    start = read_cursor(at, entry.head.revision, anchor, len(text)) if at is not None else 0
    page = page_of(text, start)
    after = start + len(page)
    first = section.start + text.count("\n", 0, start)
    last = first + page.removesuffix("\n").count("\n")
    return SectionPage(
        text=page,
        citation=Citing(held, {id}).citation(entry, body, section, first, max(first, last)),
        children=tuple(ChildSection(each.anchor, each.title) for each in body.outline.children(place)[:MOST_CHILDREN]),
        cursor=cursor(entry.head.revision, anchor, after) if after < len(text) else None,
    )


def checked_question(question: str) -> str:
    """Return a question.

    :raises InvalidField: `question`, when it is blank or too long.
    """
    if not question.strip():
        raise InvalidField("question", "must not be blank")
    return read_query(question, "question").text
