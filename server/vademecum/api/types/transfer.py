"""`memory/import` and `memory/export`: params. The results are the values of the memory room."""

from attrs import frozen

from vademecum.memory.transfer.types import ExportFormat, ImportFormat
from vademecum.memory.types import Origin, Scope, Span


@frozen
class ImportMemories:
    """`memory/import`: from a file, a folder, or a text. Name either `source` or `text`."""

    source: str | None = None
    """URI or full path of a file or folder. It is only read."""
    text: str | None = None
    """The text of such a file, at most 64 MiB."""
    format: ImportFormat | None = None
    """Told from the source when left out."""
    scope: Scope | None = None
    """Where everything goes; as the source says when left out, and where it does not, into the open project. Of an
    archive: only this part."""
    origin: Origin | None = None
    """Whose words these are. When left out, a source in an open folder counts as the repository's, so that its rules
    are told as background rather than as the user's own wishes; any other as the user's."""
    dry_run: bool = False
    """Tell what would be done, and write nothing."""
    skip_similar: bool = False
    """Leave out what comes close to a memory that is there."""
    only: tuple[str, ...] | None = None
    """Keys of the items to import, as a dry run told them; all when left out."""
    workspace: str | None = None


@frozen
class ExportMemories:
    """`memory/export`: to a new file, or as a text."""

    format: ExportFormat = ExportFormat.ARCHIVE
    scope: Span = Span.ALL
    """An archive of `all` holds every project that was ever opened, the other forms what is open now."""
    target: str | None = None
    """URI or full path of a file that is not there yet; it is made for its owner alone. Without it the answer holds the
    text."""
    workspace: str | None = None
