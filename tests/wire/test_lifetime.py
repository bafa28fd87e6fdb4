"""The server goes when its client goes, its children with it, and says nothing on stdout but frames."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from wire.client import DEADLINE, Client


def gone(processes: list[psutil.Process], seconds: float = DEADLINE) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    return not [p for p in alive if p.status() != psutil.STATUS_ZOMBIE]


def family(pid: int) -> list[psutil.Process]:
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


@pytest.mark.parametrize("state", ["starting", "initialized", "indexing", "idle"])
def test_closing_the_pipe_ends_the_server_and_its_children(
    start: Callable[..., Client], repository: Path, state: str
) -> None:
    client = start()
    if state == "indexing":
        for number in range(800):
            (repository / f"m{number}.py").write_text(f"def f{number}():\n    return {number}\n" * 60)
    if state != "starting":
        client.initialize(repository)
    if state == "idle":
        client.indexed()
    elif state == "indexing":
        client.wait_for(lambda: client.request("search/status")["state"] == "indexing" or True, "indexing")
    processes = family(client.process.pid)
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert gone(processes)


@pytest.mark.parametrize("state", ["initialized", "idle"])
def test_the_server_dies_with_the_process_that_the_client_named(
    start: Callable[..., Client], repository: Path, state: str
) -> None:
    """The pipe stays open here, as when another process inherited it; only the named process is killed."""
    parent = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    client = start()
    client.initialize(repository, params={"processId": parent.pid})
    if state == "idle":
        client.indexed()
    processes = family(client.process.pid)
    parent.kill()
    parent.wait()
    assert gone(processes)


def indexers(client: Client) -> list[psutil.Process]:
    children = psutil.Process(client.process.pid).children()
    return [child for child in children if child.is_running() and "vademecum.search.indexer" in child.cmdline()]


def test_the_first_folder_takes_the_indexer_that_was_started_ahead(
    start: Callable[..., Client], repository: Path
) -> None:
    client = start()
    client.initialize(capabilities={"workspace": {"workspaceFolders": True}})
    (ahead,) = indexers(client)
    folder = {"uri": repository.as_uri(), "name": "repository"}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    client.wait_for(lambda: client.request("search/status")["state"] == "ready", "the index")
    assert indexers(client) == [ahead]


def test_no_indexer_waits_where_search_is_switched_off(start: Callable[..., Client], repository: Path) -> None:
    client = start()
    client.initialize(repository, options={"settings": {"search": {"enabled": False}}})
    client.wait_for(lambda: not indexers(client), "the end of the indexer that was started ahead")


def test_the_command_line_may_name_the_client_too(start: Callable[..., Client]) -> None:
    parent = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    client = start(args=("serve", "--stdio", f"--clientProcessId={parent.pid}"))
    client.initialize(params={"processId": None})
    parent.kill()
    parent.wait()
    assert gone(family(client.process.pid))


def test_a_process_that_was_never_there_is_not_waited_for(start: Callable[..., Client]) -> None:
    client = start()
    client.initialize(params={"processId": 2**22 + 12345})
    assert client.request("memory/list")["total"] == 0


def test_killed_with_its_client_nothing_is_left(tmp_path: Path, repository: Path) -> None:
    """A real client process that dies by SIGKILL, holding the pipes."""
    script = textwrap.dedent(
        f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parents[1])!r})
        from pathlib import Path
        from wire.client import DEADLINE, Client
        client = Client(Path({str(tmp_path / "home")!r}))
        client.initialize(Path({str(repository)!r}))
        client.indexed()
        sys.stdout.write(str(client.process.pid)); sys.stdout.flush()
        sys.stdin.read()
        """
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(os.read(parent.stdout.fileno(), 20))
    processes = family(pid)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert gone(processes)


def test_the_indexer_dies_with_a_killed_server(client: Client) -> None:
    client.indexed()
    children = family(client.process.pid)[1:]
    assert children
    client.process.kill()
    client.process.wait()
    assert gone(children)


def test_stdout_carries_frames_only_even_if_a_dependency_prints(
    start: Callable[..., Client], repository: Path, tmp_path: Path
) -> None:
    """A module that Python loads at every start prints in Python and writes to descriptor 1 from below."""
    noisy = tmp_path / "noisy"
    noisy.mkdir()
    (noisy / "sitecustomize.py").write_text(
        "import builtins, os, sys, threading, time\n"
        "def shout():\n"
        "    for _ in range(40):\n"
        "        print('printed by a dependency')\n"
        "        os.write(1, b'written by a library\\n')\n"
        "        time.sleep(0.02)\n"
        "import importlib.abc\n"
        "class Late(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'vademecum.lsp.server':\n"
        "            threading.Thread(target=shout, daemon=True).start()\n"
        "sys.meta_path.insert(0, Late())\n"
    )
    client = start(env={"PYTHONPATH": str(noisy)})
    client.initialize(repository)
    client.indexed()
    client.wait_for(lambda: "printed by a dependency" in client.log(), "the noise to have gone to stderr")
    client.wait_for(lambda: "written by a library" in client.log(), "the noise to have gone to stderr")
    assert client.request("search/query", {"query": "circle area"})["items"]
    assert client.raw_errors == []
    assert client.shut_down() == 0
