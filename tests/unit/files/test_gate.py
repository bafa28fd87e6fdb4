"""The gate against hostile paths and trees: nothing outside is read, nothing blocks, every refusal has its reason."""

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from unit.files.trees import commit, found, git, repository, skipped, write
from vademecum.files.beneath import open_beneath
from vademecum.files.buffers import Buffers
from vademecum.files.content import Content, Reason, Refused
from vademecum.files.gate import Gate
from vademecum.files.settings import FileSettings


def reason(gate: Gate, path: str) -> Reason | None:
    """Why the gate does not read `path`; None when it does. Asking and reading must agree."""
    read = gate.read(path)
    admitted = gate.admit(path)
    if isinstance(read, Refused):
        assert admitted is None or admitted.reason is read.reason
        return read.reason
    assert admitted is None
    return None


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write(tmp_path / "tree", {"a.py": "a = 1\n", "src/b.py": "b = 2\n"})


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../outside.txt",
        "src/../../outside.txt",
        "src/../a.py",
        "./a.py",
        "src//b.py",
        "a.py\0",
        "src/",
    ],
)
def test_only_plain_relative_paths_are_looked_at(tree: Path, path: str) -> None:
    (tree.parent / "outside.txt").write_text("secret")
    assert reason(Gate(tree), path) is Reason.OUTSIDE


def test_what_is_read_carries_its_bytes_and_stamp(tree: Path) -> None:
    read = Gate(tree).read("src/b.py")
    assert isinstance(read, Content)
    assert (read.path, read.data, read.lines, read.from_buffer) == ("src/b.py", b"b = 2\n", (b"b = 2",), False)
    assert read.stamp == Gate(tree).stamp("src/b.py")


def test_symlinks_are_never_followed(tree: Path) -> None:
    write(tree.parent, {"outside/secret.py": "s = 1\n"})
    (tree / "file.py").symlink_to(tree.parent / "outside" / "secret.py")
    (tree / "inside.py").symlink_to("a.py")
    (tree / "broken").symlink_to("nowhere")
    (tree / "loop").symlink_to(".")
    (tree / "out").symlink_to(tree.parent / "outside")
    gate = Gate(tree)
    for path in ("file.py", "inside.py", "broken", "loop", "loop/a.py", "loop/loop/a.py", "out/secret.py"):
        assert reason(gate, path) is Reason.SYMLINK, path
    assert found(gate) == {"a.py", "src/b.py"}
    assert {path: why for path, why in skipped(gate).items() if why == "symlink"}.keys() == {
        "file.py",
        "inside.py",
        "broken",
        "loop",
        "out",
    }


def test_a_folder_that_becomes_a_symlink_between_check_and_opening_is_not_followed(tree: Path) -> None:
    write(tree.parent, {"outside/b.py": "secret\n"})
    (tree / "src" / "b.py").unlink()
    (tree / "src").rmdir()
    (tree / "src").symlink_to(tree.parent / "outside")
    opened = open_beneath(tree, "src/b.py")  # as if the check had passed a moment ago
    assert isinstance(opened, Refused)


def test_nothing_outside_is_ever_read_while_somebody_swaps_folders(tree: Path) -> None:
    """A folder and a link out of the workspace change places as fast as they can."""
    write(tree.parent, {"outside/b.py": "secret\n"})
    (tree / "link").symlink_to(tree.parent / "outside")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (tree / "src").rename(tree / "away")
            (tree / "link").rename(tree / "src")
            (tree / "src").rename(tree / "link")
            (tree / "away").rename(tree / "src")

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        gate = Gate(tree)
        texts = set()
        reads, deadline = 0, time.monotonic() + 60
        while reads < 1500 or (not texts and time.monotonic() < deadline):
            reads += 1
            read = gate.read("src/b.py")
            if isinstance(read, Content):
                texts.add(read.text)
    finally:
        stop.set()
        swapper.join()
    assert texts <= {"b = 2\n"}
    assert texts


def test_special_files_are_refused_and_do_not_block(tree: Path) -> None:
    os.mkfifo(tree / "fifo.py")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tree / "socket.py"))
    try:
        gate = Gate(tree)
        assert reason(gate, "fifo.py") is Reason.SPECIAL
        assert reason(gate, "socket.py") is Reason.SPECIAL
        assert reason(gate, "src") is Reason.SPECIAL
        assert skipped(gate) == {"fifo.py": "special", "socket.py": "special"}
        assert skipped(Gate(repository(tree))) == {"fifo.py": "special", "socket.py": "special"}
        opened = open_beneath(tree, "fifo.py")  # even without the check before it
        assert isinstance(opened, int)
        os.close(opened)
    finally:
        listening.close()


@pytest.mark.parametrize("path", ["none.py", "none/a.py", "a.py/x", "x" * 300, "d/" * 40 + "x" * 255])
def test_what_is_not_there_is_missing(tree: Path, path: str) -> None:
    assert reason(Gate(tree), path) is Reason.MISSING


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".env", Reason.SECRET_NAME),
        (".env.local", Reason.SECRET_NAME),
        ("prod.env", Reason.SECRET_NAME),
        (".ENV", Reason.SECRET_NAME),
        (".env.example", None),
        (".env.sample", None),
        (".env.template", None),
        ("id_rsa", Reason.SECRET_NAME),
        ("id_rsa.pub", None),
        ("certs/server.pem", Reason.SECRET_NAME),
        ("server.key", Reason.SECRET_NAME),
        ("config/credentials.json", Reason.SECRET_NAME),
        (".ssh/config", Reason.SECRET_NAME),
        ("keys.py", None),
        ("environment.env.py", None),
        (".git/config", Reason.VERSION_CONTROL),
        (".GIT/config", Reason.VERSION_CONTROL),
        (".hg/store", Reason.VERSION_CONTROL),
        (".jj/repo", Reason.VERSION_CONTROL),
        ("sub/.svn/entries", Reason.VERSION_CONTROL),
        (".vademecum/memory/a.md", Reason.OWN),
        (".vademecumignore", None),
        (".gitignore", None),
        ("node_modules/x/index.js", Reason.DEPENDENCY),
        ("a/node_modules/x/index.js", Reason.DEPENDENCY),
        ("__pycache__/a.pyc", Reason.DEPENDENCY),
        (".venv/lib/a.py", Reason.DEPENDENCY),
        ("x.egg-info/PKG-INFO", Reason.DEPENDENCY),
        ("build/lib/a.py", Reason.IGNORED),  # no git to say otherwise
        ("dist/a.js", Reason.IGNORED),
        ("src/target.py", None),
    ],
)
def test_names_decide(tmp_path: Path, path: str, expected: Reason | None) -> None:
    tree = write(tmp_path, {path: "x\n", "plain.py": "x\n"})
    gate = Gate(tree)
    assert reason(gate, path) is expected
    assert (path in found(gate)) is (expected is None)
    assert "plain.py" in found(gate)


def test_a_folder_that_says_it_is_an_environment_or_a_cache_is_left_out(tmp_path: Path) -> None:
    tag = "Signature: 8a477f597d28d172789f06886806bc55\n"
    tree = write(
        tmp_path,
        {
            "my-env/pyvenv.cfg": "home = /usr\n",
            "my-env/lib/a.py": "x\n",
            "out/CACHEDIR.TAG": tag,
            "out/deep/a.py": "x\n",
            "notes/CACHEDIR.TAG": "about cache tags\n",
            "notes/a.py": "x\n",
        },
    )
    os.mkfifo(tree / "notes" / "fifo")
    (tree / "pipe").mkdir()
    os.mkfifo(tree / "pipe" / "CACHEDIR.TAG")
    write(tree, {"pipe/a.py": "x\n"})
    gate = Gate(tree)
    assert reason(gate, "my-env/lib/a.py") is Reason.DEPENDENCY
    assert reason(gate, "out/deep/a.py") is Reason.DEPENDENCY
    assert found(gate) == {"notes/CACHEDIR.TAG", "notes/a.py", "pipe/a.py"}


def test_size_and_content_are_judged(tmp_path: Path) -> None:
    tree = write(
        tmp_path,
        {
            "big.txt": b"line\n" * 300_000,
            "app.min.js": b"x" * 50_000,
            "image": b"\x89PNG\0",
            "u16": "a".encode("utf-16"),
        },
    )
    gate = Gate(tree)
    assert gate.admit("app.min.js") is None
    assert [gate.read(name).reason for name in ("big.txt", "app.min.js", "image", "u16")] == [  # type: ignore[union-attr]
        Reason.TOO_LARGE,
        Reason.MINIFIED,
        Reason.BINARY,
        Reason.ENCODING,
    ]
    assert reason(Gate(tree, FileSettings(max_file_bytes=2_000_000)), "big.txt") is None
    assert skipped(gate) == {"big.txt": "tooLarge"}


def test_a_file_that_grows_past_the_limit_while_it_is_read_is_too_large(tmp_path: Path) -> None:
    """`/proc/version` says that it has no bytes, and has some: `stat` cannot be trusted with the size."""
    gate = Gate(Path("/proc"), FileSettings(max_file_bytes=4))
    read = gate.read("version")
    assert isinstance(read, Refused)
    assert read.reason is Reason.TOO_LARGE


_AS_SOMEBODY_ELSE = """
import os, sys
from pathlib import Path
from vademecum.files.gate import Gate
from vademecum.files.walk import walk
from vademecum.work import Cancel
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
gate = Gate(Path(sys.argv[1]))
assert gate.notice is None, gate.notice
for path in ("closed.py", "open.py", "folder/a.py"):
    print(path, getattr(gate.read(path), "reason", "read"))
for item in walk(gate, Cancel()):
    print(item.path, getattr(item, "reason", "found"))
"""


@pytest.mark.parametrize("with_git", [False, True])
def test_files_of_others_are_refused_by_permission(with_git: bool) -> None:
    """As root everything may be read, so this is asked in a process that is nobody."""
    with tempfile.TemporaryDirectory() as name:
        tree = write(Path(name), {"closed.py": "x\n", "open.py": "x\n", "folder/a.py": "x\n"})
        if with_git:
            repository(tree)
            git(tree, "add", "folder/a.py")
        if os.getuid() == 0:
            for path in [tree, *tree.rglob("*")]:
                os.chown(path, 65534, 65534)
        (tree / "closed.py").chmod(0)
        (tree / "folder").chmod(0)
        command = [sys.executable, "-c", _AS_SOMEBODY_ELSE, str(tree)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        (tree / "folder").chmod(0o700)
    assert done.returncode == 0, done.stderr
    assert sorted(line for line in done.stdout.splitlines() if not line.startswith(".git ")) == [
        "closed.py found",  # that it may not be read shows when it is
        "closed.py noPermission",
        "folder noPermission",
        "folder/a.py noPermission",
        "open.py found",
        "open.py read",
    ]


def test_names_that_are_not_utf8_cannot_be_said(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.py")).write_bytes(b"x\n")
    for tree in (tmp_path, repository(tmp_path)):
        gate = Gate(tree)
        assert reason(gate, os.fsdecode(b"caf\xe9.py")) is Reason.BAD_NAME
        assert skipped(gate) == {"caf\\xe9.py": "badName"}
        skipped(gate)["caf\\xe9.py"].encode()


def test_relative_resolves_links_and_refuses_what_is_outside(tree: Path) -> None:
    (tree.parent / "way").symlink_to(tree)
    (tree / "alias.py").symlink_to("a.py")
    (tree / "out").symlink_to(tree.parent)
    write(tree.parent, {"treeish/x.py": "x"})
    gate = Gate(tree.parent / "way")
    assert gate.top == tree
    assert gate.relative(tree / "src" / "b.py") == "src/b.py"
    assert gate.relative(tree.parent / "way" / "src" / "b.py") == "src/b.py"
    assert gate.relative(tree / "alias.py") == "a.py"
    assert gate.relative(Path("src/../a.py")) == "a.py"
    assert gate.relative(tree / "new.py") == "new.py"
    for path in (
        tree,
        tree.parent / "x",
        tree.parent / "treeish" / "x.py",
        Path("../x"),
        tree / "out" / "x",
        Path("/"),
    ):
        refused = gate.relative(path)
        assert isinstance(refused, Refused), path
        assert refused.reason is Reason.OUTSIDE
        assert str(tree.parent) not in refused.detail


def test_unsaved_text_wins_over_the_disk_where_the_path_is_let_through(tree: Path) -> None:
    write(tree, {".env": "x", "big.py": "x"})
    buffers = Buffers()
    gate = Gate(tree, FileSettings(max_file_bytes=100), buffers)
    for name in ("a.py", ".env", "new.py", "src"):
        buffers.set(tree / name, "unsaved\r\n", 1)
    read = gate.read("a.py")
    assert isinstance(read, Content)
    assert (read.lines, read.from_buffer, read.stamp) == ((b"unsaved",), True, None)
    assert reason(gate, ".env") is Reason.SECRET_NAME
    assert reason(gate, "new.py") is None  # not on the disk yet
    assert reason(gate, "src") is Reason.SPECIAL
    buffers.set(tree / "big.py", "x" * 101, 1)
    read = gate.read("big.py")
    assert isinstance(read, Refused)
    assert read.reason is Reason.TOO_LARGE
    buffers.drop(tree / "a.py")
    buffers.drop(tree / "new.py")
    assert gate.read("a.py").data == b"a = 1\n"  # type: ignore[union-attr]
    assert reason(gate, "new.py") is Reason.MISSING


def test_a_lone_surrogate_from_an_editor_is_no_crash(tree: Path) -> None:
    buffers = Buffers()
    buffers.set(tree / "a.py", "x = '\ud83d'\n", 1)
    assert isinstance(Gate(tree, buffers=buffers).read("a.py"), Content)


def test_our_own_folders_inside_a_workspace_are_left_out(tree: Path) -> None:
    write(tree, {"state/index/x": "x", "stateful.py": "x"})
    gate = Gate(tree, FileSettings(own_folders=(tree / "state", tree.parent, tree)))
    assert reason(gate, "state/index/x") is Reason.OWN
    assert found(gate) == {"a.py", "src/b.py", "stateful.py"}


def test_a_subfolder_of_a_repository_has_the_paths_of_the_repository(tmp_path: Path) -> None:
    top = write(
        repository(tmp_path / "repo"), {"a.py": "x", "sub/b.py": "x", "sub/deep/c.log": "x", ".gitignore": "*.log"}
    )
    commit(top)
    gate = Gate(top / "sub")
    assert (gate.root, gate.top, gate.prefix) == (top / "sub", top, "sub")
    assert found(gate) == {"sub/b.py"}
    assert skipped(gate) == {"sub/deep": "ignored"} or skipped(gate) == {"sub/deep/c.log": "ignored"}
    assert reason(gate, "sub/b.py") is None
    assert reason(gate, "a.py") is Reason.OUTSIDE
    assert reason(gate, "b.py") is Reason.OUTSIDE
    assert reason(gate, "subway/x") is Reason.OUTSIDE
    assert gate.relative(top / "sub" / "b.py") == "sub/b.py"
    assert isinstance(gate.relative(top / "a.py"), Refused)


def test_the_opened_folder_is_entered_whatever_its_name(tmp_path: Path) -> None:
    """Somebody who opens `node_modules/x` or `.venv` wants to see it."""
    top = write(repository(tmp_path / "repo"), {"node_modules/x/a.js": "x", "vendor/.venv/lib/a.py": "x", "b.py": "x"})
    git(top, "add", "-Af")
    gate = Gate(top / "node_modules" / "x")
    assert found(gate) == {"node_modules/x/a.js"}
    assert reason(gate, "node_modules/x/a.js") is None
    gate = Gate(top / "vendor" / ".venv")
    assert reason(gate, "vendor/.venv/lib/a.py") is None


def test_a_folder_that_is_not_there_has_only_missing_files(tmp_path: Path) -> None:
    gate = Gate(tmp_path / "none")
    assert reason(gate, "a.py") is Reason.MISSING
    assert found(gate) == set()


def test_a_gate_knows_when_a_repository_began_or_ended_around_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "outer" / "inner"
    folder.mkdir(parents=True)
    gate = Gate(folder)
    assert not gate.outdated
    git(folder.parent, "init", "-q")
    assert gate.outdated
    inside = Gate(folder)
    assert (inside.prefix, inside.outdated) == ("inner", False)
    (folder.parent / ".git" / "HEAD").unlink()
    assert inside.outdated
    # A repository that ignores the folder changes nothing for it.
    git(folder.parent, "init", "-q")
    (folder.parent / ".gitignore").write_text("inner/\n")
    assert not Gate(folder).outdated


def test_bytes_of_a_document_are_read_whatever_its_lines_are_like(tmp_path: Path) -> None:
    (tmp_path / "one-line.md").write_bytes(b"x" * 300_000)
    (tmp_path / ".env").write_bytes(b"A=b")
    gate = Gate(tmp_path)
    assert isinstance(gate.read("one-line.md"), Refused)
    read = gate.read_bytes("one-line.md")
    assert not isinstance(read, Refused)
    assert (len(read[0]), read[1].size) == (300_000, 300_000)
    assert gate.read_bytes(".env") == Refused(Reason.SECRET_NAME)
    small = Gate(tmp_path, FileSettings(max_file_bytes=1_000)).read_bytes("one-line.md")
    assert isinstance(small, Refused) and small.reason is Reason.TOO_LARGE
