"""How fast the server is, through its pipe, on real trees. `make bench` runs it; in tests/, `python -m bench.speed -h`.

Every figure comes from the real server over real pipes. Where another system is measured beside it, that is done in the
same run, on the same files, in turn, and what is told is the ratio of the medians.
"""

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.corpora import CORPORA, unpacked
from bench.speed.asking import family, files_read, queries, ready, size_of
from bench.speed.meaning import measure_meaning
from bench.speed.tables import Table, commit, machine, markdown, put
from bench.speed.words import measure_edits, measure_index, measure_queries, start_to_initialize
from wire.client import running

QUERIES = 300
IDLE_SECONDS = 6.0


def measure(corpus: str, cache: Path, repeats: int, models: Sequence[str], edits: int) -> Table:
    """Every figure for one tree.

    The transformer is left out of the largest tree, for which it is not taken by itself either.
    """
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
            client.initialize(tree, options={"settings": {"search": {"model": "none"}}})
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
        kept = [model for model in models if not (model == "minilm" and corpus == "large")]
        measure_meaning(table, work, tree, kept, edits, whole=corpus == "small")
    return table


def main() -> None:
    """Print a table for each tree asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", default=["small", "medium"], help=f"trees: {', '.join(CORPORA)}")
    parser.add_argument("--cache", type=Path, default=Path("build/bench"), help="where the trees are kept between runs")
    parser.add_argument("--repeats", type=int, default=3, help="first indexes of each tree, in turn with semble's")
    parser.add_argument("--models", nargs="*", default=["none", "static", "minilm"], help="that vectors are made with")
    parser.add_argument("--edits", type=int, default=1_000, help="saves with vectors, in the last tree")
    parser.add_argument("--keep", type=Path, help="a folder to write the figures to, as COMMIT.json")
    parser.add_argument("--document", type=Path, help="a Markdown file whose marked part becomes these tables")
    options = parser.parse_args()
    when = datetime.now(UTC).date().isoformat()
    where = machine()
    sys.stdout.write(f"{when}, commit {commit() or 'unknown'}, {where}\n")
    tables = []
    for corpus in options.corpora:
        sys.stdout.write(f"\n### {corpus}\n\n| what | figure | target |\n|---|---|---|\n")
        edits = options.edits if corpus == options.corpora[-1] else 0
        tables.append(measure(corpus, options.cache.resolve(), options.repeats, options.models, edits))
    if options.document is not None:
        command = f"python -m bench.speed {' '.join(options.corpora)} --repeats {options.repeats}"
        intro = f"{when}, commit {commit() or 'unknown'}, {where}; in `tests/`: `{command}`\n"
        put(options.document, "\n".join([intro, *map(markdown, tables)]))
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        kept = {"date": when, "commit": commit(), "machine": where, **{each.corpus: each.figures for each in tables}}
        (options.keep / f"{commit() or when}.json").write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
