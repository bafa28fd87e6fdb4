"""Which memories say the same, or nearly."""

import re
import unicodedata
from collections.abc import Iterable

from vademecum.lexical.tokens import prose_tokens

#: Share of words that two memories have in common (of all that either has) from which on one should be looked at
#: before the other is stored: low enough that a contradiction in one word of a short sentence is noticed.
SIMILAR = 0.4

#: The same share from which on a second memory tells a reader nothing new.
COPY = 0.9

#: Words that say nothing about what a memory is about. Negations are not among them.
_EMPTY = frozenset(
    prose_tokens(
        "a an and are as at be by for from has have i in is it its my of on or our that the their this to was we were"
        " with you your"
    )
)
#: Words that turn a sentence round, however much else it shares with another.
_TURNS = frozenset(prose_tokens("no not never don't without instead avoid except only nor cannot stop 不别勿无非没"))


def normal(text: str) -> str:
    """Return the text in the form by which it is the same as another: case, width, space and list marks aside."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"\s+", " ", re.sub(r"^\s*[-*+]\s+", "", folded)).strip().rstrip(".!。！ ")


def words(text: str) -> frozenset[str]:
    """Return the words (stems, CJK pairs) by which texts are compared."""
    return frozenset(token for token in prose_tokens(text) if token not in _EMPTY)


def share(one: frozenset[str], other: frozenset[str]) -> float:
    """Return how much of all their words two texts have in common, in [0, 1]."""
    if not one or not other:
        return 0.0
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def is_copy(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether the one tells nothing that the other does not: the same numbers, the same negations, nearly all words."""
    smaller, larger = sorted((len(one), len(other)))
    if not smaller or smaller / larger < COPY:
        return False
    return share(one, other) >= COPY and not any(map(_counts, one ^ other))


def rank(one: frozenset[str], others: Iterable[tuple[str, frozenset[str]]], limit: int) -> tuple[str, ...]:
    """Return the ids of the texts most like `one`, best first, of those that are similar at all."""
    scored = ((share(one, other), id) for id, other in others)
    best = sorted((-score, id) for score, id in scored if score >= SIMILAR)
    return tuple(id for _, id in best[:limit])


def _counts(word: str) -> bool:
    return word in _TURNS or any(char.isdigit() for char in word)
