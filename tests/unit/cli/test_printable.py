"""What is shown can never drive a terminal."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from vademecum.cli.printable import one_line, printable

ANY_TEXT = st.text(alphabet=st.characters(), max_size=200)


@given(ANY_TEXT)
def test_no_control_character_is_left(text: str) -> None:
    shown = printable(text)
    assert not any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n" for c in shown)
    assert not any(unicodedata.bidirectional(c) in ("RLO", "LRO", "RLE", "LRE", "RLI", "LRI", "FSI") for c in shown)
    assert printable(shown) == shown


@given(st.text(alphabet=st.characters(categories=("L", "N", "P", "Zs")), max_size=200))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert printable(text) == text


@given(ANY_TEXT)
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1
    assert "\t" not in one_line(text)
