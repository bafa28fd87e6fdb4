"""How good an order is: NDCG@10 with binary gains over distinct places."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from bench.quality.queries import Target

DEPTH = 10
"""Hits that count, as in the benchmark that the queries come from."""


@frozen
class Place:
    """A hit, as far as the metric sees it: a path from the repository's root, and lines; None for a whole file."""

    path: str
    start: int | None = None
    end: int | None = None


@frozen
class Score:
    """What one query got."""

    repository: str
    language: str
    category: str
    value: float


def answers(place: Place, target: Target, lines: bool = True) -> bool:
    """Whether a hit is the target: its file, or a file below that folder, and lines that meet where both name some.

    :param lines: False to look at the file alone.
    """
    if place.path != target.path and not place.path.startswith(target.path.rstrip("/") + "/"):
        return False
    if not lines or target.start is None or place.start is None or place.end is None:
        return True
    return place.start <= (target.end or target.start) and target.start <= place.end


def ndcg(places: Sequence[Place], targets: Sequence[Target], lines: bool = True, depth: int = DEPTH) -> float:
    """Normalised discounted cumulative gain of the first hits.

    Each target gains once, at the first hit that is it; a hit gains for one target only. A further hit of a target that
    was already met takes a place and gains nothing. The ideal has every target at the top.
    """
    left = list(targets)
    gained = 0.0
    for rank, place in enumerate(places[:depth], start=1):
        met = next((each for each in left if answers(place, each, lines)), None)
        if met is not None:
            left.remove(met)
            gained += 1 / math.log2(rank + 1)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(depth, len(targets)) + 1))
    return gained / ideal if ideal else 0.0


def by_file(places: Sequence[Place]) -> list[Place]:
    """The files of the hits, each once, in the order of their first hits."""
    return [Place(path) for path in dict.fromkeys(each.path for each in places)]


def mean(values: Iterable[float]) -> float:
    """The arithmetic mean, 0 of nothing."""
    kept = list(values)
    return sum(kept) / len(kept) if kept else 0.0


def over_repositories(scores: Iterable[Score]) -> float:
    """The mean in each repository, then over the repositories, so that none counts more for being asked more."""
    groups: dict[str, list[float]] = defaultdict(list)
    for each in scores:
        groups[each.repository].append(each.value)
    return mean(mean(values) for values in groups.values())


def by(scores: Sequence[Score], what: str) -> Mapping[str, float]:
    """`over_repositories` for each value of `category` or `language`, by name."""
    names = sorted({getattr(each, what) for each in scores})
    return {name: over_repositories(each for each in scores if getattr(each, what) == name) for name in names}
