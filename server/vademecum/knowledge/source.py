"""What documents are made of: files that a user names, folders of them, or text; read through the gate.

A file in an open folder is judged by that folder's gate, so that what it ignores or takes for a secret is no document
either. Elsewhere the same rules hold, with the named folder (or the file's own) for the opened one. A link is followed
where the user named it, unless it leads out of an open folder; within a folder none is.
"""

import hashlib
import os
import posixpath
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs
from attrs import frozen

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files import lines, names
from vademecum.files.content import Reason, Refused, Stamp, refuse_encoding
from vademecum.files.gate import Gate
from vademecum.files.roots import refuse_root
from vademecum.files.settings import FileSettings
from vademecum.files.walk import Found, walk
from vademecum.knowledge.types import LARGEST_DOCUMENT, MOST_DOCUMENTS, DocumentForm, SkippedSource
from vademecum.work import Cancel, Progress

LARGEST_FOLDER = 256 * 1024 * 1024
"""Bytes of documents that one import of a folder takes."""

MOST_SKIPPED = 200
"""Skipped files that are told one by one."""

_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdx"})
_TEXT = frozenset({".txt", ".text"})
_PANDOC = "convert it to Markdown first, for example with `pandoc -t gfm`"
#: Formats that hold text in a form of their own, and what to do about it.
_FOREIGN = {
    **dict.fromkeys((".pdf", ".ps"), "save it as text first, for example with `pdftotext`"),
    **dict.fromkeys((".doc", ".docx", ".odt", ".rtf", ".epub", ".pptx"), _PANDOC),
    **dict.fromkeys((".htm", ".html", ".xhtml"), _PANDOC),
    **dict.fromkeys((".rst", ".adoc", ".asciidoc", ".org", ".tex", ".textile", ".ipynb", ".typ"), _PANDOC),
}


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
    return Source(lines.normalise(data).decode("utf-8"), DocumentForm.MARKDOWN, title)


class Sources:
    """Reads what a user names. `gates` gives the gates of the open folders, `settings` those of the gate."""

    def __init__(
        self, gates: Callable[[], Sequence[Gate]], settings: Callable[[], FileSettings], user_home: Path
    ) -> None:
        self._gates = gates
        self._settings = settings
        self._user_home = user_home

    def file(self, path: Path) -> Source:
        """Read the file at an absolute path.

        :raises VademecumError: `notFound`, `tooLarge`, `outsideWorkspace` for a link that leads out of an open folder,
            and `excluded` (with `data.reason`) for what the gate refuses or what is no Markdown or UTF-8 text.
        """
        form = _form(path.name, path.name)
        gate, relative = self._judged(path)
        read = gate.read_bytes(relative)
        if isinstance(read, Refused):
            raise _refusal(read)
        real = gate.absolute(relative)
        return Source(_decoded(read[0]), form, path.stem, real, path.name, read[1])

    def folder(
        self, path: Path, cancel: Cancel, progress: Progress, known: Mapping[Path, Stamp] | None = None
    ) -> Gathered:
        """Read all Markdown and text in the folder at an absolute path; `.txt` and `.text` are text.

        :param known: stamps of files that need not be read when they still have them.
        :raises VademecumError: `excluded` for a folder that may not be read as a whole, `tooLarge`, `notFound`.
        """
        real = Path(os.path.realpath(path))
        if not real.is_dir():
            raise VademecumError(ErrorKind.NOT_FOUND, "There is no such folder.")
        refusal = refuse_root(real, self._user_home)
        if refusal is not None:
            message = refusal.replace("nothing in it is indexed", "it is not imported as a whole")
            message = message.replace("Open a project's folder instead", "Name a folder or a file in it")
            raise VademecumError(ErrorKind.EXCLUDED, message, reason="root")
        self._judged(path / "x.md", folder=True)
        gate = Gate(real, self._big())
        before = f"{gate.prefix}/" if gate.prefix else ""
        wanted: list[str] = []
        skipped: list[SkippedSource] = []
        ignored = 0
        for found in walk(gate, cancel):
            cancel.check()
            shown = found.path.removeprefix(before)
            suffix = posixpath.splitext(shown)[1].lower()
            if suffix not in _MARKDOWN and suffix not in _TEXT and suffix not in _FOREIGN:
                ignored += 1
            elif suffix in _FOREIGN:
                skipped.append(SkippedSource(shown, _FOREIGN[suffix]))
            elif isinstance(found, Found):
                wanted.append(found.path)
            elif found.reason in (Reason.IGNORED, Reason.DEPENDENCY):
                ignored += 1
            else:
                skipped.append(SkippedSource(shown, _words(Refused(found.reason))))
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
                skipped.append(SkippedSource(shown, _words(read)))
                continue
            data, stamp = read
            size += len(data)
            if size > LARGEST_FOLDER:
                raise VademecumError(
                    ErrorKind.TOO_LARGE,
                    f"The folder holds more than {LARGEST_FOLDER:,} bytes of documents. Import its folders one by one.",
                )
            try:
                text = _decoded(data)
            except VademecumError as error:
                skipped.append(SkippedSource(shown, error.message))
                continue
            form = _form(shown, shown)
            sources.append(Source(text, form, Path(path).stem, gate.absolute(path), shown, stamp))
        return tuple(sources)

    def _judged(self, path: Path, *, folder: bool = False) -> tuple[Gate, str]:
        """The gate that judges a path, with limits for documents, and the path as it knows it."""
        given = os.path.normpath(path)
        real = Path(os.path.realpath(given))
        self._refuse_own(real)
        holding = [gate for gate in self._gates() if _is_below(Path(given), gate.root)]
        if holding and not any(_is_below(real, gate.root) for gate in holding):
            raise VademecumError(
                ErrorKind.OUTSIDE_WORKSPACE, "It is a link that leads out of the open folder. Name what it leads to."
            )
        inside = [gate for gate in self._gates() if _is_below(real, gate.root)]
        root = max((gate.root for gate in inside), key=lambda root: len(root.parts), default=real.parent)
        gate = Gate(root, self._big())
        relative = gate.relative(real)
        if isinstance(relative, Refused):
            raise _refusal(relative)
        if folder and inside and real.parent != root and relative not in gate.concerned([relative]):
            raise _refusal(Refused(Reason.IGNORED, "the rules of the open folder leave it out"))
        return gate, relative

    def _refuse_own(self, real: Path) -> None:
        if any(names.refuse_folder(part) is Reason.SECRET_NAME for part in real.parts[:-1]):
            raise _refusal(Refused(Reason.SECRET_NAME, "it lies in a folder of secrets"))
        for own in self._settings().own_folders:
            if _is_below(real, Path(os.path.realpath(own))):
                raise _refusal(Refused(Reason.OWN, "it lies in a folder of Vademecum's own"))

    def _big(self) -> FileSettings:
        return attrs.evolve(self._settings(), max_file_bytes=LARGEST_DOCUMENT)


def _is_below(path: Path, folder: Path) -> bool:
    return path == folder or folder in path.parents


def _form(name: str, shown: str) -> DocumentForm:
    suffix = posixpath.splitext(name)[1].lower()
    if suffix in _FOREIGN:
        raise _excluded("format", f"{shown} is neither Markdown nor plain text: {_FOREIGN[suffix]}.")
    return DocumentForm.MARKDOWN if suffix in _MARKDOWN else DocumentForm.TEXT


def _decoded(data: bytes) -> str:
    refused = refuse_encoding(data)
    if refused is not None and refused.reason is Reason.ENCODING:
        name = "UTF-32" if "UTF-32" in refused.detail else "UTF-16"
        raise _excluded("encoding", f"It is {name}; convert it first: `iconv -f {name} -t UTF-8`.")
    if refused is not None or b"\0" in data:
        raise _excluded("binary", "It is a binary file; only Markdown and UTF-8 text are documents.")
    plain = lines.normalise(data)
    try:
        return plain.decode("utf-8")
    except UnicodeDecodeError as error:
        line = plain.count(b"\n", 0, error.start) + 1
        raise _excluded(
            "encoding",
            f"It is not UTF-8 (line {line:,}); convert it first, for example with `iconv -f ISO-8859-1 -t UTF-8`.",
        ) from None


def _refusal(refused: Refused) -> VademecumError:
    match refused.reason:
        case Reason.MISSING:
            return VademecumError(ErrorKind.NOT_FOUND, "There is no such file.")
        case Reason.TOO_LARGE:
            return VademecumError(ErrorKind.TOO_LARGE, f"It is too large for a document: {refused.detail} bytes.")
        case Reason.OUTSIDE:
            return VademecumError(ErrorKind.OUTSIDE_WORKSPACE, "It lies outside the open folder.")
        case reason:
            return _excluded(reason.value, f"It may not be imported: {_words(refused)}.")


def _words(refused: Refused) -> str:
    if refused.detail:
        return refused.detail
    told = {
        Reason.IGNORED: "ignore rules leave it out",
        Reason.SECRET_NAME: "its name is one of files that hold secrets",
        Reason.SYMLINK: "links are not followed",
        Reason.TOO_LARGE: f"larger than {LARGEST_DOCUMENT:,} bytes",
        Reason.NO_PERMISSION: "it may not be read",
        Reason.BAD_NAME: "its name is not valid UTF-8",
    }
    return told.get(refused.reason, refused.reason.value)


def _excluded(reason: str, message: str) -> VademecumError:
    return VademecumError(ErrorKind.EXCLUDED, message, reason=reason)


def _too_large(size: int) -> VademecumError:
    return VademecumError(ErrorKind.TOO_LARGE, f"It has {size:,} bytes; the limit is {LARGEST_DOCUMENT:,}.")
