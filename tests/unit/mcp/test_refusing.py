"""What an agent hears of lines that are no messages."""

import json
from typing import Any

import mcp.types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.mcp.refusing import refusal


def told(line: str) -> tuple[Any, int] | None:
    error = refusal(line)
    return None if error is None else (error.id, error.error.code)


@pytest.mark.parametrize(
    "line",
    ["this is no message", '{"jsonrpc": "2.0", ', "\0", "{'a': 1}", "[" * 100_000, '{"id": ' + "9" * 5_000 + "}"],
)
def test_what_is_no_json_is_a_parse_error(line: str) -> None:
    assert told(line) == (None, types.PARSE_ERROR)


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("[]", None),
        ("5", None),
        ("null", None),
        ('[{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]', None),
        ("{}", None),
        ('{"jsonrpc": "2.0"}', None),
        ('{"id": 3, "method": "tools/list"}', 3),
        ('{"jsonrpc": "1.0", "id": "a", "method": "tools/list"}', "a"),
        ('{"jsonrpc": "2.0", "id": 3, "method": 5}', 3),
        ('{"jsonrpc": "2.0", "id": 3}', 3),
        ('{"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": []}', 3),
        ('{"jsonrpc": "2.0", "id": 3, "method": "x", "params": {"a": ' + "[" * 500 + "]" * 500 + "}}", 3),
        ('{"jsonrpc": "2.0", "id": null, "method": "tools/list"}', None),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"}', None),
        ('{"jsonrpc": "2.0", "id": true, "method": "tools/list"}', None),
        ('{"jsonrpc": "2.0", "id": {}, "method": 5}', None),
        ('{"jsonrpc": "2.0", "method": "x", "params": 5}', None),
    ],
)
def test_what_is_no_request_is_told_under_its_id(line: str, known: Any) -> None:
    assert told(line) == (known, types.INVALID_REQUEST)


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
        '{"jsonrpc": "2.0", "id": "1", "method": "nothing/known", "params": {}}',
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        '{"jsonrpc": "2.0", "method": "x", "params": {"id": 5}}',
        '{"jsonrpc": "2.0", "id": 1, "result": {}}',
        '{"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "x"}}',
        '{"jsonrpc": "2.0", "id": 1, "result": 5}',
        '{"id": {}, "error": 5}',
    ],
)
def test_messages_and_answers_are_not_refused(line: str) -> None:
    assert told(line) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "result"]) | st.text(max_size=3), inner)
    ),
)


@given(JSON)
def test_whoever_asks_is_answered(value: Any) -> None:
    """What is neither refused nor an answer is a request with the id that it came with, or has none."""
    line = json.dumps(value)
    if refusal(line) is None and not (isinstance(value, dict) and ("result" in value or "error" in value)):
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        assert getattr(message, "id", None) == value.get("id")
