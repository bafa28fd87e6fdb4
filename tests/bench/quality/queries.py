"""The annotated queries, and which places answer them."""

import json
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from attrs import evolve, frozen

from vademecum.lexical.stems import stem
from vademecum.lexical.tokens import fold, split_identifier
from vademecum.search.asking import STOP_WORDS

DATA = Path(__file__).parent / "data"
CODE = DATA / "code-dev.json"
CHINESE = DATA / "code-dev-zh.json"


@frozen
class Target:
    """A place that answers a query: a file or folder, and lines of it where the annotation names some.

    :param path: relative to the repository's root, with slashes.
    :param start: first line, one-based; None for the whole file.
    """

    path: str
    start: int | None = None
    end: int | None = None


@frozen
class Question:
    """A query and what answers it."""

    text: str
    category: str
    targets: tuple[Target, ...]


@frozen
class Repository:
    """One repository at one commit, and what is asked of it.

    :param name: short, unique.
    :param home: `owner/name`.
    :param root: the folder that is searched; None for the whole.
    """

    name: str
    language: str
    home: str
    commit: str
    root: str | None
    questions: tuple[Question, ...]


def load(path: Path = CODE) -> list[Repository]:
    """The repositories of a file in the form of `data/code-dev.json`."""
    return [
        Repository(
            each["name"],
            each["language"],
            each["repository"],
            each["commit"],
            each["root"],
            tuple(
                Question(
                    query["query"],
                    query["category"],
                    tuple(Target(one["path"], one.get("start"), one.get("end")) for one in query["relevant"]),
                )
                for query in each["queries"]
            ),
        )
        for each in json.loads(path.read_text("utf-8"))
    ]


def chinese(repositories: Sequence[Repository], path: Path = CHINESE) -> list[Repository]:
    """The same repositories, asked only what has a Chinese rendering, in Chinese.

    :raises KeyError: for a rendering of a query that there is not.
    """
    by_name = {each.name: each for each in repositories}
    asked: dict[str, list[Question]] = {}
    for one in json.loads(path.read_text("utf-8")):
        texts = {each.text: each for each in by_name[one["name"]].questions}
        asked.setdefault(one["name"], []).append(evolve(texts[one["query"]], text=one["zh"]))
    return [evolve(each, questions=tuple(asked[each.name])) for each in repositories if each.name in asked]


LEAST_WORDS = 2
"""Telling words that a query has to keep when those are taken away that its answer's path spells."""

_WORD = re.compile(r"\w+")
_NOT_WORD = re.compile(r"[\W_]+")


def unnamed(repository: Repository) -> Repository:
    """The same repository, asked without every word that the path of an answer spells.

    These queries name files more often than people do who do not know the code yet; what is left asks for the thing
    itself. It is too hard a test of everything that goes by paths: the right path can no longer match, wrong ones can.
    """
    kept: list[Question] = []
    for question in repository.questions:
        parts = [part for each in question.targets for part in each.path.split("/")]
        names = [fold(part.split(".", 1)[0] or part) for part in parts]
        squeezed = {_NOT_WORD.sub("", name).lower() for name in names}
        own = {stem(part) for name in names for part in split_identifier(name)}
        left = [
            word
            for word in question.text.split()
            if _NOT_WORD.sub("", word).lower() not in squeezed
            and not own & {stem(part) for part in split_identifier(fold(word))}
        ]
        text = " ".join(left)
        if sum(word.lower() not in STOP_WORDS for word in _WORD.findall(text)) >= LEAST_WORDS:
            kept.append(evolve(question, text=text))
    return evolve(repository, questions=tuple(kept))


def present(repository: Repository, files: Sequence[str]) -> tuple[Repository, int]:
    """The repository with the questions that its files can answer, and how many were dropped.

    Some annotations name a path from the searched folder rather than from the repository's root: those are completed.
    A question of which one place is missing is dropped whole, since nobody could answer it wholly.
    """
    there = set(files) | {str(parent) for name in files for parent in PurePosixPath(name).parents}
    kept: list[Question] = []
    for question in repository.questions:
        targets = [_found(each, repository.root, there) for each in question.targets]
        found = [each for each in targets if each is not None]
        if len(found) == len(targets):
            kept.append(evolve(question, targets=tuple(dict.fromkeys(found))))
    return evolve(repository, questions=tuple(kept)), len(repository.questions) - len(kept)


def _found(target: Target, root: str | None, there: set[str]) -> Target | None:
    plain = target.path.strip("/")
    below = f"{root}/{plain}" if root else plain
    return next((evolve(target, path=path) for path in (plain, below) if path in there), None)
