"""A cache that lies on a full disk, behind closed doors, or in pieces: said, survived, and made again."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wire.client import Client
from wire.conftest import make_repository

Start = Callable[..., Client]
NOBODY = 65534

as_root = pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can mount, or be another user")


def items(client: Client, query: str) -> list[str]:
    return [item["path"] for item in client.request("search/query", {"query": query})["items"]]


def refusal(client: Client) -> str:
    return str(client.request("search/status").get("refusal") or "")


@pytest.fixture
def small_disk(home: Path) -> Iterator[Path]:
    """The cache on a disk of its own, of 3 MB."""
    cache = home / "cache"
    cache.mkdir(parents=True)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", cache], capture_output=True)
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    yield cache
    subprocess.run(["umount", "-l", cache], check=True)


@as_root
def test_a_full_disk_is_said_and_indexing_goes_on_when_there_is_room(
    start: Start, small_disk: Path, repository: Path
) -> None:
    before = {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()}
    ballast = small_disk / "ballast"
    with ballast.open("wb", buffering=0) as file, pytest.raises(OSError, match="space"):
        while True:
            file.write(b"x" * 4096)
    client = start()
    client.initialize(repository)
    client.wait_for(lambda: "full" in refusal(client), "a word on the disk")
    answer = client.request("search/query", {"query": "circle"})
    assert any("full" in notice["message"] for notice in answer["notices"])
    assert client.request("memory/list")["total"] == 0
    ballast.unlink()
    client.wait_for(lambda: "src/shapes.py" in items(client, "circle area"), "an index, now that there is room", 60)
    client.wait_for(lambda: refusal(client) == "", "an end of it")
    # And full again, in the middle of a life.
    (repository / "late.py").write_text("def arrived_late(): pass\n")
    client.wait_for(lambda: "late.py" in items(client, "arrived_late"), "a change")
    with ballast.open("wb", buffering=0) as file, pytest.raises(OSError, match="space"):
        while True:
            file.write(b"x" * 4096)
    for number in range(60):
        (repository / f"more{number}.py").write_text(
            f"def more_{number}():\n" + "".join(f"    word_{number}_{line} = {line}\n" for line in range(200))
        )
    client.wait_for(lambda: "full" in refusal(client), "a word on the disk")
    (repository / "late.py").write_text("def arrived_late(): return 'as it is now'\n")
    for item in client.request("search/query", {"query": "arrived_late"})["items"]:
        assert item["path"] != "late.py" or "as it is now" in item["snippet"]
    ballast.unlink()
    client.wait_for(lambda: "more59.py" in items(client, "more_59"), "the rest", 90)
    client.wait_for(lambda: refusal(client) == "", "an end of it", 60)
    assert {path: path.read_bytes() for path in before} == before


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that every user can come to, as pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="vademecum-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@as_root
def test_a_cache_that_belongs_to_another_user_is_said(start: Start, open_to_all: Path) -> None:
    as_nobody = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")
    tried = subprocess.run([*as_nobody, sys.executable, "-c", "import vademecum"], cwd="/", capture_output=True)
    if tried.returncode:
        pytest.skip("another user cannot start this Python")
    project, home = make_repository(open_to_all / "project"), open_to_all / "home"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    (home / "cache").mkdir(mode=0o755)
    client = start(home=home, prefix=as_nobody)
    client.initialize(project)
    told = client.wait_for(lambda: refusal(client), "the reason")
    assert "permission" in told
    assert any("permission" in note["message"] for note in client.request("search/query", {"query": "x"})["notices"])


def damage(home: Path, kind: str) -> None:
    """Do to the index in a cache what disks and other programs do."""
    (folder,) = (home / "cache/code").iterdir()
    (build,) = folder.glob("build-*")
    lexical = build / "lexical"
    match kind:
        case "segments":
            for file in lexical.iterdir():
                if file.suffix in (".idx", ".store", ".term", ".pos", ".fast", ".fieldnorm"):
                    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        case "no segments":
            for file in lexical.iterdir():
                if file.suffix in (".idx", ".store", ".term"):
                    file.unlink()
        case "meta.json":
            (lexical / "meta.json").write_text("{")
        case "catalogue":
            (build / "catalogue.sqlite").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
        case "catalogue page":
            path = build / "catalogue.sqlite"
            data = bytearray(path.read_bytes())
            data[4096:8192] = os.urandom(4096)
            path.write_bytes(data)
        case "state.json":
            text = (folder / "state.json").read_text()
            (folder / "state.json").write_text(text[: len(text) // 2])
        case "newer":
            database = sqlite3.connect(build / "catalogue.sqlite")
            database.execute("UPDATE meta SET value = 'of the future' WHERE key = 'stamp'")
            database.execute("ALTER TABLE files RENAME COLUMN digest TO fingerprint")
            database.execute("INSERT INTO chunks VALUES ('src/shapes.py', 900, 999, x'00', 'Future', NULL, x'00')")
            database.commit()
            database.close()
        case "state of the future":
            (folder / "state.json").write_text(json.dumps({"version": 99, "where": "elsewhere"}))
        case "gone":
            shutil.rmtree(build)
        case _:
            shutil.rmtree(home / "cache")


@pytest.mark.parametrize(
    "kind",
    [
        "segments", "no segments", "meta.json", "catalogue", "catalogue page", "state.json", "newer",
        "state of the future", "gone", "all gone",
    ],
)  # fmt: skip
def test_what_is_damaged_or_from_the_future_is_made_again(
    start: Start, repository: Path, home: Path, kind: str
) -> None:
    first = start()
    first.initialize(repository)
    first.request("memory/add", {"title": "T", "content": "Kept.", "category": "Rule", "scope": "project"})
    first.indexed()
    first.shut_down()
    before = {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()}
    damage(home, kind)
    second = start()
    second.initialize(repository)
    answer = second.request("search/query", {"query": "circle area"})
    assert all("Future" not in str(item.get("symbol")) for item in answer["items"])
    second.wait_for(lambda: items(second, "circle area")[:1] == ["src/shapes.py"], "the index", 60)
    status = second.indexed()
    assert (status["files"], refusal(second)) == (4, "")
    assert second.request("memory/list")["total"] == 1
    assert {path: path.read_bytes() for path in before} == before
    (folder,) = (home / "cache/code").iterdir()
    second.wait_for(lambda: len([*folder.glob("build-*")]) == 1, "one build")


@pytest.mark.parametrize("kind", ["segments", "no segments", "catalogue page", "gone", "all gone"])
def test_what_is_damaged_while_it_is_open_ends_nothing(start: Start, repository: Path, home: Path, kind: str) -> None:
    client = start()
    client.initialize(repository)
    client.indexed()
    damage(home, kind)
    for number in range(3):
        assert isinstance(items(client, "circle"), list)
        (repository / f"new{number}.py").write_text(f"def brand_new_{number}(): pass\n")
    client.wait_for(
        lambda: all(f"new{number}.py" in items(client, f"brand_new_{number}") for number in range(3)),
        f"what is new; {client.request('search/status')}",
        60,
    )
    client.wait_for(lambda: "src/shapes.py" in items(client, "circle area"), "what is old")
