"""The `semble` package on the same files, in a process of its own; prints what it measured as one JSON object.

It is given the static vectors of the `wordllama` package, since its own model is not inside a package. In tests/:
`python -m bench.semble_beside MODEL_FOLDER TREE QUERIES`, where QUERIES is a JSON list of texts.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil


def prepare(folder: Path) -> None:
    """Write a folder in the form that `semble` loads, with the vectors and tokens inside the `wordllama` package."""
    import numpy
    import wordllama
    from model2vec import StaticModel
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    package = Path(wordllama.__file__).parent
    table = load_file(next(package.rglob("l2_supercat_256.safetensors")))["embedding.weight"].astype(numpy.float32)
    tokenizer = Tokenizer.from_file(str(next(package.rglob("l2_supercat_tokenizer_config.json"))))
    StaticModel(vectors=table, tokenizer=tokenizer, normalize=True).save_pretrained(folder)


def measure(model: Path, tree: Path, queries: list[str]) -> dict[str, Any]:
    """Index the tree once, in memory, and ask every query twice, timing the second round."""
    began = time.perf_counter()
    from semble import SembleIndex
    from semble.index.dense import load_model
    from semble.types import ContentType

    load_model(str(model))  # it keeps the model, so that indexing is timed without it
    loaded = time.perf_counter()
    processor = time.process_time()
    index = SembleIndex.from_path(
        tree, content=[ContentType.CODE, ContentType.DOCS, ContentType.CONFIG], model_path=str(model)
    )
    indexed = time.perf_counter()
    processor = time.process_time() - processor
    took: list[float] = []
    for _ in range(2):
        took = []
        for query in queries:
            asked = time.perf_counter()
            index.search(query)
            took.append(time.perf_counter() - asked)
    return {
        "load": loaded - began,
        "index": indexed - loaded,
        "processor": processor,
        "files": index.stats.indexed_files,
        "chunks": index.stats.total_chunks,
        "queries": took,
        "resident": psutil.Process().memory_info().rss,
    }


def main() -> None:
    """Measure once."""
    model, tree, asked = map(Path, sys.argv[1:4])
    os.environ["HF_HUB_OFFLINE"] = "1"
    with tempfile.TemporaryDirectory() as nothing:
        os.environ["SEMBLE_CACHE_LOCATION"] = nothing  # no index of an earlier run is taken for this one's
        if not model.exists():
            prepare(model)
        told = measure(model, tree, json.loads(asked.read_text("utf-8")))
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
