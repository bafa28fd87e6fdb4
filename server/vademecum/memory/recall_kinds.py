"""What kind of prompt it is: one about somebody's own work and life, or one that anybody may ask of an assistant.

The scores of memories do not tell this: *explain garbage collection in the JVM* is near to many memories of a
developer, and none of them answers it. So a prompt is held against examples of both kinds, two lists in this package:
by the words that it has in common with either (naive Bayes, each word seen or not), and by its vector (Fisher's linear
discriminant). Neither list was made from the prompts that recall is measured by.
"""

from __future__ import annotations

import math
import pkgutil
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from attrs import frozen

from vademecum.lexical.tokens import prose_tokens

if TYPE_CHECKING:
    from vademecum.embedding.types import Floats

OWN = "data/own-prompts.txt"
GENERAL = "data/general-prompts.txt"

#: Bounds of what words can tell: a long prompt has many, and they are not independent.
_MOST = 5.0

#: How far the common spread of the examples is drawn towards the same in every direction (Ledoit and Wolf's target):
#: some hundreds of examples know little of the spread in as many dimensions.
_SHRINKAGE = 0.9


@cache
def examples() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The prompts about one's own work and life, and the general ones."""
    return _lines(OWN), _lines(GENERAL)


def by_words(prompt: str) -> float:
    """How much more the words of a prompt are those of the own kind than of the general one: a log-odds ratio,
    -5 to 5, 0 when neither list knows any of them."""
    odds = _odds()
    told = sum(odds.get(word, 0.0) for word in set(prose_tokens(prompt)))
    return max(-_MOST, min(_MOST, told))


@frozen
class Divide:
    """The plane between the vectors of both kinds of example prompts, of one model."""

    direction: Floats
    middle: float

    def of(self, vector: Floats) -> float:
        """On which side a prompt's vector lies and how far, in units of the examples' spread along the direction; above
        0 it is of the own kind."""
        return float(vector @ self.direction) - self.middle


def divide(own: Floats, general: Floats) -> Divide:
    """The plane between the vectors of both kinds of examples, one a row; rows of zeros are left out."""
    import numpy as np

    own, general = (kind[np.abs(kind).max(axis=1) > 0].astype(np.float64) for kind in (own, general))
    one, other = own.mean(axis=0), general.mean(axis=0)
    around = np.concatenate([own - one, general - other])
    spread = around.T @ around / len(around)
    size = len(spread)
    spread = (1 - _SHRINKAGE) * spread + _SHRINKAGE * np.trace(spread) / size * np.eye(size)
    direction = np.linalg.solve(spread, one - other)
    unit = np.concatenate([own, general]) @ direction
    direction /= unit.std()
    return Divide(direction.astype(np.float32), float((one + other) @ direction / 2))


@cache
def _odds() -> Mapping[str, float]:
    own, general = ([set(prose_tokens(line)) for line in lines] for lines in examples())
    in_own = Counter(word for words in own for word in words)
    in_general = Counter(word for words in general for word in words)
    return {
        word: math.log((in_own[word] + 1) / (len(own) + 2)) - math.log((in_general[word] + 1) / (len(general) + 2))
        for word in in_own.keys() | in_general.keys()
    }


def _lines(name: str) -> tuple[str, ...]:
    text = (pkgutil.get_data(__package__, name) or b"").decode("utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))
