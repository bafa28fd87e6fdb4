"""Diversity: maximal marginal relevance, so that the first hits do not all say the same.

A hit is worth its score less its likeness to those before it: lambda * score - (1 - lambda) * likeness (Carbonell and
Goldstein 1998). Likeness is the cosine of two chunks' vectors, or about the share of words they have in common where
one of them has no vector.
"""

from collections.abc import Callable, Sequence

from vademecum.search.candidates import Candidate

HEAD = 20
"""Candidates whose order is looked at: two pages of an answer. More gained nothing on the dev queries."""

Likeness = Callable[[int, int], float]
"""How alike two candidates are, by their places before; 0 to 1."""


def diverse(candidates: Sequence[Candidate], weight: float, likeness: Likeness, head: int = HEAD) -> list[Candidate]:
    """The candidates with the first `head` of them put into an order in which each adds something.

    :param weight: lambda: 1 leaves the order as it is; the less, the more likeness to what came before costs.
    """
    first = candidates[:head]
    if weight >= 1.0 or len(first) < 3:
        return list(candidates)
    high, low = first[0].score, first[-1].score
    span = (high - low) or 1.0
    worth = [weight * (each.score - low) / span for each in first]
    most = [0.0] * len(first)
    rest = list(range(1, len(first)))
    places = [0]
    while rest:
        last = places[-1]
        best, value = rest[0], float("-inf")
        for at in rest:
            alike = likeness(last, at)
            if alike > most[at]:
                most[at] = alike
            gain = worth[at] - (1 - weight) * most[at]
            if gain > value:  # equals stay in their order
                best, value = at, gain
        rest.remove(best)
        places.append(best)
    order = [first[at] for at in places]
    # Scores must fall along an answer; each takes that of the place it has come to, and says what it was.
    scores = [each.score for each in first]
    moved = [
        each if each.score == score else each.with_signal("diversity", score - each.score, score)
        for each, score in zip(order, scores, strict=True)
    ]
    return [*moved, *candidates[head:]]
