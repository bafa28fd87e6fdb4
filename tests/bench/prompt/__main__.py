"""How long the prompt block takes at 2,000 memories, through the pipe. In tests/: `python -m bench.prompt`.

The memories of the benchmark of recall are put where they belong, user's and project's, a fifth of them with evidence,
and the block is asked for as an editor does: without a session, at the start of a session, and again within it.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles

import psutil

from bench.recall.__main__ import Row, rows, write
from wire.client import running
from wire.conftest import git, make_repository

#: Requests of each kind; 95 of a hundred are to be within the target.
REQUESTS = 100


def say(line: str) -> None:
    """Print a line of a table."""
    sys.stdout.write(f"{line}\n")


def lay_out(top: Path, count: int) -> Path:
    """Put the memories into a home, and make a repository with some commits; return its folder."""
    project = make_repository(top / "project")
    for number in range(40):
        (project / "src" / f"module_{number}.py").write_text(f"def function_{number}():\n    return {number}\n")
        if number % 4 == 3:
            git(project, "add", "-A")
            git(project, "commit", "-q", "-m", f"Step {number}")
    with running(top / "home") as client:
        client.initialize(project)
        folder = Path(client.request("memory/charter")["uri"].removeprefix("file://")).parent
    told = [_resting(each, number) for number, each in enumerate(rows("memories")[:count])]
    write([each for each in told if each["scope"] == "user"], top / "home" / "memory", bare=False)
    write([each for each in told if each["scope"] == "project"], folder / "memory", bare=False)
    for path in sorted((folder / "memory").iterdir())[::5]:
        number = int(path.stem[1:]) % 40
        path.write_text(
            path.read_text("utf-8").replace("---\n", f'---\nevidence: ["src/module_{number}.py:1-2@{"0" * 16}"]\n', 1)
        )
    return project


def _resting(each: Row, number: int) -> Row:
    return {**each, "id": f"m{number:04}"}


def timed(
    server: psutil.Process, name: str, ask: Callable[[int], object], before: Callable[[int], object] = lambda _: None
) -> None:
    """Ask, and print the times; what is done before each is not timed.

    The server's own time tells how long it takes where nothing else runs.
    """
    times = []
    own = 0.0
    for number in range(REQUESTS):
        before(number)
        busy = sum(server.cpu_times()[:2])
        began = time.perf_counter()
        ask(number)
        times.append((time.perf_counter() - began) * 1000)
        own += sum(server.cpu_times()[:2]) - busy
    cut = quantiles(times, n=100)
    say(f"{name}: first {times[0]:.1f} ms, p50 {cut[49]:.1f} ms, p95 {cut[94]:.1f} ms, longest {max(times):.1f} ms")
    say(f"  the server's own time: {own / REQUESTS * 1000:.1f} ms in the mean")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="bench.prompt", description=__doc__)
    parser.add_argument("--memories", type=int, default=2_000, metavar="N")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vademecum-prompt-") as made:
        top = Path(made)
        project = lay_out(top, options.memories)
        with running(top / "home") as client:
            client.initialize(project)
            client.indexed()
            server = psutil.Process(client.process.pid)
            began = time.perf_counter()
            block = client.request("memory/prompt")
            say(f"{options.memories:,} memories")
            say(f"the first block of the server: {(time.perf_counter() - began) * 1000:.0f} ms")
            say(f"{len(block['entries'])} told, {block['omitted']:,} left out, {block['characters']:,} characters")
            timed(server, "without a session", lambda _: client.request("memory/prompt"))
            timed(
                server, "start of a session", lambda number: client.request("memory/prompt", {"session": f"s{number}"})
            )
            timed(
                server, "again in a session", lambda number: client.request("memory/prompt", {"session": f"s{number}"})
            )
            timed(server, "explained", lambda _: client.request("memory/prompt", {"explain": True}))
            timed(
                server,
                "start of a session after another memory",
                lambda number: client.request("memory/prompt", {"session": f"after {number}"}),
                lambda number: client.request("memory/remember", {"note": f"Note {number} of the measurement."}),
            )


if __name__ == "__main__":
    main()
