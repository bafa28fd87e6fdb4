"""The questions: written from what the sections say, without the words of their headings, before anything was tuned.

The sections were drawn at random among those of at least 350 characters that people wrote (no reference generated from
code, no lists of releases); of those drawn, ones that say the same as others, or hardly anything, were passed over.
Half of the questions of each manual are for tuning (`dev`), the other half is only ever measured (`test`).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import frozen

from vademecum.knowledge.query import STOP_WORDS
from vademecum.lexical.tokens import prose_tokens

FILE = Path(__file__).with_name("questions.tsv")


@frozen
class Question:
    """A question and the sections (path and anchor) that answer it; any of them counts."""

    split: str
    text: str
    answers: tuple[tuple[str, str], ...]


def questions() -> list[Question]:
    """All of them, in the order of the file."""
    found = []
    for line in FILE.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            split, text, *answers = line.split("\t")
            found.append(Question(split, text, tuple(_answer(each) for each in answers)))
    return found


def _answer(text: str) -> tuple[str, str]:
    path, _, anchor = text.partition("#")
    return path, anchor


def words_of_headings(asked: Sequence[Question], titles: Mapping[tuple[str, str], str]) -> list[str]:
    """What is wrong with the questions: sections that are not there, and words of a heading in its question."""
    wrong = []
    for each in asked:
        wrong += [f"no such section: {answer}" for answer in each.answers if answer not in titles]
        told = set(prose_tokens(titles.get(each.answers[0], ""))) - STOP_WORDS
        if both := told.intersection(prose_tokens(each.text)):
            wrong.append(f"{each.text} has {', '.join(sorted(both))} of its heading")
    return wrong
