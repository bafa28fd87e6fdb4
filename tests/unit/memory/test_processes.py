"""Several servers on one home, and servers that are killed: nothing acknowledged is lost, nothing is torn."""

import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from unit.memory import writer
from unit.memory.conftest import Open
from vademecum.memory.places import Places
from vademecum.memory.settings import Format
from vademecum.memory.types import MemoryChange, Span


@pytest.fixture
def start(tmp_path: Path) -> object:
    """Starts a writer as a process of its own."""
    (tmp_path / "project").mkdir(exist_ok=True)

    def start_writer(name: str, count: int, form: Format = Format.MARKDOWN) -> "subprocess.Popen[str]":
        command = [sys.executable, writer.__file__, str(tmp_path), name, str(count), form.value]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    return start_writer


@pytest.mark.parametrize("form", list(Format))
def test_two_servers_remember_fifty_each(open_memories: Open, start: object, tmp_path: Path, form: Format) -> None:
    assert callable(start)
    writers = [start(name, 50, form) for name in ("one", "two")]
    outputs = [each.communicate(timeout=50)[0] for each in writers]
    assert [each.returncode for each in writers] == [0, 0]
    kept = [line.split()[1] for output in outputs for line in output.splitlines() if line.startswith("kept")]
    assert len(set(kept)) == 100
    memories = open_memories(tmp_path / "project")
    assert memories.list().total == 80
    deleted = [line.split()[1] for output in outputs for line in output.splitlines() if line.startswith("deleted")]
    for id in deleted:
        memories.restore(id)
    assert {head.id for head in memories.list(limit=200).items} == set(kept)
    assert memories.status().unreadable == ()


@pytest.mark.parametrize("form", list(Format))
def test_killed_writers_lose_nothing_acknowledged(
    open_memories: Open, start: object, tmp_path: Path, places: Places, form: Format
) -> None:
    assert callable(start)
    chance = random.Random(7)
    told: list[str] = []
    for round_number in range(3):
        writers = [start(f"{round_number}-{name}", 1_000, form) for name in ("a", "b")]
        for each in writers:
            told += [each.stdout.readline() for _ in range(chance.randrange(3, 12))]  # killed at another line each time
            each.kill()
            told += each.stdout.read().splitlines(keepends=True)
            each.wait()
            each.stdout.close()
    lines = [line.split() for line in told if line.endswith("\n")]
    memories = open_memories(tmp_path / "project")
    deleted = {id for what, id in lines if what == "deleted"}
    kept = {id for what, id in lines if what == "kept"}
    present = {head.id for head in memories.list(limit=1_000).items}
    # A writer may have died after deleting and before saying so: that one can be restored.
    for id in kept - deleted - present:
        assert memories.restore(id).id == id
    assert not deleted & present
    for what, id in lines:
        if what == "updated" and id not in deleted:
            assert memories.get(id).content.endswith(", updated")
    assert len(kept) > 10 and memories.status().unreadable == ()
    memories.remember("After all that")
    # A writer sweeps up where it writes, which need not be where another form's writer died; a purge sweeps everywhere.
    memories.purge(scope=Span.ALL)
    assert not list(places.home.rglob("*.tmp"))


def test_threads_of_one_server_do_not_lose_each_others_changes(open_memories: Open, project: Path) -> None:
    memories = open_memories(project)
    memory = memories.remember("Counter").memory
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            memories.remember(f"Of thread {number}")
            memories.update(memory.id, MemoryChange(keywords=(f"k{number}",)))
            memories.search("thread")
            memories.prompt(f"session {number}")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and memories.list().total == 9
    assert len(memories.history(memory.id)) == 8


def test_a_home_reached_through_a_link_has_the_same_locks(tmp_path: Path, places: Places) -> None:
    from vademecum.memory.lock import hold

    places.home.mkdir()
    (tmp_path / "link").symlink_to(places.home)
    with hold(places.home, places.home / "memory"):
        names = {path.name for path in (places.home / "locks").iterdir()}
    with hold(tmp_path / "link", tmp_path / "link" / "memory"):
        assert {path.name for path in (places.home / "locks").iterdir()} <= names


def test_one_note_by_two_servers_at_once_is_one_memory(open_memories: Open, project: Path) -> None:
    servers = [open_memories(project) for _ in range(4)]
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda each=each: found.append(each.remember("The same note").memory.id))
        for each in servers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and len(set(found)) == 1


def test_two_servers_give_one_session_the_same_bytes(open_memories: Open, project: Path) -> None:
    servers = [open_memories(project) for _ in range(4)]
    servers[0].remember("A fact for all")
    texts: list[str] = []

    def ask(number: int) -> None:
        servers[number].remember(f"Of server {number}")
        texts.append(servers[number].prompt("one session").text)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 4 and len(set(texts)) == 1
