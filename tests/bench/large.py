"""Large trees: many small files, many folders, paths as long as they can be; how long the first answer takes, how much
memory it costs, and whether it can be stopped.

In tests/, `python -m bench.large -h`.
"""

import argparse
import contextlib
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
from attrs import define, field

from wire.client import Client, RequestError, running

_WORDS = ("parse", "config", "reader", "socket", "cache", "limit", "window", "paint", "invoice", "customer")
_PART = "a_folder_with_a_rather_long_name_as_generated_code_has_them"
# Linux takes 4,096 bytes with the final NUL; what the tree itself lies in comes before.
_LONGEST = 4_000


@define
class Figures:
    """What came out."""

    files: int = 0
    first_answer: float = 0.0
    files_at_first: int = 0
    seconds: float = 0.0
    reopened: float = 0.0
    memory: int = 0
    deepest_found: bool = False
    cancelled_within: float = 0.0
    progress: list[int] = field(factory=list)
    message: str = ""

    def lines(self) -> list[str]:
        """The figures as lines of text."""
        return [
            f"first answer with hits after {self.first_answer:.1f} s, with {self.files_at_first:,} files indexed",
            f"{self.files:,} files in {self.seconds:.0f} s ({self.files / self.seconds:,.0f} a second)",
            f"most memory of the server and all its processes: {self.memory / 1e6:,.0f} MB",
            f"the deepest file is found: {self.deepest_found}",
            f"progress was told {len(self.progress):,} times; last: {self.message}",
            f"a re-index stopped within {self.cancelled_within:.2f} s",
            f"opened again, unchanged, in {self.reopened:.1f} s",
        ]


def grow(top: Path, files: int, folders: int, deep: bool) -> int:
    """Make a tree of so many files in about so many folders; returns how many files there are."""
    made = []
    wide = max(1, int(folders**0.5))
    for number in range(folders):
        folder = top / f"d{number % wide}" / f"e{number}"
        folder.mkdir(parents=True, exist_ok=True)
        made.append(folder)
    for number in range(files):
        words = [_WORDS[(number >> shift) % len(_WORDS)] for shift in (0, 3, 6)]
        text = f"def {words[0]}_{number}({words[1]}):\n    return {words[1]}.{words[2]}({number})\n"
        (made[number % folders] / f"f{number}.py").write_text(text)
    if deep:
        _in_the_deep(top, f"def deepest_of_all():\n    return {files}\n")
        return files + 1
    return files


def _in_the_deep(top: Path, text: str) -> None:
    """Put a file where its path is nearly as long as the system takes, relative to `top` and on from there."""
    descriptor = os.open(top, os.O_RDONLY)
    length = len(os.fsencode(top)) + 1
    try:
        while length + len(_PART) + 20 < _LONGEST:
            os.mkdir(_PART, dir_fd=descriptor)
            below = os.open(_PART, os.O_RDONLY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
            length += len(_PART) + 1
        file = os.open("deepest.py", os.O_WRONLY | os.O_CREAT, dir_fd=descriptor)
        os.write(file, text.encode())
        os.close(file)
    finally:
        os.close(descriptor)


def remove(top: Path) -> None:
    """Remove a tree, however deep: by way down and up again, not by recursion."""
    for parent, folders, names in os.walk(top, topdown=False):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(parent, name))  # noqa: PTH108, PTH118 (a Path for each of a million is slow)
        for name in folders:
            with contextlib.suppress(FileNotFoundError):
                os.rmdir(os.path.join(parent, name))  # noqa: PTH106, PTH118
    with contextlib.suppress(FileNotFoundError):
        top.rmdir()


def open_and_ask(home: Path, tree: Path) -> Figures:
    """Open a tree in a new server, ask while it is indexed, stop a re-index, and open it once more."""
    figures = Figures()
    with running(home) as client:
        stop = threading.Event()
        watch = threading.Thread(target=_watch, args=(client.process.pid, figures, stop), daemon=True)
        watch.start()
        began = time.monotonic()
        client.initialize(tree, capabilities={"window": {"workDoneProgress": True}})
        while not client.request("search/query", {"query": "parse config"})["items"]:
            time.sleep(0.02)
        figures.first_answer = time.monotonic() - began
        figures.files_at_first = client.request("search/status")["files"]
        while not _is_ready(client):
            time.sleep(0.1)
        figures.seconds = time.monotonic() - began
        figures.files = client.request("search/status")["files"]
        found = client.request("search/query", {"query": "deepest_of_all"})["items"]
        figures.deepest_found = bool(found) and found[0]["path"].endswith("/deepest.py")
        _stop_a_reindex(client, figures)
        stop.set()
        watch.join()
    with running(home) as client:
        began = time.monotonic()
        client.initialize(tree)
        while not _is_ready(client):
            time.sleep(0.02)
        figures.reopened = time.monotonic() - began
    return figures


def _is_ready(client: Client) -> bool:
    status = client.request("search/status")
    return bool(status["state"] == "ready" and not status["pending"])


def _stop_a_reindex(client: Client, figures: Figures) -> None:
    waiting = client.start_request("search/reindex", {"force": True, "workDoneToken": "large"})

    def told() -> list[str]:
        notes = [note["value"] for note in client.notified("$/progress") if note["token"] == "large"]
        return [value["message"] for value in notes if value.get("message")]

    client.wait_for(told, "progress")
    began = time.monotonic()
    client.notify("$/cancelRequest", {"id": waiting.id})  # type: ignore[attr-defined]
    with contextlib.suppress(RequestError):
        waiting()
    client.request("search/status")
    figures.cancelled_within = time.monotonic() - began
    figures.message = told()[-1]
    figures.progress = [int("".join(filter(str.isdigit, each.split("(")[0])) or 0) for each in told()]


def _watch(pid: int, figures: Figures, stop: threading.Event) -> None:
    server = psutil.Process(pid)
    while not stop.wait(0.2):
        with contextlib.suppress(psutil.Error):
            processes = (server, *server.children(recursive=True))
            # Shared pages, such as the mapped index, count once.
            figures.memory = max(figures.memory, sum(process.memory_full_info().pss for process in processes))


def main() -> int:
    """Read the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=200_000, help="how many files (default: %(default)s)")
    parser.add_argument("--folders", type=int, default=50_000, help="in how many folders (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vademecum-large-") as folder:
        tree = Path(folder) / "tree"
        try:
            grow(tree, options.files, options.folders, deep=True)
            figures = open_and_ask(Path(folder) / "home", tree)
        finally:
            remove(tree)
    sys.stdout.write("\n".join(figures.lines()) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
