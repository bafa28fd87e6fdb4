"""Disks that do not answer are given up, for as long as they do not; others are never held up by them."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from unit.files.hanging import hung_mount
from vademecum.files import disks
from vademecum.files.disks import NoAnswer, answers, disk_of, look, look_at_each
from vademecum.work import Cancel, Cancelled

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="which disk a path lies on, Linux alone tells")

LONG = 60.0
"""Seconds; only ever reached by a failure."""


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is taken for a drive of another machine; what looks at it may be slow, but not silent so long."""
    monkeypatch.setattr(disks, "SECONDS", LONG)
    folder = tmp_path / "drive"
    folder.mkdir()
    mounts = {**disks._read_mounts(), str(folder): "nfs4", str(tmp_path / "other"): "cifs"}
    monkeypatch.setattr(disks, "_mounts", lambda: mounts)
    return folder


@pytest.fixture
def silent() -> Iterator[threading.Event]:
    """Set when the drive answers again, and in the end."""
    event = threading.Event()
    yield event
    event.set()


def falls_silent(alive: Cancel) -> None:
    """As if nothing had been heard of the disk for longer than anybody waits."""
    assert isinstance(alive, disks.Alive)
    alive.heard -= 2 * LONG


def holding(event: threading.Event) -> Callable[[Cancel], str]:
    def function(alive: Cancel) -> str:
        falls_silent(alive)
        event.wait(LONG)
        return "told"

    return function


def running(disk: Path) -> int:
    return len(disks._running.get(str(disk), ()))


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_what_lies_on_this_machine_is_looked_at_where_one_is(tmp_path: Path) -> None:
    if disk_of(tmp_path) is None:
        assert look(tmp_path, lambda _: threading.current_thread()) is threading.current_thread()
    assert answers(tmp_path) and answers(tmp_path / "missing")


def test_what_is_said_is_told_and_what_is_raised_is_raised(far: Path) -> None:
    assert look(far, lambda _: 5) == 5
    assert look(far / "below", lambda _: threading.current_thread().name) == "vademecum-disk"

    def refuse(_alive: Cancel) -> None:
        raise FileNotFoundError(2, "No such file")

    with pytest.raises(FileNotFoundError):
        look(far, refuse)
    assert running(far) == 0


def test_a_silent_disk_is_given_up_and_asked_again_when_it_answers(far: Path, silent: threading.Event) -> None:
    with pytest.raises(NoAnswer, match="does not answer"):
        look(far, holding(silent))
    began = []
    with pytest.raises(NoAnswer):
        look(far, lambda _: began.append(1))
    assert began == [], "while one is stuck, no other is sent after it"
    assert not answers(far) and answers(far.parent)
    assert look(far.parent / "other", lambda _: 1) == 1, "another drive is another matter"
    silent.set()
    until(lambda: running(far) == 0)
    assert look(far, lambda _: 1) == 1


def test_another_look_is_risked_after_a_while_but_not_without_end(
    far: Path, silent: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disks, "RETRY_SECONDS", 0.0)
    for number in range(disks.MOST_STUCK + 3):
        with pytest.raises(NoAnswer):
            look(far, holding(silent))
        assert running(far) == min(number + 1, disks.MOST_STUCK)


def test_a_look_that_goes_on_is_not_silent(far: Path) -> None:
    alive = disks.Alive()
    falls_silent(alive)
    assert alive.is_silent
    alive.check()
    assert not alive.is_silent
    given: list[Cancel] = []
    look(far, given.append)
    assert isinstance(given[0], disks.Alive), "whoever looks has it to check"


def test_who_is_cancelled_does_not_wait(far: Path, silent: threading.Event) -> None:
    cancel = Cancel()
    ended = threading.Event()

    def function(alive: Cancel) -> None:
        cancel.set()
        silent.wait(LONG)
        try:
            alive.check()
        except Cancelled:
            ended.set()
            raise

    with pytest.raises(Cancelled):
        look(far, function, cancel)
    silent.set()
    assert ended.wait(LONG), "the look itself is told to stop, too"


def test_each_disk_is_waited_for_once(far: Path, silent: threading.Event, tmp_path: Path) -> None:
    paths = {str(n): far / str(n) for n in range(50)} | {f"here {n}": tmp_path / str(n) for n in range(50)}
    asked: list[Path] = []

    def function(path: Path) -> str:
        asked.append(path)
        if path.parent == far and path.name == "3":
            (look,) = disks._running[str(far)]
            falls_silent(look.alive)
            silent.wait(LONG)
        return path.name

    told = look_at_each(paths, function)
    assert [told[f"here {n}"] for n in range(50)] == [str(n) for n in range(50)]
    assert [told[str(n)] for n in range(3)] == ["0", "1", "2"], "what was told before it fell silent"
    assert all(isinstance(told[str(n)], NoAnswer) for n in range(3, 50))
    assert len(asked) == 54


def test_links_are_followed_without_touching_what_they_lead_to(far: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(far)
    (tmp_path / "relative").symlink_to("link/below")
    (tmp_path / "ring").symlink_to("ring")
    for path in (far, far / "a", tmp_path / "link", tmp_path / "relative" / "b", tmp_path / "x" / ".." / "drive"):
        assert disk_of(path) == str(far)
    assert disk_of(tmp_path / "drives") == disk_of(tmp_path)
    assert disk_of(tmp_path / "ring" / "a") in (None, disk_of(tmp_path))


def test_names_of_mounts_may_hold_anything() -> None:
    assert disks._unescaped(r"/mnt/my\040drive\134x") == r"/mnt/my drive\x"


def test_a_real_drive_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disks, "SECONDS", 0.3)
    with hung_mount(tmp_path / "drive") as drive:
        assert disk_of(drive / "a.md") == str(drive)
        assert not answers(drive / "a.md")
        assert answers(tmp_path)
    until(lambda: running(drive) == 0)
