"""What is amiss between memories: copies of each other, and contradictions.

A contradiction is told from words alone, so only two kinds are: one says what the other denies, and the two differ in
nothing but a value of which only one can hold (a day, a number, one of several tools). What is left out is not denied.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from attrs import frozen

from vademecum.lexical.tokens import prose_tokens
from vademecum.memory import alike
from vademecum.memory.audit import fixes
from vademecum.memory.audit.types import Finding, FindingKind
from vademecum.memory.library import Entry
from vademecum.memory.nearness import Nearness
from vademecum.memory.types import Origin, Provenance
from vademecum.work import Cancel

#: The share of words, turns aside, from which on two memories are taken to speak of the same.
_SAME_MATTER = 0.6

#: Memories that one is compared to.
_MOST_NEAR = 20

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
class _Said:
    """What a memory says: its words, the values among them, and whether it denies anything."""

    words: frozenset[str]
    values: frozenset[str]
    is_denied: bool

    @property
    def all(self) -> frozenset[str]:
        """Words and values."""
        return self.words | self.values

    @property
    def matter(self) -> frozenset[str]:
        """What it is about: its words, with values by what they choose between."""
        return self.words | set(map(_choice, self.values))


def copies(entries: Sequence[Entry], cancel: Cancel) -> Iterator[Finding]:
    """Yield the groups of memories of which one tells nothing that the others do not."""
    near = Nearness(alike.COPY)
    by_id = {entry.id: entry for entry in entries}
    grouped: set[str] = set()
    for entry in entries:
        near.add(entry.id, _words(entry))
    for entry in entries:
        cancel.check()
        if entry.id in grouped:
            continue
        others = [by_id[id] for id in near.near(_words(entry), _MOST_NEAR, (entry.id, *grouped))]
        group = [entry, *(other for other in others if _are_copies(entry, other))]
        if len(group) > 1:
            grouped |= {each.id for each in group}
            keep, *rest = sorted(group, key=_worth, reverse=True)
            about = f"They say the same in nearly the same words: “{keep.item.record.title}”."
            ids = tuple(each.id for each in (keep, *rest))
            yield Finding(FindingKind.NEAR_COPIES, ids, about, (fixes.merge(keep, tuple(rest)),))


def contradictions(entries: Sequence[Entry], cancel: Cancel) -> Iterator[Finding]:
    """Yield the pairs that contradict each other, once each."""
    near = Nearness(_SAME_MATTER)
    by_id = {entry.id: entry for entry in entries}
    said = {entry.id: _said(entry.item.record.content) for entry in entries}
    for entry in entries:
        near.add(entry.id, said[entry.id].matter)
    for entry in entries:
        cancel.check()
        for id in near.near(said[entry.id].matter, _MOST_NEAR, (entry.id,)):
            other = by_id[id]
            if entry.id < id and (why := _contradict(entry, other)):
                newer, older = sorted((entry, other), key=lambda each: (each.updated, each.id), reverse=True)
                about = f"“{newer.item.record.title}” and “{older.item.record.title}” {why}."
                ways = (
                    fixes.delete(older, f"Keep the newer one ({newer.id}) and delete the other"),
                    fixes.delete(newer, f"Keep the older one ({older.id}) and delete the other"),
                )
                yield Finding(FindingKind.CONTRADICTION, (newer.id, older.id), about, ways)


def _contradict(one: Entry, other: Entry) -> str:
    """Say how the two contradict each other, or nothing."""
    mine, theirs = _said(one.item.record.content), _said(other.item.record.content)
    if mine.is_denied != theirs.is_denied:
        return "say the opposite" if alike.share(mine.all, theirs.all) >= _SAME_MATTER else ""
    if mine.all == theirs.all:
        return "say the opposite" if mine.is_denied and _is_turned_round(one, other) else ""
    left, right = mine.values - theirs.values, theirs.values - mine.values
    if mine.words == theirs.words and left and right and set(map(_choice, left)) == set(map(_choice, right)):
        return "say different things of the same"
    return ""


def _are_copies(one: Entry, other: Entry) -> bool:
    """Whether one says nothing that the other does not. A word in place of another may be all the difference."""
    words, others = _words(one), _words(other)
    if words - others and others - words:
        return False
    return alike.is_copy(words, others) and not _contradict(one, other)


def _is_turned_round(one: Entry, other: Entry) -> bool:
    """Whether what the one rules out is what the other wants: "A, never B" and "B, never A"."""
    wanted, unwanted = _sides(one.item.record.content)
    wanted_too, unwanted_too = _sides(other.item.record.content)
    return bool(unwanted and unwanted_too and unwanted <= wanted_too and unwanted_too <= wanted)


def _sides(content: str) -> tuple[frozenset[str], frozenset[str]]:
    tokens = list(prose_tokens(content))
    turns = alike.turns()
    at = next((place for place, token in enumerate(tokens) if token in turns), len(tokens))
    return frozenset(tokens[:at]), frozenset(tokens[at:]) - turns


@lru_cache(maxsize=8_192)
def _said(content: str) -> _Said:
    # Chinese has no spaces, so a value in it is taken out before the text becomes characters and pairs.
    pattern = _without_spaces()
    words = alike.words(pattern.sub(" ", content))
    values = {word for word in words if _is_value(word)}
    plain = words - values - alike.turns()
    return _Said(plain, frozenset(values | set(pattern.findall(content))), bool(words & alike.turns()))


def _is_value(word: str) -> bool:
    return bool(re.search(r"\d", word)) or word in _choices()


def _choice(word: str) -> str:
    return "#number" if re.search(r"\d", word) else f"#{_choices()[word]}"


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


def _worth(entry: Entry) -> tuple[bool, bool, bool, int, str]:
    """What makes one copy the better one to keep."""
    record = entry.item.record
    is_asked_for = record.provenance is Provenance.MANUAL
    return entry.origin is Origin.USER, record.pinned, is_asked_for, len(record.content), entry.updated


def _words(entry: Entry) -> frozenset[str]:
    """The words of what it says; a note's title is its own first sentence, and another title may be any."""
    return alike.words(entry.item.record.content)
