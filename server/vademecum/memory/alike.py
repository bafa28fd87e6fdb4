"""Which memories say the same, or nearly."""

import functools
import unicodedata
from collections.abc import Iterable

from vademecum.lexical.tokens import prose_text, prose_tokens

#: Share of words that two memories have in common (of all that either has) from which on one should be looked at
#: before the other is stored: low enough that a contradiction in one word of a short sentence is noticed.
SIMILAR = 0.4

#: The same share from which on a second memory tells a reader nothing new.
COPY = 0.9


@functools.cache
def _empty() -> frozenset[str]:
    """Words that say nothing about what a memory is about. Negations are not among them."""
    return frozenset(
        prose_tokens(
            "a an and are as at be by for from has have i in is it its my of on or our that the their this to was we"
            " were with you your"
        )
    )


@functools.cache
def turns() -> frozenset[str]:
    """Words that turn a sentence round, however much else it shares with another."""
    return frozenset(prose_tokens("no not never don't without instead avoid except only nor cannot stop 不别勿无非没"))


@functools.lru_cache(maxsize=8_192)
def normal(text: str) -> str:
    """Return the text in the form by which it is the same as another: case, width, space and list marks aside."""
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return (folded[2:] if folded[:2] in ("- ", "* ", "+ ") else folded).rstrip(".!。！ ")


@functools.lru_cache(maxsize=8_192)
def words(text: str) -> frozenset[str]:
    """Return the words (stems, CJK pairs) by which texts are compared."""
    return frozenset(prose_text(text).split()) - _empty()


def share(one: frozenset[str], other: frozenset[str]) -> float:
    """Return how much of all their words two texts have in common, in [0, 1]."""
    if not one or not other:
        return 0.0
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def is_copy(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether the one tells nothing that the other does not: the same numbers, the same negations, nearly all words.

    A word in place of another may be all the difference, so one of them must hold every word of the other.
    """
    smaller, larger = sorted((len(one), len(other)))
    if not smaller or smaller / larger < COPY or not (one <= other or other <= one):
        return False
    return share(one, other) >= COPY and not any(map(_counts, one ^ other))


def rank(one: frozenset[str], others: Iterable[tuple[str, frozenset[str]]], limit: int) -> tuple[str, ...]:
    """Return the ids of the texts most like `one`, best first, of those that are similar at all."""
    scored = ((share(one, other), id) for id, other in others)
    best = sorted((-score, id) for score, id in scored if score >= SIMILAR)
    return tuple(id for _, id in best[:limit])


def _counts(word: str) -> bool:
    return word in turns() or any(char.isdigit() for char in word)
