"""Lines from an agent: what is no text in them is replaced, so that the call is answered all the same."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.mcp.stdio import well_formed


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (r'{"a": "cut \ud83d"}', "cut �"),
        (r'{"a": "\uDE00 cut"}', "� cut"),
        (r'{"a": "\ud83d\ud83d\ude00"}', "�😀"),
        (r'{"a": "\ud83d\ude00"}', "😀"),
        (r'{"a": "C:\\ud83d"}', r"C:\ud83d"),
        (r'{"a": "\\\ud83d"}', "\\�"),
    ],
)
def test_half_of_a_pair_becomes_the_replacement_character(line: str, told: str) -> None:
    assert json.loads(well_formed(line)) == {"a": told}


@given(st.text(st.one_of(st.characters(), st.characters(categories=["Cs"]), st.sampled_from('\\ud8"'))))
def test_a_text_comes_through_as_javascript_would_repair_it(text: str) -> None:
    repaired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    told = json.loads(well_formed(json.dumps(text)))
    told.encode("utf-8")
    assert told.replace("\ufffd", "") == repaired.replace("\ufffd", "")
