"""How fast the server is, through its pipe, on real trees. `make bench` runs it; in tests/, `python -m bench.speed -h`.

Every figure comes from the real server over real pipes. Where another system is measured beside it, that is done in the
same run, on the same files, and what is told is the ratio.
"""

import argparse
import os
import random
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from attrs import frozen

from bench.corpora import CORPORA, unpacked
from wire.client import Client, running

WORD = re.compile(r"[A-Za-z_]{4,}")


@frozen
class Row:
    """One line of the table."""

    what: str
    figure: str


def milliseconds(values: Sequence[float]) -> str:
    """Median and 95th percentile of durations in seconds, in milliseconds."""
    ordered = sorted(values)
    late = ordered[int(0.95 * (len(ordered) - 1))]
    return f"p50 {1000 * statistics.median(ordered):.1f} ms, p95 {1000 * late:.1f} ms"


def queries(tree: Path, count: int) -> list[str]:
    """Queries of two kinds, from the tree itself: identifiers, and runs of words from comments and prose."""
    choose = random.Random(7)
    files = sorted(path for path in tree.rglob("*.py") if path.stat().st_size > 500)
    found = []
    while len(found) < count:
        text = choose.choice(files).read_text("utf-8", "replace")
        words = WORD.findall(text)
        if len(words) < 20:
            continue
        start = choose.randrange(len(words) - 6)
        found.append(words[start] if len(found) % 2 else " ".join(words[start : start + 5]))
    return found


def size_of(folder: Path) -> int:
    """Bytes in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def resident(pid: int) -> Iterator[tuple[str, int]]:
    """Resident bytes of a process and of its children."""
    process = psutil.Process(pid)
    yield "server", process.memory_info().rss
    for child in process.children(recursive=True):
        yield "indexer", child.memory_info().rss


@contextmanager
def opened(home: Path, tree: Path) -> Iterator[Client]:
    with running(home) as client:
        client.initialize(tree)
        yield client


def timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def start_to_initialize(home: Path, tree: Path) -> float:
    """Seconds from starting the process to the reply to `initialize`."""
    began = time.perf_counter()
    with running(home) as client:
        client.request("initialize", {"processId": None, "rootUri": tree.as_uri(), "capabilities": {}})
        return time.perf_counter() - began


def save_to_searchable(client: Client, tree: Path, count: int) -> list[float]:
    """Seconds from writing a file to the first answer that holds its new word."""
    took = []
    path = tree / "bench_saved_file.py"
    for number in range(count):
        # No word of it is a word of anything before it, so that only a new index can answer.
        word = "".join(random.Random(number).choices("bcdfghjklmnpqrstvwxz", k=14))
        path.write_text(f"def {word}():\n    return {number}\n", "utf-8")
        began = time.perf_counter()
        while True:
            items = client.request("search/query", {"query": word})["items"]
            if any(word in item["snippet"] for item in items):
                break
            time.sleep(0.002)
        took.append(time.perf_counter() - began)
    path.unlink()
    return took


def beside_semble(tree: Path) -> float | None:
    """Seconds that the `semble` package takes to index the same files; None where it cannot be had or has no model."""
    try:
        from semble import SembleIndex
    except ImportError:
        return None
    try:
        return timed(lambda: SembleIndex.from_path(str(tree)))
    except Exception as error:  # without a network it has no model of its own
        sys.stderr.write(f"semble could not be measured: {type(error).__name__}\n")
        return None


def measure(corpus: str, cache: Path) -> list[Row]:
    """Every figure for one tree."""
    source = unpacked(CORPORA[corpus], cache)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        tree = work / "tree"
        shutil.copytree(source, tree)
        home = work / "home"
        rows = [
            Row(
                "process start to `initialize` reply, median of 5",
                f"{statistics.median(start_to_initialize(work / f'h{n}', tree) for n in range(5)):.2f} s",
            )
        ]
        with running(home) as client:
            began = time.perf_counter()
            client.initialize(tree)
            client.request("search/query", {"query": "parse the configuration"})
            rows.append(Row("first answered query on the cold tree", f"{time.perf_counter() - began:.2f} s"))
            status = client.indexed()
            took = time.perf_counter() - began
            rows += [
                Row("files, chunks", f"{status['files']:,}, {status['chunks']:,}"),
                Row("open to wholly searchable", f"{took:.1f} s"),
                Row("index on disk", f"{status['bytes'] / 1e6:.1f} MB"),
            ]
            asked = queries(tree, 300)
            for query in asked[:50]:
                client.request("search/query", {"query": query})
            warm = [timed(lambda q=query: client.request("search/query", {"query": q})) for query in asked]
            rows.append(Row("query through the pipe, warm", milliseconds(warm)))
            rows.append(Row("save to searchable", milliseconds(save_to_searchable(client, tree, 40))))
            memory = ", ".join(f"{name} {size / 1e6:.0f} MB" for name, size in resident(client.process.pid))
            rows.append(Row("resident memory after indexing", memory))
            client.shut_down()
        with running(home) as client:
            began = time.perf_counter()
            client.initialize(tree)
            client.indexed()
            rows.append(Row("re-open, unchanged, to `ready`", f"{time.perf_counter() - began:.2f} s"))
        other = beside_semble(tree)
        if other is not None:
            rows.append(Row("`semble` indexing the same files (in memory)", f"{other:.1f} s, ratio {took / other:.2f}"))
    return rows


def main() -> None:
    """Print a table for each tree asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", default=["small", "medium"], choices=[*CORPORA], help="trees to measure")
    parser.add_argument("--cache", type=Path, default=Path("build/bench"), help="where the trees are kept between runs")
    options = parser.parse_args()
    sys.stdout.write(f"{os.cpu_count()} processors, Python {sys.version.split()[0]}\n")
    for corpus in options.corpora:
        sys.stdout.write(f"\n### {corpus}\n\n| what | figure |\n|---|---|\n")
        for row in measure(corpus, options.cache.resolve()):
            sys.stdout.write(f"| {row.what} | {row.figure} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
