"""What documents are made of: files that a user names, folders of them, or text; read through the gate.

What may be read is decided by `files/named`. A link is followed where the user named it, unless it leads out of an
open folder; within a folder none is.
"""

import hashlib
import os
import posixpath
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files import lines
from vademecum.files.content import Reason, Refused, Stamp
from vademecum.files.gate import Gate
from vademecum.files.named import NamedPaths
from vademecum.files.settings import FileSettings
from vademecum.files.walk import Found, walk
from vademecum.knowledge.formats import FOREIGN, MARKDOWN, TEXT, decoded, form_of
from vademecum.knowledge.types import LARGEST_DOCUMENT, MOST_DOCUMENTS, MOST_LINES, DocumentForm, SkippedSource
from vademecum.work import Cancel, Progress

LARGEST_FOLDER = 256 * 1024 * 1024
"""Bytes of documents that one import of a folder takes."""

MOST_SKIPPED = 200
"""Skipped files that are told one by one."""


@frozen
class Source:
    """A text to be imported.

    :param text: with LF line ends and without a byte order mark.
    :param name: what it is called where it has no title.
    :param path: the real path of its file; None for a text that came with the request.
    :param relative: its path within the imported folder, else the name of its file.
    :param stamp: of the file, taken before it was read.
    """

    text: str
    form: DocumentForm
    name: str
    path: Path | None = None
    relative: str = ""
    stamp: Stamp | None = None

    @property
    def key(self) -> str:
        """Tells this source from every other one on this machine; empty for a text."""
        return "" if self.path is None else key_of(self.path)


@frozen
class Gathered:
    """What a folder holds: documents, files that cannot be taken for one, how many others, and how many known ones."""

    sources: tuple[Source, ...]
    skipped: tuple[SkippedSource, ...]
    ignored: int
    same: int


def key_of(path: Path) -> str:
    """The key of the source at a real path: 16 hex digits that do not tell the path."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


def revision_of(text: str) -> str:
    """The revision of a text with LF line ends; a final line end counts for nothing."""
    return hashlib.sha256(text.removesuffix("\n").encode("utf-8")).hexdigest()[:16]


def from_text(text: str, title: str) -> Source:
    """A source of a text that came with the request; it is read as Markdown.

    :raises InvalidField: `text`, when it holds a NUL.
    :raises VademecumError: `tooLarge`.
    """
    if "\0" in text:
        raise InvalidField("text", "must not hold NUL characters")
    data = text.encode("utf-8")
    if len(data) > LARGEST_DOCUMENT:
        raise _too_large(len(data))
    return _bounded(Source(lines.normalise(data).decode("utf-8"), DocumentForm.MARKDOWN, title))


class Sources:
    """Reads what a user names. `gates` gives the gates of the open folders, `settings` those of the gate."""

    def __init__(
        self, gates: Callable[[], Sequence[Gate]], settings: Callable[[], FileSettings], user_home: Path
    ) -> None:
        self._named = NamedPaths(gates, settings, user_home, LARGEST_DOCUMENT, "a document")

    def file(self, path: Path) -> Source:
        """Read the file at an absolute path.

        :raises VademecumError: `notFound`, `tooLarge`, `outsideWorkspace` for a link that leads out of an open folder,
            and `excluded` (with `data.reason`) for what the gate refuses or what is no Markdown or UTF-8 text.
        """
        form = form_of(path.name)
        read = self._named.read(path)
        return _bounded(Source(decoded(read.data), form, path.stem, read.path, path.name, read.stamp))

    def folder(
        self, path: Path, cancel: Cancel, progress: Progress, known: Mapping[Path, Stamp] | None = None
    ) -> Gathered:
        """Read all Markdown and text in the folder at an absolute path; `.txt` and `.text` are text.

        :param known: stamps of files that need not be read when they still have them.
        :raises VademecumError: `excluded` for a folder that may not be read as a whole, `tooLarge`, `notFound`.
        """
        gate = self._named.folder(path).gate
        before = f"{gate.prefix}/" if gate.prefix else ""
        wanted: list[str] = []
        skipped: list[SkippedSource] = []
        ignored = 0
        for found in walk(gate, cancel):
            cancel.check()
            shown = found.path.removeprefix(before)
            suffix = posixpath.splitext(shown)[1].lower()
            if suffix not in MARKDOWN and suffix not in TEXT and suffix not in FOREIGN:
                ignored += 1
            elif suffix in FOREIGN:
                skipped.append(SkippedSource(shown, FOREIGN[suffix]))
            elif isinstance(found, Found):
                wanted.append(found.path)
            elif found.reason in (Reason.IGNORED, Reason.DEPENDENCY):
                ignored += 1
            else:
                skipped.append(SkippedSource(shown, self._named.why(Refused(found.reason))))
        if len(wanted) > MOST_DOCUMENTS:
            raise VademecumError(
                ErrorKind.TOO_LARGE,
                f"The folder holds {len(wanted):,} documents; at most {MOST_DOCUMENTS:,} are imported at once. Import"
                " its folders one by one.",
            )
        gate.warm(wanted)
        same = {path for path in wanted if known and known.get(gate.absolute(path)) == gate.stamp(path)}
        changed = sorted(path for path in wanted if path not in same)
        sources = self._read(gate, changed, before, skipped, cancel, progress)
        skipped.sort(key=lambda each: each.path)
        return Gathered(sources, tuple(skipped), ignored, len(same))

    def _read(
        self,
        gate: Gate,
        wanted: Sequence[str],
        before: str,
        skipped: list[SkippedSource],
        cancel: Cancel,
        progress: Progress,
    ) -> tuple[Source, ...]:
        sources = []
        size = 0
        for path in wanted:
            cancel.check()
            shown = path.removeprefix(before)
            progress(0, len(wanted), f"reading {shown}")  # counted when their headings are found
            read = gate.read_bytes(path)
            if isinstance(read, Refused):
                skipped.append(SkippedSource(shown, self._named.why(read)))
                continue
            data, stamp = read
            size += len(data)
            if size > LARGEST_FOLDER:
                raise VademecumError(
                    ErrorKind.TOO_LARGE,
                    f"The folder holds more than {LARGEST_FOLDER:,} bytes of documents. Import its folders one by one.",
                )
            name = Path(path).stem
            try:
                source = Source(decoded(data), form_of(shown), name, gate.absolute(path), shown, stamp)
                sources.append(_bounded(source))
            except VademecumError as error:
                skipped.append(SkippedSource(shown, error.message))
        return tuple(sources)


def _bounded(source: Source) -> Source:
    count = source.text.count("\n")
    if source.form is DocumentForm.MARKDOWN and count > MOST_LINES:
        message = f"It has {count:,} lines; Markdown may have {MOST_LINES:,}. Split it, or import it as a `.txt` file."
        raise VademecumError(ErrorKind.TOO_LARGE, message)
    return source


def _too_large(size: int) -> VademecumError:
    return VademecumError(ErrorKind.TOO_LARGE, f"It has {size:,} bytes; the limit is {LARGEST_DOCUMENT:,}.")
