"""Search by meaning: vectors made beside the bare model, queries with each model, what a save writes, memory."""

import random
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.embedding import bare
from bench.speed.asking import INDEX_WITHIN, ask, ask_while_indexing, family, queries, size_of, written
from bench.speed.tables import Table, milliseconds, spread, timed
from vademecum.embedding.settings import EmbeddingSettings
from vademecum.search.build import CATALOGUE
from vademecum.search.entry import vector_text
from vademecum.search.home import FOLDER, VECTORS
from wire.client import Client, running

IDLE_AFTER = 3.0
"""Seconds after which a model is let go here, so that memory at rest need not be waited for."""

ASKED = 150
"""Queries of each kind; fewer than the vectors of queries that a server keeps, or none of them would be warm."""

PART_FILES = 120
"""Files of a larger tree that the transformer is given: minutes of its work rather than hours."""

BARE_TEXTS = {"static": 6_000, "minilm": 240}
"""Texts that the bare model is given, twice."""

TARGETS = {"none": "≤ 5 / 20 ms", "static": "≤ 5 / 20 ms", "minilm": "≤ 12 / 30 ms"}


def part_of(tree: Path, folder: Path) -> Path:
    """Every so manieth source file of a tree, in a folder of its own."""
    files = sorted(tree.rglob("*.py"))
    for path in files[:: max(1, len(files) // PART_FILES)][:PART_FILES]:
        copy = folder / path.relative_to(tree)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return folder


@contextmanager
def opened(home: Path, tree: Path, model: str) -> Iterator[Client]:
    """A server that has opened a tree, with a model that it lets go soon."""
    home.mkdir(parents=True, exist_ok=True)
    with running(home) as client:
        search = {"model": model, "modelIdleSeconds": IDLE_AFTER}
        client.initialize(tree, options={"settings": {"search": search}})
        yield client
        client.shut_down()


def words_ready(client: Client) -> bool:
    """Whether all words are indexed."""
    told = client.request("search/status", {})
    return told["state"] == "ready" and not told["pending"] and bool(told.get("workspace"))


def all_ready(client: Client) -> bool:
    """Whether all words are indexed and all vectors made, if any are wanted."""
    told = client.request("search/status", {})
    model = told["model"]
    whole = model["name"] is not None and model["state"] == "ready" and model["embedded"] == model["total"]
    return words_ready(client) and (whole or model["state"] == "none")


def reach(client: Client, model: str) -> None:
    """Wait until everything is there; without a model, until all words are."""
    done = words_ready if model == "none" else all_ready
    client.wait_for(lambda: done(client), "the index and its vectors", INDEX_WITHIN)


def texts_of(home: Path, tree: Path) -> list[str]:
    """The texts whose vectors an index needs, each once."""
    (catalogue,) = (home / "cache" / FOLDER).glob(f"*/*/{CATALOGUE}")
    with sqlite3.connect(f"file:{catalogue}?mode=ro", uri=True) as database:
        rows = database.execute("SELECT path, start, stop, symbol FROM chunks GROUP BY vector ORDER BY path, start")
        found, lines = [], {}
        for path, start, stop, symbol in rows:
            if path not in lines:
                lines = {path: (tree / path).read_text("utf-8", "replace").split("\n")}
            found.append(vector_text(symbol, lines[path][start - 1 : stop]))
    return found


def embedding(table: Table, home: Path, tree: Path, model: str) -> None:
    """The first vectors of a tree, made by the indexer in the background, beside the bare loop over the same texts."""
    with opened(home, tree, model) as client:
        client.wait_for(lambda: words_ready(client), "the index", INDEX_WITHIN)
        began = time.perf_counter()
        client.wait_for(lambda: all_ready(client), "the vectors", INDEX_WITHIN)
        took = time.perf_counter() - began
        total = client.request("search/status", {})["model"]["total"]
    texts = texts_of(home, tree)
    count = min(len(texts), BARE_TEXTS[model])
    chosen = random.Random(5).sample(texts, count)
    loop = bare(model, chosen, EmbeddingSettings().model_threads)
    theirs = count / min(timed(loop), timed(loop))
    ours = total / took
    ratio = ours / theirs
    table.add(f"{model}: vectors made by the indexer, model loaded first", f"{ours:.0f} chunks a second ({total:,})")
    table.add(f"{model}: the bare model on {count:,} of these texts, same threads", f"{theirs:.0f} chunks a second")
    figures = {f"{model}_rate": ours, f"{model}_bare": theirs, f"{model}_ratio": ratio}
    table.add(f"**{model}: ratio to the bare model**", f"**{ratio:.2f}**", "≥ 0.80", **figures)


def reopened(table: Table, home: Path, tree: Path, model: str) -> None:
    """What opening an unchanged tree again embeds: nothing is added to the store."""
    before = rows_of(home)
    with opened(home, tree, model) as client:
        took = timed(lambda: client.wait_for(lambda: all_ready(client), "the vectors", INDEX_WITHIN))
        time.sleep(0.5)
        embedded = rows_of(home) - before
        dimensions = client.request("search/status", {})["model"]["dimensions"]
    chunks = embedded / (dimensions or 1)
    text = f"{took:.2f} s, {chunks:.0f} chunks embedded"
    table.add(f"{model}: re-open, unchanged, to all vectors", text, "0 chunks", **{f"{model}_reembedded": chunks})


def rows_of(home: Path) -> int:
    """Bytes of the vectors themselves, one a number."""
    return sum(path.stat().st_size for path in (home / "cache" / VECTORS).rglob("rows-*"))


def asking(table: Table, home: Path, tree: Path, model: str) -> None:
    """Queries through the pipe: asked before; new ones, whose vectors are to be made; while all is indexed anew."""
    every = list(dict.fromkeys(queries(tree, 4 * ASKED)))
    warm, fresh, others = every[:ASKED], every[ASKED : 2 * ASKED], every[2 * ASKED :]
    with opened(home, tree, model) as client:
        reach(client, model)
        time.sleep(1.5)  # vectors are taken over at most once a second
        ask(client, warm)
        row(table, f"{model}: query, asked before", ask(client, warm), TARGETS[model], f"{model}_warm")
        row(table, f"{model}: query, never asked before", ask(client, fresh), TARGETS[model], f"{model}_cold")
        if busy := ask_while_indexing(client, others):
            row(table, f"{model}: query while indexing ({len(busy)})", busy, "≤ 20 / 60 ms", f"{model}_busy")
        reach(client, model)
        at_rest(table, client, model)


def while_embedding(table: Table, home: Path, tree: Path, model: str) -> None:
    """Queries while the first vectors are being made."""
    asked = queries(tree, ASKED)
    took: list[float] = []
    with opened(home, tree, model) as client:
        client.wait_for(lambda: words_ready(client), "the index", INDEX_WITHIN)
        while not all_ready(client) and len(took) < 2_000:
            took += ask(client, [asked[len(took) % len(asked)]])
    if took:
        row(table, f"{model}: query while vectors are made ({len(took)})", took, "≤ 20 / 60 ms", f"{model}_embedding")


def row(table: Table, what: str, took: Sequence[float], target: str, name: str) -> None:
    """One row of durations."""
    median, late = spread(took)
    table.add(what, milliseconds(took), target, **{f"{name}_p50": median, f"{name}_p95": late})


def at_rest(table: Table, client: Client, model: str) -> None:
    """Resident memory of server and indexer, with the model let go."""
    time.sleep(2 * IDLE_AFTER + 1.0)
    sizes = [process.memory_info().rss for process in family(client)]
    parts = " + ".join(f"{size / 1e6:.0f}" for size in sizes)
    name = f"{model}: resident memory, server and indexer, model let go"
    table.add(name, f"{sum(sizes) / 1e6:.0f} MB ({parts})", "≤ 300 MB", **{f"{model}_resident": sum(sizes)})


def edited(table: Table, home: Path, tree: Path, fresh_home: Path, model: str, count: int) -> None:
    """What saves write with vectors kept, and how large all of it becomes beside what is made afresh of the same."""
    choose = random.Random(13)
    files = sorted(tree.rglob("*.py"))
    with opened(home, tree, model) as client:
        reach(client, model)
        processes = family(client)
        before = written(processes)
        took = [one_edit(client, choose.choice(files), choose) for _ in range(count)]
        client.wait_for(lambda: all_ready(client), "the vectors", INDEX_WITHIN)
        time.sleep(5.0)  # what was left behind goes once it is quiet
        total = sum(now - before[pid] for pid, now in written(processes).items() if pid in before)
        size = stored(home)
    median, late = spread(took)
    name = f"{model}: save to searchable, {count:,} saves one after the other"
    table.add(name, milliseconds(took), "p95 ≤ 300 ms", edits_p50=median, edits_p95=late)
    if total:
        text = f"{total / count / 1e3:.0f} kB"
        table.add(f"{model}: written to the disk for a save, vectors included", text, "≤ 2 MB", written=total / count)
    with opened(fresh_home, tree, model) as client:
        reach(client, model)
    fresh = stored(fresh_home)
    text = f"{size / 1e6:.1f} MB, afresh {fresh / 1e6:.1f} MB, ratio {size / fresh:.2f}"
    table.add(f"{model}: index and vectors after {count:,} saves", text, "≤ 2.0", growth=size / fresh)


def one_edit(client: Client, path: Path, choose: random.Random) -> float:
    """Seconds from before a line is added to a file until it is found."""
    word = "".join(choose.choices("bcdfghjklmnpqrstvwxz", k=14))
    began = time.perf_counter()
    path.write_bytes(path.read_bytes() + f"\n# {word}\n".encode())
    while True:
        items: Any = client.request("search/query", {"query": word, "limit": 1})["items"]
        if items and word in items[0]["snippet"]:
            return time.perf_counter() - began
        time.sleep(0.002)


def stored(home: Path) -> int:
    """Bytes of indexes and vectors."""
    return sum(size_of(home / "cache" / name) for name in (FOLDER, VECTORS))


def measure_meaning(table: Table, work: Path, tree: Path, models: Sequence[str], edits: int, *, whole: bool) -> None:
    """Every figure of vectors for one tree.

    :param whole: whether the transformer, too, is given all of it rather than a part.
    """
    for model in models:
        home, searched = work / f"home-{model}", tree
        if model == "minilm" and not whole:
            searched = part_of(tree, work / "part")
        if model != "none":
            embedding(table, home, searched, model)
            reopened(table, home, searched, model)
        asking(table, home, searched, model)
        if model == "minilm":
            while_embedding(table, work / "home-embedding", searched, model)
        if model == "static" and edits:
            edited(table, home, searched, work / "home-afresh", model, edits)
