"""What is text, and what is machine-made."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.files.content import (
    LONG_LINE_BYTES,
    SETTLED_AFTER_NS,
    Content,
    Reason,
    Refused,
    Stamp,
    content,
    has_long_line,
)
from vademecum.files.lines import split


def reason(data: bytes) -> Reason | None:
    judged = content("x", data)
    return judged.reason if isinstance(judged, Refused) else None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"plain\n", None),
        (b"", None),
        ("café\n".encode("latin-1"), None),
        (b"\x00\x01", Reason.BINARY),
        (b"a" * 4095 + b"\0", Reason.BINARY),
        ((b"a" * 99 + b"\n") * 50 + b"\0", None),  # beyond the bytes that are looked at
        ("text".encode("utf-16"), Reason.ENCODING),
        ("日本語だけ".encode("utf-16"), Reason.ENCODING),
        ("text".encode("utf-32"), Reason.ENCODING),
        (b"x" * 6_000, Reason.MINIFIED),
        (b"x" * 6_000 + b"\n" + b"short line\n" * 600, None),
        (b"x" * 100_001 + b"\n" + b"short line\n" * 50_000, Reason.MINIFIED),
        (("段落" * 700 + "\n\n").encode() * 3, None),  # prose with a line a paragraph
    ],
)
def test_what_is_read(data: bytes, expected: Reason | None) -> None:
    assert reason(data) == expected


def test_text_is_without_mark_and_with_plain_line_ends() -> None:
    read = content("x", b"\xef\xbb\xbfa\r\n\xff\rb")
    assert isinstance(read, Content)
    assert read.text == "a\n�\nb"
    assert read.data == b"\xef\xbb\xbfa\r\n\xff\rb"


def test_a_stamp_is_settled_once_the_file_was_left_alone() -> None:
    stamp = Stamp(1, 1_000_000_000, 2_000_000_000, 7)
    assert not stamp.settled(2_000_000_000)
    assert not stamp.settled(1_000_000_000)  # the clock was set back
    assert stamp.settled(2_000_000_000 + SETTLED_AFTER_NS)


@given(st.lists(st.integers(0, 2 * LONG_LINE_BYTES), max_size=6), st.sampled_from([b"\n", b"\r\n"]))
def test_no_long_line_is_overlooked(lengths: list[int], end: bytes) -> None:
    data = end.join(b"x" * length for length in lengths)
    if any(len(line) > LONG_LINE_BYTES for line in split(data)):
        assert has_long_line(data)
    else:
        assert end != b"\n" or not has_long_line(data)
