"""What was measured, as tables for people and as numbers to keep."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import define, field

from bench.quality.metric import Place, Score, by, by_file, mean, ndcg, over_repositories
from bench.quality.queries import Repository

BEGIN, END = "<!-- quality: begin -->", "<!-- quality: end -->"
CATEGORIES = ("semantic", "architecture", "symbol")


@define
class Result:
    """What one way to search got over all repositories."""

    name: str
    scores: list[Score] = field(factory=list)
    files: list[Score] = field(factory=list)
    distinct: list[int] = field(factory=list)

    def add(self, repository: Repository, found: Sequence[Sequence[Place]]) -> None:
        """Score the answers to a repository's questions, in their order."""
        for question, places in zip(repository.questions, found, strict=True):
            whole = ndcg(places, question.targets)
            by_files = ndcg(by_file(places), question.targets, lines=False)
            where = (repository.name, repository.language, question.category)
            self.scores.append(Score(*where, whole))
            self.files.append(Score(*where, by_files))
            self.distinct.append(len({each.path for each in places}))

    @property
    def all(self) -> float:
        """NDCG@10 over all repositories."""
        return over_repositories(self.scores)

    def figures(self) -> dict[str, object]:
        """The numbers to keep."""
        return {
            "all": round(self.all, 4),
            **{name: round(value, 4) for name, value in by(self.scores, "category").items()},
            "by_file": round(over_repositories(self.files), 4),
            "distinct": round(mean(self.distinct), 2),
            "languages": {name: round(value, 4) for name, value in by(self.scores, "language").items()},
        }


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows), ""])


def by_category(results: Sequence[Result]) -> str:
    """One row a way to search: over all, by category, by file, and distinct files in ten hits."""
    rows = []
    for each in results:
        parts = by(each.scores, "category")
        values = [each.all, *(parts.get(name, 0.0) for name in CATEGORIES), over_repositories(each.files)]
        rows.append([each.name, *(f"{value:.3f}" for value in values), f"{mean(each.distinct):.1f}"])
    return table(["", "all", *CATEGORIES, "by file", "files in ten"], rows)


def by_language(results: Sequence[Result]) -> str:
    """One row a language, one column a way to search."""
    columns = [by(each.scores, "language") for each in results]
    names = sorted({name for each in columns for name in each})
    rows = [[name, *(f"{each[name]:.3f}" for each in columns)] for name in names]
    return table(["", *(each.name for each in results)], rows)


def compared(results: Sequence[Result], unnamed: Sequence[Result]) -> str:
    """One row a change: what it does to the figures of the first row.

    :param unnamed: the same ways in the same order, asked without the words that the answer's path spells.
    """
    base = _figures(results[0], unnamed[0])
    rows = [[results[0].name, *(f"{value:.3f}" for value in base), f"{mean(results[0].distinct):.1f}"]]
    for each, other in zip(results[1:], unnamed[1:], strict=True):
        now = _figures(each, other)
        changes = [f"{value - before:+.3f}" for value, before in zip(now, base, strict=True)]
        rows.append([each.name, *changes, f"{mean(each.distinct):.1f}"])
    return table(["", "all", *CATEGORIES, "unnamed", "files in ten"], rows)


def _figures(result: Result, unnamed: Result) -> list[float]:
    parts = by(result.scores, "category")
    return [result.all, *(parts.get(name, 0.0) for name in CATEGORIES), unnamed.all]


def put(document: Path, text: str) -> None:
    """Replace what stands between the two marks of a document."""
    before, begin, rest = document.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{document} has no marks {BEGIN} and {END}")
    document.write_text(f"{before}{begin}\n{text}{end}{after}", "utf-8")


def keep(folder: Path, name: str, kept: Mapping[str, object]) -> None:
    """Write the numbers of one commit."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"quality-{name}.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
