"""What a query asks for: words, and phrases in quotation marks. There is no syntax that could be wrong."""

import re
from collections.abc import Mapping
from functools import cached_property

from attrs import define

from vademecum.errors import InvalidField
from vademecum.knowledge.body import fold_phrase
from vademecum.knowledge.types import QUERY_CHARACTERS
from vademecum.lexical.stems import stem
from vademecum.lexical.tokens import WORD_CHARACTER, query_tokens

# A mark that nothing closes is a character like any other.
_PHRASE = re.compile(r'"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»')

_WORD = re.compile(WORD_CHARACTER)

_STOP_WORDS = """
    a about after all also am an and any are as at be been before being between both but by can cannot could did
    do does doing don each for from further get gets give given got had has have having he her here him his how
    i if in into is isn it its itself just kind let like make makes many may me might more most much must my
    need needs no not now of off on once one only or other our out over own rather s same she should so some
    such t than that the their them then there these they thing things this those through to too under until up
    us use used using very want wants was way we were what when where which while who whom whose why will with
    within without would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English words that tell nothing about what is looked for. They still count a little, for titles such as "How to"."""

_STOP_STEMS = STOP_WORDS | frozenset(map(stem, STOP_WORDS))

STOP_WEIGHT = 0.05
"""What a stop word weighs beside a word that tells something."""


@define(frozen=True, slots=False)
class Phrase:
    """Words that must stand in a section as they are, whatever the case and the line breaks."""

    text: str
    """As `fold_phrase` gives it."""

    def holds(self, folded: str) -> bool:
        """Whether a text that `fold_phrase` gave holds the phrase, from the beginning of a word to the end of one."""
        return self.at(folded) >= 0

    def at(self, folded: str) -> int:
        """Where in a folded text it stands, or -1."""
        if self.text not in folded:  # most texts hold it nowhere, and this is told fastest so
            return -1
        found = self._pattern(" ").search(folded)
        return found.start() if found else -1

    def in_source(self, text: str) -> int:
        """Where in a text as it is it stands, or -1; also -1 where letters fold to others."""
        found = self._pattern(r"\s+", re.IGNORECASE).search(text)
        return found.start() if found else -1

    def _pattern(self, blank: str, flags: int = 0) -> re.Pattern[str]:
        """The words with `blank` between them, and no letter of a longer word before or after."""
        before = f"(?<!{WORD_CHARACTER})" if _begins_word(self.text[0]) else ""
        after = f"(?!{WORD_CHARACTER})" if _begins_word(self.text[-1]) else ""
        return re.compile(f"{before}{blank.join(map(re.escape, self.text.split(' ')))}{after}", flags)


@define(frozen=True, slots=False)
class Query:
    """A query, read."""

    text: str
    phrases: tuple[Phrase, ...]

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """The stems it asks for; those of stop words weigh little, unless there are no others."""
        weights: dict[str, float] = {}
        for token, weight in query_tokens(self.text).items():
            root = stem(token)
            weights[root] = max(weights.get(root, 0.0), weight)
        if all(token in _STOP_STEMS for token in weights):
            return weights
        return {token: weight * (STOP_WEIGHT if token in _STOP_STEMS else 1.0) for token, weight in weights.items()}


def read_query(text: str, name: str = "query") -> Query:
    """Read a query; any text is one.

    :raises InvalidField: `name`, when it is too long.
    """
    if len(text) > QUERY_CHARACTERS:
        raise InvalidField(name, f"must have at most {QUERY_CHARACTERS:,} characters")
    quoted = [next(filter(None, found.groups()), "") for found in _PHRASE.finditer(text)]
    if not any(map(fold_phrase, quoted)) and not query_tokens(text):
        quoted = [text]  # signs and pictures alone, such as an emoji: they are no words, but a text can hold them
    phrases = (Phrase(folded) for each in quoted if (folded := fold_phrase(each)))
    return Query(text, tuple(dict.fromkeys(phrases)))


def _begins_word(char: str) -> bool:
    return _WORD.fullmatch(char) is not None
