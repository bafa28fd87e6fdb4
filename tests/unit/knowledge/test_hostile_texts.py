"""Texts and queries that are made to be slow, or to be taken for something else."""

from pathlib import Path

import pytest

from unit.knowledge.conftest import Open, served, write
from vademecum.errors import ErrorKind, VademecumError
from vademecum.knowledge.holdings import Places
from vademecum.knowledge.outline import read_outline
from vademecum.knowledge.service import Knowledge
from vademecum.knowledge.types import MOST_LINES, DocumentForm, ImportedFolder
from vademecum.work import Cancel


def test_ten_thousand_headings_of_one_name_each_have_an_anchor_of_their_own() -> None:
    text = "## Same\n\nx\n\n" * 5_000 + "## Same-7\n" + "## Same\n" * 5_000
    sections = read_outline(text, DocumentForm.MARKDOWN, Cancel()).sections
    assert len({section.anchor for section in sections}) == len(sections) == 10_001
    assert [sections[place].anchor for place in (0, 1, 4_999, 5_000, 5_001)] == [
        "same",
        "same-2",
        "same-5000",
        "same-7-2",
        "same-5001",
    ]


def test_a_document_read_in_another_form_is_indexed_anew(open_knowledge: Open, places: Places) -> None:
    served(open_knowledge(), "# A\n\nx\n\n# B\n\nmarmot\n", "Form")
    reader = open_knowledge()
    assert [hit.anchor for hit in reader.search("marmot").items] == ["b"]
    (file,) = (places.home / "knowledge").glob("*.md")
    other = file.with_suffix(".new")
    other.write_text(file.read_text().replace("form: markdown", "form: text"))
    other.replace(file)
    assert [hit.anchor for hit in reader.search("marmot").items] == ["_top"]


def test_markdown_of_a_million_lines_is_no_document(knowledge: Knowledge, tmp_path: Path, places: Places) -> None:
    text = "# a\n" * (MOST_LINES + 1)
    with pytest.raises(VademecumError) as error:
        knowledge.import_text(text, "Many")
    assert error.value.kind is ErrorKind.TOO_LARGE and ".txt" in error.value.message
    folder = write(tmp_path / "docs", many=text, few="# Few\n")
    done = knowledge.import_path(folder)
    assert isinstance(done, ImportedFolder)
    assert [each.title for each in done.documents] == ["Few"]
    assert [each.path for each in done.skipped] == ["many.md"]
    (folder / "many.md").rename(folder / "many.txt")
    assert knowledge.import_path(folder / "many.txt").sections == 1  # type: ignore[union-attr]
    (places.home / "knowledge" / "by-hand.md").write_text(text)
    assert {each.sections for each in knowledge.list().items} == {1}, "and it does not make others wait"


@pytest.mark.parametrize(
    ("query", "text", "line"),
    [
        ('"art"', "party all day\n\nthe art of it", 5),
        ('"the art"', "bathe artful\nthe\nart", 4),
        ('"caf\u00e9"', "no\ncafe\u0301 zz", 4),
        ('"cafe\u0301"', "no\ncaf\u00e9 zz", 4),
        ('"session"', "no\n实现Session的方法", 4),
        ('"实现"', "no\n他实现Session的方法", 4),
    ],
)
def test_a_phrase_is_shown_where_it_holds(knowledge: Knowledge, query: str, text: str, line: int) -> None:
    served(knowledge, f"# P\n\n{text}\n", "P")
    assert [hit.line for hit in knowledge.search(query).items] == [line]


@pytest.mark.parametrize(("query", "found"), [("😀", 1), ("→ ←", 1), ("§ 5", 1), ("😎", 0), (" ", 0), ('""', 0)])
def test_signs_alone_are_found_as_they_are(knowledge: Knowledge, query: str, found: int) -> None:
    served(knowledge, "# One\n\nsmile 😀 and → ← here, § 5\n\n# Two\n\nno\n", "Signs")
    assert len(knowledge.search(query).items) == found


def test_a_phrase_of_one_letter_that_stands_only_within_words_does_not_hold(knowledge: Knowledge) -> None:
    served(knowledge, "a" * 4_000_000 + " b", "Long")
    assert knowledge.search('"a"').items == ()
    assert [hit.anchor for hit in knowledge.search('"b"').items] == ["_top"]
