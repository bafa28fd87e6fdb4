"""What words a chunk holds, in 64 bytes: enough to tell how alike two chunks are without reading either.

One-permutation min-wise hashing (Li, Owen and Zhang 2012): each word falls into one of 32 bins, each bin keeps the
smallest hash in it, and the share of bins on which two chunks agree estimates the Jaccard index of their words, with a
standard error below 0.09.
"""

import struct
from collections.abc import Iterable
from zlib import crc32

_BIN = 11
"""Bits of a hash below those that name its bin: 5 of 16 do."""

_MIX = 0x9E3779B1
"""An odd constant near 2**32 over the golden ratio (Knuth, TAOCP 6.4): CRC alone spreads short words badly."""

REMEMBERED = 20_000
"""Words whose hashes are remembered; about 2 MB."""


def sketch(words: Iterable[str]) -> bytes:
    """The sketch of some words: at most 32 numbers of two bytes. Repeats and order do not matter."""
    smallest = {number >> _BIN: number for number in sorted(map(_HASHES.__getitem__, words), reverse=True)}
    return struct.pack(f"={len(smallest)}H", *smallest.values())


def numbers(made: bytes) -> frozenset[int]:
    """The numbers in a sketch, as `alike` wants them. Nothing for bytes that are none."""
    return frozenset(memoryview(made[: len(made) & ~1]).cast("H"))


def alike(one: frozenset[int], other: frozenset[int]) -> float:
    """About the Jaccard index of the words that two sketches were made of, 0 to 1; 0 when one had none."""
    most = max(len(one), len(other))
    return len(one & other) / most if most else 0.0


class _Hashes(dict[str, int]):
    """The hash of each word met, 16 bits: words repeat, and looking one up takes a third of making it."""

    def __missing__(self, word: str) -> int:
        if len(self) >= REMEMBERED:
            self.clear()
        made = self[word] = (crc32(word.encode("utf-8", "surrogatepass")) * _MIX & 0xFFFFFFFF) >> 16
        return made


_HASHES = _Hashes()
