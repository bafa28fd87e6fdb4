"""Pages and cursors: the pages one after the other are the text; a cursor is good for its section and revision."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.knowledge.conftest import Open, served
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.knowledge.reading import cursor, page_of, read_cursor
from vademecum.knowledge.service import Knowledge
from vademecum.knowledge.types import PAGE_CHARACTERS

REVISION = "0123456789abcdef"


def pages(text: str) -> list[str]:
    found = []
    start = 0
    while True:
        page = page_of(text, start)
        found.append(page)
        start += len(page)
        if start >= len(text):
            return found


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5).map(lambda t: t * 400), max_size=12))
def test_the_pages_are_the_text(parts: list[str]) -> None:
    text = "\n".join(parts)
    found = pages(text)
    assert "".join(found) == text
    assert all(len(page) <= PAGE_CHARACTERS for page in found)
    assert all(found[:-1])


def test_a_page_ends_after_a_line_where_there_is_one() -> None:
    text = ("x" * 99 + "\n") * 100
    assert [len(page) for page in pages(text)] == [4_000, 4_000, 2_000]
    assert all(page.endswith("\n") for page in pages("word " * 500 + "\n" + "word " * 900)[:1])


def test_a_character_is_not_torn_from_its_marks() -> None:
    text = "a" * (PAGE_CHARACTERS - 1) + "e\u0301" + "b" * 10
    assert pages(text)[1].startswith("e\u0301")
    family = "👩\u200d👩\u200d👧"
    assert pages("a" * (PAGE_CHARACTERS - 2) + family)[1] == family
    assert len(pages("\u0301" * (2 * PAGE_CHARACTERS))) == 2


@given(st.integers(1, 999_999), st.text(max_size=20))
def test_a_cursor_is_read_back(offset: int, anchor: str) -> None:
    made = cursor(REVISION, anchor, offset)
    assert read_cursor(made, REVISION, anchor, 1_000_000) == offset
    with pytest.raises(VademecumError) as conflict:
        read_cursor(made, "f" * 16, anchor, 1_000_000)
    assert conflict.value.kind is ErrorKind.CONFLICT
    with pytest.raises(InvalidField):
        read_cursor(made, REVISION, anchor + "x", 1_000_000)
    with pytest.raises(InvalidField):
        read_cursor(made, REVISION, anchor, offset)


@given(st.text(max_size=40))
def test_any_other_text_is_no_cursor(text: str) -> None:
    with pytest.raises((InvalidField, VademecumError)):
        read_cursor(text, REVISION, "a", 10)


def test_a_long_section_is_read_to_its_end(knowledge: Knowledge) -> None:
    lines = [f"line {number} of the long section" for number in range(1_000)]
    text = "# Long\n\n" + "\n".join(lines) + "\n\n## Below\n\nend\n"
    document = served(knowledge, text)
    page = knowledge.read_section(document.id, "long")
    read, spans = page.text, [(page.citation.lines.start, page.citation.lines.end)]
    assert [child.anchor for child in page.children] == ["long/below"]
    while page.cursor is not None:
        page = knowledge.read_section(document.id, "long", cursor=page.cursor)
        read += page.text
        spans.append((page.citation.lines.start, page.citation.lines.end))
        assert len(page.text) <= PAGE_CHARACTERS
    assert read == "# Long\n\n" + "\n".join(lines)
    assert spans[0][0] == 1 and spans[-1][1] == 1_002
    assert all(before[1] + 1 == after[0] for before, after in itertools.pairwise(spans))


def test_a_cursor_of_an_older_revision_is_a_conflict(knowledge: Knowledge) -> None:
    document = served(knowledge, "# Long\n\n" + "old words\n" * 1_000)
    cursor = knowledge.read_section(document.id, "long").cursor
    assert cursor is not None
    knowledge.import_text("# Long\n\n" + "new words\n" * 1_000, id=document.id)
    with pytest.raises(VademecumError) as pending:
        knowledge.read_section(document.id, "long", cursor=cursor)
    assert pending.value.kind is ErrorKind.NOT_PUBLISHED
    newer = knowledge.publish(document.id)
    with pytest.raises(VademecumError) as conflict:
        knowledge.read_section(document.id, "long", cursor=cursor)
    assert (conflict.value.kind, conflict.value.data) == (ErrorKind.CONFLICT, {"revision": newer.revision})


def test_one_line_of_a_megabyte(knowledge: Knowledge) -> None:
    text = "# One\n\n" + "word " * 200_000 + "needle " + "word " * 100
    document = served(knowledge, text)
    (hit,) = knowledge.search("needle").items
    assert hit.line == 3
    assert "needle" in hit.excerpt and len(hit.excerpt) <= 240
    page = knowledge.read_section(document.id, "one")
    read = page.text
    while page.cursor is not None:
        page = knowledge.read_section(document.id, "one", cursor=page.cursor)
        read += page.text
    assert read == text


def test_five_megabytes(open_knowledge: Open) -> None:
    text = "# Book\n\n" + "".join(f"## Part {n}\n\n{f'sentence {n} about part {n}. ' * 20}\n\n" for n in range(10_000))
    assert len(text) > 5_000_000
    knowledge = open_knowledge()
    document = served(knowledge, text, "Book")
    assert document.sections == 10_001
    assert knowledge.search("part 7777").items[0].title == "Part 7777"
    outline = knowledge.outline(document.id)
    assert (len(outline.sections), outline.total, outline.next_offset) == (10_000, 10_001, 10_000)
    assert open_knowledge().search('"about part 9999."').items[0].anchor == "book/part-9999"
