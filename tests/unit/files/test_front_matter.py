"""Front matter: the fast reader agrees with the full one, and a change touches nothing that it is not about."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from vademecum.files import frontmatter, plain_yaml
from vademecum.files.frontmatter import Broken
from vademecum.memory.record import parse, rewrite

#: Pieces of which YAML that people write is made, and what breaks it.
_PIECES = st.sampled_from(
    [
        *("a", "key", "title", ": ", ":", " ", "  ", "\n", "- ", "-", "[", "]", ", ", ",", "{", "}", "#", " #"),
        *('"', "'", "\\", "|", ">", "&x", "*x", "!t", "?", "%", "@", "`", "null", "~", "true", "1", "2026-01-01"),
        *("é", "登录", "\t", "\r", "\x85", "\u2028", "\ufeff", "\x07", "😀", "=", "<<", ".", "...", "---", "x y"),
        *("word", "\xa0"),
    ]
)
_HEADS = st.lists(_PIECES, max_size=12).map("".join)
_KEYS = st.sampled_from(["id", "title", "keywords", "evidence", "x-y"])
_LINES = st.lists(st.tuples(_KEYS, st.lists(_PIECES, max_size=6)), max_size=4).map(
    lambda lines: "\n".join(f"{key}: {''.join(value)}" for key, value in lines)
)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)


@given(st.one_of(_HEADS, _LINES))
@settings(max_examples=600, deadline=None)
@example("title: a:b")
@example("keywords: [a, 'b', \"c, d\"]")
@example("keywords: [a,]")
@example("a: x#y\nb: 'it''s'")
def test_the_fast_reader_is_exactly_the_full_one(head: str) -> None:
    fast = plain_yaml.read(head)
    if fast is not None:
        assert fast == frontmatter.read_fully(head)


@given(_TEXTS, st.lists(_TEXTS, max_size=4))
@settings(max_examples=300, deadline=None)
def test_what_is_written_is_read_back(text: str, items: list[str]) -> None:
    head = f"{frontmatter.line_of('title', text)}\n{frontmatter.line_of('keywords', tuple(items))}\n"
    values = frontmatter.read(head)
    assert values == {"title": text, "keywords": tuple(items)}
    assert frontmatter.read_fully(head) == values


@given(_TEXTS)
def test_other_yaml_readers_see_text_too(text: str) -> None:
    from ruamel.yaml import YAML

    loaded = YAML(typ="safe", pure=True).load(f"title: {plain_yaml.emit(text)}\n")
    assert loaded == {"title": text}


_BY_HAND = """\
# Kept by hand.
title:   "Use pnpm"   # not npm
aliases:
  - one   # first
  - 'two'

# The next one is ours.
category: rule
x-note: |
  several
   # lines, this is none of a comment
  of text
keywords:
- a
- b
# Between.
nested: {a: [1, 2], b: null}
anchored: &here value
again: *here
"""


def test_a_change_touches_only_its_key() -> None:
    changed = frontmatter.change(_BY_HAND, {"title": "New: title", "keywords": ("c",), "updated": "2026-01-01"}, "\n")
    expected = _BY_HAND.replace('title:   "Use pnpm"   # not npm', 'title: "New: title"   # not npm')
    expected = expected.replace("keywords:\n- a\n- b\n", "keywords: [c]\n") + "updated: 2026-01-01\n"
    assert changed == expected


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_survive(newline: str) -> None:
    head = _BY_HAND.replace("\n", newline)
    changed = frontmatter.change(head, {"category": "Knowledge", "x-note": None}, newline)
    text = changed.replace(newline, "\n")
    assert "x-note" not in text and "several" not in text
    assert text.count("# The next one is ours.") == text.count("# Between.") == text.count("category: Knowledge") == 1
    assert newline == "\n" or changed.count("\n") == (changed.count("\r\n") if newline == "\r\n" else 0)


@given(st.one_of(_HEADS, _LINES), _TEXTS)
@settings(max_examples=300, deadline=None)
def test_a_change_of_anything_keeps_all_else_or_is_refused(head: str, text: str) -> None:
    try:
        before = frontmatter.read(head)
        changed = frontmatter.change(head, {"title": text, "id": None}, "\n")
    except Broken:
        return
    after = frontmatter.read(changed)
    assert after.pop("title") == text and "id" not in after
    assert after == {key: value for key, value in before.items() if key not in ("title", "id")}


@pytest.mark.parametrize(
    "head",
    ["a: [1", "a: b: c", "- x", "just text", "a: 1\na: 2", "a: *nowhere", "\ta: 1", "a: " + "[" * 5000, "a: \x07"],
)
def test_what_is_no_mapping_is_broken(head: str) -> None:
    with pytest.raises(Broken):
        frontmatter.read(head)


def test_a_file_is_split_without_loss() -> None:
    for text in [
        "---\na: 1\n---\nbody",
        "---\r\na: 1\r\n...\r\nbody\r\n",
        "---\n---\n",
        "---\nnever closed",
        "",
        "a\n---\nb",
    ]:
        parts = frontmatter.split(text)
        assert parts.opening + (parts.head or "") + parts.closing + parts.body == text
    assert frontmatter.split("---\nnever closed").head is None
    assert frontmatter.split("text\n---\na: 1\n---\n").head is None


@given(st.binary(max_size=60).map(lambda data: b"---\n" + data + b"\n---\nbody"))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    from vademecum.memory.record import NotText

    try:
        record = parse(data, "name")
    except NotText:
        return
    assert record.title and "\n" not in record.title


def test_a_file_without_head_gets_one_and_keeps_its_body() -> None:
    body = "\ufeff# Title\r\n\r\ntext  \r\n\r\n"
    changed = rewrite(body.encode(), {"id": "abc123", "keywords": ("k",), "status": None}, None).decode()
    assert changed == "\ufeff---\r\nid: abc123\r\nkeywords: [k]\r\n---\r\n" + body[1:]
