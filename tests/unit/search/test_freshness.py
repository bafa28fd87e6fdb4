"""What of a file may be shown."""

from vademecum.files.content import Content, content
from vademecum.search.freshness import Shown
from vademecum.search.stored import CLEAN_BYTES

HARMLESS = b"def f():\n    return 1\n"
SECRET = b"def f():\n    password = 'hunter22-x9'\n"


def of(data: bytes) -> Content:
    got = content("a.py", data)
    assert isinstance(got, Content)
    return got


def test_a_secret_is_not_shown_whatever_was_indexed() -> None:
    shown = Shown()
    known_clean = of(HARMLESS).digest[:CLEAN_BYTES]
    assert shown.lines(of(HARMLESS), 1, 2, known_clean) == ["def f():", "    return 1"]
    for clean in (known_clean, bytes(CLEAN_BYTES), b""):
        lines = shown.lines(of(SECRET), 2, 2, clean)
        assert "hunter22" not in lines[0]
        assert "redacted" in lines[0]


def test_lines_are_those_of_the_whole_text() -> None:
    data = "\ufeffa\r\nb\xff".encode("latin-1", "ignore") + b"\xe4\xb8\nc\x0cd\n"
    got = of(data)
    whole = Shown().lines(got, 1, 3, bytes(CLEAN_BYTES))
    assert list(whole) == list(Shown().lines(got, 1, 3, got.digest[:CLEAN_BYTES]))
