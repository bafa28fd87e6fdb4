"""The `semble` package on one tree, in a process of its own; prints what it found as one JSON list.

It is given the static vectors of the `wordllama` package, since its own model is not inside a package. In tests/:
`python -m bench.quality.semble_run MODEL_FOLDER TREE QUERIES`, where QUERIES is a JSON list of texts; each answer is a
list of path from the tree, first and last line.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from bench.semble_beside import prepare


def ask(model: Path, tree: Path, queries: list[str], limit: int) -> list[list[tuple[str, int, int]]]:
    """Index the tree in memory as the package does by default, and ask every query."""
    from semble import SembleIndex

    index = SembleIndex.from_path(tree, model_path=str(model))
    return [
        [
            (Path(each.chunk.file_path).as_posix(), each.chunk.start_line, each.chunk.end_line)
            for each in index.search(query, top_k=limit)
        ]
        for query in queries
    ]


def main() -> None:
    """Answer once."""
    model, tree, asked = map(Path, sys.argv[1:4])
    os.environ["HF_HUB_OFFLINE"] = "1"
    with tempfile.TemporaryDirectory() as nothing:
        os.environ["SEMBLE_CACHE_LOCATION"] = nothing
        if not model.exists():
            prepare(model)
        found = ask(model, tree, json.loads(asked.read_text("utf-8")), int(sys.argv[4]))
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
