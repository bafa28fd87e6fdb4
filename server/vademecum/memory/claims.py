"""What memories claim, as far as words tell it: whether two contradict each other, and what matter they are about.

Only two kinds of contradiction can be told from words alone: one says what the other denies, and the two differ in
nothing but a value of which only one can hold (a day, a number, one of several tools). What is left out is not denied.
"""

import re
from functools import cache, lru_cache

from attrs import frozen

from vademecum.lexical.tokens import prose_tokens
from vademecum.memory import alike

#: How two contradict each other of which one denies what the other says.
OPPOSITE = "say the opposite"

_DIGIT = re.compile(r"\d")

#: The share of words, turns aside, from which on two memories are taken to speak of the same.
SAME_MATTER = 0.6

#: Things of which one rules the others out. Each row is one choice; words are compared by their stems.
_CHOICES = (
    "monday tuesday wednesday thursday friday saturday sunday",
    "周一 周二 周三 周四 周五 周六 周日 周天",
    "january february march april june july august september october november december",
    "npm pnpm yarn bun",
    "pip poetry uv pipenv conda",
    "tabs spaces",
    "single double",
    "merge rebase squash",
    "mysql postgres postgresql sqlite mariadb mongodb",
    "jest vitest mocha ava",
    "pytest unittest nose",
    "gradle maven bazel",
    "docker podman",
    "react vue svelte angular solid",
    "eslint biome",
    "black ruff yapf",
    "camelcase snake_case kebab-case pascalcase",
    "english german french spanish chinese japanese korean portuguese italian russian dutch",
    "英语 中文 日语 韩语 法语 德语",
    "dark light",
    "vim emacs nano",
    "bash zsh fish",
    "windows macos linux",
    "morning afternoon evening night",
    "left right",
    "enabled disabled",
    "allowed forbidden",
    "required optional",
    "weekly daily monthly yearly",
)


@frozen
class Said:
    """What a memory says: its words, the values among them, and whether it denies anything.

    :param all: words and values.
    :param matter: what it is about: its words, with values by what they choose between.
    """

    words: frozenset[str]
    values: frozenset[str]
    is_denied: bool
    all: frozenset[str]
    matter: frozenset[str]


@lru_cache(maxsize=8_192)
def said(content: str) -> Said:
    """Return what a text says."""
    # Chinese has no spaces, so a value in it is taken out before the text becomes characters and pairs.
    pattern = _without_spaces()
    words = alike.words(pattern.sub(" ", content))
    values = frozenset(filter(_is_value, words)) | frozenset(pattern.findall(content))
    plain = words - values - alike.turns()
    return Said(plain, values, bool(words & alike.turns()), plain | values, plain | frozenset(map(_choice, values)))


def is_copy(one: str, other: str) -> bool:
    """Whether two texts say the same in nearly the same words: "A, never B" and "B, never A" have all words in common,
    and are no copies."""
    return alike.is_copy(alike.words(one), alike.words(other)) and not contradiction(one, other)


def contradiction(one: str, other: str) -> str:
    """Say how two texts contradict each other, as a clause about both; nothing when they do not, or nobody can tell."""
    mine, theirs = said(one), said(other)
    if mine.is_denied != theirs.is_denied:
        return OPPOSITE if alike.share(mine.all, theirs.all) >= SAME_MATTER else ""
    if mine.all == theirs.all:
        return OPPOSITE if mine.is_denied and _is_turned_round(one, other) else ""
    left, right = mine.values - theirs.values, theirs.values - mine.values
    if mine.words != theirs.words or not left or not right or set(map(_choice, left)) != set(map(_choice, right)):
        return ""
    # "Bash is supported" and "Zsh is supported": what a sentence begins with is what it speaks of.
    is_subject = _first(one) in left and _first(other) in right
    return "" if is_subject else "say different things of the same"


def _is_turned_round(one: str, other: str) -> bool:
    """Whether what the one rules out is what the other wants: "A, never B" and "B, never A"."""
    wanted, unwanted = _sides(one)
    wanted_too, unwanted_too = _sides(other)
    return bool((unwanted & wanted_too) - wanted and (unwanted_too & wanted) - wanted_too)


def _sides(content: str) -> tuple[frozenset[str], frozenset[str]]:
    tokens = list(prose_tokens(content))
    turns = alike.turns()
    at = next((place for place, token in enumerate(tokens) if token in turns), len(tokens))
    return frozenset(tokens[:at]), frozenset(tokens[at:]) - turns


def _first(content: str) -> str:
    found = _without_spaces().match(content)
    return found[0] if found else next(iter(prose_tokens(content)), "")


def _is_value(word: str) -> bool:
    return bool(_DIGIT.search(word)) or word in _choices()


def _choice(word: str) -> str:
    return "#number" if _DIGIT.search(word) else f"#{_choices()[word]}"


@cache
def _choices() -> dict[str, int]:
    """Which row each value stands in, by its stem, or in a script without spaces as it is."""
    return {
        token: number
        for number, row in enumerate(_CHOICES)
        for choice in row.split()
        for token in (prose_tokens(choice) if choice.isascii() else (choice,))
    }


@cache
def _without_spaces() -> "re.Pattern[str]":
    return re.compile("|".join(word for word in _choices() if not word.isascii()))
