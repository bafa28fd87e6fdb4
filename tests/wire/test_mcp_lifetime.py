"""An agent's server goes when its agent goes, its children with it, and says nothing on stdout but messages."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from wire.agent import Pipe, environment
from wire.client import DEADLINE
from wire.conftest import make_repository
from wire.test_lifetime import family, gone

MANY = "".join(f"def number_{n}():\n    return {n}\n\n\n" for n in range(200))


def test_lines_that_are_no_messages_are_answered_and_end_nothing(pipe: Callable[..., Pipe]) -> None:
    opened = pipe()
    lines = ("no message", '{"jsonrpc": "2.0"}', "[]", '{"id": 7, "method": "tools/list"}')
    answers = [(None, -32700), (None, -32600), (None, -32600), (7, -32600)]
    for state in ("before the handshake", "after it"):
        for line in (*lines, ""):
            opened.write(line)
        told = [opened.read() for _ in lines]
        assert [(answer["id"], answer["error"]["code"]) for answer in told] == answers, state
        opened.initialize()
    opened.write('{"jsonrpc": "2.0",\r"id": 8,\r\t"method": "tools/list"}\r')
    assert opened.reply(8)["result"]["tools"]
    for _ in range(100):
        opened.write("no message")
    opened.process.stdin.close()  # type: ignore[union-attr]
    told = [json.loads(line) for line in opened.process.stdout.read().splitlines()]  # type: ignore[union-attr]
    assert [answer["error"]["code"] for answer in told] == [-32700] * 100, "those before the end are answered, too"
    assert opened.process.wait(DEADLINE) == 0


def test_an_agent_that_reads_no_refusals_keeps_nobody_alive(pipe: Callable[..., Pipe]) -> None:
    opened = pipe()
    opened.initialize()
    for _ in range(20_000):  # refusals of 150 bytes each: far more than a pipe holds
        opened.write("no message")
    processes = family(opened.process.pid)
    opened.process.stdin.close()  # type: ignore[union-attr]
    assert gone(processes, DEADLINE)


def test_standard_output_carries_messages_alone(pipe: Callable[..., Pipe]) -> None:
    opened = pipe()
    opened.write("this is no message")
    opened.initialize()
    for number in range(1, 6):
        opened.call("search_workspace", number, query="circle")
    assert opened.process.poll() is None
    opened.process.stdin.close()  # type: ignore[union-attr]
    rest = opened.process.stdout.read()  # type: ignore[union-attr]
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    assert opened.process.wait(DEADLINE) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="file names that are no Unicode are Linux's")
def test_a_folder_whose_name_is_no_unicode_breaks_no_message(pipe: Callable[..., Pipe], tmp_path: Path) -> None:
    odd = make_repository(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")))
    opened = pipe(folder=odd)
    opened.initialize()
    (folder,) = opened.call("index_status", 1)["structuredContent"]["folders"]
    assert folder["folder"].endswith("/caf\\udce9")
    found = opened.call("search_workspace", 2, query="area of a circle")["structuredContent"]
    assert found["items"][0]["path"] == "src/shapes.py"
    refused = opened.call("search_workspace", 3, query="circle", workspace="/elsewhere")
    assert refused["isError"] and "caf" in refused["content"][0]["text"]


@pytest.mark.parametrize("state", ["starting", "initialized", "indexing", "idle"])
def test_closing_the_pipe_ends_it_and_its_children(pipe: Callable[..., Pipe], repository: Path, state: str) -> None:
    if state == "indexing":
        for number in range(300):
            (repository / f"numbers_{number}.py").write_text(MANY.replace("number_", f"n{number}_"))
    opened = pipe()
    if state != "starting":
        opened.initialize()
    if state == "idle":
        opened.call("search_workspace", 1, query="circle")
    processes = family(opened.process.pid)
    opened.process.stdin.close()  # type: ignore[union-attr]
    assert gone(processes, DEADLINE)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_signal_ends_it_and_its_children(pipe: Callable[..., Pipe]) -> None:
    opened = pipe()
    opened.initialize()
    opened.call("search_workspace", 1, query="circle")
    processes = family(opened.process.pid)
    psutil.Process(opened.process.pid).terminate()
    assert gone(processes, DEADLINE)


def test_an_agent_that_no_longer_reads_keeps_nobody_alive(pipe: Callable[..., Pipe]) -> None:
    opened = pipe()
    opened.initialize()
    opened.call("search_workspace", 1, query="circle")
    for number in range(2, 200):
        opened.send("tools/list", msg_id=number)  # 20 KB each: far more than a pipe holds
    processes = family(opened.process.pid)
    opened.process.stdin.close()  # type: ignore[union-attr]
    assert gone(processes, DEADLINE)


def test_an_agent_that_closed_its_end_ends_the_server(pipe: Callable[..., Pipe]) -> None:
    opened = pipe()
    opened.initialize()
    opened.call("search_workspace", 1, query="circle")
    processes = family(opened.process.pid)
    opened.process.stdout.close()  # type: ignore[union-attr]
    opened.send("tools/list", msg_id=2)
    assert gone(processes, DEADLINE)
    assert opened.process.stderr.read() == b"", "nothing is wrong with the server"  # type: ignore[union-attr]


def test_without_the_library_it_says_what_to_install(repository: Path, home: Path, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    (hidden / "mcp").mkdir(parents=True)
    (hidden / "mcp" / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'mcp'\")\n")
    path = os.pathsep.join([str(hidden), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "vademecum", "mcp"],
        cwd=repository,
        env=environment(home, PYTHONPATH=path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 1 and done.stdout == b""
    assert b"pip install 'vademecum[mcp]'" in done.stderr and b"Traceback" not in done.stderr


def test_a_folder_that_is_not_there_is_told_at_once(pipe: Callable[..., Pipe]) -> None:
    opened = pipe("-C", "/no/such/folder")
    assert opened.process.wait(60) == 2
    assert b"there is no folder" in opened.process.stderr.read()  # type: ignore[union-attr]
