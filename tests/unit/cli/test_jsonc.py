"""Small changes to hand-written JSON: what was asked for is in it, and everything else is where it was."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.cli.install.jsonc import Unreadable, append, find, put, read, take

KEYS = st.text('abcé"\\/ *', max_size=6)
DATA = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text('ab"\\/*,}]\n😀', max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
SPACES = st.sampled_from(
    ["", " ", "  ", "\n", "\n\n  ", "\t", " // a, } comment\n", " /* an { other, */ ", "\n  // x\n"]
)


@st.composite
def documents(draw: Any, minimum: int = 0) -> tuple[str, Any]:
    """A JSON text with comments, trailing commas and any layout, and what it says."""
    data = draw(st.dictionaries(KEYS, DATA, min_size=minimum, max_size=4))
    eol = draw(st.sampled_from(["\n", "\r\n"]))

    def written(value: Any) -> str:
        if isinstance(value, dict | list):
            parts = (
                [f"{json.dumps(k)}{draw(SPACES)}:{draw(SPACES)}{written(v)}" for k, v in value.items()]
                if isinstance(value, dict)
                else [written(one) for one in value]
            )
            body = ",".join(f"{draw(SPACES)}{part}{draw(SPACES)}" for part in parts)
            comma = "," + draw(SPACES) if parts and draw(st.booleans()) else ""
            opening, closing = "{}" if isinstance(value, dict) else "[]"
            return f"{opening}{body or draw(SPACES)}{comma}{closing}"
        return json.dumps(value)

    return (draw(SPACES) + written(data) + draw(SPACES)).replace("\n", eol), data


def comments(text: str) -> list[str]:
    return re.findall(r"// a, \} comment|/\* an \{ other, \*/|// x", text)


@given(documents())
def test_what_is_read_is_what_it_says(document: tuple[str, Any]) -> None:
    text, data = document
    assert read(text).data == data


@given(documents(), st.lists(st.sampled_from(["new", "a", "servers"]), min_size=1, max_size=3), DATA)
def test_what_is_put_is_there_and_nothing_else_changes(document: tuple[str, Any], path: list[str], value: Any) -> None:
    text, data = document
    expected = json.loads(json.dumps(data))
    here: Any = expected
    for key in path[:-1]:
        if not isinstance(here.setdefault(key, {}), dict):
            with pytest.raises(Unreadable):
                put(text, path, value)
            return
        here = here[key]
    replaced = here.get(path[-1])
    here[path[-1]] = value
    changed = put(text, path, value)
    assert read(changed).data == expected
    assert put(changed, path, value) == changed
    if replaced is None:
        assert comments(changed) == comments(text)
        assert ("\r\n" in changed) >= ("\r\n" in text)


@given(documents(minimum=1), st.sampled_from([["new"], ["new", "inner"], ["new", "b", "c"]]), DATA)
def test_taken_out_again_the_text_is_what_it_was(document: tuple[str, Any], path: list[str], value: Any) -> None:
    text, data = document
    if "new" in data:
        return
    taken = take(put(text, path, value), path)
    assert read(taken).data == data
    assert comments(taken) == comments(text)
    assert "".join(taken.split()) == "".join(text.split())


@given(documents(minimum=1), st.data())
def test_any_member_can_be_taken(document: tuple[str, Any], choice: Any) -> None:
    text, data = document
    key = choice.draw(st.sampled_from(sorted(data)))
    taken = take(text, [key])
    assert read(taken).data == {name: value for name, value in data.items() if name != key}


@given(documents(), st.lists(DATA, min_size=1, max_size=3))
def test_items_are_appended_and_taken(document: tuple[str, Any], values: list[Any]) -> None:
    text, data = document
    changed = text
    there = data.get("list", {}) if isinstance(data.get("list"), list) else []
    if "list" in data and not isinstance(data["list"], list):
        return
    for value in values:
        changed = append(changed, ["list"], value)
    assert read(changed).data == data | {"list": [*there, *values]}
    for _ in values:
        found = find(read(changed), ["list"])
        assert found is not None and found.items is not None
        changed = take(changed, ["list", len(found.items) - 1])
    assert read(changed).data == (
        data if there or "list" not in data else {k: v for k, v in data.items() if k != "list"}
    )


@given(st.text('{}[]",:/*\n ab1', max_size=40))
def test_what_cannot_be_read_is_refused_and_never_something_else(text: str) -> None:
    try:
        data = read(text).data
    except Unreadable:
        return
    plain = re.sub(r"//[^\r\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    assert isinstance(data, object)
    if plain == text and text.strip() and not re.search(r",\s*[}\]]", text):
        assert json.loads(text) == data


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1',
        '{"a": 1} x',
        "{a: 1}",
        '{"a": 1 "b": 2}',
        "{,}",
        '{"a": 01}',
        '{"a": "\n"}',
        '{"a": 1, "a": 2}',
        "[" * 500,
    ],
)
def test_broken_files_are_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        put(text, ["b"], 1)


def test_the_layout_of_the_file_is_kept() -> None:
    text = '{\n\t// mine\n\t"servers": {\n\t\t"other": { "command": "x" } // keep\n\t}, // end\n}\n'
    changed = put(text, ["servers", "vademecum"], {"command": "v", "args": ["mcp"]})
    assert changed == (
        '{\n\t// mine\n\t"servers": {\n\t\t"other": { "command": "x" }, // keep\n'
        '\t\t"vademecum": {\n\t\t\t"command": "v",\n\t\t\t"args": [\n\t\t\t\t"mcp"\n\t\t\t]\n\t\t}\n\t}, // end\n}\n'
    )
    assert take(changed, ["servers", "vademecum"]) == text


def test_a_file_on_one_line_stays_on_one() -> None:
    assert put('{"a": 1}', ["b"], {"c": 2}) == '{"a": 1, "b": {"c": 2}}'
    assert take('{"a": 1, "b": {"c": 2}}', ["b"]) == '{"a": 1}'


def test_an_empty_file_becomes_one() -> None:
    assert put("", ["a", "b"], 1) == '{\n  "a": {\n    "b": 1\n  }\n}\n'
    assert read(put("// only a comment\n", ["a"], 1)).data == {"a": 1}
    assert read(put("{}", ["a"], 1)).data == {"a": 1}
