"""What import and export are given and what they answer."""

from enum import StrEnum

from attrs import frozen

from vademecum.errors import ErrorKind
from vademecum.memory.record import Record
from vademecum.memory.types import Scope


class ImportFormat(StrEnum):
    """Whose files are imported."""

    ARCHIVE = "archive"
    """Our own, one file with everything."""
    CODEBUDDY = "codebuddy"
    """CodeBuddy's `memory.json` or `user-memory.json`."""
    CODEWHALE = "codewhale"
    """CodeWhale's `MEMORY.md`, the folder of them, what it exports of them, or its later store's lines of JSON."""
    YOTTACODE = "yottacode"
    """YottaCode's folders of memories."""
    CLAUDE_CODE = "claudeCode"
    """A memory folder of Claude Code, or a file of one."""
    LIST = "list"
    """The lists in `CLAUDE.md`, `AGENTS.md`, `copilot-instructions.md` and the like."""


class ExportFormat(StrEnum):
    """In which form memories are exported."""

    ARCHIVE = "archive"
    """Everything: versions, counts, pins, what waits for review, charters. `memory/import` restores it identically."""
    CODEBUDDY = "codebuddy"
    """An array as CodeBuddy has it."""
    LIST = "list"
    """A Markdown list under headings, as for `CLAUDE.md` or `AGENTS.md`."""


@frozen
class SourceText:
    """A text to be imported.

    :param path: its path within the named folder, else its name; empty for a text that came with the request.
    :param text: with LF line ends and without a byte order mark.
    :param above: names of the folders that lead to it: those above a named file, or those above a named folder and that
        folder's own, the nearest last.
    :param inside: whether it lies in an open folder, and so may have come with a repository.
    """

    path: str
    text: str
    above: tuple[str, ...] = ()
    inside: bool = False

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.rpartition("/")[2]

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of all folders above it, as far as they are known."""
        return (*self.above, *self.path.split("/")[:-1])


@frozen
class Incoming:
    """A memory that a source holds.

    :param where: its place in the source, for a person.
    :param scope: what the source says of it; None when it says nothing.
    :param project: what the source calls the project that it belongs to; empty when it says nothing.
    """

    record: Record
    where: str
    scope: Scope | None = None
    project: str = ""


@frozen
class Malformed:
    """A part of a source that is no memory, and why."""

    where: str
    reason: str


Parsed = Incoming | Malformed


class ImportAction(StrEnum):
    """What becomes of one item of a source."""

    ADD = "add"
    """It is new."""
    SIMILAR = "similar"
    """It is new, and comes close to what is there; added unless `skipSimilar`."""
    SAME = "same"
    """It is there already, and left as it is."""
    SKIP = "skip"
    """It was left out as the request wished."""
    REFUSE = "refuse"
    """It cannot be kept; `reason` says why."""


@frozen
class ImportedItem:
    """What becomes, or would become, of one item of a source."""

    action: ImportAction
    where: str
    """Its place in the source."""
    key: str
    """Names the item; the same whenever this source is imported. For `only`. Empty for what is no memory."""
    title: str = ""
    scope: Scope | None = None
    id: str | None = None
    """The memory that it became, or (`same`) that is there."""
    similar: tuple[str, ...] | None = None
    """Memories that it comes close to; items of the same source that are not added (yet) by their keys."""
    kind: ErrorKind | None = None
    """Why it is refused, for a program."""
    reason: str | None = None
    """Why it is refused, for a person; never shows a secret."""


@frozen
class Imported:
    """What an import did, or would do, item by item in the order of the source."""

    format: ImportFormat
    dry_run: bool
    items: tuple[ImportedItem, ...]
    added: int
    """How many were, or would be, added."""
    same: int
    refused: int
    skipped: int
    """How many were left out as the request wished."""
    versions: int = 0
    """Prior versions that came with an archive and were not here yet."""
    ids: tuple[str, ...] = ()
    """Memories that were added."""


@frozen
class Exported:
    """What was exported. `text` is there when no target was named, `path` (a URI) when one was."""

    format: ExportFormat
    memories: int
    versions: int
    charters: int
    bytes: int
    text: str | None = None
    path: str | None = None
