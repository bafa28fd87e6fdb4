"""Which memories a chat is told first: how much each matters in this workspace, and why. Pure: no clock, no chance.

Rules and what was pinned come first, whatever they are worth. Within that, and for all else, the worth of a memory is a
sum of parts, each in [0, 1] times its weight: whose it is, whether it is about what this workspace is made of and what
is being worked on here, how much it was used, how new it is. Age counts from the newest memory rather than from today,
so that the same files give the same bytes on any day.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import IntEnum
from functools import cache

from attrs import frozen

from vademecum.memory.candidate import Candidate
from vademecum.memory.surroundings import Surroundings
from vademecum.memory.types import Category, Scope, Type

# The weights were set by the two development workspaces of tests/bench/prompt, and checked by its other two.

#: What is about this project before what holds everywhere.
PROJECT = 1.2
#: Of user scope and about a language or framework of this workspace; the rarer it is among the user's memories, the
#: more of this. More than PROJECT for what is rare: a preference for the framework at hand is worth more at the start
#: than a fact about a far corner of the project. What is of the project is about its languages anyway.
FITS = 2.2
#: Taken off what is of user scope and speaks only of languages and frameworks that are not here. More than use and age
#: can give, so that what is about another language is not told for being new or well used.
FOREIGN = 1.6
#: About the files that were worked on lately or are open, or the branch.
WORKED_ON = 1.2
#: Recalled often: what has helped before. The count saturates where recall has shown that it is no accident.
USED = 0.8
USES = 16
#: Newly said or changed.
NEW = 0.6
#: About the user, and about how they want to be worked with: no prompt asks for it by its words, so that recall would
#: not find it. That these are told and `reference` is looked up is how Claude Code and aibuddy divide their types.
ABOUT_THE_USER = 0.8
HOW_TO_WORK = 0.6

#: After so many days the part for being new is half of what it was: CodeBuddy's half-life for what it indexes.
HALF_LIFE_DAYS = 30.0
#: After so many days without a recall the part for use is half of what it was: the time after which a memory that was
#: never recalled is worth asking about.
USE_HALF_LIFE_DAYS = 90.0

#: A word that more than this share of the memories hold says nothing about which of them matters.
MOST_HOLDERS = 0.2

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:\+\+|#)?")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

#: Parts of paths and branches that most projects have.
_EVERYWHERE = frozenset(
    re.findall(
        r"\w+",
        "src lib app apps main master index init test tests spec specs util utils common core base types docs doc"
        " readme package packages module modules config json yaml toml lock feature feat fix bugfix hotfix bug chore"
        " release develop dev wip build dist scripts script bin internal cmd pkg server client data model models file"
        " files new old add the and for with from into use github workflows license changelog html css",
    )
)

_Reason = str


class Tier(IntEnum):
    """What comes first whatever it is worth, in this order."""

    STANDING = 0
    """A rule of the user's own that can apply here."""
    RULE = 1
    """Another rule: the repository's, a captured one, one of the user's about what is not here."""
    PINNED = 2
    OTHER = 3


@frozen
class Use:
    """How often a memory was recalled, and when last (ISO 8601, UTC)."""

    count: int
    last: str


@frozen
class Worth:
    """How much a memory matters here; `reasons` are for a person."""

    tier: Tier
    score: float
    reasons: tuple[_Reason, ...]


def order(candidates: Sequence[Candidate], worth: Mapping[str, Worth]) -> list[Candidate]:
    """Return the candidates as they are told: by tier, pinned ones first in each, then by score, newest, id."""
    newest = sorted(sorted(candidates, key=lambda each: each.id), key=lambda each: each.updated, reverse=True)
    return sorted(newest, key=lambda each: (worth[each.id].tier, not each.pinned, -worth[each.id].score))


def weigh(
    candidates: Sequence[Candidate], surroundings: Surroundings, uses: Mapping[str, Use] | None = None
) -> dict[str, Worth]:
    """Return how much each memory matters in these surroundings, by its id."""
    uses = uses or {}
    told = _Told(
        _subjects(candidates, surroundings),
        _fitting(candidates, surroundings),
        frozenset(surroundings.recent),
        max((each.updated for each in candidates), default=""),
        max((use.last for use in uses.values()), default=""),
    )
    return {each.id: _worth(each, surroundings, told, uses.get(each.id)) for each in candidates}


@frozen
class _Told:
    """What the memories are as a whole, beside these surroundings."""

    subjects: Mapping[str, tuple[float, str]]
    """By word: what it says of what is worked on, in [0, 1], and where it is from."""
    fitting: Mapping[str, float]
    """By language or framework of the workspace: how much it says that a memory of user scope is about it."""
    recent: frozenset[str]
    newest: str
    last: str


def _worth(each: Candidate, surroundings: Surroundings, told: _Told, use: Use | None) -> Worth:
    score = 0.0
    reasons: list[_Reason] = []
    is_projects = each.scope is Scope.PROJECT
    if is_projects:
        score += PROJECT
        reasons.append("of this project")
    if each.type == Type.USER.value:
        score += ABOUT_THE_USER
        reasons.append("about the user")
    elif each.type == Type.FEEDBACK.value:
        score += HOW_TO_WORK
        reasons.append("about how to work")
    is_foreign = False
    if each.named and surroundings.technologies and not is_projects:
        here = {name for names in each.named for name in names if name in told.fitting}
        if here:
            best = max(here, key=lambda name: (told.fitting[name], name))
            score += FITS * told.fitting[best]
            reasons.append(f"about {best}, which is here")
        else:
            is_foreign = True
            score -= FOREIGN
            reasons.append(f"about {', '.join(sorted({min(names) for names in each.named}))}, which is not here")
    part, about = _worked_on(each, told)
    if part:
        score += WORKED_ON * part
        reasons.append(f"about {about}")
    if use is not None:
        share = min(1.0, math.log1p(use.count) / math.log1p(USES))
        score += USED * share * _halved(use.last, told.last, USE_HALF_LIFE_DAYS)
        reasons.append(f"recalled {use.count} times" if use.count > 1 else "recalled once")
    part = _halved(each.updated, told.newest, HALF_LIFE_DAYS)
    score += NEW * part
    reasons.append("new" if part > 0.5 else "older")
    return Worth(_tier(each, is_foreign=is_foreign), round(score, 4), tuple(reasons))


def _tier(each: Candidate, *, is_foreign: bool) -> Tier:
    if each.standing and not (is_foreign and not each.pinned):
        return Tier.STANDING
    if each.category is Category.RULE:
        return Tier.RULE
    return Tier.PINNED if each.pinned else Tier.OTHER


def _worked_on(each: Candidate, told: _Told) -> tuple[float, str]:
    """How much a memory is about what is being worked on, in [0, 1], and what that is."""
    for reference in each.evidence:
        path = reference.rsplit(":", 1)[0]
        if path in told.recent:
            return 1.0, path
    subjects = told.subjects
    found = sorted(each.words & subjects.keys(), key=lambda word: (-subjects[word][0], word))
    if not found:
        return 0.0, ""
    return min(1.0, sum(subjects[word][0] for word in found)), subjects[found[0]][1]


def _subjects(candidates: Sequence[Candidate], surroundings: Surroundings) -> dict[str, tuple[float, str]]:
    """The words of recent files and of the branch, each with what it says, in [0, 1], and where it is from.

    A word says the more the fewer memories hold it (inverse document frequency, Spärck Jones 1972); of the files the
    newest say the most, and a file's name says more than its folder's.
    """
    told: dict[str, tuple[float, str]] = {}
    for word in words_of(surroundings.branch) - _EVERYWHERE:
        if len(word) > 2:
            told[word] = (1.0, f"the branch {surroundings.branch}")
    for place, path in enumerate(surroundings.recent):
        share = 1 / (1 + place / 10)
        folder, _, name = path.rpartition("/")
        for text, part in ((name.rsplit(".", 1)[0], share), (folder, share / 2)):
            for word in words_of(text) - _EVERYWHERE:
                if len(word) > 2 and part > told.get(word, (0.0, ""))[0]:
                    told[word] = (part, path)
    held: Counter[str] = Counter()
    words = told.keys()
    for each in candidates:
        held.update(each.words & words)
    count = len(candidates)
    return {
        word: (part * _rarity(held[word], count), source)
        for word, (part, source) in told.items()
        if 0 < held[word] <= max(2, MOST_HOLDERS * count)
    }


def _fitting(candidates: Sequence[Candidate], surroundings: Surroundings) -> dict[str, float]:
    """How much each language or framework of the workspace says, when a memory of user scope names it."""
    held: Counter[str] = Counter()
    count = 0
    for each in candidates:
        if each.scope is Scope.USER:
            count += 1
            held.update(frozenset(name for names in each.named for name in names) & surroundings.technologies)
    return {name: _rarity(held[name], count) for name in surroundings.technologies if held[name]}


def _rarity(held: int, count: int) -> float:
    """How much a word says that so many of all memories hold, in (0, 1]: 1 for one that a single one holds."""
    return math.log(1 + count / held) / math.log(1 + count)


def words_of(text: str) -> frozenset[str]:
    """Return the identifiers in a text in lower case, whole and in their parts: what paths and branches are made of."""
    found = set()
    for word in _IDENTIFIER.findall(text):
        found.add(word.lower())
        if not (word.islower() or word.isupper() or word.istitle()):
            found.update(part.lower() for part in _PART.findall(word))
    return frozenset(found)


def _halved(moment: str, latest: str, half_life: float) -> float:
    """What is left after the days between two times; 1 where either is no time."""
    days = (_day(latest) - _day(moment)) if moment and latest else 0.0
    return float(0.5 ** (max(0.0, days) / half_life))


@cache
def _day_of(date: str) -> float:
    return float(datetime.fromisoformat(date).toordinal())


def _day(moment: str) -> float:
    """The day of a time in ISO 8601, as a number."""
    return _day_of(moment[:10])
