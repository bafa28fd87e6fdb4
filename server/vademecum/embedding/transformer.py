"""Transformers as ONNX files, run by onnxruntime on the processor."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen

from vademecum.embedding.texts import open_tokenizer, plain
from vademecum.embedding.types import EmbeddingFailed, Facts, NoModel, Role
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.embedding.types import Floats

BATCH = 4
"""Texts computed at once. 16 are no faster on a processor and need twice the memory."""

_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class Pooling(StrEnum):
    """How the vectors of a text's tokens become one."""

    MEAN = "mean"
    CLS = "cls"
    MAX = "max"
    LAST = "last"


@frozen
class TransformerRecipe:
    """How a transformer is used.

    :param prefixes: what is put before a text for its role.
    """

    weights: Path
    tokenizer: Path
    pooling: Pooling = Pooling.MEAN
    prefixes: Mapping[Role, str] = field(factory=dict)


class Transformer:
    """An encoder with its tokenizer.

    :param threads: how many it computes with.
    :raises NoModel: when its files cannot be used.
    """

    def __init__(self, facts: Facts, recipe: TransformerRecipe, threads: int) -> None:
        self._facts = facts
        self._recipe = recipe
        self._tokenizer = open_tokenizer(recipe.tokenizer)
        self._tokenizer.enable_truncation(facts.max_tokens)
        self._session = _session(recipe.weights, threads)
        inputs = {each.name for each in self._session.get_inputs()}
        if "input_ids" not in inputs or not inputs <= _INPUTS:
            raise NoModel(
                f"{recipe.weights.name} wants {', '.join(sorted(inputs))}, which is not what an encoder takes"
            )
        self._inputs = inputs
        self._output = _output(self._session, recipe.weights.name)
        self._try_out()

    @property
    def facts(self) -> Facts:
        """What it is."""
        return self._facts

    def embed(self, texts: Sequence[str], cancel: Cancel, role: Role = Role.PASSAGE) -> Floats:
        """See `Model.embed`."""
        prefix = self._recipe.prefixes.get(role, "")
        out: Floats = np.zeros((len(texts), self._facts.dimensions), np.float32)
        # By length, so that little is spent on padding; which texts share a batch does not change their vectors.
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), BATCH):
            cancel.check()
            places = [place for place in order[start : start + BATCH] if texts[place].strip()]
            if places:
                out[places] = self._batch([prefix + plain(texts[place], self._facts.max_tokens) for place in places])
        return out

    def _try_out(self) -> None:
        """What fails one plain word fails every text, so it is the model that cannot be used. Raises NoModel."""
        try:
            self._batch([self._recipe.prefixes.get(Role.PASSAGE, "") + "word"])
        except EmbeddingFailed as why:
            raise NoModel(str(why)) from why

    def _batch(self, texts: Sequence[str]) -> Floats:
        try:
            encoded = self._tokenizer.encode_batch_fast(list(texts))
            width = max(len(each.ids) for each in encoded)
            ids = np.zeros((len(encoded), width), np.int64)
            mask = np.zeros_like(ids)
            for row, each in enumerate(encoded):
                ids[row, : len(each.ids)] = each.ids
                mask[row, : len(each.ids)] = 1
            given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            hidden = self._session.run([self._output], {name: given[name] for name in self._inputs})[0]
        except Exception as error:  # onnxruntime's and the tokenizer's errors have no common base
            raise EmbeddingFailed(f"{self._recipe.weights.name} did not take the texts: {error}") from error
        vectors = hidden if hidden.ndim == 2 else _pooled(hidden, mask, self._recipe.pooling)
        vectors = np.asarray(vectors, np.float32)
        if vectors.shape != (len(texts), self._facts.dimensions):
            raise EmbeddingFailed(
                f"{self._recipe.weights.name} gives vectors of {vectors.shape[-1]} numbers, not of the"
                f" {self._facts.dimensions} that are said beside it"
            )
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.all(np.isfinite(norms)) or np.any(norms == 0):
            raise EmbeddingFailed(f"{self._recipe.weights.name} gave no usable vectors")
        return np.asarray(vectors / norms, np.float32)


def _pooled(hidden: Floats, mask: Any, pooling: Pooling) -> Floats:
    weight = mask[:, :, None].astype(np.float32)
    if pooling is Pooling.CLS:
        return hidden[:, 0]
    if pooling is Pooling.LAST:
        return np.asarray(hidden[np.arange(len(hidden)), mask.sum(axis=1) - 1], np.float32)
    if pooling is Pooling.MAX:
        return np.asarray(np.where(weight > 0, hidden, -np.inf).max(axis=1), np.float32)
    return np.asarray((hidden * weight).sum(axis=1) / weight.sum(axis=1), np.float32)


def runtime() -> Any:
    """The module onnxruntime, which nothing else may import. Raises NoModel when it cannot be loaded."""
    # From 1.29 on it writes an identifier of the machine to the home directory and reports to its maker, as soon as it
    # is imported; only this variable, set before, stops all of it (its Privacy.md, "Disabling Telemetry").
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime
    except ImportError as error:
        raise NoModel(f"the package onnxruntime cannot be loaded ({error}); reinstall it") from error
    # The same for Windows, where older ones report by another way.
    onnxruntime.disable_telemetry_events()
    onnxruntime.set_default_logger_severity(3)
    return onnxruntime


def _session(weights: Path, threads: int) -> Any:
    onnxruntime = runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # The arena keeps what the longest batch ever needed; without it a session is 20 MB smaller and as fast.
    options.enable_cpu_mem_arena = False
    # Threads that wait by spinning take the editor's processor time.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no common base
        raise NoModel(f"{weights.name} cannot be loaded ({error})") from error


def _output(session: Any, name: str) -> str:
    """A vector a text, where the file makes one itself, else one a token."""
    outputs = {each.name: each for each in session.get_outputs()}
    for known in ("sentence_embedding", "last_hidden_state", "token_embeddings"):
        if known in outputs:
            return known
    for each in outputs.values():
        if each.shape is not None and len(each.shape) == 3:
            return str(each.name)
    raise NoModel(f"{name} gives no vectors of tokens or texts")
