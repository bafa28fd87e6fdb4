"""Looks at disks that may never answer: a network drive whose machine is gone can hold up whoever asks, for good.

Such a call cannot be stopped, so it is made on a thread of its own, which nobody waits for any longer than the disk is
silent. Disks of this machine are looked at without one. Which disk a path lies on is told by the kernel's list of
mounts (Linux), which says so without asking the disk; elsewhere each look has its thread.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Generic, TypeVar

from vademecum.errors import ErrorKind, VademecumError
from vademecum.files.stillness import LOCAL
from vademecum.work import Cancel

T = TypeVar("T")

SECONDS = 5.0
"""How long a disk may be silent in the middle of a look, until it is given up."""

RETRY_SECONDS = 60.0
"""How long a disk that is silent is left alone before another look is risked."""

MOST_STUCK = 4
"""Looks that may be stuck at one disk; with so many there is no further one until one of them ends."""

_MOUNTS_SECONDS = 1.0
_POLL_SECONDS = 0.1
_MOST_LINKS = 40  # as many as Linux follows in one path


class NoAnswer(VademecumError):
    """A disk is silent: `storeUnreadable`. Its message is a sentence that says what to do."""

    def __init__(self) -> None:
        super().__init__(
            ErrorKind.STORE_UNREADABLE,
            f"The disk that it lies on does not answer within {SECONDS:.0f} seconds. Connect it, then try again.",
        )


class Alive(Cancel):
    """What a look is given to be stopped by; every check of it says that the disk still answers."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = time.monotonic()

    def check(self) -> None:
        """Return at once, or raise `Cancelled` where nobody waits any more."""
        self.heard = time.monotonic()
        super().check()

    @property
    def is_silent(self) -> bool:
        """Whether nothing was heard for too long."""
        return time.monotonic() - self.heard >= SECONDS


class _Look(Generic[T]):
    """One call on a thread of its own."""

    def __init__(self, function: Callable[[Cancel], T], disk: str) -> None:
        self.alive = Alive()
        self.began = self.alive.heard
        self._function = function
        self._disk = disk
        self._done = threading.Event()
        self._result: list[T] = []
        self._error: BaseException | None = None

    def start(self) -> None:
        # A daemon: the process ends without waiting for a disk.
        threading.Thread(target=self._run, name="vademecum-disk", daemon=True).start()

    def _run(self) -> None:
        try:
            self._result.append(self._function(self.alive))
        except BaseException as error:
            self._error = error
        finally:
            with _guard:
                _running[self._disk].remove(self)
                if not _running[self._disk]:
                    del _running[self._disk]
            self._done.set()

    def wait(self, cancel: Cancel) -> T:
        while not self._done.wait(_POLL_SECONDS):
            if cancel.is_set or self.alive.is_silent:
                self.alive.set()  # it ends as soon as it can
                cancel.check()
                raise NoAnswer
        if self._error is not None:
            raise self._error
        return self._result[0]


_guard = threading.Lock()
_running: dict[str, list[_Look]] = {}  # type: ignore[type-arg]


def look(path: Path, function: Callable[[Cancel], T], cancel: Cancel | None = None) -> T:
    """Return what `function` says of what lies at an absolute path, or raise what it raises.

    :param function: given a `Cancel` to check now and then: a look that goes on for long is not taken for a stuck one.
    :param cancel: the caller's.
    :raises NoAnswer: when the disk is silent for `SECONDS`, and at once while it was silent just now.
    :raises Cancelled: soon after `cancel` is set.
    """
    cancel = cancel or Cancel()
    disk = disk_of(path)
    if disk is None:
        return function(cancel)
    started: _Look[T] = _Look(function, disk)
    with _guard:
        others = _running.setdefault(disk, [])
        stuck = [each for each in others if each.alive.is_silent]
        newest = max((each.began for each in stuck), default=None)
        if len(stuck) >= MOST_STUCK or (newest is not None and time.monotonic() - newest < RETRY_SECONDS):
            raise NoAnswer
        others.append(started)
    started.start()
    return started.wait(cancel)


def look_at_each(
    paths: Mapping[str, Path], function: Callable[[Path], T], cancel: Cancel | None = None
) -> dict[str, T | NoAnswer]:
    """Return what `function` says of each path, under its key. The paths of a disk are looked at in one go, so that one
    that is silent is waited for once.
    """
    told: dict[str, T | NoAnswer] = {}
    disks: dict[str | None, list[str]] = {}
    for key, path in paths.items():
        disks.setdefault(disk_of(path), []).append(key)
    for keys in disks.values():
        found: dict[str, T] = {}

        def ask(alive: Cancel, keys: Sequence[str] = keys, found: dict[str, T] = found) -> None:
            for key in keys:
                alive.check()
                found[key] = function(paths[key])

        try:
            look(paths[keys[0]], ask, cancel)
        except NoAnswer as silence:
            told |= dict.fromkeys(keys, silence)
        told |= dict(found)
    return told


def answers(path: Path) -> bool:
    """Whether the disk that a path lies on answers; whether anything is there is no matter."""

    def touch(_alive: Cancel) -> None:
        os.path.lexists(path)

    try:
        look(path, touch)
    except NoAnswer:
        return False
    return True


def disk_of(path: Path) -> str | None:
    """Which disk an absolute path lies on, without asking any that may be silent; None for one of this machine."""
    if not sys.platform.startswith("linux"):
        return "/".join(path.parts[:3]) if path.parts[1:2] == ("Volumes",) else path.anchor
    mounts = _mounts()
    rest = list(PurePath(os.path.normpath(path)).parts[1:])
    at, kind = "/", mounts.get("/", "")
    links = 0
    while True:
        if kind not in LOCAL:
            return at if at in mounts else _mount_above(at, mounts)
        if not rest:
            return None
        below = os.path.join(at, rest.pop(0))  # noqa: PTH118 - as text, which touches nothing
        kind = mounts.get(below, kind)
        if kind in LOCAL and (target := _link(below)) is not None:
            links += 1
            if links > _MOST_LINKS:
                return None  # it leads in a ring, which whoever opens it is told at once
            rest = [*PurePath(os.path.normpath(os.path.join(at, target))).parts[1:], *rest]  # noqa: PTH118
            at, kind = "/", mounts.get("/", "")
        else:
            at = below


def distant() -> tuple[str, ...]:
    """Where other disks than those of this machine are mounted, as the kernel's list has it; nowhere on systems that do
    not tell. The same object as long as nothing changes."""
    global _far
    mounts = _mounts()
    if _far[0] is not mounts:
        found = tuple(path for path, kind in mounts.items() if kind not in LOCAL)
        _far = (mounts, _far[1] if _far[1] == found else found)
    return _far[1]


def _link(path: str) -> str | None:
    try:
        return os.readlink(path)  # noqa: PTH115
    except OSError:
        return None


def _mount_above(path: str, mounts: Mapping[str, str]) -> str:
    while path not in mounts and path != "/":
        path = os.path.dirname(path)  # noqa: PTH120
    return path


_known: tuple[float, dict[str, str]] = (-_MOUNTS_SECONDS, {})
_far: tuple[Mapping[str, str], tuple[str, ...]] = ({}, ())


def _mounts() -> dict[str, str]:
    """Where something is mounted, and the kind of its file system; as it was a second ago at most."""
    global _known
    at, mounts = _known
    if time.monotonic() - at >= _MOUNTS_SECONDS:
        mounts = _read_mounts()
        _known = (time.monotonic(), mounts)
    return mounts


def _read_mounts() -> dict[str, str]:
    mounts: dict[str, str] = {}
    try:
        text = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape")
    except OSError:
        return mounts
    for line in text.splitlines():
        mount, _, rest = line.partition(" - ")
        parts = mount.split(" ")
        if len(parts) > 4 and rest:
            mounts[_unescaped(parts[4])] = rest.split(" ", 1)[0]  # a later mount covers an earlier one
    return mounts


def _unescaped(text: str) -> str:
    r"""A path of the list, where blanks and the like stand as `\040`."""
    first, *others = text.split("\\")
    return first + "".join(chr(int(part[:3], 8)) + part[3:] for part in others)
