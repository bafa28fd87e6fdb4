"""What Chinese terms of developers are called in English, so that who asks in Chinese finds code written in English.

Code is named in English whatever its authors speak, and small models read no other language: without this, a question
such as 会话怎么过期 has no word in common with the code that answers it. It widens questions alone; no index holds
anything of it.
"""

import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cache

from attrs import frozen

from vademecum.lexical.tokens import fold

TERMS = "data/zh-en.txt"
"""The table, in this package."""

_HAN_RUN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")


@frozen
class Term:
    """A part of a text: a Chinese term and its English names, the likeliest first; or what stands between such.

    :param names: empty for a term that means nothing by itself, and for Chinese that is no known term.
    """

    text: str
    names: tuple[str, ...]
    chinese: bool


@frozen
class Glossary:
    """Terms with their English names.

    :param longest: the length of the longest term, in characters.
    """

    names: Mapping[str, tuple[str, ...]]
    longest: int


def terms(text: str, glossary: Glossary | None = None) -> list[Term]:
    """The parts of a text in their order: in each run of Han characters the longest terms, from the left.

    :param glossary: the developers' terms without it.
    """
    plain = fold(text)
    if _HAN_RUN.search(plain) is None:
        return [Term(plain, (), False)] if plain else []
    known = glossary or developers()
    found: list[Term] = []
    end = 0
    for run in _HAN_RUN.finditer(plain):
        if run.start() > end:
            found.append(Term(plain[end : run.start()], (), False))
        found += _cut(run.group(), known.names, known.longest)
        end = run.end()
    if end < len(plain):
        found.append(Term(plain[end:], (), False))
    return found


def in_english(text: str, glossary: Glossary | None = None) -> str:
    """The text with its Chinese terms by their likeliest English names, and without the rest of its Chinese.

    Empty when no term of it is known: then there is nothing to gain.
    """
    if text.isascii():
        return ""
    parts = terms(text, glossary)
    if not any(part.names for part in parts):
        return ""
    words = ((part.names[0] if part.names else "") if part.chinese else part.text for part in parts)
    return " ".join(" ".join(words).split())


def _cut(run: str, known: Mapping[str, tuple[str, ...]], longest: int) -> Iterator[Term]:
    start = rest = 0
    while start < len(run):
        length = next((size for size in range(longest, 0, -1) if run[start : start + size] in known), 0)
        if not length:
            start += 1
            continue
        if rest < start:
            yield Term(run[rest:start], (), True)
        term = run[start : start + length]
        yield Term(term, known[term], True)
        start = rest = start + length
    if rest < start:
        yield Term(run[rest:start], (), True)


@cache
def developers() -> Glossary:
    """The table of developers' terms. Read once, in a few milliseconds."""
    return _read((pkgutil.get_data(__package__, TERMS) or b"").decode("utf-8"), {})


def wider(table: str) -> Glossary:
    """The developers' terms, and beside them those of another table in the same form; the former go first."""
    return _read(table, developers().names)


def _read(table: str, known: Mapping[str, tuple[str, ...]]) -> Glossary:
    names = dict(known)
    for line in table.splitlines():
        if line and not line.startswith("#"):
            term, _, said = line.partition("\t")
            names.setdefault(term, tuple(name.strip() for name in said.split(",") if name.strip()))
    return Glossary(names, max(map(len, names)))
