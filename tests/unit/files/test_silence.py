"""A disk that is mounted in a workspace and does not answer: its folder is passed over, and nobody waits for long."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from unit.files.hanging import hung_mount
from vademecum.files import disks
from vademecum.files.content import Content, Reason, Refused
from vademecum.files.folders import descend
from vademecum.files.gate import Gate
from vademecum.files.walk import Found, Skipped, walk
from vademecum.work import Cancel

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="where disks are mounted, Linux alone tells")


@pytest.fixture(params=["plain", "git"])
def tree(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files, and one in it that a disk can be mounted at."""
    monkeypatch.setattr(disks, "SECONDS", 0.3)
    monkeypatch.setattr(disks, "_MOUNTS_SECONDS", 0.0)
    root = tmp_path / "root"
    (root / "data/far").mkdir(parents=True)
    (root / "a.py").write_text("a = 1\n")
    (root / "data/b.py").write_text("b = 1\n")
    (root / "data/far/c.py").write_text("c = 1\n")
    if request.param == "git":
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def met(gate: Gate) -> tuple[set[str], dict[str, Reason]]:
    items = list(walk(gate, Cancel()))
    found = {item.path for item in items if isinstance(item, Found)}
    return found, {item.path: item.reason for item in items if isinstance(item, Skipped) and item.path != ".git"}


def test_the_walk_passes_it_over_and_finds_it_once_it_answers(tree: Path) -> None:
    gate = Gate(tree)
    with hung_mount(tree / "data/far"):
        began = time.monotonic()
        assert met(gate) == ({"a.py", "data/b.py"}, {"data/far": Reason.SILENT})
        assert met(gate) == ({"a.py", "data/b.py"}, {"data/far": Reason.SILENT})
        assert time.monotonic() - began < 20
        assert gate.silence.folders == ("data/far",)
        assert gate.silence.holds("data/far/c.py")
    assert met(gate) == ({"a.py", "data/b.py", "data/far/c.py"}, {})
    assert gate.silence.folders == ()


def test_what_the_users_own_rules_leave_out_is_not_even_asked(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / ".vademecumignore").write_text("/data/far/\n")
    gate = Gate(tree)
    with hung_mount(tree / "data/far"):
        monkeypatch.setattr(disks, "answers", lambda path: pytest.fail("it was asked"))
        found, skipped = met(gate)
    assert found == {"a.py", "data/b.py", ".vademecumignore"}
    assert skipped == {"data/far": Reason.IGNORED}
    assert gate.silence.folders == ()


def test_nobody_who_reads_or_watches_waits_for_it(tree: Path) -> None:
    gate = Gate(tree)
    with hung_mount(tree / "data/far"):
        began = time.monotonic()
        read = gate.read_many(["a.py", "data/far/c.py"])
        assert isinstance(read["a.py"], Content)
        refused = read["data/far/c.py"]
        assert isinstance(refused, Refused)
        assert refused.reason is Reason.SILENT
        resolved = gate.relative(tree / "data/far/c.py")
        assert isinstance(resolved, Refused)
        assert resolved.reason is Reason.SILENT
        assert gate.relative(tree / "data/b.py") == "data/b.py"
        files = set(descend(gate, "", frozenset(), Cancel(), lambda folder: None))
        assert {path for path in files if not path.startswith(".git")} == {"a.py", "data/b.py"}
        assert time.monotonic() - began < 20


def test_a_disk_that_goes_silent_while_it_is_read_is_given_up(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(tree)
    with hung_mount(tree / "data/far"):
        monkeypatch.setattr(disks, "answers", lambda path: True)  # as it did a moment ago
        assert gate.silence.look("data/far/c.py", lambda: (tree / "data/far/c.py").read_bytes()) == Refused(
            Reason.SILENT, "the disk that it lies on does not answer"
        )
        assert gate.silence.folders == ("data/far",)
        assert gate.silence.look("data/b.py", lambda: 1) == 1
