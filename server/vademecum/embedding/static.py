"""Static models: a vector for each token, and the mean of them for a text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from vademecum.embedding.texts import open_tokenizer, plain
from vademecum.embedding.types import EmbeddingFailed, Facts, NoModel, Role
from vademecum.embedding.weights import tensors
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.embedding.types import Floats

BATCH = 32
"""Texts between two looks at the cancel."""

WIDENED = 64_000_000
"""Bytes up to which a table is widened to 32 bits once, rather than at each use, which takes three times as long."""


@frozen
class StaticRecipe:
    """How a static model is used.

    :param table: name of its table in the file.
    :param drops_unknown: whether tokens that mean "unknown" are left out, as model2vec does.
    """

    weights: Path
    tokenizer: Path
    table: str
    drops_unknown: bool


class StaticModel:
    """The mean of token vectors, normalised; as model2vec and wordllama do it.

    :raises NoModel: when its files cannot be used.
    """

    def __init__(self, facts: Facts, recipe: StaticRecipe) -> None:
        self._facts = facts
        self._tokenizer = open_tokenizer(recipe.tokenizer)
        found = tensors(recipe.weights, (recipe.table, "weights", "mapping"))
        table = found.get(recipe.table)
        if table is None or table.ndim != 2 or table.shape[1] != facts.dimensions:
            raise NoModel(f"{recipe.weights.name} holds no table of vectors called {recipe.table}")
        if table.size * 4 <= WIDENED:
            table = table.astype(np.float32)
            if not np.all(np.isfinite(table)):
                raise NoModel(f"{recipe.weights.name} holds values that are no numbers")
        self._table: NDArray[np.generic] = table
        self._token_weights = found.get("weights")
        self._mapping = found.get("mapping")
        self._unknown = _unknown(self._tokenizer) if recipe.drops_unknown else None
        tokens = self._tokenizer.get_vocab_size()
        rows = len(self._table) if self._mapping is None else len(self._mapping)
        if rows < tokens or (self._token_weights is not None and len(self._token_weights) < tokens):
            raise NoModel(f"{recipe.weights.name} has {rows} vectors for a vocabulary of {tokens}")
        if self._mapping is not None and not np.all((self._mapping >= 0) & (self._mapping < len(self._table))):
            raise NoModel(f"{recipe.weights.name} maps tokens to vectors that it does not hold")

    @property
    def facts(self) -> Facts:
        """What it is."""
        return self._facts

    def embed(self, texts: Sequence[str], cancel: Cancel, role: Role = Role.PASSAGE) -> Floats:
        """See `Model.embed`; the role makes no difference."""
        out: Floats = np.zeros((len(texts), self._facts.dimensions), np.float32)
        most = self._facts.max_tokens
        for start in range(0, len(texts), BATCH):
            cancel.check()
            part = [plain(text, most) for text in texts[start : start + BATCH]]
            try:
                encoded = self._tokenizer.encode_batch_fast(part, add_special_tokens=False)
            except Exception as error:  # a bare Exception is what it raises
                raise EmbeddingFailed(f"the texts cannot be cut into tokens: {error}") from error
            for place, each in enumerate(encoded, start):
                ids = np.asarray(each.ids, dtype=np.int64)
                if self._unknown is not None:
                    ids = ids[ids != self._unknown]
                self._mean(ids[:most], out[place])
        norms = np.linalg.norm(out, axis=1, keepdims=True)
        np.divide(out, norms, out=out, where=norms > 0)
        return out

    def _mean(self, ids: NDArray[np.int64], out: Floats) -> None:
        if not len(ids):
            return
        vectors = self._table[ids if self._mapping is None else self._mapping[ids]].astype(np.float32, copy=False)
        if self._token_weights is not None:
            vectors = vectors * self._token_weights[ids, None].astype(np.float32)
        np.mean(vectors, axis=0, out=out)


def _unknown(tokenizer: object) -> int | None:
    token = getattr(getattr(tokenizer, "model", None), "unk_token", None)
    found = tokenizer.token_to_id(token) if token is not None else None  # type: ignore[attr-defined]
    return None if found is None else int(found)
