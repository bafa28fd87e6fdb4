"""Temporal decay: a file that was worked on lately comes before one that has rested for years, if that is wanted.

Its age counts from its last commit, or from its last edit where that is not committed yet; never from when it was
indexed, which says nothing about it.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from vademecum.files.git import GitFailed, git, git_records
from vademecum.search.candidates import Candidate
from vademecum.work import Cancel

log = logging.getLogger(__name__)

SECONDS_A_DAY = 86_400.0

HALF_LIVES = 10
"""Half-lives that history is read back; what is older is worth less than a thousandth and counts as that old."""


def decayed(
    candidates: Sequence[Candidate], changed: Mapping[str, float], now: float, half_life: float, weight: float
) -> list[Candidate]:
    """The candidates with the scores of files that rested long made less.

    A score is multiplied by 1 - weight * (1 - 2^(-age / half-life)), so it never falls below the share 1 - weight.

    :param changed: when each file was last changed, seconds of the epoch; one that is not there is `HALF_LIVES` old.
    :param half_life: days.
    :param weight: 0 leaves every score as it is, 1 lets old files fade away wholly.
    """
    out = []
    for each in candidates:
        days = max(0.0, now - changed.get(each.path, 0.0)) / SECONDS_A_DAY
        factor = 1 - weight * (1 - 0.5 ** min(HALF_LIVES, days / half_life))
        out.append(each.with_signal("decay", factor, each.score * factor))
    return out


class History:
    """When the files of a repository were last changed: one `git log` for all, again only when HEAD has moved."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._lock = threading.Lock()
        self._known: tuple[str, float, dict[str, float]] | None = None

    def changed(self, half_life: float, paths: Iterable[str], cancel: Cancel) -> Mapping[str, float]:
        """Seconds of the epoch of each file's last commit within `HALF_LIVES`, by its path from the repository's top.

        Those of `paths` with changes that are not committed count as changed when they were written. Nothing at all
        where there is no git.

        :raises Cancelled: when told to stop.
        """
        with self._lock:
            try:
                head = git(self._top, "rev-parse", "HEAD").decode("ascii", "replace").strip()
                if self._known is None or self._known[:2] != (head, half_life):
                    self._known = (head, half_life, _commits(self._top, half_life, cancel))
                return {**self._known[2], **_edits(self._top, paths, cancel)}
            except GitFailed as why:
                log.info("no times of changes are known: %s", why)
                return {}


def _commits(top: Path, half_life: float, cancel: Cancel) -> dict[str, float]:
    since = int(time.time() - HALF_LIVES * half_life * SECONDS_A_DAY)
    # With -z a commit's time and each of its names end in NUL; the first name has a newline before it.
    wanted = ("log", f"--since={since}", "--no-renames", "--format=%x01%ct", "--name-only", "-z", "HEAD")
    times: dict[str, float] = {}
    stamp = 0.0
    for record in git_records(top, *wanted, cancel=cancel):
        text = record.decode("utf-8", "surrogateescape")
        if text.startswith("\x01") and text[1:].isdecimal():
            stamp = float(text[1:])
        else:
            times.setdefault(text.removeprefix("\n"), stamp)  # the newest comes first
    return times


def _edits(top: Path, paths: Iterable[str], cancel: Cancel) -> dict[str, float]:
    wanted = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
    times: dict[str, float] = {}
    for record in git_records(top, "--literal-pathspecs", *wanted, "--", *paths, cancel=cancel):
        path = record[3:].decode("utf-8", "surrogateescape")
        with contextlib.suppress(OSError):
            times[path] = (top / path).stat().st_mtime
    return times
