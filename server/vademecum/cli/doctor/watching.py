"""Whether the system lets enough folders be watched. Only Linux sets a limit that repositories reach."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from vademecum.cli.asking import Asking
from vademecum.cli.doctor.check import Check, ok, warn
from vademecum.files.walk import Found, walk

_LIMITS = Path("/proc/sys/fs/inotify")
# Editors and file managers watch too, so a folder should need no more than this part of the limit.
_FAIR_PART = 0.5
# One for each open folder of each server, and those of editors; the usual default is 128.
_FEW_INSTANCES = 32


def limits(asking: Asking) -> Iterator[Check]:
    """What the folders need of inotify's watches, against what the system grants this user."""
    watches, instances = _limit("max_user_watches"), _limit("max_user_instances")
    if watches is None or instances is None:
        return
    needed = sum(_folders(asking))
    told = f"{needed:,} folders to watch, {watches:,} allowed"
    if needed > watches * _FAIR_PART:
        yield warn("inotify", told, f"sudo sysctl fs.inotify.max_user_watches={max(524_288, 4 * needed)}")
    else:
        yield ok("inotify", told)
    if instances < _FEW_INSTANCES:
        yield warn("inotify", f"only {instances} watchers allowed", "sudo sysctl fs.inotify.max_user_instances=512")


def _folders(asking: Asking) -> Iterator[int]:
    for folder in asking.workspaces.folders:
        if folder.refusal is not None:
            continue
        kept: set[PurePosixPath] = {PurePosixPath()}
        for item in walk(folder.gate, asking.interrupt.cancel):
            if isinstance(item, Found):
                kept.update(PurePosixPath(item.path).parents)
        yield len(kept)


def _limit(name: str) -> int | None:
    try:
        return int((_LIMITS / name).read_text("ascii"))
    except (OSError, ValueError):
        return None
