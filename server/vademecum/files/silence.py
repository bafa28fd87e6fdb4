"""Disks mounted in a workspace that do not answer: the folders that they are mounted at are passed over until they do.

A network drive whose machine is gone would hold up whoever walks, reads or asks git. Linux tells where disks are
mounted without asking them (`vademecum.files.disks`); elsewhere nothing is known of them, and nothing is passed over.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from vademecum.files import disks
from vademecum.files.content import Reason, Refused
from vademecum.files.own_rules import OwnVerdict

T = TypeVar("T")

_SILENT = Refused(Reason.SILENT, "the disk that it lies on does not answer")


class Silence:
    """Which folders of one workspace are passed over. May be used from every thread; paths are relative to `top`.

    :param top: the folder that paths are relative to, real path.
    """

    def __init__(self, top: Path) -> None:
        self._top = str(top)
        self._silent: frozenset[str] = frozenset()
        self._below: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())  # of all mounts, those below `top`

    @property
    def folders(self) -> tuple[str, ...]:
        """Those that were silent when they were looked at last."""
        return tuple(sorted(self._silent))

    def holds(self, path: str) -> bool:
        """Whether a path lies in one of them; asks no disk."""
        return any(path == folder or path.startswith(f"{folder}/") for folder in self._silent)

    @property
    def mounts(self) -> tuple[str, ...]:
        """Folders that other disks are mounted at, be they silent or not."""
        every, below = self._below
        if (now := disks.distant()) is not every:
            before = f"{self._top}/"
            below = tuple(mount[len(before) :] for mount in now if mount.startswith(before))
            self._below = (now, below)
        return below

    def refuse(self, folder: str, own: OwnVerdict = OwnVerdict.SILENT) -> Refused | None:
        """Refuse a folder that a silent disk is mounted at: at once where it was silent just now, else once it has not
        answered for `disks.SECONDS`. To be asked before anything in the folder is looked at.

        :param own: what the user's own rules say of the folder; a disk that they leave out is not asked.
        """
        if not self._silent and not self.mounts:
            return None
        mounted = folder in self.mounts
        silent = mounted and own is not OwnVerdict.OUT and not disks.answers(Path(self._top, folder))
        self._note(folder, silent)
        if silent:
            return _SILENT
        return Refused(Reason.IGNORED) if mounted and own is OwnVerdict.OUT else None

    def found(self) -> tuple[str, ...]:
        """Look at all that are mounted, and return those that are silent."""
        return tuple(folder for folder in self.mounts if self.refuse(folder) is not None)

    def look(self, path: str, function: Callable[[], T]) -> T | Refused:
        """Return what `function` says of what lies at a path; refused when the disk goes silent meanwhile."""
        for mount in self.mounts:
            if path == mount or path.startswith(f"{mount}/"):
                break
        else:
            return function()
        try:
            return disks.look(Path(self._top, path), lambda _: function())
        except disks.NoAnswer:
            self._note(mount, True)
            return _SILENT

    def _note(self, folder: str, silent: bool) -> None:
        if (folder in self._silent) is not silent:
            self._silent = self._silent | {folder} if silent else self._silent - {folder}
