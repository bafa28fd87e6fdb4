"""Search by words alone: starting, indexing beside `semble`, asking beside ripgrep, saving."""

import json
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.speed.asking import ask, ask_while_indexing, family, ready, written
from bench.speed.tables import Table, milliseconds, spread, timed
from wire.client import Client, running

EDITS = 60


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
