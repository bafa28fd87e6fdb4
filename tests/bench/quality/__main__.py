"""How good the order of answers is. `make quality` runs it; in tests/, `python -m bench.quality -h`.

Every way to search is asked the same annotated queries about the same files in the same run.
"""

import argparse
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from attrs import define, field

from bench.quality import others
from bench.quality.arms import ARMS, Arm, ablations, opened
from bench.quality.metric import Place
from bench.quality.queries import Repository, chinese, load, present, unnamed
from bench.quality.report import Result, by_category, by_language, compared, keep, put, table
from bench.quality.sources import Missing, Tree, tree
from bench.speed.tables import commit

Asking = Callable[[Tree, Sequence[str]], "list[list[Place]] | None"]

Results = dict[str, Result]
"""What each way to search got, by its name, in the order in which they were asked first."""


class Form(StrEnum):
    """How the questions are put."""

    AS_IS = "as they are"
    UNNAMED = "unnamed"
    """Without the words that the answer's path spells."""
    CHINESE = "in Chinese"


ABLATED = (Form.AS_IS, Form.UNNAMED)
"""The forms in which each stage left out is asked."""


@define
class Run:
    """What was measured so far."""

    results: dict[Form, Results] = field(factory=lambda: {form: {} for form in Form})
    ablated: dict[str, dict[Form, Results]] = field(factory=dict)

    def beside(self, name: str, ask: Asking, place: Tree, asked: Mapping[Form, Repository]) -> None:
        """Ask one of the others, all forms at once."""
        found = ask(place, [question.text for each in asked.values() for question in each.questions])
        if found is None:
            return
        rest = iter(found)
        for form, repository in asked.items():
            note(self.results[form], name, repository, [next(rest) for _ in repository.questions])

    def arm(self, arm: Arm, cache: Path, place: Tree, asked: Mapping[Form, Repository], ablated: bool) -> None:
        """Ask one of ours, and with each stage left out in turn where that is wanted."""
        with opened(place, arm.model, cache) as ask:
            for form, repository in asked.items():
                texts = [each.text for each in repository.questions]
                note(self.results[form], arm.name, repository, ask(texts, arm.changes))
                if not ablated or form not in ABLATED:
                    continue
                kept = self.ablated.setdefault(arm.name, {}).setdefault(form, {})
                for each in ablations(arm):
                    note(kept, each.name, repository, ask(texts, each.changes))


def note(kept: Results, name: str, repository: Repository, found: Sequence[Sequence[Place]]) -> None:
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
    measured = commit()  # now: others may go on working on it meanwhile
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
        asked, lost = forms(wanted, renderings.get(wanted.name), place.files)
        dropped += lost
        nearest += [] if place.exact else [wanted.name]
        for name, ask in {} if options.no_others else beside.items():
            run.beside(name, ask, place, asked)
        for name in options.arms:
            say(f"{wanted.name}: {name}")
            run.arm(ARMS[name], cache, place, asked, name in options.ablate)
    when = datetime.now(UTC).date().isoformat()
    machine = f"{os.cpu_count()} processors ({platform.machine()}), Python {platform.python_version()}"
    told = [f"{len(repositories) - len(missing)} repositories, {count(run, Form.AS_IS)} queries, {dropped} dropped"]
    told += [f"not at their commit: {', '.join(nearest)}"] if nearest else []
    told += [f"missing: {', '.join(missing)}"] if missing else []
    head = f"{when}, commit {measured or 'unknown'}, {machine}; {'; '.join(told)}.\n"
    text = "\n".join([head, *tables(run)])
    sys.stdout.write(text)
    if options.document is not None:
        put(options.document, text)
    if options.keep is not None:
        keep(options.keep, measured or when, {"date": when, "commit": measured, "machine": machine, **numbers(run)})


def forms(wanted: Repository, rendered: Repository | None, files: Sequence[str]) -> tuple[dict[Form, Repository], int]:
    """A repository's questions in each form, and how many were dropped because their files are not there."""
    as_is, lost = present(wanted, files)
    asked = {Form.AS_IS: as_is, Form.UNNAMED: unnamed(as_is)}
    if rendered is not None:
        asked[Form.CHINESE], _ = present(rendered, files)
    return asked, lost


def count(run: Run, form: Form) -> int:
    """How many queries were asked in a form."""
    return max((len(each.scores) for each in run.results[form].values()), default=0)


def tables(run: Run) -> list[str]:
    """Everything that was measured, for people."""
    as_is = [*run.results[Form.AS_IS].values()]
    parts = ["### NDCG@10\n", by_category(as_is)]
    columns = {f"{form} ({count(run, form)} queries)": run.results[form] for form in Form}
    rows = [
        [each.name, *(f"{column[each.name].all:.3f}" if each.name in column else "" for column in columns.values())]
        for each in as_is
    ]
    parts += ["### Asked otherwise\n", table(["", *columns], rows), "### By language\n", by_language(as_is)]
    for name, kept in run.ablated.items():
        parts += [
            f"### {name}: each left out, or put otherwise\n",
            compared([*kept[Form.AS_IS].values()], [*kept[Form.UNNAMED].values()]),
        ]
    return parts


def numbers(run: Run) -> dict[str, object]:
    """Everything that was measured, to keep."""
    told: dict[str, object] = {
        str(form): {name: each.figures() for name, each in results.items()} for form, results in run.results.items()
    }
    return told | {
        "ablations": {
            arm: {
                str(form): {name: round(each.all, 4) for name, each in results.items()}
                for form, results in kept.items()
            }
            for arm, kept in run.ablated.items()
        }
    }


if __name__ == "__main__":
    main()
