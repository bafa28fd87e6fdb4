"""How fast the server is, through its pipe, on real trees. `make bench` runs it; in tests/, `python -m bench.speed -h`.

Every figure comes from the real server over real pipes. Where another system is measured beside it, that is done in the
same run, on the same files, in turn, and what is told is the ratio of the medians.
"""

import argparse
import json
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
from attrs import define, field

from bench.corpora import CORPORA, unpacked
from wire.client import Client, running

WORD = re.compile(r"[A-Za-z_]{4,}")
INDEX_WITHIN = 1_200.0
"""Seconds that a first index may take before the run is given up."""

BEGIN, END = "<!-- speed: begin -->", "<!-- speed: end -->"

EDITS = 60
QUERIES = 300
IDLE_SECONDS = 6.0


@define
class Table:
    """The figures of one tree: for people as rows, for later comparison as numbers."""

    corpus: str
    rows: list[tuple[str, str, str]] = field(factory=list)
    figures: dict[str, float] = field(factory=dict)

    def add(self, what: str, figure: str, target: str = "", **figures: float) -> None:
        """Note one row; `figures` are the numbers in it."""
        self.rows.append((what, figure, target))
        self.figures.update({name: round(value, 6) for name, value in figures.items()})
        sys.stdout.write(f"| {what} | {figure} | {target} |\n")
        sys.stdout.flush()


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Median and 95th percentile."""
    ordered = sorted(values)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]


def milliseconds(values: Sequence[float]) -> str:
    """Durations in seconds, as text."""
    median, late = spread(values)
    return f"p50 {1000 * median:.1f} ms, p95 {1000 * late:.1f} ms"


def timed(work: Callable[[], Any]) -> float:
    """Seconds that a call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


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


def start_to_initialize(home: Path, tree: Path) -> float:
    """Seconds from starting the process to the reply to `initialize`."""
    began = time.perf_counter()
    with running(home) as client:
        client.request("initialize", {"processId": None, "rootUri": tree.as_uri(), "capabilities": {}})
        return time.perf_counter() - began


def open_to_searchable(client: Client, tree: Path) -> float:
    """Seconds from opening a folder in a running server, as an editor does, until all of it can be found."""
    client.initialize(capabilities={"workspace": {"workspaceFolders": True}})
    began = time.perf_counter()
    folder = {"uri": tree.as_uri(), "name": tree.name}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    ready(client)
    return time.perf_counter() - began


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


def save_to_searchable(client: Client, tree: Path, count: int) -> list[float]:
    """Seconds from before writing a file of the tree to the first answer that holds its new word."""
    choose = random.Random(11)
    files = sorted(tree.rglob("*.py"))
    took: list[float] = []
    for _ in range(count):
        path = choose.choice(files)
        text = path.read_bytes()
        # No word of it is a word of anything before it, so that only a new index can answer.
        word = "".join(choose.choices("bcdfghjklmnpqrstvwxz", k=14))
        began = time.perf_counter()
        path.write_bytes(text + f"\n# {word}\n".encode())
        while True:
            items = client.request("search/query", {"query": word, "limit": 1})["items"]
            if items and word in items[0]["snippet"]:
                break
            time.sleep(0.002)
        took.append(time.perf_counter() - began)
        path.write_bytes(text)
        time.sleep(0.4)  # a person saves now and then
    return took


def files_read(home: Path) -> int:
    """How many files the present writer of the only index below `home` has read."""
    (state,) = home.rglob("state.json")
    return int(json.loads(state.read_bytes())["files_read"])


def beside_semble(work: Path, tree: Path, model: Path, asked: Sequence[str]) -> dict[str, Any] | None:
    """What the `semble` package needs for the same files; None where it is not installed."""
    texts = work / "queries.json"
    texts.write_text(json.dumps(list(asked)), "utf-8")
    command = [sys.executable, "-m", "bench.semble_beside", str(model), str(tree), str(texts)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.stderr.write(f"semble could not be measured: {done.stderr.strip().splitlines()[-1:]}\n")
        return None
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def beside_ripgrep(tree: Path, asked: Sequence[str]) -> list[float]:
    """Seconds that `rg -c` takes for the words of each query; empty where it is not installed."""
    program = shutil.which("rg")
    if program is None:
        return []
    took: list[float] = []
    for query in asked:
        words = [part for word in query.split() for part in ("-e", word)]
        command = [program, "--no-config", "-c", "-i", "-F", *words, str(tree)]
        took.append(timed(lambda line=command: subprocess.run(line, stdout=subprocess.DEVNULL, check=False)))
    return took


def measure_index(table: Table, work: Path, tree: Path, model: Path, asked: Sequence[str], repeats: int) -> Path:
    """The first index, in turn with `semble`'s of the same files; returns the home of the last one."""
    started: list[float] = []
    ours: list[float] = []
    theirs: list[dict[str, Any]] = []
    first: list[float] = []
    status: Any = None
    home = work / "home"
    for _ in range(repeats):
        shutil.rmtree(home, ignore_errors=True)
        began = time.perf_counter()
        with running(home) as client:
            client.initialize(tree)
            client.request("search/query", {"query": "parse the configuration"})
            first.append(time.perf_counter() - began)
            status = ready(client)
            started.append(time.perf_counter() - began)
            client.shut_down()
        # The index goes, the grammars stay, as for every folder but the first on a machine; `semble` has its own.
        shutil.rmtree(next(home.rglob("state.json")).parent)
        with running(home) as client:
            ours.append(open_to_searchable(client, tree))
            client.shut_down()
        told = beside_semble(work, tree, model, asked)
        if told is not None:
            theirs.append(told)
    took = statistics.median(ours)
    files, chunks = status["files"], status["chunks"]
    table.add("files, chunks", f"{files:,}, {chunks:,}", files=files, chunks=chunks)
    table.add("process start to first answered query, cold", f"{statistics.median(first):.2f} s", "≤ 3 s")
    table.add("process start to wholly searchable, grammars unpacked", f"{statistics.median(started):.2f} s")
    table.add("folder opened to wholly searchable, index on disk", f"{took:.2f} s", index=took)
    if theirs:
        other = statistics.median(each["index"] for each in theirs)
        whole = statistics.median(each["load"] + each["index"] for each in theirs)
        held = f"{theirs[0]['files']:,} files, {theirs[0]['chunks']:,} chunks"
        table.add("`semble` indexing them in memory, model loaded", f"{other:.2f} s ({held})", semble=other)
        table.add("**ratio to `semble`'s indexing**", f"**{took / other:.2f}**", "≤ 1.0", ratio=took / other)
        table.add("ratio to `semble`'s imports, model and indexing", f"{took / whole:.2f}", whole_ratio=took / whole)
        theirs_asked = statistics.median(statistics.median(each["queries"]) for each in theirs)
        table.add("`semble` query, in its process", f"p50 {1000 * theirs_asked:.1f} ms", semble_query=theirs_asked)
        resident = statistics.median(each["resident"] for each in theirs)
        table.add("`semble` resident memory", f"{resident / 1e6:.0f} MB", semble_resident=resident)
    return home


def measure_queries(table: Table, client: Client, tree: Path, asked: Sequence[str]) -> None:
    """Queries through the pipe, idle and while indexing, and ripgrep on the same words."""
    ask(client, asked)
    idle = ask(client, asked)
    median, late = spread(idle)
    table.add("query through the pipe, warm", milliseconds(idle), "≤ 5 / 20 ms", query_p50=median, query_p95=late)
    if grep := beside_ripgrep(tree, asked[:40]):
        other = statistics.median(grep)
        table.add("`rg -c` of the same words", milliseconds(grep), ripgrep=other)
        table.add("ratio to `rg`'s median", f"{median / other:.2f}", ripgrep_ratio=median / other)
    busy = ask_while_indexing(client, asked)
    if busy:
        median, late = spread(busy)
        name = f"the same while a new index is made ({len(busy)} queries)"
        table.add(name, milliseconds(busy), "≤ 20 / 60 ms", busy_p50=median, busy_p95=late)


def measure_edits(table: Table, client: Client, tree: Path) -> None:
    """Saving, and what an edit writes."""
    processes = family(client)
    before = written(processes)
    took = save_to_searchable(client, tree, EDITS)
    each = sum(total - before[pid] for pid, total in written(processes).items()) / (2 * EDITS)
    median, late = spread(took)
    table.add("save to searchable", milliseconds(took), "p95 ≤ 300 ms", save_p50=median, save_p95=late)
    if each:
        table.add("written to the disk for an edit, merges included", f"{each / 1e3:.0f} kB", written=each)


def measure(corpus: str, cache: Path, repeats: int) -> Table:
    """Every figure for one tree."""
    source = unpacked(CORPORA[corpus], cache)
    table = Table(corpus)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        tree = work / "tree"
        shutil.copytree(source, tree)
        asked = queries(tree, QUERIES)
        started = [start_to_initialize(work / "started", tree) for _ in range(5)]
        start = statistics.median(started)
        table.add("process start to `initialize` reply, median of 5", f"{start:.2f} s", "≤ 0.5 s", start=start)
        home = measure_index(table, work, tree, cache / "semble-model", asked, repeats)
        with running(home) as client:
            began = time.perf_counter()
            client.initialize(tree)
            ready(client)
            took = time.perf_counter() - began
            read = files_read(home)
            # Only files that were written just before they were first indexed may be looked at once more.
            table.add("re-open, unchanged, to `ready`", f"{took:.2f} s, {read} files read", "0 files", reopened=read)
            measure_queries(table, client, tree, asked)
            measure_edits(table, client, tree)
            time.sleep(IDLE_SECONDS)
            sizes = [process.memory_info().rss for process in family(client)]
            parts = " + ".join(f"{size / 1e6:.0f}" for size in sizes)
            text = f"{sum(sizes) / 1e6:.0f} MB ({parts})"
            table.add("resident memory, server and indexer, idle", text, "≤ 300 MB", resident=sum(sizes))
            disk = size_of(next(home.rglob("state.json")).parent)
            table.add("index on disk", f"{disk / 1e6:.1f} MB of {size_of(tree) / 1e6:.1f} MB text", disk=disk)
            client.shut_down()
    return table


def markdown(table: Table) -> str:
    """A table with its heading."""
    lines = [f"| {what} | {figure} | {target} |" for what, figure, target in table.rows]
    return "\n".join([f"### {table.corpus}", "", "| what | figure | target |", "|---|---|---|", *lines, ""])


def put(document: Path, text: str, first: str = BEGIN, last: str = END) -> None:
    """Replace what stands between the two marks of a document."""
    before, begin, rest = document.read_text("utf-8").partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise SystemExit(f"{document} has no marks {first} and {last}")
    document.write_text(f"{before}{begin}\n{text}{end}{after}", "utf-8")


def commit() -> str:
    """The commit that is measured, `+` when there is more than it; empty outside a repository."""
    here = Path(__file__).parent
    try:
        name = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=here, capture_output=True, text=True)
        state = ["git", "status", "--porcelain", "--untracked-files=no", "../../server"]
        changed = subprocess.run(state, cwd=here, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""
    return name.stdout.strip() + ("+" if changed else "")


def main() -> None:
    """Print a table for each tree asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", default=["small", "medium"], help=f"trees: {', '.join(CORPORA)}")
    parser.add_argument("--cache", type=Path, default=Path("build/bench"), help="where the trees are kept between runs")
    parser.add_argument("--repeats", type=int, default=3, help="first indexes of each tree, in turn with semble's")
    parser.add_argument("--keep", type=Path, help="a folder to write the figures to, as COMMIT.json")
    parser.add_argument("--document", type=Path, help="a Markdown file whose marked part becomes these tables")
    options = parser.parse_args()
    when = datetime.now(UTC).date().isoformat()
    machine = f"{os.cpu_count()} processors ({platform.machine()}), Python {platform.python_version()}"
    sys.stdout.write(f"{when}, commit {commit() or 'unknown'}, {machine}\n")
    tables = []
    for corpus in options.corpora:
        sys.stdout.write(f"\n### {corpus}\n\n| what | figure | target |\n|---|---|---|\n")
        tables.append(measure(corpus, options.cache.resolve(), options.repeats))
    if options.document is not None:
        command = f"python -m bench.speed {' '.join(options.corpora)} --repeats {options.repeats}"
        intro = f"{when}, commit {commit() or 'unknown'}, {machine}; in `tests/`: `{command}`\n"
        put(options.document, "\n".join([intro, *map(markdown, tables)]))
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        kept = {"date": when, "commit": commit(), "machine": machine, **{each.corpus: each.figures for each in tables}}
        (options.keep / f"{commit() or when}.json").write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
