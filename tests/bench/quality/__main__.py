"""How good the order of answers is. `make quality` runs it; in tests/, `python -m bench.quality -h`.

Every way to search is asked the same annotated queries about the same files in the same run.
"""

import argparse
import os
import platform
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.quality import others
from bench.quality.arms import ARMS, Arm, ablations, opened
from bench.quality.metric import Place
from bench.quality.queries import Repository, chinese, load, present
from bench.quality.report import Result, by_category, by_language, compared, keep, put, table
from bench.quality.sources import Missing, Tree, tree
from bench.speed import commit

Asking = Callable[[Tree, Sequence[str]], "list[list[Place]] | None"]


class Run:
    """What was measured so far, in the order in which it first came."""

    def __init__(self) -> None:
        self.english: dict[str, Result] = {}
        self.chinese: dict[str, Result] = {}
        self.ablated: dict[str, dict[str, Result]] = {}

    def beside(self, name: str, ask: Asking, place: Tree, english: Repository, rendered: Repository | None) -> None:
        """Ask one of the others, in both languages at once."""
        mine = [each.text for each in english.questions]
        theirs = [] if rendered is None else [each.text for each in rendered.questions]
        found = ask(place, [*mine, *theirs])
        if found is None:
            return
        note(self.english, name, english, found[: len(mine)])
        if rendered is not None:
            note(self.chinese, name, rendered, found[len(mine) :])

    def arm(
        self, arm: Arm, cache: Path, place: Tree, english: Repository, rendered: Repository | None, ablated: bool
    ) -> None:
        """Ask one of ours, and with each stage left out in turn where that is wanted."""
        mine = [each.text for each in english.questions]
        with opened(place, arm.model, cache) as ask:
            note(self.english, arm.name, english, ask(mine, arm.changes))
            if rendered is not None:
                texts = [each.text for each in rendered.questions]
                note(self.chinese, arm.name, rendered, ask(texts, arm.changes))
            for each in ablations(arm) if ablated else ():
                note(self.ablated.setdefault(arm.name, {}), each.name, english, ask(mine, each.changes))


def note(kept: dict[str, Result], name: str, repository: Repository, found: Sequence[Sequence[Place]]) -> None:
    """Score some answers under a name."""
    kept.setdefault(name, Result(name)).add(repository, found)


def say(text: str) -> None:
    """One line of progress, apart from the tables."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def main() -> None:
    """Ask everything, and print the tables."""
    parser = argparse.ArgumentParser(prog="bench.quality", description=__doc__)
    parser.add_argument("--mirror", type=Path, help="a folder of bare clones; else they are cloned from their home")
    parser.add_argument("--cache", type=Path, default=Path("build/quality"), help="where trees and vectors are kept")
    parser.add_argument("--arms", nargs="*", default=["lexical", "static", "minilm"], choices=[*ARMS])
    parser.add_argument("--only", nargs="*", help="names of repositories; all by default")
    parser.add_argument("--no-others", action="store_true", help="leave out what we are measured beside")
    parser.add_argument("--ablate", nargs="*", default=["minilm"], choices=[*ARMS], help="arms with their ablations")
    parser.add_argument("--semble-python", default=sys.executable, help="an interpreter that has semble and wordllama")
    parser.add_argument("--keep", type=Path, help="a folder to write the figures to, as quality-COMMIT.json")
    parser.add_argument("--document", type=Path, help="a Markdown file whose marked part becomes these tables")
    options = parser.parse_args()
    cache = options.cache.resolve()
    repositories = [each for each in load() if not options.only or each.name in options.only]
    renderings = {each.name: each for each in chinese(load())}
    run = Run()
    dropped, nearest, missing = 0, [], []
    beside: dict[str, Asking] = {
        "BM25, tantivy's default tokens": others.bm25,
        "ripgrep, by words a file holds": others.ripgrep,
        "`semble` 0.7, same static vectors": lambda place, texts: others.semble(
            place, texts, cache / "semble-model", options.semble_python
        ),
    }
    for wanted in repositories:
        try:
            place = tree(wanted, options.mirror, cache)
        except Missing as why:
            say(str(why))
            missing.append(wanted.name)
            continue
        english, lost = present(wanted, place.files)
        rendered = renderings.get(wanted.name)
        if rendered is not None:
            rendered, _ = present(rendered, place.files)
        dropped += lost
        nearest += [] if place.exact else [wanted.name]
        for name, ask in {} if options.no_others else beside.items():
            run.beside(name, ask, place, english, rendered)
        for name in options.arms:
            say(f"{wanted.name}: {name}")
            run.arm(ARMS[name], cache, place, english, rendered, name in options.ablate)
    when = datetime.now(UTC).date().isoformat()
    machine = f"{os.cpu_count()} processors ({platform.machine()}), Python {platform.python_version()}"
    asked = sum(len(each.scores) for each in [*run.english.values()][:1])
    told = [f"{len(repositories) - len(missing)} repositories, {asked} queries, {dropped} dropped"]
    told += [f"not at their commit: {', '.join(nearest)}"] if nearest else []
    told += [f"missing: {', '.join(missing)}"] if missing else []
    head = f"{when}, commit {commit() or 'unknown'}, {machine}; {'; '.join(told)}.\n"
    text = "\n".join([head, *tables(run)])
    sys.stdout.write(text)
    if options.document is not None:
        put(options.document, text)
    if options.keep is not None:
        keep(options.keep, commit() or when, {"date": when, "commit": commit(), "machine": machine, **numbers(run)})


def tables(run: Run) -> list[str]:
    """Everything that was measured, for people."""
    english, rendered = [*run.english.values()], [*run.chinese.values()]
    parts = ["### NDCG@10\n", by_category(english), "### By language\n", by_language(english)]
    if rendered:
        asked = len(rendered[0].scores)
        rows = [[each.name, f"{each.all:.3f}"] for each in rendered]
        parts += [f"### Asked in Chinese ({asked} queries)\n", table(["", "all"], rows)]
    for name, results in run.ablated.items():
        parts += [f"### {name}: each left out, or put otherwise\n", compared([*results.values()])]
    return parts


def numbers(run: Run) -> dict[str, object]:
    """Everything that was measured, to keep."""

    def of(results: dict[str, Result]) -> dict[str, object]:
        return {name: each.figures() for name, each in results.items()}

    ablated = {
        name: {each: result.figures() | {"languages": None} for each, result in results.items()}
        for name, results in run.ablated.items()
    }
    return {"english": of(run.english), "chinese": of(run.chinese), "ablations": ablated}


if __name__ == "__main__":
    main()
