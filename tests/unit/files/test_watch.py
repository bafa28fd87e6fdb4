"""The watcher on a real file system: nothing missed, nothing unwanted watched, trouble told and survived."""

import errno
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from watchdog.observers import Observer

from unit.files.trees import commit, eventually, git, repository, write
from vademecum.files import inotify, watch
from vademecum.files.content import Refused
from vademecum.files.events import CannotWatch, Event, EventKind, Source
from vademecum.files.gate import Gate
from vademecum.files.inotify import InotifySource
from vademecum.files.mounts import remote_file_system
from vademecum.files.native import NativeSource
from vademecum.files.settings import FileSettings
from vademecum.files.watch import Batch, Watcher, WatcherState

pytestmark = [
    pytest.mark.skipif(not Path("/proc/sys/fs/inotify").exists(), reason="needs inotify"),
    # Said by watchdog's own recursive observer about itself.
    pytest.mark.filterwarnings("ignore:Callback with id:RuntimeWarning"),
]


class Told:
    """What a watcher has told."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []

    def __call__(self, batch: Batch) -> None:
        self.batches.append(batch)

    @property
    def paths(self) -> set[str]:
        return {path for batch in self.batches for path in batch.paths}

    @property
    def folders(self) -> set[str]:
        return {path for batch in self.batches for path in batch.folders}

    @property
    def rescans(self) -> int:
        return sum(batch.rescan for batch in self.batches)


Start = Callable[..., tuple[Watcher, Told]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start watchers on folders, and stop them at the end."""
    watchers: list[Watcher] = []

    def begin(
        root: Path, *, settings: FileSettings | None = None, source: Source | None = None, poll_seconds: float = 30.0
    ) -> tuple[Watcher, Told]:
        told = Told()
        watcher = Watcher(Gate(root, settings), told, source=source, poll_seconds=poll_seconds)
        watchers.append(watcher)
        watcher.start()
        return watcher, told

    yield begin
    for watcher in watchers:
        watcher.stop()


@pytest.fixture(params=["inotify", "native"])
def source(request: pytest.FixtureRequest) -> Source:
    """Both ways of watching; the recursive one of macOS and Windows runs on watchdog's own observer here."""
    return InotifySource() if request.param == "inotify" else NativeSource(Observer)


def watched(watcher: Watcher, root: Path) -> set[str]:
    return {os.path.relpath(folder, root) for folder in watcher.watched() if not f"{folder}/".count("/.git/")}


def test_changes_of_files_are_told(tmp_path: Path, start: Start, source: Source) -> None:
    tree = write(tmp_path, {"a.py": "1", "src/b.py": "1", "src/c.py": "1"})
    watcher, told = start(tree, source=source)
    assert watcher.status.state is WatcherState.WATCHING
    write(tree, {"a.py": "2", "src/new.py": "1"})
    (tree / "src" / "b.py").unlink()
    (tree / "src" / "c.py").rename(tree / "src" / "d.py")
    expected = {"a.py", "src/new.py", "src/b.py", "src/c.py", "src/d.py"}
    assert eventually(lambda: told.paths >= expected), told.batches
    assert told.paths == expected


def test_an_atomic_save_is_told_as_the_file(tmp_path: Path, start: Start, source: Source) -> None:
    tree = write(tmp_path, {"a.py": "1"})
    _, told = start(tree, source=source)
    write(tree, {"a.py.tmp": "2"})
    (tree / "a.py.tmp").replace(tree / "a.py")
    assert eventually(lambda: "a.py" in told.paths)


def test_new_folders_are_followed_at_once(tmp_path: Path, start: Start, source: Source) -> None:
    """`mkdir -p a/b/c` and a file in it: the file is older than the watch of its folder."""
    tree = write(tmp_path, {"x.py": "1"})
    _, told = start(tree, source=source)
    for number in range(30):
        write(tree, {f"new{number}/b/c/file.py": "1"})
    expected = {f"new{number}/b/c/file.py" for number in range(30)}
    assert eventually(lambda: told.paths >= expected), expected - told.paths
    before = len(told.batches)
    write(tree, {"new7/b/c/file.py": "2"})
    assert eventually(lambda: any("new7/b/c/file.py" in batch.paths for batch in told.batches[before:]))


def test_moved_folders_are_followed(tmp_path: Path, start: Start, source: Source) -> None:
    tree = write(tmp_path / "tree", {"a/b/c.py": "1", "z/y.py": "1"})
    _, told = start(tree, source=source)
    (tree / "a").rename(tree / "z" / "moved")
    assert eventually(lambda: "z/moved/b/c.py" in told.paths and "a" in told.folders), told.batches
    before = len(told.batches)
    write(tree, {"z/moved/b/c.py": "2"})
    assert eventually(lambda: any("z/moved/b/c.py" in batch.paths for batch in told.batches[before:]))
    (tree / "z").rename(tmp_path / "out")
    assert eventually(lambda: "z" in told.folders)
    before = len(told.batches)
    (tmp_path / "out").rename(tree / "back")
    assert eventually(lambda: "back/moved/b/c.py" in told.paths)


def test_a_removed_folder_that_comes_back_is_watched_again(tmp_path: Path, start: Start, source: Source) -> None:
    tree = write(tmp_path, {"a/b.py": "1"})
    _, told = start(tree, source=source)
    for number in range(5):
        (tree / "a" / "b.py").unlink()
        (tree / "a").rmdir()
        write(tree, {"a/b.py": str(number)})
    assert eventually(lambda: "a/b.py" in told.paths)
    before = len(told.batches)
    write(tree, {"a/b.py": "last"})
    assert eventually(lambda: any("a/b.py" in batch.paths for batch in told.batches[before:]))


def test_only_kept_folders_are_watched(tmp_path: Path, start: Start) -> None:
    tree = write(
        repository(tmp_path / "tree"),
        {
            ".gitignore": "out/\n",
            "src/a.py": "1",
            "out/deep/b.py": "1",
            "out/kept/tracked.py": "1",
            "node_modules/x/y/z.js": "1",
            ".vademecum/memory/m.md": "1",
            "env/pyvenv.cfg": "",
            "env/lib/a.py": "",
            "state/index/x": "1",
        },
    )
    (tree / "empty" / "below").mkdir(parents=True)
    git(tree, "add", "-f", "out/kept/tracked.py")
    write(repository(tree / "lib"), {"l.py": "1", "ignored/x": "1", ".gitignore": "ignored\n"})
    (tree / "loop").symlink_to(".")
    watcher, told = start(tree, settings=FileSettings(own_folders=(tree / "state",)))
    assert watched(watcher, tree) == {".", "src", "out", "out/kept", "empty", "empty/below", "lib"}
    threads = {thread.name for thread in threading.enumerate()}
    assert {"watcher", "inotify-reader"} <= threads
    write(tree, {"node_modules/x/new.js": "1", "out/deep/b.py": "2", "state/index/y": "1", ".git/objects/aa/b": "1"})
    write(tree, {"out/kept/tracked.py": "2", "empty/below/n.py": "1", "lib/ignored/x": "2", "lib/l.py": "2"})
    assert eventually(lambda: told.paths >= {"out/kept/tracked.py", "empty/below/n.py", "lib/l.py"}), told.batches
    assert told.paths == {"out/kept/tracked.py", "empty/below/n.py", "lib/l.py"}
    assert told.rescans == 0


def test_what_is_ignored_wakes_nobody(tmp_path: Path, start: Start, source: Source) -> None:
    tree = write(repository(tmp_path), {".gitignore": "*.log\n", "a.py": "1", "a.log": "1"})
    _, told = start(tree, source=source)
    write(tree, {"a.log": "2", "b.log": "1", ".env": "x"})
    (tree / "a.log").unlink()
    write(tree, {"a.py": "2"})
    assert eventually(lambda: "a.py" in told.paths)
    assert told.paths == {"a.py"}


@pytest.mark.parametrize(
    "place", [".gitignore", "src/.gitignore", ".vademecumignore", ".cursorignore", ".git/info/exclude"]
)
def test_changed_ignore_rules_take_effect(tmp_path: Path, start: Start, place: str, source: Source) -> None:
    tree = write(repository(tmp_path), {"src/gen/a.py": "1", "src/b.py": "1", ".git/info/exclude": ""})
    watcher, told = start(tree, source=source)
    gate = watcher._gate
    write(tree, {place: "gen\n"})
    assert eventually(lambda: told.rescans >= 1), told.batches
    assert isinstance(gate.admit("src/gen/a.py"), Refused)
    if not source.recursive:
        assert eventually(lambda: "src/gen" not in watched(watcher, tree))
    write(tree, {place: "# nothing\n"})
    assert eventually(lambda: told.rescans >= 2)
    assert gate.admit("src/gen/a.py") is None
    assert eventually(lambda: source.recursive or "src/gen" in watched(watcher, tree))
    write(tree, {"src/gen/a.py": "2"})
    assert eventually(lambda: "src/gen/a.py" in told.paths)


def test_a_branch_switch_is_one_batch(tmp_path: Path, start: Start) -> None:
    tree = write(repository(tmp_path), {f"d{n}/{m}.py": "1" for n in range(10) for m in range(20)})
    commit(tree)
    git(tree, "checkout", "-q", "-b", "other")
    write(tree, {f"d{n}/{m}.py": "2" for n in range(10) for m in range(20)} | {"new/only_on_b.py": "1"})
    commit(tree)
    _, told = start(tree)
    git(tree, "checkout", "-q", "main")
    assert eventually(lambda: any(batch.head_moved for batch in told.batches)), told.batches
    everything = {f"d{n}/{m}.py" for n in range(10) for m in range(20)} | {"new/only_on_b.py"}
    assert eventually(lambda: told.paths == everything)
    # One, unless the machine is so busy that the kernel tells of some files long after git has ended.
    assert len([batch for batch in told.batches if batch.paths]) <= 3


def test_a_file_that_git_begins_to_track_is_told(tmp_path: Path, start: Start) -> None:
    tree = write(repository(tmp_path), {".gitignore": "out/\n", "out/deep/a.py": "1", "b.py": "1"})
    watcher, told = start(tree)
    git(tree, "add", "-f", "out/deep/a.py")
    assert eventually(lambda: told.paths == {"out/deep/a.py"}), told.batches
    write(tree, {"out/deep/a.py": "2"})
    assert eventually(lambda: len(told.batches) >= 2)
    assert "out/deep" in watched(watcher, tree)
    git(tree, "rm", "-q", "--cached", "-f", "out/deep/a.py")
    assert eventually(lambda: len(told.batches) >= 2)


def test_a_lock_that_a_killed_git_left_holds_nothing_up_for_long(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "GIT_SECONDS", 90.0)
    tree = write(repository(tmp_path), {"a.py": "1"})
    write(tree, {".git/index.lock": ""})
    os.utime(tree / ".git" / "index.lock", (1, 1))
    _, told = start(tree)
    write(tree, {"a.py": "2"})
    assert eventually(lambda: "a.py" in told.paths), "sooner than a git that works is waited for"


def test_a_subfolder_hears_of_the_rules_above_it_and_of_nothing_else_there(tmp_path: Path, start: Start) -> None:
    tree = write(repository(tmp_path), {"sub/a.py": "1", "other/b.py": "1", "c.py": "1"})
    watcher, told = start(tree / "sub")
    assert watched(watcher, tree) == {".", "sub"}
    write(tree, {"c.py": "2", "other/b.py": "2", "sub/a.py": "2"})
    assert eventually(lambda: told.paths == {"sub/a.py"})
    assert told.rescans == 0
    write(tree, {".gitignore": "a.py\n"})
    assert eventually(lambda: told.rescans >= 1)


def test_a_burst_is_batched_and_complete(tmp_path: Path, start: Start, source: Source) -> None:
    tree = write(tmp_path, {f"d{n}/x": "1" for n in range(20)})
    _, told = start(tree, source=source)
    expected = set()
    for number in range(3000):
        path = f"d{number % 20}/{number}.py"
        write(tree, {path: "1"})
        expected.add(path)
    assert eventually(lambda: told.paths >= expected), len(expected - told.paths)
    assert len(told.batches) < 200


def test_a_steady_stream_is_handed_on_all_the_same(tmp_path: Path, start: Start) -> None:
    tree = write(tmp_path, {"a.py": "1"})
    _, told = start(tree)
    stop = threading.Event()

    def keep_writing() -> None:
        while not stop.wait(0.005):
            write(tree, {"a.py": "1"})

    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        assert eventually(lambda: len(told.batches) >= 3)
    finally:
        stop.set()
        writer.join()


def test_no_watch_left_is_told_and_survived(tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = write(tmp_path, {f"d{n}/a.py": "1" for n in range(10)})
    add = inotify._Reader.watch
    count = 0

    def limited(reader: inotify._Reader, path: bytes) -> int:
        nonlocal count
        count += 1
        if count > 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return add(reader, path)

    monkeypatch.setattr(inotify._Reader, "watch", limited)
    watcher, told = start(tree, poll_seconds=0.1)
    assert watcher.status.state is WatcherState.POLLING
    assert "max_user_watches" in (watcher.status.reason or "")
    write(tree, {"a.py": "1"})
    assert eventually(lambda: told.rescans >= 2)
    assert eventually(lambda: "a.py" in told.paths)


def test_the_limit_reached_later_is_told_too(tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = write(tmp_path, {"a.py": "1"})
    watcher, told = start(tree)

    def limited(reader: inotify._Reader, path: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(inotify._Reader, "watch", limited)
    write(tree, {"new/b.py": "1"})
    assert eventually(lambda: watcher.status.state is WatcherState.POLLING)
    assert eventually(lambda: told.rescans >= 1)


def test_no_inotify_instance_left_is_told_and_survived(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> int:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    monkeypatch.setattr(inotify._Reader, "_create_inotify_fd", none)
    watcher, told = start(write(tmp_path, {"a.py": "1"}), poll_seconds=0.1)
    assert watcher.status.state is WatcherState.POLLING
    assert "max_user_instances" in (watcher.status.reason or "")
    assert eventually(lambda: told.rescans >= 2)


def test_lost_events_mean_a_rescan_and_new_watches(tmp_path: Path, start: Start) -> None:
    tree = write(tmp_path, {"a.py": "1"})
    source = InotifySource()
    watcher, told = start(tree, source=source)
    source.drop(str(tree))  # as if the kernel had told nothing of this folder
    write(tree, {"unseen/b.py": "1"})
    source._raw.put(inotify.InotifyEvent(-1, inotify.InotifyConstants.IN_Q_OVERFLOW, 0, b""))  # type: ignore[arg-type]
    assert eventually(lambda: told.rescans >= 1)
    assert watched(watcher, tree) == {".", "unseen"}


@pytest.mark.parametrize("which", ["source", "watcher"])
def test_a_dead_thread_shows(tmp_path: Path, start: Start, which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = InotifySource()
    watcher, _told = start(write(tmp_path, {"a.py": "1"}), source=source)
    assert watcher.status.state is WatcherState.WATCHING
    if which == "source":
        assert source._reader is not None
        source._reader.stop()
    else:
        monkeypatch.setattr(watcher, "_handle", lambda event: 1 / 0)
        write(tmp_path, {"a.py": "2"})
    assert eventually(lambda: watcher.status.state is WatcherState.FAILED)
    assert watcher.status.reason


def test_a_stuck_thread_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "STUCK_SECONDS", 0.2)
    monkeypatch.setattr(watch, "_IDLE_SECONDS", 0.05)
    let_go = threading.Event()
    watcher = Watcher(Gate(write(tmp_path, {"a.py": "1"})), lambda batch: let_go.wait(100) and None)
    watcher.start()
    try:
        write(tmp_path, {"a.py": "2"})
        assert eventually(lambda: watcher.status.state is WatcherState.FAILED)
        let_go.set()
        assert eventually(lambda: watcher.status.state is WatcherState.WATCHING)
    finally:
        let_go.set()
        watcher.stop()


def test_a_receiver_that_fails_is_asked_again(tmp_path: Path) -> None:
    calls: list[Batch] = []

    def fail(batch: Batch) -> None:
        calls.append(batch)
        raise RuntimeError("no")

    watcher = Watcher(Gate(write(tmp_path, {"a.py": "1"})), fail)
    watcher.start()
    try:
        for number in range(2):
            write(tmp_path, {"a.py": str(number)})
            assert eventually(lambda count=number: len(calls) > count)
        assert watcher.status.state is WatcherState.WATCHING
    finally:
        watcher.stop()


def test_a_workspace_that_vanishes_and_comes_back_is_watched_again(tmp_path: Path, start: Start) -> None:
    tree = write(tmp_path / "tree", {"a.py": "1"})
    watcher, told = start(tree, poll_seconds=0.1)
    (tree / "a.py").unlink()
    tree.rmdir()
    assert eventually(lambda: told.rescans >= 1)
    assert eventually(lambda: watcher.status.state is WatcherState.POLLING)
    write(tree, {"a.py": "1"})
    assert eventually(lambda: watcher.status.state is WatcherState.WATCHING)
    write(tree, {"b.py": "1"})
    assert eventually(lambda: "b.py" in told.paths)


def test_a_source_that_ended_is_started_again(tmp_path: Path, start: Start) -> None:
    source = InotifySource()
    watcher, told = start(write(tmp_path, {"a.py": "1"}), source=source, poll_seconds=0.3)
    assert source._reader is not None
    source._reader.stop()
    # It shows for a third of a second, which a busy machine may let pass unseen.
    assert eventually(lambda: watcher.status.state is WatcherState.FAILED or told.rescans >= 1)
    assert eventually(lambda: watcher.status.state is WatcherState.WATCHING)
    assert eventually(lambda: told.rescans >= 1)
    write(tmp_path, {"a.py": "2"})
    assert eventually(lambda: "a.py" in told.paths)


MOUNTS = """\
20 1 8:1 / / rw - ext4 /dev/sda1 rw
30 20 0:50 / /home rw shared:1 - nfs4 server:/home rw
31 30 8:2 / /home/ada/local rw - ext4 /dev/sdb1 rw
32 20 0:51 / /mnt/with\\040blank rw - fuse.sshfs host: rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("/srv/x", None), ("/home/ada/x", "nfs4"), ("/home/ada/local/x", None), ("/mnt/with blank/x", "fuse.sshfs")],
)
def test_a_remote_file_system_is_recognised(tmp_path: Path, folder: str, kind: str | None) -> None:
    table = write(tmp_path, {"mounts": MOUNTS}) / "mounts"
    assert remote_file_system(Path(folder), table) == kind


def test_on_a_remote_file_system_both_is_done(tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "remote_file_system", lambda folder: "nfs4")
    watcher, told = start(write(tmp_path, {"a.py": "1"}), poll_seconds=0.2)
    assert watcher.status.state is WatcherState.POLLING
    assert "nfs4" in (watcher.status.reason or "")
    write(tmp_path, {"a.py": "2"})
    assert eventually(lambda: "a.py" in told.paths and told.rescans >= 2)
    assert watcher.status.state is WatcherState.POLLING


def test_stopping_leaves_nothing_behind(tmp_path: Path) -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    tree = write(tmp_path, {f"d{n}/a.py": "1" for n in range(10)})
    before = (threading.active_count(), descriptors())
    for _ in range(5):
        watcher = Watcher(Gate(tree), lambda batch: None)
        watcher.start()
        watcher.stop()
        watcher.stop()
    assert (threading.active_count(), descriptors()) == before


def test_many_folders_need_one_thread(tmp_path: Path, start: Start) -> None:
    for number in range(3000):
        (tmp_path / str(number % 60) / str(number)).mkdir(parents=True)
    before = threading.active_count()
    watcher, told = start(tmp_path)
    assert len(watcher.watched()) == 3061
    assert threading.active_count() == before + 2
    write(tmp_path, {"7/67/x.py": "1"})
    assert eventually(lambda: told.paths == {"7/67/x.py"})


class Scripted:
    """A source that tells what a test wants."""

    recursive = True

    def __init__(self, events: list[Event], limit: bool = False) -> None:
        self._events = events
        self._limit = limit

    def start(self) -> None:
        if self._limit:
            raise CannotWatch("no more")

    def stop(self) -> None: ...

    def alive(self) -> bool:
        return True

    def watched(self) -> frozenset[str]:
        return frozenset()

    def add(self, folder: str) -> bool:
        return True

    def drop(self, folder: str) -> None: ...

    def events(self, timeout: float) -> Iterator[Event]:
        threading.Event().wait(min(timeout, 0.01))
        while self._events:
            yield self._events.pop(0)


def test_events_from_elsewhere_are_left_out(tmp_path: Path, start: Start) -> None:
    tree = write(tmp_path / "tree", {"a.py": "1"})
    inside = tree.as_posix()
    events = [
        Event("/etc/passwd", EventKind.FILE),
        Event(inside + "ish/x.py", EventKind.FILE),
        Event(f"{inside}/../x.py", EventKind.FILE),
        Event(f"{inside}/a.py", EventKind.FILE),
    ]
    _, told = start(tree, source=Scripted(events))
    assert eventually(lambda: bool(told.paths))
    assert told.paths == {"a.py"}
