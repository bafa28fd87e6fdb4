"""Path patterns."""

import re

import pytest
import tantivy
from hypothesis import given
from hypothesis import strategies as st

from vademecum.errors import InvalidField
from vademecum.search.globs import MAX_PATTERNS, expression, path_filter


def matches(pattern: str, path: str) -> bool:
    return re.fullmatch(expression(pattern), path) is not None


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("src", ["src/a.py", "lib/src/a.py", "src"], ["source/a.py"]),
        ("src/", ["src/a.py", "x/src/y/a.py"], ["srcs/a.py"]),
        ("/src", ["src/a.py", "src/b/c.py"], ["lib/src/a.py"]),
        ("src/api", ["src/api/a.py"], ["x/src/api/a.py", "src/apis/a.py"]),
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyc", "a.py.txt"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "x/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["lib/a.py"]),
        ("**/test_*", ["test_a.py", "x/test_b.py"], ["x/atest_b.py"]),
        ("src/**", ["src/a", "src/x/y"], ["lib/a"]),
        ("**/test*/**", ["tests/a.py", "src/test/b.py"], ["src/testing.py", "latest/x.py"]),
        ("a?.py", ["ab.py"], ["a.py", "abc.py"]),
        ("[ab].py", ["a.py", "b.py"], ["c.py"]),
        ("[!ab].py", ["c.py"], ["a.py"]),
        ("*.{ts,tsx}", ["a.ts", "x/b.tsx"], ["a.js"]),
        ("./src/a.py", ["src/a.py"], ["b/src/a.py"]),
        ("a+b (c).py", ["a+b (c).py"], ["aab (c).py"]),
        ("src\\api", ["src/api/a.py"], ["src/a.py"]),
        ("日本*.py", ["日本語.py"], ["英語.py"]),
        ("**", ["a", "a/b"], []),
        (r"\*.py", ["*.py"], ["a.py"]),
    ],
)
def test_patterns_mean_what_an_editor_means(pattern: str, yes: list[str], no: list[str]) -> None:
    assert all(matches(pattern, path) for path in yes)
    assert not any(matches(pattern, path) for path in no)


@pytest.mark.parametrize("pattern", ["", "  ", "../x", "a/../../b", "[", "a[", "{a", "[]", "[b-a]", "x" * 501, "a\0b"])
def test_what_cannot_be_understood_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidField, match="paths"):
        path_filter((pattern,))


def test_too_many_patterns_are_refused() -> None:
    with pytest.raises(InvalidField):
        path_filter(("a",) * (MAX_PATTERNS + 1))


def test_exclusions_stand_apart() -> None:
    both = path_filter(("src", "!*.md"))
    assert list(both.include) == ["src"]
    assert list(both.exclude) == ["!*.md"]
    assert not path_filter(()).include


@given(st.text(st.characters(codec="utf-8"), max_size=30) | st.text("*?[]{}!,\\/ab-^&~", max_size=12))
def test_every_pattern_is_refused_or_understood_by_the_index(pattern: str) -> None:
    try:
        text = expression(pattern)
    except InvalidField:
        return
    re.compile(text)
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("path", tokenizer_name="raw")
    tantivy.Query.regex_query(builder.build(), "path", text)
