"""A disk that is no friend: closed, full, swept away, full of traps. What is said is the truth, and nothing hangs."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client, RequestError
from wire.conftest import make_repository

NOTE = {"title": "T", "content": "Worth keeping.", "category": "Knowledge", "scope": "project"}
INTERNAL_ERROR = -32603
NOBODY = 65534

as_root = pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can be another user, or mount")


def outcome(client: Client, method: str, params: dict[str, Any]) -> str:
    try:
        client.request(method, params)
    except RequestError as error:
        assert error.code != INTERNAL_ERROR, (method, error, client.log()[-2000:])
        return error.kind or "invalid"
    return "done"


def test_a_home_that_was_swept_away_is_made_anew_and_keeps_what_comes(
    start: Callable[..., Client], repository: Path, home: Path
) -> None:
    """Databases that are still open then lead to files that nobody can reach any more."""
    client = start()
    client.initialize(repository, params={"initializationOptions": {"settings": {"search": {"enabled": False}}}})
    client.request("memory/add", NOTE)
    shutil.rmtree(home)
    assert client.request("memory/list")["total"] == 0
    added = client.request("memory/add", NOTE | {"content": "Kept after that."})
    client.request("memory/update", {"id": added["id"], "content": "Changed after that."})
    client.request("memory/trust", {"trusted": True})
    told = client.request("memory/prompt", {"session": "s"})
    client.kill()
    again = start()
    again.initialize(repository)
    assert again.request("memory/get", {"id": added["id"]})["content"] == "Changed after that."
    assert [item["content"] for item in again.request("memory/history", {"id": added["id"]})["items"]] == [
        "Kept after that."
    ]
    assert again.request("memory/status")["trust"] == {"trusted": True, "source": "user"}
    assert again.request("memory/prompt", {"session": "s"}) == told


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that every user can come to, as pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="vademecum-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@as_root
@pytest.mark.parametrize("closed", ["project", "home"])
def test_folders_that_are_closed_to_this_user_are_told_of(
    start: Callable[..., Client], open_to_all: Path, closed: str
) -> None:
    as_nobody = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")
    tried = subprocess.run([*as_nobody, sys.executable, "-c", "import vademecum"], cwd="/", capture_output=True)
    if tried.returncode:
        pytest.skip("another user cannot start this Python")
    project, home = make_repository(open_to_all / "behind" / "p"), open_to_all / "home"
    home.mkdir()
    if closed == "project":
        os.chown(home, NOBODY, NOBODY)
        (open_to_all / "behind").chmod(0o700)
    else:
        home.chmod(0o700)
    client = start(home=home, prefix=as_nobody)
    client.initialize(project)
    for method, params in [
        ("memory/list", {}),
        ("memory/prompt", {"session": "s"}),
        ("memory/remember", {"note": "Of the project."}),
        ("memory/status", {}),
        ("search/query", {"query": "circle"}),
        ("search/status", {}),
        ("evidence/verify", {"references": ["src/shapes.py:1-1@0123456789abcdef"]}),
    ]:
        outcome(client, method, params)
    assert outcome(client, "memory/remember", {"note": "Of the user.", "scope": "user"}) == (
        "done" if closed == "project" else "storeUnreadable"
    )


@pytest.fixture
def small_disk(home: Path) -> Iterator[Path]:
    """The home on a disk of its own, of 600 KB."""
    home.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", home], capture_output=True)
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    yield home
    subprocess.run(["umount", "-l", home], check=True)


@as_root
def test_a_full_disk_loses_nothing_and_a_purge_still_works(start: Callable[..., Client], small_disk: Path) -> None:
    client = start()
    client.initialize()
    kept = []
    while len(kept) < 500:
        try:
            note = NOTE | {"scope": "user", "content": f"Number {len(kept)}: " + "x " * 4000}
            kept.append(client.request("memory/add", note)["id"])
        except RequestError as error:
            assert error.kind == "storeUnreadable"
            break
    first = client.request("memory/get", {"id": kept[0]})
    outcome(client, "memory/update", {"id": kept[0], "content": "y " * 30_000})
    assert client.request("memory/get", {"id": kept[0]})["content"] in (first["content"], "y " * 29_999 + "y")
    assert client.request("memory/list", {"limit": 500})["total"] == len(kept)
    assert list(small_disk.rglob("*.tmp")) == []
    assert outcome(client, "memory/purge", {"scope": "user"}) == "done"
    assert client.request("memory/list")["total"] == 0
    assert outcome(client, "memory/remember", {"note": "There is room again.", "scope": "user"}) == "done"


def fill(filler: Path) -> None:
    """Take up what room there is."""
    with filler.open("ab", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"x" * 4_096):
            pass


@as_root
def test_what_is_remembered_is_told_from_a_full_disk(start: Callable[..., Client], small_disk: Path) -> None:
    client = start()
    client.initialize()
    harbour = {"scope": "user", "title": "Harbour", "content": "The harbour master is Joost."}
    client.request("memory/add", NOTE | harbour)
    quay = client.request("memory/add", NOTE | {"scope": "user", "title": "Quay", "content": "The quay is 90 m long."})
    client.request("memory/prompt", {"session": "begun"})
    filler = small_disk / "filler"
    fill(filler)
    for session in (None, "begun", "new"):
        block = client.request("memory/prompt", {"session": session} if session else {})
        assert "Joost" in block["text"]
        assert any("disk is full" in notice for notice in block.get("notices", ())) == (session == "new")
    for _ in range(2):
        assert client.request("memory/recall", {"prompt": "Who is the harbour master?", "session": "new"})["items"]
    assert client.request("memory/changes", {"session": "new"})["text"] == ""
    next(small_disk.rglob("quay-*.md")).unlink()
    fill(filler)
    for _ in range(2):  # again, since it could not be kept that it was told
        assert client.request("memory/changes", {"session": "begun"})["removed"] == [quay["id"]]
    filler.unlink()
    assert client.request("memory/changes", {"session": "begun"})["removed"] == [quay["id"]]
    assert client.request("memory/changes", {"session": "begun"})["removed"] == []
    assert "notices" not in client.request("memory/prompt", {"session": "new"})
    for count in (1, 0):
        recalled = client.request("memory/recall", {"prompt": "Who is the harbour master?", "session": "new"})
        assert len(recalled["items"]) == count


def _trap(kind: str, repository: Path, home: Path) -> None:
    folder = repository / ".vademecum"
    memory = folder / "memory"
    match kind:
        case "link":
            folder.symlink_to("/etc")
        case "home":
            folder.symlink_to(home)
        case "pipe":
            os.mkfifo(folder)
        case "file":
            folder.write_text("x")
        case "ring":
            folder.symlink_to(folder)
        case "linked":
            folder.mkdir()
            memory.symlink_to("/etc")
        case _:
            memory.mkdir(parents=True)
            (memory / "a.md").symlink_to("/etc/passwd")
            (memory / "b.md").symlink_to("/dev/zero")
            (memory / "c.md").mkdir()
            (memory / "d.md").write_text("---\na: " + "[" * 9000 + "\n---\nz")
            (memory / "e\nf.md").write_text("A name with a line end.")
            os.mkfifo(memory / "g.md")
            os.mkfifo(folder / "PROJECT.md")
            (folder / "memory.json").symlink_to("/etc/passwd")


@pytest.mark.parametrize("kind", ["link", "home", "pipe", "file", "ring", "linked", "files"])
def test_traps_in_a_repository_lead_nowhere(
    start: Callable[..., Client], repository: Path, home: Path, kind: str
) -> None:
    home.mkdir()
    _trap(kind, repository, home)
    client = start(env={"VADEMECUM_MEMORY_PROJECT": "shared", "VADEMECUM_SEARCH_ENABLED": "off"})
    client.initialize(repository, options={"trusted": True})
    assert outcome(client, "memory/remember", {"note": "To be shared."}) == (
        "done" if kind == "files" else "storeUnreadable"
    )
    for method, params in [("memory/list", {}), ("memory/prompt", {}), ("memory/status", {}), ("memory/search", {})]:
        assert "root:" not in str(client.request(method, params))
    assert outcome(client, "memory/remember", {"note": "For me.", "scope": "user"}) == "done"
