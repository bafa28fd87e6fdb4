"""What a model is to those who use it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from attrs import frozen

from vademecum.embedding.scripts import Script
from vademecum.work import Cancel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float32]
    Rows: TypeAlias = NDArray[np.int8]


class Kind(StrEnum):
    """How a model makes a vector; what weight its vectors deserve beside words depends on it."""

    TRANSFORMER = "transformer"
    STATIC = "static"


class Role(StrEnum):
    """What a text is: some models are told."""

    QUERY = "query"
    PASSAGE = "passage"


class NoModel(Exception):
    """There is no model, and why; trying again does not help until settings or packages change.

    :param reason: a sentence for a person, saying what to do about it.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class EmbeddingFailed(Exception):
    """The model is there, but did not make vectors of these texts."""


@frozen
class Facts:
    """What is known of a model without loading it.

    :param name: `minilm`, `static`, `multilingual`, or the folder's own name.
    :param id: names these weights, this tokenizer and this way of using them: vectors of equal id may be compared, all
        others never. Letters, digits and dashes.
    :param weights: SHA-256 of the weights, in hex.
    :param scripts: those that it was taught to read; its vectors of other texts say little.
    :param max_tokens: how much of a text it sees.
    """

    name: str
    id: str
    weights: str
    dimensions: int
    kind: Kind
    scripts: frozenset[Script]
    max_tokens: int


class Model(Protocol):
    """A loaded model. May be used from every thread."""

    @property
    def facts(self) -> Facts:
        """What it is."""
        ...

    def embed(self, texts: Sequence[str], cancel: Cancel, role: Role = Role.PASSAGE) -> Floats:
        """A vector for each text, in their order, of length 1; of zeros for a text without any word.

        :raises EmbeddingFailed: when the model does not manage.
        :raises Cancelled: when told to stop; looked at every few texts.
        """
        ...
