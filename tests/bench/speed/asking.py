"""Asking the real server through its pipe, and looking at what it and its indexer take."""

import json
import random
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from bench.speed.tables import timed
from wire.client import Client

WORD = re.compile(r"[A-Za-z_]{4,}")

INDEX_WITHIN = 1_200.0
"""Seconds that a first index may take before the run is given up."""


def queries(tree: Path, count: int) -> list[str]:
    """Queries of two kinds, from the tree itself: identifiers, and runs of words from code, comments and prose."""
    choose = random.Random(7)
    files = sorted(path for path in tree.rglob("*.py") if path.stat().st_size > 500)
    found: list[str] = []
    while len(found) < count:
        words = WORD.findall(choose.choice(files).read_text("utf-8", "replace"))
        if len(words) < 20:
            continue
        start = choose.randrange(len(words) - 6)
        found.append(words[start] if len(found) % 2 else " ".join(words[start : start + 5]))
    return found


def size_of(folder: Path) -> int:
    """Bytes in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def family(client: Client) -> list[psutil.Process]:
    """The server and its children."""
    server = psutil.Process(client.process.pid)
    return [server, *server.children(recursive=True)]


def written(processes: Sequence[psutil.Process]) -> dict[int, int]:
    """Bytes that each of these processes has had written to the disk; nothing where the system does not say."""
    told: dict[int, int] = {}
    for process in processes:
        with suppress(AttributeError, psutil.Error):
            told[process.pid] = process.io_counters().write_bytes
    return told


def ready(client: Client) -> Any:
    """Wait until the index is complete; return its status."""

    def status() -> Any:
        told = client.request("search/status", {})
        return told if told["state"] == "ready" and not told["pending"] and told.get("workspace") else None

    return client.wait_for(status, "the index", INDEX_WITHIN)


def ask(client: Client, asked: Sequence[str]) -> list[float]:
    """Seconds of each query, through the pipe."""
    return [timed(lambda text=query: client.request("search/query", {"query": text})) for query in asked]


def ask_while_indexing(client: Client, asked: Sequence[str]) -> list[float]:
    """Seconds of queries while a whole new index is made; as many as it has time for."""
    done = client.start_request("search/reindex", {"force": True})
    began = ready(client)["generation"]
    took: list[float] = []
    while ready_generation(client) == began and len(took) < 5_000:
        took += ask(client, [asked[len(took) % len(asked)]])
    done()
    return took


def ready_generation(client: Client) -> int:
    """Which state of the index is being searched."""
    return int(client.request("search/status", {})["generation"])


def files_read(home: Path) -> int:
    """How many files the present writer of the only index below `home` has read."""
    (state,) = home.rglob("state.json")
    return int(json.loads(state.read_bytes())["files_read"])
