"""How fast documents are imported and searched, and whether what answers a question is found.

In tests/: `python -m bench.knowledge.measure --cache ../build/bench`. Everything goes through a real server's pipe.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from bench.knowledge.corpus import unpacked
from bench.knowledge.questions import Question, questions, words_of_headings
from wire.client import Client, running

ROUNDS = 5
"""How often each question is asked when it is timed."""

Place = tuple[str, str]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="where the manuals are kept once they are fetched")
    parser.add_argument("--misses", action="store_true", help="tell which questions for tuning are not answered")
    options = parser.parse_args()
    folder = unpacked(options.cache.absolute())
    with tempfile.TemporaryDirectory() as name, running(Path(name) / "home") as client:
        client.initialize()
        measure(client, folder, misses=options.misses)


def measure(client: Client, folder: Path, *, misses: bool) -> None:
    """Import the manuals into a running server, and ask."""
    asked = questions()
    paths = imported(client, folder)
    titles: dict[Place, str] = {}
    for id, path in paths.items():
        for section in client.request("knowledge/outline", {"id": id})["sections"]:
            titles[path, section["anchor"]] = section["title"]
    wrong = words_of_headings(asked, titles)
    if wrong:
        sys.exit("\n".join(wrong))
    began = time.perf_counter()
    client.request("knowledge/search", {"query": "first"})
    say(f"first search, which makes the index: {time.perf_counter() - began:.2f} s")
    ranks = {each: rank(client, paths, each) for each in asked}
    timed(client, [each.text for each in asked])
    for split in ("dev", "test"):
        told = [ranks[each] for each in asked if each.split == split]
        say(f"{split}: {len(told)} questions, {quality(told)}")
    if misses:
        for each, found in ranks.items():
            if each.split == "dev" and (found is None or found > 3):
                say(f"  {found or '-'}: {each.text} ({each.answers[0][0]}#{each.answers[0][1]})")


def imported(client: Client, folder: Path) -> dict[str, str]:
    """Import, publish and attach everything; the paths of the documents by their ids."""
    began = time.perf_counter()
    done: dict[str, Any] = client.request("knowledge/import", {"source": str(folder)})
    seconds = time.perf_counter() - began
    documents = done["documents"]
    sections = sum(document["sections"] for document in documents)
    characters = sum(document["characters"] for document in documents)
    say(f"{len(documents):,} documents, {sections:,} sections, {characters:,} characters")
    say(f"import: {seconds:.2f} s, {1000 * seconds / sections:.2f} s for 1,000 sections")
    began = time.perf_counter()
    for document in documents:
        client.request("knowledge/publish", {"id": document["id"]})
    say(f"publish: {1000 * (time.perf_counter() - began) / len(documents):.1f} ms a document")
    client.request("knowledge/attach", {"ids": [document["id"] for document in documents]})
    return {
        document["id"]: Path(unquote(urlsplit(document["source"]).path)).relative_to(folder).as_posix()
        for document in documents
    }


def rank(client: Client, paths: dict[str, str], question: Question) -> int | None:
    """At which place the first section that answers it is found, from 1."""
    items = client.request("knowledge/search", {"query": question.text, "limit": 20})["items"]
    for place, item in enumerate(items, 1):
        if (paths[item["id"]], item["anchor"]) in question.answers:
            return place
    return None


def quality(ranks: Sequence[int | None]) -> str:
    """Shares of the questions that are answered among the first hits, and the mean reciprocal rank."""
    within = {n: sum(rank is not None and rank <= n for rank in ranks) / len(ranks) for n in (1, 3, 10)}
    reciprocal = sum(1 / rank for rank in ranks if rank) / len(ranks)
    return f"hit@1 {within[1]:.2f}, hit@3 {within[3]:.2f}, hit@10 {within[10]:.2f}, MRR {reciprocal:.2f}"


def timed(client: Client, queries: Sequence[str]) -> None:
    """Say how long searches take: the questions, and exact phrases, of three words from what each finds first."""
    phrases = []
    for query in queries:
        excerpt = client.request("knowledge/search", {"query": query})["items"][0]["excerpt"].strip("…")
        phrases.append(f'"{" ".join(excerpt.split()[1:4])}"')
    for name, texts in (("search", queries), ("search for a phrase", phrases)):
        durations = []
        for _ in range(ROUNDS):
            for text in texts:
                began = time.perf_counter()
                client.request("knowledge/search", {"query": text})
                durations.append(1000 * (time.perf_counter() - began))
        durations.sort()
        late = durations[round(0.95 * (len(durations) - 1))]
        say(f"{name}: p50 {statistics.median(durations):.1f} ms, p95 {late:.1f} ms ({len(durations)} requests)")


def say(line: str) -> None:
    """One line of the result."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
