"""How hits are laid out."""

import pytest

from vademecum.api.types.common import Position, Range
from vademecum.api.types.search import Item
from vademecum.cli.hits import Layout, rendered, words_of


def item(lines: int, match: int | None = None, **fields: object) -> Item:
    snippet = "\n".join(f"line {number}" for number in range(11, 11 + lines))
    values: dict[str, object] = {
        "uri": "file:///p/a.py",
        "path": "a.py",
        "range": Range(Position(10, 0), Position(9 + lines, 7)),
        "language": "python",
        "score": 0.5,
        "reference": "a.py:11-12@0123456789abcdef",
        "snippet": snippet,
        "match": None if match is None else Range(Position(match - 1, 0), Position(match - 1, 4)),
    }
    return Item(**(values | fields))  # type: ignore[arg-type]


def plain(one: Item, layout: Layout) -> list[str]:
    return [text.plain for text in rendered(one, None, layout)]


def test_lines_are_numbered_as_in_the_file() -> None:
    assert plain(item(2), Layout(5, False)) == ["a.py:11-12 0.500", "  11  line 11", "  12  line 12"]


@pytest.mark.parametrize(("match", "first"), [(None, 11), (11, 11), (13, 11), (20, 19), (40, 38)])
def test_a_long_snippet_is_cut_to_where_its_best_word_is(match: int | None, first: int) -> None:
    head, *lines, rest = plain(item(30, match), Layout(3, False))
    assert head == "a.py:11-40 0.500"
    assert lines == [f"  {number}  line {number}" for number in range(first, first + 3)]
    assert rest.strip() == "(27 more lines)"


def test_no_snippets_and_reasons() -> None:
    explained = item(2, signals={"lexical": 1.5, "path": 0.25}, symbol="Circle.area", stale=True)
    assert plain(explained, Layout(0, True)) == [
        "a.py:11-12 Circle.area 0.500 changed since it was indexed",
        "  lexical 1.500  path 0.250",
    ]
    assert plain(item(2, snippet=None), Layout(5, False)) == ["a.py:11-12 0.500"]


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("circle area", "def area_of(Circle)", ["area", "Circle"]),
        ("rate_limit", "limit rate_limit", ["limit", "rate_limit"]),
        ("a.b*(c", "a.b*(c abc", []),
        ("搜索", "全文搜索引擎", ["搜索"]),
    ],
)
def test_words_that_are_marked(query: str, text: str, marked: list[str]) -> None:
    words = words_of(query)
    assert (words.findall(text) if words else []) == marked
