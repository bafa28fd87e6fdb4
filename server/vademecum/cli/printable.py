"""Text from files and memories made safe to show: a terminal obeys what it is sent."""

import re

# Control characters (a file may hold sequences that rename the window, hide text or answer for the user) and the marks
# that turn the direction of text around, which make lines read as something they are not. Tab and newline are harmless.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """`text` with every character that could drive the terminal written as an escape, such as `\\x1b`."""
    return _UNSAFE.sub(_escape, text)


def one_line(text: str) -> str:
    """`text` on one line, made safe."""
    return printable(" ".join(text.split()))


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
