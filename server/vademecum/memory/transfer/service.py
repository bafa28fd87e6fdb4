"""Import and export of the memories of a workspace."""

from collections.abc import Callable, Sequence

from vademecum.memory.holdings import Holdings
from vademecum.memory.transfer import exporting, importing, restoring
from vademecum.memory.transfer.exporting import Text
from vademecum.memory.transfer.gathering import Gathered
from vademecum.memory.transfer.judging import Wish
from vademecum.memory.transfer.types import ExportFormat, Imported, ImportFormat
from vademecum.memory.types import Scope
from vademecum.work import Cancel, Progress, silent


class Transfer:
    """What goes in from other systems and archives, and out to them. Made anew for each request."""

    def __init__(self, held: Holdings) -> None:
        self._held = held

    def bring_in(
        self,
        gathered: Gathered,
        wish: Wish | None = None,
        cancel: Cancel | None = None,
        progress: Progress = silent,
        settle: Callable[[], None] = lambda: None,
    ) -> Imported:
        """Import what was gathered; see `importing.import_texts`, and `restoring.restore` for an archive."""
        run = restoring.restore if gathered.format is ImportFormat.ARCHIVE else importing.import_texts
        return run(self._held, gathered, wish or Wish(), cancel or Cancel(), progress, settle)

    def take_out(
        self,
        format: ExportFormat,
        scopes: Sequence[Scope] = tuple(Scope),
        cancel: Cancel | None = None,
        progress: Progress = silent,
    ) -> Text:
        """Export the memories of the scopes; see `exporting.export`."""
        return exporting.export(self._held, format, scopes, cancel or Cancel(), progress)
