"""What the model answered, read strictly: an answer that is not exactly of the form is not used at all."""

from typing import Any

from attrs import frozen

from vademecum.memory.capture import judging
from vademecum.memory.model_answer import Unusable, listed
from vademecum.memory.types import Category, Scope

#: Bounds of what is proposed, in characters; some more than the model is told.
TITLE_CHARACTERS = 200
CONTENT_CHARACTERS = 2_000
DESCRIPTION_CHARACTERS = 400
KEYWORDS = 16
KEYWORD_CHARACTERS = 60
QUOTE_CHARACTERS = 2_000
#: An answer that is longer than this is not even read.
ANSWER_CHARACTERS = 40_000

_TEXTS = ("title", "content", "description", "type", "scope", "category", "quote")
_FLAGS = ("specific", "lasting", "inFiles")
_KEYS = frozenset({*_TEXTS, *_FLAGS, "keywords", "salience"})


@frozen
class Proposal:
    """Something that the model would keep, of the right form; whether it is right is not said by that."""

    title: str
    content: str
    description: str
    type: str
    scope: Scope
    category: Category
    keywords: tuple[str, ...]
    quote: str
    specific: bool
    lasting: bool
    in_files: bool
    salience: int


def proposals(answer: str) -> tuple[Proposal, ...]:
    """Read an answer: one JSON object, alone or in one code fence.

    :raises Unusable: when anything in it is missing, of another type, out of bounds, or not asked for.
    """
    items = listed(answer, "memories", characters=ANSWER_CHARACTERS, items=judging.MOST)
    return tuple(map(_proposal, items))


def _proposal(item: Any) -> Proposal:
    if not isinstance(item, dict) or item.keys() != _KEYS:
        raise Unusable("a memory has not the keys that were asked for")
    keywords = item["keywords"]
    if not isinstance(keywords, list) or len(keywords) > KEYWORDS:
        raise Unusable("keywords is not a short list")
    salience = item["salience"]
    if isinstance(salience, bool) or not isinstance(salience, int) or not 1 <= salience <= 5:
        raise Unusable("salience is not a number from 1 to 5")
    if not all(isinstance(item[key], str) for key in _TEXTS):
        raise Unusable("a text is none")
    if item["type"] not in judging.TYPES or item["category"] not in judging.CATEGORIES:
        raise Unusable("type or category is none of those that there are")
    if item["scope"] not in judging.SCOPES:
        raise Unusable("scope is neither user nor project")
    return Proposal(
        title=_text(item, "title", TITLE_CHARACTERS),
        content=_text(item, "content", CONTENT_CHARACTERS),
        description=_text(item, "description", DESCRIPTION_CHARACTERS),
        type=item["type"],
        scope=Scope(item["scope"]),
        category=Category(item["category"]),
        keywords=tuple(_bounded(word, "keywords", KEYWORD_CHARACTERS) for word in keywords),
        quote=_text(item, "quote", QUOTE_CHARACTERS),
        specific=_flag(item, "specific"),
        lasting=_flag(item, "lasting"),
        in_files=_flag(item, "inFiles"),
        salience=salience,
    )


def _text(item: dict[str, Any], key: str, most: int) -> str:
    return _bounded(item[key], key, most)


def _bounded(value: Any, key: str, most: int) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > most:
        raise Unusable(f"{key} is no text of {most} characters at most")
    return value.strip()


def _flag(item: dict[str, Any], key: str) -> bool:
    value = item[key]
    if not isinstance(value, bool):
        raise Unusable(f"{key} is neither true nor false")
    return value
