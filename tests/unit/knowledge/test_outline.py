"""Outlines: what is a heading and what is none, anchors that stay, lines and sizes."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.knowledge.outline import (
    TOP_ANCHOR,
    Outline,
    estimated_tokens,
    lines_of,
    read_outline,
)
from vademecum.knowledge.slug import slug
from vademecum.knowledge.types import DocumentForm
from vademecum.work import Cancel, Cancelled


def outline(text: str) -> Outline:
    return read_outline(text, DocumentForm.MARKDOWN, Cancel())


def anchors(text: str) -> list[str]:
    return [section.anchor for section in outline(text).sections]


def test_headings_of_both_kinds_give_paths_levels_and_lines() -> None:
    found = outline("One\n===\n\ntext\n\nTwo\n---\n\n### Three ###\n\ntext\n\n# Four\n")
    assert [(s.anchor, s.title, s.level, s.start, s.end) for s in found.sections] == [
        ("one", "One", 1, 1, 4),
        ("one/two", "Two", 2, 6, 7),
        ("one/two/three", "Three", 3, 9, 11),
        ("four", "Four", 1, 13, 13),
    ]
    assert found.title == "One"
    assert found.sections[2].path == ("One", "Two")
    assert [child.anchor for child in found.children(0)] == ["one/two"]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# no\n```\n",
        "~~~python\n# no\n~~~\n",
        "```\n# no, though nothing closes it\n",
        "````\n```\n# no\n```\n````\n",
        "    # no\n",
        "<!--\n# no\n-->\n",
        "<pre>\n# no\n</pre>\n",
        "- item\n\n  # no\n",
        "- ```\n  # no\n  ```\n",
        "> # no\n",
        "#no\n",
        "\\# no\n",
        "####### no\n",
        "text\n\n---\n\ntext\n",
        "| a |\n|---|\n| # no |\n",
    ],
)
def test_what_looks_like_a_heading_and_is_none(text: str) -> None:
    assert anchors(text) == [TOP_ANCHOR]


def test_repeated_headings_are_numbered_among_their_siblings() -> None:
    text = "# A\n## X\n## X\n## X 2\n## X\n# B\n## X\n"
    assert anchors(text) == ["a", "a/x", "a/x-2", "a/x-2-2", "a/x-3", "b", "b/x"]


def test_skipped_levels_are_nobody() -> None:
    found = outline("# A\n#### B\n## C\n###### D\n")
    assert [section.anchor for section in found.sections] == ["a", "a/b", "a/c", "a/c/d"]
    assert outline("### Deep\n# Top\n").sections[0].level == 3


def test_text_before_the_first_heading_is_a_section() -> None:
    found = outline("\n\nintroduction\n\n# A\n")
    assert [(s.anchor, s.start, s.end) for s in found.sections] == [(TOP_ANCHOR, 3, 3), ("a", 5, 5)]
    assert anchors("\n\n\n# A\n") == ["a"]


def test_front_matter_is_no_text_but_counts_as_lines() -> None:
    found = outline("---\ntitle: 'The real title'\ntags: [a]\n---\n\n# Heading\n")
    assert found.title == "The real title"
    assert [(s.anchor, s.start) for s in found.sections] == [("heading", 6)]
    assert outline("---\ntitle: {{ template }}\n---\n# H\n").sections[0].start == 4
    ruled = outline("---\nsome text\n---\n\n# H\n")
    assert [(s.anchor, s.start) for s in ruled.sections] == [(TOP_ANCHOR, 1), ("some-text", 2), ("h", 5)]


def test_text_between_two_rules_is_no_front_matter() -> None:
    text = "---\nSome prose that goes on.\nNote: this is a sentence, {{ not }} a key.\n---\n\n# H\n"
    assert outline(text).sections[0].start == 1
    assert sum(section.characters for section in outline(text).sections) > 60


def test_a_heading_of_many_blanks_takes_no_quadratic_time() -> None:
    began = time.monotonic()
    found = outline("# a" + " " * 1_000_000 + "b {\n\n# " + "{" * 100_000 + "\n")
    assert time.monotonic() - began < 60
    assert found.sections[0].title == "a"


def test_titles_lose_their_markup() -> None:
    text = "# The `code` of **all** [things](http://x) &amp; ![a picture](y) <b>more</b> { #id .class }\n"
    assert outline(text).sections[0].title == "The code of all things & a picture more"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("安装 指南", "安装-指南"),
        ("🎉", "🎉"),
        ("🎉🚀 Launch", "launch"),
        ("👩‍👩‍👧", "👩👩👧"),
        ("שלום עולם", "שלום-עולם"),
        ("\u202eמימין\u202c", "מימין"),
        ("مرحبا، بالعالم", "مرحبا-بالعالم"),
        ("हिन्दी", "हिन्दी"),
        ("C++ & C#", "c-c"),
        ("!!!", "section"),
        ("", "section"),
        ("A/B", "a-b"),
        ("_top", "top"),
        ("ﬁne Straße", "fine-strasse"),
    ],
)
def test_slugs_of_any_script(title: str, expected: str) -> None:
    assert slug(title) == expected


def test_headings_in_any_script_have_anchors_of_their_own() -> None:
    text = "# 安装\n## 🎉\n## 🎉\n## 🚀\n# שלום\n## مرحبا\n"
    assert anchors(text) == ["安装", "安装/🎉", "安装/🎉-2", "安装/🚀", "שלום", "שלום/مرحبا"]


def test_a_plain_text_is_one_section() -> None:
    found = read_outline("# no heading\ntext\n", DocumentForm.TEXT, Cancel())
    assert [(s.anchor, s.start, s.end) for s in found.sections] == [(TOP_ANCHOR, 1, 2)]


@pytest.mark.parametrize("text", ["", "\n", " \n\n"])
def test_an_empty_document_has_one_empty_section(text: str) -> None:
    (section,) = outline(text).sections
    assert (section.anchor, section.characters, section.tokens) == (TOP_ANCHOR, 0, 0)


def test_sizes() -> None:
    (section,) = outline("# Title\n\n日本語 text\n").sections
    assert section.characters == len("# Title\n\n日本語 text")
    assert estimated_tokens("日本語 text") == 3 + 2
    assert estimated_tokens("") == 0


def test_ten_thousand_sections() -> None:
    text = "# Book\n\n" + "".join(f"## Chapter {n}\n\ntext {n}\n\n" for n in range(10_000))
    found = outline(text)
    assert len(found.sections) == 10_001
    assert found.sections[-1].anchor == "book/chapter-9999"
    assert len({section.anchor for section in found.sections}) == 10_001


def test_ten_thousand_headings_of_one_name_take_no_quadratic_time() -> None:
    began = time.monotonic()
    found = outline("# Same\n\n" * 10_000)
    assert found.sections[-1].anchor == "same-10000"
    assert time.monotonic() - began < 60


def test_a_long_text_can_be_left_in_the_middle() -> None:
    cancel = Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        read_outline("- a\n" * 100_000, DocumentForm.MARKDOWN, cancel)


# Properties over any text

LINES = st.sampled_from(
    [
        "# A",
        "# B",
        "## A",
        "## C",
        "### 标题",
        "#### 🎉",
        "text",
        "",
        "```",
        "===",
        "---",
        "- item",
        "  # x",
        "> q",
        "    y",
    ]
) | st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=30)
TEXTS = st.lists(LINES, max_size=40).map("\n".join)


@given(TEXTS)
def test_sections_cover_the_text_in_order_and_have_anchors_of_their_own(text: str) -> None:
    found = outline(text).sections
    lines = lines_of(text)
    assert len({section.anchor for section in found}) == len(found)
    covered = 0
    for place, section in enumerate(found):
        assert section.start > covered or section.end < section.start
        assert section.end <= len(lines)
        assert section.parent < place
        assert section.characters == len("\n".join(lines[section.start - 1 : section.end]))
        covered = max(covered, section.end)
        if section.parent >= 0:
            parent = found[section.parent]
            assert parent.level < section.level
            assert section.anchor.rpartition("/")[0] == parent.anchor
            assert section.path == (*parent.path, parent.title)


HEADINGS = st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["Alpha", "Beta", "Gamma"])), min_size=1, max_size=12)
BODIES = st.text(st.sampled_from("ab .\n"), max_size=30)


@given(HEADINGS, st.data())
def test_anchors_stay_under_edits_elsewhere(headings: list[tuple[int, str]], data: st.DataObject) -> None:
    """Text edited anywhere, and a heading of another name put in as somebody's last child, change no other anchor."""

    def text_of(given: list[tuple[int, str]]) -> str:
        bodies = [data.draw(BODIES) for _ in given]
        return "".join(
            f"{'#' * level} {title}\n\n{body}\n\n" for (level, title), body in zip(given, bodies, strict=True)
        )

    before = [each for each in anchors(text_of(headings)) if each != TOP_ANCHOR]
    assert before == [each for each in anchors(text_of(headings)) if each != TOP_ANCHOR]
    place = data.draw(st.integers(0, len(headings)))
    deepest = headings[place - 1][0] if place else 1
    following = headings[place][0] if place < len(headings) else 1
    level = max(deepest, following)  # as deep as both neighbours at least, so that it takes nobody's children
    after = anchors(text_of([*headings[:place], (level, "Quite new"), *headings[place:]]))
    assert [each for each in after if each != TOP_ANCHOR and "quite-new" not in each] == before


@given(HEADINGS)
def test_a_heading_at_the_end_changes_no_anchor(headings: list[tuple[int, str]]) -> None:
    text = "".join(f"{'#' * level} {title}\n\ntext\n\n" for level, title in headings)
    assert anchors(text + "# Alpha\n")[: len(headings)] == anchors(text)
