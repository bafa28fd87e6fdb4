"""Files of weights: their hashes, and tables read out of them."""

from __future__ import annotations

import hashlib
import json
import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.embedding.types import NoModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_HEADER = 100_000_000
"""Bytes that a safetensors header may have, by that format's own rule."""

_DTYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I8": "|i1", "U8": "|u1", "I32": "<i4", "I64": "<i8"}


def sha256(path: Path) -> str:
    """The hash of a file, in hex. Raises NoModel when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise NoModel(f"{path.name} of the embedding model cannot be read ({error.strerror})") from error


def read_json(path: Path) -> dict[str, Any]:
    """A JSON file that holds an object; empty when there is no such file. Raises NoModel for anything else."""
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise NoModel(f"{path.name} of the embedding model cannot be read ({error})") from error
    if not isinstance(found, dict):
        raise NoModel(f"{path.name} of the embedding model holds no object")
    return found


def header(path: Path) -> dict[str, Any]:
    """What a safetensors file says it holds: name to dtype, shape and place. Raises NoModel."""
    return _header(path)[0]


def tensors(path: Path, wanted: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """Tables of a safetensors file, mapped rather than read; those that are not there are left out.

    The format is 8 bytes of length, a JSON header, and the tables in C order
    (https://github.com/huggingface/safetensors, "Format"). Raises NoModel.
    """
    import numpy as np

    head, start = _header(path)
    found: dict[str, NDArray[Any]] = {}
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        for name in wanted:
            if name not in head:
                continue
            entry = head[name]
            dtype: np.dtype[Any] = np.dtype(_DTYPES[entry["dtype"]])
            shape = [int(size) for size in entry["shape"]]
            first, last = (int(place) for place in entry["data_offsets"])
            count = int(np.prod(shape, dtype=np.int64))
            if last - first != count * dtype.itemsize:
                raise ValueError(f"{name} is not as large as it says")
            found[name] = np.frombuffer(mapped, dtype, count, start + first).reshape(shape)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise NoModel(f"{path.name} is no table of vectors that can be used ({error})") from error
    return found


def _header(path: Path) -> tuple[dict[str, Any], int]:
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if not 0 < length <= MOST_HEADER:
                raise ValueError("it is no safetensors file")
            head = json.loads(file.read(length))
        if not isinstance(head, dict):
            raise ValueError("its header is no object")
    except (OSError, ValueError, RecursionError) as error:
        raise NoModel(f"{path.name} is no table of vectors that can be used ({error})") from error
    return head, 8 + length
