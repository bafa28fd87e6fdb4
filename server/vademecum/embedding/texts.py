"""Texts as a tokenizer may have them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.embedding.types import NoModel

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CHARACTERS_A_TOKEN = 64
"""Characters kept for each token that a model sees: code has long runs of spaces, which make no tokens, but no text
that ever was has sixteen times its usual length."""


def plain(text: str, tokens: int) -> str:
    """A text without what breaks tokenizers (halves of characters, NUL), cut where no model looks any more."""
    return text[: tokens * CHARACTERS_A_TOKEN].encode("utf-8", "replace").decode().replace("\0", " ")


def open_tokenizer(path: Path) -> Tokenizer:
    """A tokenizer from its file, without padding or truncation; the network is never asked. Raises NoModel."""
    try:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
    except ImportError as error:
        raise NoModel(f"the package tokenizers cannot be loaded ({error}); reinstall it") from error
    except Exception as error:  # what a broken file raises is a bare Exception
        raise NoModel(f"{path.name} is no tokenizer that can be used ({error})") from error
    return tokenizer
