"""What memories and prompts in Chinese say, in English words: for models and for memories that know no Chinese.

Word by word, by a table: no translation, but enough of one to tell what a short text is about. The developers' terms of
the lexical room come first; everyday words stand beside them, as memories speak of people, work and habits, too.
"""

import pkgutil
from functools import cache

from vademecum.lexical import glossary
from vademecum.lexical.glossary import Glossary, Term

WORDS = "data/zh-en-everyday.txt"
"""The table of everyday words, in this package."""


def in_english(text: str) -> str:
    """The text with its Chinese words by their likeliest English names; empty when none of them is known."""
    return glossary.in_english(text, _words())


def terms(text: str) -> list[Term]:
    """The parts of a text; see `glossary.terms`."""
    return glossary.terms(text, _words())


@cache
def _words() -> Glossary:
    return glossary.wider((pkgutil.get_data(__package__, WORDS) or b"").decode("utf-8"))
