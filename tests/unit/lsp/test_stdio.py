"""Reading frames: whatever bytes come, the stream goes on and nothing hangs."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.lsp.stdio import BadFrame, decode, frames


def framed(body: bytes, header: bytes = b"Content-Length") -> bytes:
    return b"%b: %d\r\n\r\n%b" % (header, len(body), body)


@given(st.lists(st.binary(max_size=200)))
def test_bodies_come_out_as_they_went_in(bodies: list[bytes]) -> None:
    stream = io.BytesIO(b"".join(framed(body) for body in bodies))
    assert list(frames(stream)) == bodies


@given(st.binary(max_size=2000))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    for frame in frames(io.BytesIO(data)):
        assert isinstance(frame, bytes | BadFrame)


@pytest.mark.parametrize("header", [b"content-length", b"CONTENT-LENGTH", b"Content-Length  "])
def test_header_names_are_read_in_any_case(header: bytes) -> None:
    assert list(frames(io.BytesIO(framed(b"{}", header)))) == [b"{}"]


def test_other_headers_are_ignored() -> None:
    stream = io.BytesIO(b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n" + framed(b"{}"))
    assert list(frames(stream)) == [b"{}"]


def test_a_message_over_the_limit_is_named_and_skipped() -> None:
    stream = io.BytesIO(framed(b"x" * 100) + framed(b"{}"))
    first, second = frames(stream, max_bytes=50)
    assert isinstance(first, BadFrame)
    assert "100 bytes" in str(first)
    assert second == b"{}"


def test_a_frame_without_length_is_named_and_the_next_one_read() -> None:
    first, second = frames(io.BytesIO(b"X-Header: 1\r\n\r\n" + framed(b"{}")))
    assert isinstance(first, BadFrame)
    assert second == b"{}"


def test_an_end_inside_a_message_ends_the_stream() -> None:
    assert list(frames(io.BytesIO(framed(b"{}") + b"Content-Length: 10\r\n\r\n{"))) == [b"{}"]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b"1" * 10_000], ids=repr)
def test_what_is_no_json_is_named(body: bytes) -> None:
    with pytest.raises(BadFrame):
        decode(body)


@given(
    st.recursive(
        st.none() | st.booleans() | st.text() | st.integers(), lambda x: st.dictionaries(st.text(), x), max_leaves=20
    )
)
def test_any_json_is_decoded(value: object) -> None:
    assert decode(json.dumps(value).encode()) == value
