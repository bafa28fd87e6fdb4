"""The line model, and its agreement with the text that editors and parsers see."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.files.content import Content, content
from vademecum.files.lines import normalise, span, span_hash, split

TEXTS = st.lists(
    st.sampled_from(
        ["a", "", " ", "é", "日本", "\f", "\v", "\x85", "\u2028", "\u2029", "\x1c", "\ufeff", "x\ty", "😀"]
    ),
    max_size=8,
)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", ()),
        (b"\n", (b"",)),
        (b"a", (b"a",)),
        (b"a\n", (b"a",)),
        (b"a\r\nb\rc\n", (b"a", b"b", b"c")),
        (b"a\n\n", (b"a", b"")),
        (b"a\r\r\nb", (b"a", b"", b"b")),
        (b"\xef\xbb\xbfa\n", (b"a",)),
        (b"\xef\xbb\xbf", ()),
        ("a\fb\x85c\u2028d\n".encode(), ("a\fb\x85c\u2028d".encode(),)),
    ],
)
def test_what_a_line_is(data: bytes, lines: tuple[bytes, ...]) -> None:
    assert split(data) == lines


@given(TEXTS, ENDS, ENDS)
def test_line_ends_and_the_last_one_change_no_line(lines: list[str], one: str, other: str) -> None:
    first = split((one.join(lines) + one).encode())
    assert first == split((other.join(lines) + other).encode())
    if lines and lines[-1].strip("\ufeff"):
        assert first == split(other.join(lines).encode())


@given(st.binary(max_size=200))
def test_lines_put_together_again_are_the_normalised_bytes(data: bytes) -> None:
    normal = normalise(data)
    assert b"\r" not in normal
    assert b"\n".join(split(data)) == normal.removesuffix(b"\n")


@given(st.binary(max_size=200).filter(lambda data: b"\0" not in data))
def test_the_text_has_the_same_lines(data: bytes) -> None:
    read = content("x", data)
    if not isinstance(read, Content):  # a mark of UTF-16
        return
    text = read.text.removesuffix("\n")
    lines = text.split("\n") if read.lines else []
    assert [line.decode("utf-8", errors="replace") for line in read.lines] == lines


@given(st.lists(st.binary(max_size=5).filter(lambda line: not set(line) & set(b"\r\n")), max_size=6), st.data())
def test_a_span_is_hashed_by_its_bytes(lines: list[bytes], data: st.DataObject) -> None:
    start = data.draw(st.integers(-1, 8))
    end = data.draw(st.integers(-1, 8))
    inside = 1 <= start <= end <= len(lines)
    expected = b"\n".join(lines[start - 1 : end]) if inside else None
    assert span(lines, start, end) == expected
    assert span_hash(lines, start, end) == (hashlib.sha256(expected).hexdigest() if expected is not None else None)
