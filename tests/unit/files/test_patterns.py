"""Our reading of git's pattern language, held against git itself on generated trees."""

import os
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unit.files.trees import git, repository, write
from vademecum.files.patterns import parse, parse_line, parts_of
from vademecum.files.plain_rules import PlainRules

NAMES = st.sampled_from(
    ["a", "b", "ab", "a.py", "b.py", "é", "日", "a b", "A", "-", "[x]", "a\nb", "#a", "!a", "a\\", "*"]
)
PIECES = st.sampled_from(
    [
        "a",
        "b",
        "ab",
        "*",
        "**",
        "?",
        "*.py",
        "a*",
        "*b",
        "[ab]",
        "[!a]",
        "[^b]",
        "[a-c]",
        "[]a]",
        "[a",
        "\\a",
        "\\*",
        "é",
        "***",
        "a**b",
        "?b",
        "日",
        "[[:alpha:]]",
        "[[:digit:]x]",
        "\\",
        "a ",
        "a\\ b",
        "#a",
        "!a",
        "[\\]]",
        "[é]",
        "**a",
    ]
)


@st.composite
def pattern_lines(draw: st.DrawFn) -> str:
    body = "/".join(draw(st.lists(PIECES, min_size=1, max_size=3)))
    start = draw(st.sampled_from(["", "", "", "/", "!", "!/", "\\", " "]))
    end = draw(st.sampled_from(["", "", "/", "/*", "/**", " ", "  ", "\r", "//"]))
    return start + body + end


TREES = st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), min_size=1, max_size=12)
FILES = st.lists(pattern_lines(), max_size=6)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(paths=TREES, top=FILES, nested=FILES, exclude=FILES, inner=NAMES)
def test_the_rules_without_git_are_those_of_git(
    paths: list[str], top: list[str], nested: list[str], exclude: list[str], inner: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = repository(Path(name))
        git(folder, "config", "core.excludesFile", "")
        for path in paths:
            try:
                write(folder, {path: "x"})
            except (NotADirectoryError, IsADirectoryError, FileExistsError):
                continue
        write(folder, {".gitignore": "\n".join(top), ".git/info/exclude": "\n".join(exclude)})
        if (folder / inner).is_dir():
            write(folder / inner, {".gitignore": "\n".join(nested) + "\n"})
        everything = [
            os.path.relpath(Path(where, entry), folder)
            for where, folders, files in os.walk(folder)
            for entry in [*folders, *files]
            if ".git" not in Path(where, entry).relative_to(folder).parts
        ]
        data = b"".join(b"./" + os.fsencode(path) + b"\0" for path in everything)
        answer = git(folder, "check-ignore", "-z", "--stdin", "--no-index", data=data)
        expected = {os.fsdecode(path.removeprefix(b"./")) for path in answer.split(b"\0") if path}
        rules = PlainRules(folder, is_repository=True)
        assert {path for path in everything if rules.ignored(path, (folder / path).is_dir())} == expected


@pytest.mark.parametrize(
    ("line", "path", "is_folder", "matches"),
    [
        ("foo", "foo", False, True),
        ("foo/", "foo", False, False),
        ("foo/", "foo", True, True),
        ("/coverage", "src/routes/coverage", True, False),
        ("a/**", "a", True, False),
        ("a/**", "a/b/c", False, True),
        ("**/a", "a", False, True),
        ("a/**/b", "a/b", False, True),
        ("a/**/b", "a/x/y/b", False, True),
        ("a*/b", "a/x/b", False, False),
        ("?", "é", False, False),  # git counts bytes
        ("foo\\ ", "foo ", False, True),
        ("*", "a\nb", False, True),
    ],
)
def test_a_pattern(line: str, path: str, is_folder: bool, matches: bool) -> None:
    pattern = parse_line(line.encode().decode("latin-1"))
    assert pattern is not None
    assert pattern.matches(parts_of(path), is_folder) is matches


@pytest.mark.parametrize("line", ["", "   ", "# note", "/", "!", "foo\\", "[a"])
def test_lines_that_never_match_are_left_out(line: str) -> None:
    assert parse_line(line) is None


def test_a_byte_order_mark_and_windows_line_ends_do_not_hide_a_pattern() -> None:
    assert [pattern.source for pattern in parse(b"\xef\xbb\xbf*.log\r\nbuild/\r\n")] == ["*.log", "build/"]


def test_a_pattern_made_to_run_for_hours_does_not() -> None:
    """A stranger's ignore file: many stars against a long name that almost matches."""
    name = "a" * 250
    pattern = parse_line("a*" * 60 + "b")
    folders = parse_line("**/a/" * 30 + "b")
    assert pattern is not None
    assert folders is not None
    before = time.monotonic()
    assert not pattern.matches((name,), False)
    assert not folders.matches(("a",) * 400, False)
    assert time.monotonic() - before < 60
