"""Indexers that freeze, die, cannot watch, or share a folder: what the server says, and that it stays true."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from bench.fresh import differences, size
from bench.sharing import alternate, orphans
from wire.client import Client, running

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
Start = Callable[..., Client]


def items(client: Client, query: str) -> list[Any]:
    return client.request("search/query", {"query": query})["items"]


def paths(client: Client, query: str) -> list[str]:
    return [item["path"] for item in items(client, query)]


def indexer(client: Client) -> psutil.Process:
    return client.wait_for(lambda: psutil.Process(client.process.pid).children(), "an indexer")[0]


def watcher(client: Client) -> Any:
    return client.request("search/status")["watcher"]


def test_a_frozen_indexer_is_said_and_answers_stay_true(client: Client, repository: Path) -> None:
    # basicmachines-co/basic-memory#580, jgravelle/jcodemunch-mcp#565: watcher dead or stuck, yet "fresh"
    client.indexed()
    process = indexer(client)
    process.suspend()
    try:
        (repository / "src/shapes.py").write_text("class Circle:\n    radius = 'another text'\n")
        (item,) = (each for each in items(client, "Circle radius") if "shapes" in each["path"])
        assert item["stale"] is True
        assert "another text" in item["snippet"]
        told = client.wait_for(lambda: watcher(client)["state"] == "failed" and watcher(client), "the trouble", 40)
        assert "not answered" in told["reason"]
        kinds = {notice["kind"] for notice in client.request("search/query", {"query": "circle"})["notices"]}
        assert "watcherFailed" in kinds
        client.wait_for(
            lambda: client.notified("search/didChangeStatus")[-1]["watcher"]["state"] == "failed", "the news of it"
        )
    finally:
        process.resume()
    client.wait_for(lambda: watcher(client)["state"] == "watching", "an end of it")
    client.wait_for(lambda: "src/shapes.py" in paths(client, "another text"), "the edit")


def can_take_inotify_away() -> bool:
    return subprocess.run(["unshare", "-Ur", *_limited(0), "true"], capture_output=True, check=False).returncode == 0


def _limited(instances: int, watches: int | None = None) -> tuple[str, ...]:
    """A command that runs another one with so many inotify instances and watches, as a user of its own."""
    script = f"echo {instances} > /proc/sys/user/max_inotify_instances; "
    if watches is not None:
        script += f"echo {watches} > /proc/sys/user/max_inotify_watches; "
    return ("sh", "-c", script + 'exec "$@"', "sh")


@pytest.mark.parametrize(("instances", "watches"), [(0, None), (10, 2)], ids=["instances", "watches"])
def test_the_limit_of_inotify_ends_nothing_and_is_said(
    start: Start, repository: Path, instances: int, watches: int | None
) -> None:
    # gorakhargosh/watchdog#673, kfstorm/sonarr-metadata-rewrite#57
    if not sys.platform.startswith("linux") or not can_take_inotify_away():
        pytest.skip("needs Linux with user namespaces")
    client = start(
        prefix=("unshare", "-Ur", *_limited(instances, watches)),
    )
    client.initialize(repository, options={"settings": {"search": {"reconcileSeconds": 20}}})
    client.indexed()
    told = client.wait_for(lambda: watcher(client)["state"] == "polling" and watcher(client), "the limit")
    assert "inotify" in told["reason"]
    (repository / "src/shapes.py").write_text("class Circle:\n    radius = 'another text'\n")
    (item,) = (each for each in items(client, "Circle radius") if "shapes" in each["path"])
    assert "another text" in item["snippet"]
    (repository / "new.py").write_text("def polled_for(): pass\n")
    client.wait_for(lambda: "new.py" in paths(client, "polled_for"), "the new file, by comparing")


def test_nothing_happens_where_nothing_changes(start: Start, repository: Path) -> None:
    # DeusData/codebase-memory-mcp#1953, #937: an indexer that triggers itself; SECONDS=30 for the whole of it
    seconds = float(os.environ.get("SECONDS", "5"))
    client = start(home=repository / "kept here")
    client.initialize(repository)
    client.indexed()
    # What was written just before it was read is looked at once more; then words and vectors are tidied up after.
    cache = repository / "kept here/cache"
    client.wait_for(lambda: client.request("search/status")["model"]["state"] in {"ready", "none"}, "vectors")
    client.wait_for(lambda: not any(journal.stat().st_size for journal in cache.rglob("*-wal")), "the index to rest")
    client.request("search/status")
    time.sleep(0.5)  # for the last news to be told
    before, written = client.request("search/status"), indexer(client).io_counters().write_bytes
    told = len(client.notified("search/didChangeStatus"))
    time.sleep(seconds)  # that nothing happens can only be waited for
    assert client.request("search/status") == before
    assert len(client.notified("search/didChangeStatus")) == told
    # One block for the time of the lock file, once a minute.
    assert indexer(client).io_counters().write_bytes - written <= 4096


def test_indexing_that_is_killed_again_and_again_ends_complete(start: Start, tmp_path: Path) -> None:
    # introfini/ZotSeek#53, eric-cielo/moflo#70: a file of which a part failed counts as done
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(600):
        (folder / f"f{number}.py").write_text(f"def killed_{number}():\n" + "    common = 1\n" * 40)
    client = start()
    client.initialize(folder)
    for _ in range(3):
        process = indexer(client)
        client.wait_for(lambda: client.request("search/status")["files"], "some files")
        process.kill()
        client.wait_for(lambda process=process: indexer(client).pid != process.pid, "another indexer")
    client.indexed()
    assert client.request("search/status")["files"] == 600
    with running(tmp_path / "fresh") as fresh:
        fresh.initialize(folder)
        fresh.indexed()
    assert differences(client_cache(tmp_path), tmp_path / "fresh/cache") == []


def client_cache(tmp_path: Path) -> Path:
    return tmp_path / "home/cache"


def test_an_unchanged_folder_is_opened_without_reading_it(start: Start, repository: Path) -> None:
    # RooCodeInc/Roo-Code#12145, Kilo-Org/kilocode#4080
    with_age(repository)
    first = start()
    first.initialize(repository)
    state = first.indexed()
    first.shut_down()
    before = {path: path.stat().st_atime_ns for path in repository.rglob("*.py")}
    second = start()
    second.initialize(repository)
    assert second.indexed()["generation"] == state["generation"]
    assert {path: path.stat().st_atime_ns for path in repository.rglob("*.py")} == before


def with_age(folder: Path) -> None:
    """Make every file old enough for its stamp to be trusted, its change included."""
    time.sleep(0)
    for path in folder.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            os.utime(path, (1_600_000_000, 1_600_000_000))
    time.sleep(3)  # the time of the change cannot be set back


def test_a_reader_answers_while_another_server_indexes(start: Start, tmp_path: Path) -> None:
    # zilliztech/memsearch#80, intuit/infigraph#46
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(1500):
        (folder / f"f{number}.py").write_text(f"def read_{number}():\n" + "    common = 1\n" * 60)
    one, two = start(), start()
    one.initialize(folder)
    two.initialize(folder)
    two.wait_for(lambda: paths(two, "common"), "an answer")
    slowest = 0.0
    while one.request("search/status")["state"] != "ready":
        for client in (one, two):
            began = time.monotonic()
            assert paths(client, "common")
            slowest = max(slowest, time.monotonic() - began)
    assert slowest < 10
    print(f"slowest answer while indexing: {slowest:.3f} s")  # noqa: T201
    assert two.indexed()["files"] == 1500


def test_a_living_writer_is_respected_and_a_dead_one_succeeded(start: Start, repository: Path) -> None:
    # quickwit-oss/tantivy#445, openclaw/openclaw#136311
    one = start()
    one.initialize(repository)
    one.indexed()
    two = start()
    two.initialize(repository)
    two.indexed()
    (repository / "a.py").write_text("def written_by_one(): pass\n")
    two.wait_for(lambda: "a.py" in paths(two, "written_by_one"), "the news of the writer")
    assert two.request("search/status")["writer"] is False
    os.kill(indexer(one).pid, signal.SIGSTOP)
    frozen = indexer(one)
    time.sleep(2)  # a frozen process lives
    assert two.request("search/status")["writer"] is False
    frozen.kill()
    began = time.monotonic()
    two.wait_for(lambda: two.request("search/status")["writer"], "taking over")
    assert time.monotonic() - began < 10
    (repository / "b.py").write_text("def written_by_two(): pass\n")
    two.wait_for(lambda: "b.py" in paths(two, "written_by_two"), "the new writer's work")


def test_alternating_edits_of_two_servers_leave_no_orphans(tmp_path: Path) -> None:
    # paperless-ngx/paperless-ngx#13679, quickwit-oss/tantivy#2504; bench.sharing does 1,000
    figures = alternate(tmp_path, edits=60, kills=2, seed=1)
    assert figures.faults == []
    assert figures.differences == []
    assert orphans(tmp_path / "home/cache") == []
    assert figures.bytes <= 2 * figures.fresh_bytes, figures
    assert size(tmp_path / "home/cache/code") >= figures.bytes


def test_every_server_can_have_the_index_remade(start: Start, repository: Path) -> None:
    one = start()
    one.initialize(repository)
    generation = one.indexed()["generation"]
    two = start()
    two.initialize(repository)
    two.indexed()
    assert two.request("search/status")["writer"] is False
    for force in (False, True):
        assert two.request("search/reindex", {"force": force})["files"] == 4
    two.wait_for(lambda: two.request("search/status")["generation"] > generation, "the new build")
    # An asker that has gone leaves nothing for the writer to do.
    waiting = two.start_request("search/reindex", {"force": True})
    indexer(two).kill()
    assert isinstance(waiting, Callable)  # type: ignore[arg-type]
    one.wait_for(lambda: not [*repository.parent.glob("home/cache/code/*/asked/*.answer")], "nothing left", 40)
