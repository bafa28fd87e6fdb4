"""References: printed, read back, and refused before any file is touched."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.errors import ErrorKind, VademecumError
from vademecum.evidence.reference import Reference, mint, parse, parse_path
from vademecum.files.content import Content

HEX = "3f9a2c1b7d4e8a90"
PARTS = st.text(st.characters(exclude_characters="/\\\0", exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda part: part not in (".", "..")
)
PATHS = st.lists(PARTS, min_size=1, max_size=4).map("/".join)


@given(PATHS, st.integers(1, 999_999_999), st.integers(0, 50), st.text("0123456789abcdef", min_size=12, max_size=64))
def test_what_is_printed_is_read_back(path: str, start: int, more: int, digest: str) -> None:
    end = min(start + more, 999_999_999)
    reference = Reference(path, start, end, digest)
    assert str(reference).removeprefix("./") == f"{path}:{start}-{end}@{digest[:16]}"
    assert parse(str(reference)) == Reference(path, start, end, digest[:16])
    assert parse(f"./{path}:{start}-{end}@{digest.upper()}") == reference


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (f"ab:b@c:3-4@{HEX}", "ab:b@c"),
        (f"./a:b@c:3-4@{HEX}", "a:b@c"),
        (f"src/x.py:1-2@{HEX}:3-4@{HEX}", f"src/x.py:1-2@{HEX}"),
        (f"./src//x.py:3-4@{HEX}", "src/x.py"),
        (f"src\\x.py:3-4@{HEX}", "src/x.py"),
        (f"日本 語.py:3-4@{HEX}", "日本 語.py"),
        (f"new\nline:3-4@{HEX}", "new\nline"),
        (f"..x/y..:3-4@{HEX}", "..x/y.."),
    ],
)
def test_the_path_is_what_is_left_of_the_lines(text: str, path: str) -> None:
    assert parse(text) == Reference(path, 3, 4, HEX)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.py",
        "a.py:1-2",
        f"a.py:1@{HEX}",
        f":1-2@{HEX}",
        f"./:1-2@{HEX}",
        f"/etc/passwd:1-2@{HEX}",
        f"\\\\server\\share:1-2@{HEX}",
        f"\\etc:1-2@{HEX}",
        f"C:\\x:1-2@{HEX}",
        f"c:/x:1-2@{HEX}",
        f"c:x:1-2@{HEX}",
        f"../x:1-2@{HEX}",
        f"a/../../x:1-2@{HEX}",
        f"a\\..\\x:1-2@{HEX}",
        f"a\0b:1-2@{HEX}",
        f"a.py:0-2@{HEX}",
        f"a.py:3-2@{HEX}",
        f"a.py:01-2@{HEX}",
        f"a.py:-1-2@{HEX}",
        f"a.py:1-9999999999@{HEX}",
        f"a.py:١-٢@{HEX}",  # digits, but not ours
        f"a.py:1-2@{HEX[:11]}",
        f"a.py:1-2@{'0' * 65}",
        f"a.py:1-2@{HEX[:15]}g",
        f"a.py:1-2@{HEX}\n",
        f"{'a' * 5000}:1-2@{HEX}",
    ],
)
def test_what_is_no_reference_is_refused(text: str) -> None:
    with pytest.raises(VademecumError) as refused:
        parse(text)
    assert refused.value.kind is ErrorKind.INVALID_REFERENCE


@given(st.text(max_size=60))
def test_anything_is_parsed_or_refused(text: str) -> None:
    for form in (text, f"{text}:1-2@{HEX}"):
        try:
            reference = parse(form)
        except VademecumError as refused:
            assert refused.kind is ErrorKind.INVALID_REFERENCE
        else:
            assert not reference.path.startswith("/")
            assert ".." not in reference.path.split("/")
            assert parse_path(reference.path) == reference.path


def test_minting_names_lines_by_their_bytes() -> None:
    data = b"\xef\xbb\xbfone\r\ntwo\rthree\n"
    content = Content("a.py", data)
    reference = mint(content, 2, 3)
    assert reference == Reference("a.py", 2, 3, hashlib.sha256(b"two\nthree").hexdigest())
    assert parse(str(reference)).digest == reference.digest[:16]


@pytest.mark.parametrize(("start", "end"), [(0, 1), (1, 4), (3, 2), (4, 4), (-1, 1)])
def test_lines_that_are_not_there_cannot_be_cited(start: int, end: int) -> None:
    with pytest.raises(VademecumError) as refused:
        mint(Content("a.py", b"1\n2\n3\n"), start, end)
    assert refused.value.kind is ErrorKind.INVALID_REFERENCE


def test_a_backslash_is_a_separator_unless_the_path_begins_with_a_dot() -> None:
    assert parse(f"src\\a.py:1-2@{HEX}").path == "src/a.py"
    odd = Reference("odd\\name.py", 1, 2, HEX)
    assert str(odd).startswith("./odd\\name.py:")
    assert parse(str(odd)).path == odd.path
