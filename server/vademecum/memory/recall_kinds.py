"""What kind of prompt it is: one about somebody's own work and life, or one that anybody may ask of an assistant.

The scores of memories do not tell this: *explain garbage collection in the JVM* is near to many memories of a
developer, and none of them answers it. So a prompt is held against examples of both kinds, two lists in this package:
by the words and pairs of words that it has in common with either (naive Bayes, each seen or not), and by its vector
(Fisher's linear discriminant, and how near it is to the nearest examples). No prompt that recall is measured by is in
either list.
"""

from __future__ import annotations

import math
import pkgutil
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from attrs import frozen

from vademecum.lexical.tokens import has_unspaced, prose_tokens

if TYPE_CHECKING:
    from vademecum.embedding.types import Floats

OWN = "data/own-prompts.txt"
GENERAL = "data/general-prompts.txt"

#: Bounds of what words can tell: a long prompt has many.
_MOST = 5.0

#: How far the common spread of the examples is drawn towards the same in every direction (Ledoit and Wolf's target):
#: two thousand examples know little of the spread in as many directions as a vector has.
_SHRINKAGE = 0.5

#: So many examples of either kind are looked at for which one is nearer, and so many for how usual the prompt is.
_NEIGHBOURS, _NEAREST = 20, 3


@cache
def examples() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The prompts about one's own work and life, and the general ones."""
    return _lines(OWN), _lines(GENERAL)


def by_words(prompt: str) -> float:
    """How much more the words of a prompt are those of the own kind than of the general one: -5 to 5, 0 when neither
    list knows any of them.

    The log-odds ratios of all words and pairs of neighbours by the root of their number, as these are not independent.
    """
    odds, parts = _odds(), _parts(prompt)
    told = math.fsum(odds.get(part, 0.0) for part in parts) / math.sqrt(len(parts) or 1)
    return max(-_MOST, min(_MOST, told))


@cache
def familiar() -> tuple[Mapping[str, int], int]:
    """In how many of the examples each word stands, and how many examples there are: how usual words are in prompts,
    which a handful of memories cannot tell."""
    lines = [line for kind in examples() for line in kind]
    return Counter(word for line in lines for word in set(prose_tokens(line))), len(lines)


@frozen
class Kind:
    """What a prompt's vector tells of its kind, each above 0 when it is the own one.

    :param side: on which side of the plane between both kinds it lies, in units of the examples' spread.
    :param nearer: how much nearer the nearest examples of the own kind are than those of the general one, as cosines.
    :param usual: how near the nearest general examples are, whatever the own ones.
    """

    side: float
    nearer: float
    usual: float


@frozen
class Divide:
    """What parts the vectors of both kinds of example prompts, of one model: a plane, and the examples themselves."""

    direction: Floats
    middle: float
    mean: Floats
    own: Floats
    general: Floats

    def of(self, vector: Floats) -> Kind:
        """What kind of prompt a vector is of."""
        import numpy as np

        prompt = _unit(vector - self.mean)
        own, general = (np.sort(np.einsum("ij,j->i", kind, prompt))[::-1] for kind in (self.own, self.general))
        nearer = float(own[:_NEIGHBOURS].mean() - general[:_NEIGHBOURS].mean())
        return Kind(float(vector @ self.direction) - self.middle, nearer, float(general[:_NEAREST].mean()))


def divide(own: Floats, general: Floats) -> Divide:
    """What parts the vectors of both kinds of examples, one a row; rows of zeros are left out."""
    import numpy as np

    own, general = (kind[np.abs(kind).max(axis=1) > 0].astype(np.float64) for kind in (own, general))
    one, other = own.mean(axis=0), general.mean(axis=0)
    around = np.concatenate([own - one, general - other])
    spread = around.T @ around / len(around)
    size = len(spread)
    spread = (1 - _SHRINKAGE) * spread + _SHRINKAGE * np.trace(spread) / size * np.eye(size)
    direction = np.linalg.solve(spread, one - other)
    both = np.concatenate([own, general])
    direction /= (both @ direction).std()
    mean = both.mean(axis=0)
    kinds = [np.ascontiguousarray(_unit(kind - mean), np.float32) for kind in (own, general)]
    middle = float((one + other) @ direction / 2)
    return Divide(direction.astype(np.float32), middle, mean.astype(np.float32), *kinds)


def _unit(vectors: Floats) -> Floats:
    import numpy as np

    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9), np.float32)


def _parts(prompt: str) -> set[str]:
    """The words of a prompt, and its pairs of neighbours, its beginning being one. Single characters of scripts without
    spaces stand in so many words that they tell nothing."""
    words = [word for word in prose_tokens(prompt) if len(word) > 1 or not has_unspaced(word)]
    parts = {*words, *(f"{one} {other}" for one, other in pairwise(["^", *words]))}
    return parts | {"^ alone"} if len(words) == 1 else parts


@cache
def _odds() -> Mapping[str, float]:
    own, general = ([_parts(line) for line in lines] for lines in examples())
    in_own = Counter(part for parts in own for part in parts)
    in_general = Counter(part for parts in general for part in parts)
    return {
        part: math.log((in_own[part] + 1) / (len(own) + 2)) - math.log((in_general[part] + 1) / (len(general) + 2))
        for part in in_own.keys() | in_general.keys()
    }


def _lines(name: str) -> tuple[str, ...]:
    text = (pkgutil.get_data(__package__, name) or b"").decode("utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))
