"""Diversity: maximal marginal relevance, so that the first hits do not all say the same.

A hit is worth its score less its likeness to those before it: lambda * score - (1 - lambda) * likeness (Carbonell and
Goldstein 1998). Likeness is the cosine of two chunks' vectors, or the share of words they have in common where one of
them has no vector.
"""

from collections.abc import Callable, Sequence

from vademecum.search.candidates import Candidate

HEAD = 20
"""Candidates whose order is looked at: two pages of an answer. More gained nothing on the dev queries."""

Likeness = Callable[[Candidate, Candidate], float]
"""How alike two chunks are, 0 to 1."""


def diverse(candidates: Sequence[Candidate], weight: float, likeness: Likeness, head: int = HEAD) -> list[Candidate]:
    """The candidates with the first `head` of them put into an order in which each adds something.

    :param weight: lambda: 1 leaves the order as it is; the less, the more likeness to what came before costs.
    """
    rest = list(candidates[:head])
    if weight >= 1.0 or len(rest) < 3:
        return list(candidates)
    high, low = rest[0].score, rest[-1].score
    span = (high - low) or 1.0
    worth = {each.key: weight * (each.score - low) / span for each in rest}
    most = {each.key: 0.0 for each in rest}
    order = [rest.pop(0)]
    while rest:
        last = order[-1]
        best, value = 0, float("-inf")
        for at, each in enumerate(rest):
            alike = most[each.key] = max(most[each.key], likeness(last, each))
            gain = worth[each.key] - (1 - weight) * alike
            if gain > value:  # equals stay in their order
                best, value = at, gain
        order.append(rest.pop(best))
    # Scores must fall along an answer; each takes that of the place it has come to, and says what it was.
    scores = [each.score for each in candidates[:head]]
    moved = [
        each if each.score == score else each.with_signal("diversity", score - each.score, score)
        for each, score in zip(order, scores, strict=True)
    ]
    return [*moved, *candidates[head:]]


def shared_words(one: frozenset[str], other: frozenset[str]) -> float:
    """The Jaccard index of two sets of words, 0 to 1."""
    if not (one and other):
        return 0.0
    common = len(one & other)
    return common / (len(one) + len(other) - common)
