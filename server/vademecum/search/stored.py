"""What the full-text index stores of a chunk: all of it in one blob, since reading one field takes a fifth of the time
that reading ten takes, and a query reads a hundred chunks."""

import struct
from collections.abc import Iterable
from typing import NamedTuple

from vademecum.embedding.keys import KEY_BYTES

CLEAN_BYTES = 16
"""How much of a file's hash is kept with each of its chunks."""

_NUMBERS = struct.Struct(f"<II32s{CLEAN_BYTES}s{KEY_BYTES}sB")
_BETWEEN = "\0"  # no path holds one, and it is taken out of names


class Stored(NamedTuple):
    """A chunk as it was indexed.

    :param digest: SHA-256 of its lines.
    :param defines: squeezed names of what is defined in it.
    :param clean: the beginning of the SHA-256 of its file, when no secret was found in all of that; else zeros. Where
        the file still has this hash it can be shown without looking for secrets again.
    :param vector: the key of its vector (`vademecum.search.entry.vector_key`).
    :param words: a sketch of what words it holds (`vademecum.search.sketch`).
    """

    path: str
    start: int
    end: int
    digest: bytes
    symbol: str | None
    kind: str | None
    language: str
    content: str
    defines: frozenset[str]
    clean: bytes
    vector: bytes
    words: bytes


def pack(stored: Stored) -> bytes:
    """The blob of a chunk."""
    texts = (stored.path, stored.language, stored.content, stored.symbol or "", stored.kind or "", *stored.defines)
    numbers = _NUMBERS.pack(stored.start, stored.end, stored.digest, stored.clean, stored.vector, len(stored.words))
    return numbers + stored.words + _BETWEEN.join(_plain(texts)).encode("utf-8", "surrogatepass")


def unpack(blob: bytes) -> Stored:
    """The chunk in a blob that `pack` made."""
    start, end, digest, clean, vector, size = _NUMBERS.unpack_from(blob)
    texts = _NUMBERS.size + size
    path, language, content, symbol, kind, *defines = blob[texts:].decode("utf-8", "replace").split(_BETWEEN)
    names = frozenset(defines)
    words = blob[_NUMBERS.size : texts]
    return Stored(
        path, start, end, digest, symbol or None, kind or None, language, content, names, clean, vector, words
    )


def _plain(texts: Iterable[str]) -> Iterable[str]:
    return (text.replace(_BETWEEN, "") if _BETWEEN in text else text for text in texts)
