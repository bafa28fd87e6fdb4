"""From what a user names to texts: one file, or the files of a folder that belong to a format."""

import os
import posixpath
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files import lines
from vademecum.files.content import Reason, Refused, refuse_encoding
from vademecum.files.gate import Gate
from vademecum.files.named import NamedPaths
from vademecum.files.walk import Found, walk
from vademecum.memory.transfer.detecting import READERS, SUFFIXES, of_file, of_folder, told
from vademecum.memory.transfer.types import ImportFormat, Malformed, SourceText
from vademecum.work import Cancel, Progress

#: Bytes of a file, and of a folder's files together, that are imported at once.
LARGEST_SOURCE = 64 * 1024 * 1024

#: Files of a folder that are looked at.
MOST_FILES = 10_000

#: Files of a folder, and bytes of each, that are looked at to tell its format.
_LOOKED_AT = 20
_HEAD_BYTES = 4_096


@frozen
class Gathered:
    """What is to be imported, and whose form it has; `skipped` could not be read."""

    format: ImportFormat
    texts: tuple[SourceText, ...]
    skipped: tuple[Malformed, ...] = ()


def from_text(text: str, format: ImportFormat | None) -> Gathered:
    """Return a text that came with the request, as a source.

    :raises InvalidField: `text`, when it holds NUL or half a character; `format`, when it cannot be told.
    :raises VademecumError: `tooLarge`.
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidField("text", "holds half a surrogate pair, which is no character") from None
    if "\0" in text:
        raise InvalidField("text", "must not hold NUL characters")
    if len(data) > LARGEST_SOURCE:
        raise VademecumError(ErrorKind.TOO_LARGE, f"The text has {len(data):,} bytes; the limit is {LARGEST_SOURCE:,}.")
    source = SourceText("", lines.normalise(data).decode("utf-8"))
    return Gathered(format or told(of_file(source)), (source,))


def gather(named: NamedPaths, path: Path, format: ImportFormat | None, cancel: Cancel, progress: Progress) -> Gathered:
    """Return the texts at an absolute path, read as the gate lets them.

    :raises InvalidField: `format`, when it cannot be told; `source`, when nothing of it is there.
    :raises VademecumError: `notFound`, `excluded`, `outsideWorkspace`, `tooLarge`.
    """
    if os.path.isdir(path):  # noqa: PTH112 - False, too, for a name that no file can have
        return _folder(named, path, format, cancel, progress)
    try:
        read = named.read(path)
    except VademecumError as error:
        if error.data.get("reason") != Reason.IGNORED:
            raise
        # Where other systems keep notes in a repository, git is often told to leave them out.
        about = f"{error.message} Give its text instead; in a terminal: vademecum import - < {path.name}"
        raise VademecumError(error.kind, about, **error.data) from error
    source = SourceText(path.name, _decoded(read.data), path.parent.parts[1:], read.inside)
    return Gathered(format or told(of_file(source)), (source,))


def _folder(named: NamedPaths, path: Path, format: ImportFormat | None, cancel: Cancel, progress: Progress) -> Gathered:
    if format is ImportFormat.ARCHIVE:
        raise InvalidField("source", "must be a file: an archive is one")
    judged = named.folder(path)
    gate = judged.gate
    before = f"{gate.prefix}/" if gate.prefix else ""
    wanted = []
    for found in walk(gate, cancel):
        cancel.check()
        shown = found.path.removeprefix(before)
        if isinstance(found, Found) and posixpath.basename(shown).lower().endswith(SUFFIXES):
            wanted.append((shown, found.path))
    if len(wanted) > MOST_FILES:
        raise VademecumError(
            ErrorKind.TOO_LARGE,
            f"The folder holds {len(wanted):,} files of these kinds; at most {MOST_FILES:,} are looked at. Name a"
            " folder in it.",
        )
    gate.warm(path for _, path in wanted)
    above = path.parts[1:]
    if format is None:
        # Names say most; where they say nothing, the heads of a few files do.
        heads = [SourceText(shown, "", above) for shown, _ in wanted]
        format = of_folder(heads) or of_folder(_looked_at(gate, wanted, above)) or told(None)
    texts: list[SourceText] = []
    skipped: list[Malformed] = []
    size = 0
    chosen = sorted((shown, known) for shown, known in wanted if READERS[format].wants(shown))
    for number, (shown, known) in enumerate(chosen):
        cancel.check()
        progress(number, len(chosen), f"reading {shown}")
        content = gate.read_bytes(known)
        if isinstance(content, Refused):
            skipped.append(Malformed(shown, named.why(content)))
            continue
        size += len(content[0])
        if size > LARGEST_SOURCE:
            raise VademecumError(
                ErrorKind.TOO_LARGE, f"The folder's files have more than {LARGEST_SOURCE:,} bytes. Name a folder in it."
            )
        try:
            texts.append(SourceText(shown, _decoded(content[0]), above, judged.inside))
        except VademecumError as error:
            skipped.append(Malformed(shown, error.message))
    if not texts and not skipped:
        raise InvalidField("source", f"holds no file of the format {format}")
    return Gathered(format, tuple(texts), tuple(skipped))


def _looked_at(gate: Gate, wanted: Sequence[tuple[str, str]], above: tuple[str, ...]) -> list[SourceText]:
    sources = []
    for shown, known in sorted(wanted, key=lambda each: (each[0].count("/"), each[0]))[:_LOOKED_AT]:
        content = gate.read_bytes(known)
        if not isinstance(content, Refused):
            text = lines.normalise(content[0][:_HEAD_BYTES]).decode("utf-8", "replace")
            sources.append(SourceText(shown, text, above))
    return sources


def _decoded(data: bytes) -> str:
    refused = refuse_encoding(data)
    if refused is not None or b"\0" in data:
        detail = refused.detail if refused is not None else "the file holds NUL bytes"
        raise VademecumError(ErrorKind.EXCLUDED, f"It is no UTF-8 text: {detail}.", reason="encoding")
    try:
        return lines.normalise(data).decode("utf-8")
    except UnicodeDecodeError as error:
        raise VademecumError(
            ErrorKind.EXCLUDED, f"It is no UTF-8 text (byte {error.start:,}); convert it first.", reason="encoding"
        ) from None
