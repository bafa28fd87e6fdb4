"""Harder prompts, for two collections of memories. In tests/: `python -m bench.recall.harder [--model NAME] [--fit]`.

`more-tune.jsonl` is for fitting, beside the development half of the benchmark and the second development set;
`more-held.jsonl` is measured only. What nothing answers is asked of both collections, the 2,000 memories and the few of
another developer.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.recall.__main__ import say
from bench.recall.data_files import Row, rows, told, write
from bench.recall.fitting import Judged, fitted, judged, passes
from vademecum.embedding.embedder import Embedder
from vademecum.embedding.settings import EmbeddingSettings
from vademecum.memory.places import Places
from vademecum.memory.recall_meaning import FOLDER, Meanings
from vademecum.memory.recall_ranking import BY_BOTH, BY_WORDS
from vademecum.memory.service import Memories

#: The collections: the 2,000, those and the ones of the second development set, and the few.
COLLECTIONS = ("many", "dev2", "few")


@contextmanager
def opened(collection: str, model: str, folder: Path) -> Iterator[Memories]:
    """The memories of a collection, with their vectors made."""
    home = folder / collection
    write(rows("few") if collection == "few" else told(collection), home / "memory", bare=False)
    embedder = Embedder(EmbeddingSettings(model=model))
    meanings = Meanings(home / "cache" / FOLDER, lambda: embedder)
    memories = Memories(Places(home, home / "state"), meanings=meanings)
    try:
        memories.warm()
        meanings.settle(600)
        yield memories
    finally:
        memories.close()
        meanings.close()
        embedder.close()


def prompts(collection: str) -> dict[str, Sequence[Row]]:
    """The prompts for a collection, by the part that they belong to."""
    if collection == "dev2":
        return {"dev2": rows("dev2")}
    parts: dict[str, Sequence[Row]] = {
        part: [row for row in rows(f"more-{part}") if row["of"] in (collection, "both")] for part in ("tune", "held")
    }
    return {"dev": rows("dev"), **parts} if collection == "many" else parts


def main() -> None:
    """Measure, and print a table; with `--fit`, fit the odds on what is for that."""
    parser = argparse.ArgumentParser(prog="bench.recall.harder", description=__doc__)
    parser.add_argument("--model", default="auto")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    found: dict[tuple[str, str, str], list[Judged]] = {}
    with tempfile.TemporaryDirectory() as made:
        for collection in COLLECTIONS:
            with opened(collection, options.model, Path(made)) as memories:
                for part, asked in prompts(collection).items():
                    found["both", collection, part] = judged(memories, asked, by_meaning=True)
                    found["words", collection, part] = judged(memories, asked, by_meaning=False)
    say("way | memories | prompts | hit@5 | answered though nothing does")
    for (way, collection, part), each in found.items():
        odds = BY_BOTH if way == "both" else BY_WORDS
        fine = [passes(one, odds) for one in each if one.related]
        false = [passes(one, odds) for one in each if not one.related]
        say(f"{way} | {collection} | {part} | {sum(fine)}/{len(fine)} | {sum(false)}/{len(false)}")
    if options.fit:
        for way in ("both", "words"):
            say(
                fitted(
                    way, [one for (of, _, part), each in found.items() if of == way and part != "held" for one in each]
                )
            )


if __name__ == "__main__":
    main()
