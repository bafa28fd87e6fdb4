"""What a query asks for: words, and phrases in quotation marks. There is no syntax that could be wrong."""

import re
from collections.abc import Mapping
from functools import cached_property

from attrs import define, frozen

from vademecum.errors import InvalidField
from vademecum.knowledge.body import fold_phrase
from vademecum.knowledge.types import QUERY_CHARACTERS
from vademecum.lexical.stems import stem
from vademecum.lexical.tokens import has_unspaced, query_tokens

# A mark that nothing closes is a character like any other.
_PHRASE = re.compile(r'"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»')

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


@frozen
class Phrase:
    """Words that must stand in a section as they are, whatever the case and the line breaks."""

    text: str
    """As `fold_phrase` gives it."""

    def holds(self, folded: str) -> bool:
        """Whether a text that `fold_phrase` gave holds the phrase, from the beginning of a word to the end of one."""
        return self.at(folded) >= 0

    def at(self, folded: str) -> int:
        """Where in a folded text it stands, or -1."""
        place = folded.find(self.text)
        while place >= 0:
            end = place + len(self.text)
            before = folded[place - 1 : place] if place else ""
            if _is_edge(before, self.text[0]) and _is_edge(self.text[-1], folded[end : end + 1]):
                return place
            place = folded.find(self.text, place + 1)
        return -1


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
    quoted = (next(filter(None, found.groups()), "") for found in _PHRASE.finditer(text))
    phrases = (Phrase(folded) for each in quoted if (folded := fold_phrase(each)))
    return Query(text, tuple(dict.fromkeys(phrases)))


def _is_edge(left: str, right: str) -> bool:
    """Whether a word ends between two neighbours; scripts without spaces have no such ends."""
    return not (_is_word(left) and _is_word(right))


def _is_word(char: str) -> bool:
    return bool(char) and (char.isalnum() or char == "_") and not has_unspaced(char)
