"""From a file's content to what the full-text index and the catalogue hold of it. Pure: any process can do it."""

import hashlib
import logging
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from attrs import frozen

from vademecum.embedding.keys import key_of, number_of
from vademecum.files.lines import normalise, split
from vademecum.files.redact import redact
from vademecum.lexical.index import Fields
from vademecum.lexical.tokens import fold, index_text
from vademecum.search.catalogue import ChunkRow
from vademecum.search.chunk import Chunk, chunk
from vademecum.search.languages import Language, language_of
from vademecum.search.sketch import sketch
from vademecum.search.stored import CLEAN_BYTES, Stored, pack

log = logging.getLogger(__name__)

ENTRY_VERSION = 4
"""Raised whenever the documents made of the same file would differ."""

FIELDS = Fields(
    text=("body", "names"),
    keywords=("path", "language", "content", "symbol"),
    blobs=("stored",),
    numbers=("vector",),
)
"""`body`: the chunk's text. `names`: words of its path and symbol. `symbol`: what it defines, squeezed. `vector`: the
number of its vector (`vademecum.embedding.keys`), by which its nearest are looked up. `stored`: see
`vademecum.search.stored`."""

VECTOR_TEXT_VERSION = 1
"""Raised whenever `vector_text` would make another text of the same chunk: its vectors are then made again."""

_NOT_WORD = re.compile(r"[\W_]+")


@frozen
class Entry:
    """What is indexed of one file.

    :param digest: SHA-256 of the whole content.
    :param documents: one for each chunk, for `vademecum.lexical.index.Writer.add`.
    """

    path: str
    digest: bytes
    language: str
    rows: tuple[ChunkRow, ...]
    documents: tuple[dict[str, object], ...]


def squeeze(name: str) -> str:
    """A name as it is compared: the last part of a qualified one, without underscores or case.

    `rate_limit`, `rateLimit` and `api::RateLimit` are one.
    """
    parts = [part for part in re.split(r"[.:\\/#]+", name) if part]
    return _NOT_WORD.sub("", fold(parts[-1] if parts else name)).lower()


def make(path: str, data: bytes, target: int, *, by_lines: bool = False) -> Entry:
    """Cut, redact and tokenise one file.

    :param path: relative to the workspace.
    :param target: lines a chunk aims at.
    :param by_lines: leave the syntax tree alone, because reading it has ended a process before.
    """
    language = language_of(path)
    whole = hashlib.sha256(data).digest()
    lines = split(data)
    text = normalise(data).decode("utf-8", errors="replace")
    redacted = redact(text)
    clean = whole[:CLEAN_BYTES] if redacted == text else bytes(CLEAN_BYTES)
    shown = redacted.split("\n")
    pieces = _pieces(path, lines, language, target, by_lines)
    path_words = _path_words(path)
    rows: list[ChunkRow] = []
    documents: list[dict[str, object]] = []
    for piece in pieces:
        digest = hashlib.sha256(b"\n".join(lines[piece.start - 1 : piece.end])).digest()
        kind = None if piece.kind is None else str(piece.kind)
        defines = _symbols(piece.names)
        body = shown[piece.start - 1 : piece.end]
        vector = vector_key(piece.symbol, body)
        text = index_text("\n".join(body))
        stored = Stored(
            path,
            piece.start,
            piece.end,
            digest,
            piece.symbol,
            kind,
            language.name,
            str(language.content),
            frozenset(defines),
            clean,
            vector,
            sketch(set(text.split())),
        )
        rows.append(ChunkRow(piece.start, piece.end, digest, piece.symbol, kind, vector))
        documents.append(
            {
                "path": path,
                "body": text,
                "names": index_text(f"{path_words} {piece.symbol or ''}"),
                "language": language.name,
                "content": str(language.content),
                "symbol": defines,
                "vector": number_of(vector),
                "stored": pack(stored),
            }
        )
    return Entry(path, whole, language.name, tuple(rows), tuple(documents))


def vector_text(symbol: str | None, lines: Sequence[str]) -> str:
    """The text that a chunk's vector is made of.

    The symbol stands before the lines, since a method does not name its class. The path does not, so that a file that
    is renamed need not be embedded again.

    :param lines: with secrets redacted: nobody may learn from a vector what no text tells.
    """
    return "\n".join(lines if symbol is None else (symbol, *lines))


def vector_key(symbol: str | None, lines: Sequence[str]) -> bytes:
    """The key of a chunk's vector: equal for all chunks that would have the same one."""
    return key_of(vector_text(symbol, lines), VECTOR_TEXT_VERSION)


def _pieces(path: str, lines: Sequence[bytes], language: Language, target: int, by_lines: bool) -> Sequence[Chunk]:
    plain = Language(language.name, None, docs=language.docs)
    try:
        return chunk(lines, plain if by_lines else language, target)
    except Exception:
        # A tree of a shape that nobody thought of must cost one file its symbols, not the folder its index.
        log.warning("%s could not be cut along its syntax tree; it is cut by lines", path, exc_info=True)
        return chunk(lines, plain, target)


def _symbols(names: Sequence[str]) -> list[str]:
    # A later piece of a long definition has no names: it is not where the thing is defined.
    return list(dict.fromkeys(name for name in map(squeeze, names) if name))


def _path_words(path: str) -> str:
    pure = PurePosixPath(path)
    return " ".join([*pure.parts[:-1], pure.stem])
