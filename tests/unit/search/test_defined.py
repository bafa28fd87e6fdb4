"""Symbols by a piece of their name, with a real indexer: where the name stands now."""

from collections.abc import Callable
from pathlib import Path

import pytest

from unit.search.support import Opened, write
from vademecum.evidence.verdicts import Verdict, verify
from vademecum.search.types import SymbolKind
from vademecum.work import Cancel, Cancelled

Open = Callable[..., Opened]

SHAPES = '''# circle_area is defined below
def circle_area(radius):
    return 3.14 * radius ** 2


class Circle:
    """A circle."""

    def area(self):
        return circle_area(self.radius)
'''


def names(search: Opened, asked: str, limit: int = 50) -> list[str]:
    return [one.name for one in search.search.symbols(asked, limit, Cancel())]


def test_a_symbol_is_found_where_its_name_is_defined(workspace: Path, opened: Open) -> None:
    write(workspace, {"src/shapes.py": SHAPES})
    search = opened(workspace).ready()
    (one,) = search.search.symbols("circle_area", 10, Cancel())
    assert (one.name, one.path, one.line, one.start, one.end) == ("circle_area", "src/shapes.py", 2, 4, 15)
    assert one.kind is SymbolKind.FUNCTION
    assert one.text[one.start : one.end] == "circle_area"
    assert one.absolute == workspace / "src/shapes.py"


@pytest.mark.parametrize(
    "asked", ["circle_area", "circleArea", "CircleArea", "circlear", "learea", "crclra", "circle_a"]
)
def test_spelling_and_pieces_do_not_matter(workspace: Path, opened: Open, asked: str) -> None:
    write(workspace, {"src/shapes.py": SHAPES})
    assert "circle_area" in names(opened(workspace).ready(), asked)


def test_the_likest_name_comes_first(workspace: Path, opened: Open) -> None:
    write(workspace, {"src/shapes.py": SHAPES})
    found = names(opened(workspace).ready(), "circle")
    assert found[:2] == ["Circle", "circle_area"]


def test_words_before_the_last_one_say_where(workspace: Path, opened: Open) -> None:
    write(workspace, {"a/one.py": "def same():\n    return 1\n", "b/two.py": "def same():\n    return 2\n"})
    search = opened(workspace).ready()
    assert len(names(search, "same")) == 2
    assert [one.path for one in search.search.symbols("b same", 9, Cancel())] == ["b/two.py"]
    assert names(search, "nowhere.same") == []


def test_what_was_moved_is_found_where_it_is_and_what_is_gone_is_not(workspace: Path, opened: Open) -> None:
    write(workspace, {"src/shapes.py": SHAPES, "src/other.py": "def vanishing():\n    return 1\n"})
    search = opened(workspace).ready()
    write(workspace, {"src/shapes.py": "\n\n" + SHAPES, "src/other.py": "x = 1\n"})
    assert [one.line for one in search.search.symbols("circle_area", 9, Cancel())] == [4]
    assert names(search, "vanishing") == []


def test_limits_and_odd_questions(workspace: Path, opened: Open) -> None:
    write(workspace, {f"m{n}.py": f"def handler_{n}():\n    return {n}\n" for n in range(30)})
    search = opened(workspace).ready()
    assert len(names(search, "handler", 7)) == 7
    assert len(names(search, "handler", 100)) == 30
    for asked in ("", " ", "...", "***", "(.*", "\\", "x" * 5_000, "日本", "\0"):
        assert names(search, asked) == []


def test_it_stops_when_told(workspace: Path, opened: Open) -> None:
    write(workspace, {"src/shapes.py": SHAPES})
    cancel = Cancel()
    search = opened(workspace).ready()
    cancel.set()
    with pytest.raises(Cancelled):
        search.search.symbols("circle", 10, cancel)


def test_a_heading_is_found_by_its_words(workspace: Path, opened: Open) -> None:
    write(workspace, {"guide.md": "# Guide\n\n## How to paint\n\nWith a brush.\n"})
    (one,) = opened(workspace).ready().search.symbols("howtopaint", 10, Cancel())
    assert (one.name, one.line, one.kind) == ("How to paint", 3, SymbolKind.HEADING)


def test_the_symbols_and_the_paths_of_files(workspace: Path, opened: Open) -> None:
    write(workspace, {"src/shapes.py": SHAPES, "src/s+[x].py": "def odd():\n    return 1\n", "docs/a.md": "# A\n"})
    search = opened(workspace).ready()
    found = search.search.symbols_in("src/shapes.py", Cancel())
    assert [(one.name, one.line) for one in found] == [("circle_area", 2), ("Circle", 6), ("area", 9)]
    assert all(verify(one.reference, search.gate).verdict is Verdict.VALID for one in found)
    assert search.search.symbols_in("src/nothing.py", Cancel()) == []
    assert search.search.paths("src/", 9) == ["src/s+[x].py", "src/shapes.py"]
    assert search.search.paths("src/s+[", 9) == ["src/s+[x].py"]
    assert search.search.paths("src/", 1) == ["src/s+[x].py"]
    assert search.search.paths("x(", 9) == []
