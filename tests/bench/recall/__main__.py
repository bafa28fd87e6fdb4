"""How well memories are recalled. In tests/: `python -m bench.recall [dev|test] [--bare] [--model NAME]`.

The same 2,000 memories are asked the same prompts by words alone, by meaning alone and by both, and beside them as
CodeBuddy finds memories (the prompt as a substring) and as CodeWhale does (every word of it).
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean, quantiles
from typing import Any

from vademecum.embedding.embedder import Embedder
from vademecum.embedding.settings import EmbeddingSettings
from vademecum.lexical.tokens import prose_tokens
from vademecum.memory.places import Places
from vademecum.memory.recall_meaning import Meanings
from vademecum.memory.recall_ranking import rank
from vademecum.memory.recall_words import Worded, Words
from vademecum.memory.service import Memories
from vademecum.memory.settings import MemorySettings

DATA = Path(__file__).parent / "data"


def say(line: str) -> None:
    """Print a line of a table."""
    sys.stdout.write(f"{line}\n")


Row = Mapping[str, Any]
Answer = Callable[[str], Sequence[tuple[str, float]]]
"""Ids with their scores, best first."""


def rows(name: str) -> list[Row]:
    """The objects of a file of the data."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def write(memories: Sequence[Row], folder: Path, *, bare: bool) -> None:
    """Each memory in a file of its own, as the product keeps it."""
    folder.mkdir(parents=True)
    for each in memories:
        head = [f"{key}: {json.dumps(each[key], ensure_ascii=False)}" for key in ("id", "title", "category", "type")]
        head += [f"created: {each['updated']}", f"updated: {each['updated']}"]
        if not bare:
            head += [f"{key}: {json.dumps(each[key], ensure_ascii=False)}" for key in ("description", "keywords")]
        text = "\n".join(["---", *head, "---", each["content"], ""])
        (folder / f"{each['id']}.md").write_text(text, encoding="utf-8")


def substring(memories: Sequence[Row]) -> Answer:
    """CodeBuddy's way: the prompt as it is, in title, content or keywords."""
    texts = [
        (each["id"], f"{each['title']}\n{each['content']}\n{'|'.join(each['keywords'])}".lower()) for each in memories
    ]
    return lambda prompt: [(id, 1.0) for id, text in texts if prompt.lower() in text]


def all_words(memories: Sequence[Row]) -> Answer:
    """CodeWhale's way: every word of the prompt has to be there."""
    texts = [(each["id"], set(prose_tokens(f"{each['title']} {each['content']}"))) for each in memories]

    def answer(prompt: str) -> list[tuple[str, float]]:
        asked = set(prose_tokens(prompt))
        return [(id, 1.0) for id, words in texts if asked <= words]

    return answer


def measure(name: str, prompts: Sequence[Row], answer: Answer, floor: float) -> dict[str, object]:
    """Ask every prompt; what lies below the floor is no answer, but `ranked@5` looks at the order alone."""
    hits: list[int | None] = []
    ranked: list[bool] = []
    false = 0
    times = []
    for each in prompts:
        began = time.perf_counter()
        found = answer(each["prompt"])
        times.append(time.perf_counter() - began)
        kept = [id for id, score in found if score >= floor][:5]
        if not each["gold"]:
            false += bool(kept)
            continue
        hits.append(next((place for place, id in enumerate(kept) if id in each["gold"]), None))
        ranked.append(any(id in each["gold"] for id, _ in found[:5]))
    unrelated = sum(not each["gold"] for each in prompts)
    return {
        "way": name,
        "hit@1": round(mean(hit == 0 for hit in hits), 3),
        "hit@5": round(mean(hit is not None for hit in hits), 3),
        "mrr": round(mean(0 if hit is None else 1 / (hit + 1) for hit in hits), 3),
        "ranked@5": round(mean(ranked), 3),
        "false": f"{false}/{unrelated}",
        "p50 ms": round(quantiles(times, n=100)[49] * 1000, 1),
        "p95 ms": round(quantiles(times, n=100)[94] * 1000, 1),
    }


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="bench.recall", description=__doc__)
    parser.add_argument("half", nargs="?", default="dev", choices=("dev", "test"))
    parser.add_argument("--bare", action="store_true", help="memories without description and keywords")
    parser.add_argument("--model", default="auto")
    parser.add_argument("--sweep", action="store_true", help="hits and false recalls by the floor")
    options = parser.parse_args()
    told, prompts = rows("memories"), rows(options.half)
    floor = MemorySettings().recall_min_score
    with tempfile.TemporaryDirectory() as made:
        top = Path(made)
        write(told, top / "home" / "memory", bare=options.bare)
        embedder = Embedder(EmbeddingSettings(model=options.model))
        meanings = Meanings(top / "vectors", lambda: embedder)
        memories = Memories(Places(top / "home", top / "state"), meanings=meanings)
        began = time.perf_counter()
        memories.warm()
        meanings.settle(600)
        texts = "bare" if options.bare else "whole"
        say(f"{options.half}, {texts} memories; vectors made in {time.perf_counter() - began:.0f} s")
        entries = list(memories._recaller._words()[1])
        words = Words([entry.item.record for entry in entries])
        records = memories._recaller._words()[3]
        none = Worded([0.0] * len(entries), [()] * len(entries))

        def by_words(prompt: str) -> list[tuple[str, float]]:
            return [(each.entry.id, each.score) for each in rank(entries, words.answer(prompt), None)]

        def by_meaning(prompt: str) -> list[tuple[str, float]]:
            return [(each.entry.id, each.score) for each in rank(entries, none, meanings.near(records, prompt))]

        def by_both(prompt: str) -> list[tuple[str, float]]:
            near = meanings.near(records, prompt)
            return [(each.entry.id, each.score) for each in rank(entries, words.answer(prompt), near)]

        def whole(prompt: str) -> list[tuple[str, float]]:
            return [(item.memory.id, item.score) for item in memories.recall(prompt).items]

        ways = {
            "substring (CodeBuddy)": substring(told),
            "all words (CodeWhale)": all_words(told),
            "words": by_words,
            "meaning": by_meaning,
            "both": by_both,
            "memory/recall": whole,
        }
        whole("warm")
        results = [measure(name, prompts, answer, floor) for name, answer in ways.items()]
        say(" | ".join(results[0]))
        for result in results:
            say(" | ".join(map(str, result.values())))
        if options.sweep:
            for name, answer in (("words", by_words), ("both", by_both)):
                for place in range(1, 20):
                    at = measure(name, prompts, answer, place / 20)
                    say(f"{name} {place / 20} {at['hit@5']} {at['false']}")
        memories.close()
        meanings.close()
        embedder.close()


if __name__ == "__main__":
    main()
