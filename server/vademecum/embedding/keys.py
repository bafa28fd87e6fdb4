"""The hash of a text, under which its vector is kept and found."""

import hashlib

KEY_BYTES = 16
"""Length of a key. Two of a billion texts meet with a chance of 1 in 10^20."""


def key_of(text: str, version: int) -> bytes:
    """The key of a text to be embedded.

    :param version: of the way in which the caller makes such texts: another way gives other keys even where the texts
        are equal, so that what an older version kept is not taken for what this one would.
    """
    return hashlib.sha256(f"{version}\0{text}".encode("utf-8", "surrogatepass")).digest()[:KEY_BYTES]


def number_of(key: bytes) -> int:
    """The number of a key, for indexes that know numbers only: its first eight bytes. Two of a million texts meet with
    a chance of 1 in 30 million."""
    return int.from_bytes(key[:8], "big")
