"""A long body in few lines."""

import re

from hypothesis import given
from hypothesis import strategies as st

from vademecum.search.skeleton import cost, skeleton

BODY = """\
class Store:
    def open(self, path):
        handle = connect(path)
        handle.execute("PRAGMA journal_mode=WAL")
        return handle

    def close(self):
        self.handle.close()
        self.handle = None
""".splitlines()


def test_what_defines_and_what_answers_stays_and_the_rest_is_counted() -> None:
    text = skeleton(BODY, [3], 45)
    assert text is not None
    assert text.splitlines() == [
        "class Store:",
        "    def open(self, path):",
        "        handle = connect(path)",
        '        handle.execute("PRAGMA journal_mode=WAL")',
        "        … 2 lines",
        "    def close(self):",
        "        … 2 lines",
    ]


def test_what_fits_whole_is_whole() -> None:
    assert skeleton(BODY, [], 1_000) == "\n".join(BODY)


def test_a_budget_for_nothing_gives_nothing() -> None:
    assert skeleton(BODY, [], 1) is None


@given(st.lists(st.text(alphabet="ab {}\t中", max_size=30), min_size=1, max_size=40), st.data())
def test_it_fits_and_every_line_is_there_or_counted(lines, data) -> None:
    budget = data.draw(st.integers(1, 200))
    rows = data.draw(st.lists(st.integers(0, len(lines) - 1), max_size=5, unique=True))
    text = skeleton(lines, rows, budget)
    if text is None:
        assert cost(lines[0]) > budget or cost(lines[0]) + 3 > budget
        return
    assert cost(text) <= budget
    shown = text.split("\n")
    assert shown[0] == lines[0]
    counted = sum(int(found[1]) for line in shown if (found := re.fullmatch(r" *… (\d+) lines?", line)))
    kept = [line for line in shown if not re.fullmatch(r" *… \d+ lines?", line)]
    at = 0
    for line in kept:  # in their order
        at = lines.index(line, at) + 1
    assert len(kept) + counted == len(lines)
