"""How well memories are recalled. In tests/: `python -m bench.recall [dev|dev2|test] [--bare] [--model NAME] [--pipe]`.

The same 2,000 memories are asked the same prompts by words alone, by meaning alone and by both, and beside them as
CodeBuddy finds memories (the prompt as a substring) and as CodeWhale does (every word of it).
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, quantiles

from bench.recall.data_files import Row, rows, told, write
from bench.recall.others import Answer, all_words, substring
from bench.recall.piped import piped
from vademecum.embedding.embedder import Embedder
from vademecum.embedding.settings import EmbeddingSettings
from vademecum.memory.places import Places
from vademecum.memory.recall_choice import is_in_doubt
from vademecum.memory.recall_meaning import FOLDER, Meanings
from vademecum.memory.recall_ranking import BESIDE, Ranking, rank
from vademecum.memory.recall_words import Worded
from vademecum.memory.service import Memories
from vademecum.memory.settings import MemorySettings


def say(line: str) -> None:
    """Print a line of a table."""
    sys.stdout.write(f"{line}\n")


def passed(found: Sequence[tuple[str, float]], floor: float) -> list[str]:
    """The memories that the floor lets pass, five at most."""
    if all(score < floor for _, score in found):
        return []
    return [id for id, score in found if score >= BESIDE * floor][:5]


def measure(name: str, prompts: Sequence[Row], answer: Answer, floor: float) -> dict[str, object]:
    """Ask every prompt; what the floor does not let pass is no answer, but `ranked@5` looks at the order alone."""
    hits: list[int | None] = []
    ranked: list[bool] = []
    given: list[int] = []
    false = 0
    times = []
    for each in prompts:
        began = time.perf_counter()
        found = answer(each["prompt"])
        times.append(time.perf_counter() - began)
        kept = passed(found, floor)
        if not each["gold"]:
            false += bool(kept)
            continue
        given.append(len(kept))
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
        "given": round(mean(given), 1),
        "p50 ms": round(quantiles(times, n=100)[49] * 1000, 1),
        "p95 ms": round(quantiles(times, n=100)[94] * 1000, 1),
    }


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="bench.recall", description=__doc__)
    parser.add_argument("half", nargs="?", default="dev", choices=("dev", "dev2", "test"))
    parser.add_argument("--bare", action="store_true", help="memories without description and keywords")
    parser.add_argument("--model", default="auto")
    parser.add_argument("--pipe", action="store_true", help="time a real server, too")
    parser.add_argument("--sweep", action="store_true", help="hits and false recalls by the floor")
    options = parser.parse_args()
    memories_of, prompts = told(options.half), rows(options.half)
    with tempfile.TemporaryDirectory() as made:
        home = Path(made) / "home"
        write(memories_of, home / "memory", bare=options.bare)
        embedder = Embedder(EmbeddingSettings(model=options.model))
        meanings = Meanings(home / "cache" / FOLDER, lambda: embedder)
        memories = Memories(Places(home, home / "state"), meanings=meanings)
        try:
            began = time.perf_counter()
            memories.warm()
            meanings.settle(600)
            texts = "bare" if options.bare else "whole"
            say(f"{options.half}, {texts} memories; vectors made in {time.perf_counter() - began:.0f} s")
            table(memories, memories_of, prompts, sweep=options.sweep)
        finally:
            memories.close()
            meanings.close()
            embedder.close()
        if options.pipe:
            say(piped(home, options.model, prompts))


def table(memories: Memories, asked_of: Sequence[Row], prompts: Sequence[Row], *, sweep: bool) -> None:
    """Print a line for each way."""
    recaller = memories._recaller
    floor = MemorySettings().recall_min_score

    def best(ranking: Ranking) -> list[tuple[str, float]]:
        return [(each.entry.id, each.score) for each in map(ranking.at, ranking.order[:20])]

    def ranked(prompt: str, *, words: bool, meaning: bool) -> list[tuple[str, float]]:
        known = recaller._told()
        worded = known.words.answer(prompt)
        if not words:
            worded = Worded([0.0] * len(known.entries), {}, [0.0] * len(known.entries), 0.0, 0.0, is_bare=False)
        near = recaller._meanings.meaning(known.records, prompt) if meaning and recaller._meanings else None
        return best(rank(known.entries, known.scripts, prompt, worded, near))

    def whole(prompt: str) -> list[tuple[str, float]]:
        return [(item.memory.id, item.score) for item in memories.recall(prompt).items]

    ways: dict[str, Answer] = {
        "substring (CodeBuddy)": substring(asked_of),
        "all words (CodeWhale)": all_words(asked_of),
        "words": lambda prompt: ranked(prompt, words=True, meaning=False),
        "meaning": lambda prompt: ranked(prompt, words=False, meaning=True),
        "both": lambda prompt: best(recaller.ranking(prompt)),
        "memory/recall": whole,
    }
    whole("warm")
    results = [measure(name, prompts, answer, floor) for name, answer in ways.items()]
    say(" | ".join(results[0]))
    for result in results:
        say(" | ".join(map(str, result.values())))
    say(doubt(prompts, lambda prompt: best(recaller.ranking(prompt)), floor))
    if sweep:
        for name in ("words", "both"):
            for place in range(1, 20):
                at = measure(name, prompts, ways[name], place / 20)
                say(f"{name} {place / 20} {at['hit@5']} {at['false']} {at['given']}")


def doubt(prompts: Sequence[Row], answer: Answer, floor: float) -> str:
    """For how many prompts a lent model is asked, where the settings allow it: of those that have an answer, of those
    that have none, and of those whose answer the ranking does not give."""
    asked = {"answered": [0, 0], "unrelated": [0, 0], "missed": [0, 0]}
    for each in prompts:
        found = answer(each["prompt"])
        top = max((score for _, score in found), default=0.0)
        missed = each["gold"] and not set(each["gold"]).intersection(passed(found, floor))
        for kind in ["answered" if each["gold"] else "unrelated", *(["missed"] if missed else [])]:
            asked[kind][0] += is_in_doubt(top, floor)
            asked[kind][1] += 1
    return "a lent model is asked for: " + ", ".join(f"{kind} {n} of {of}" for kind, (n, of) in asked.items())


if __name__ == "__main__":
    main()
