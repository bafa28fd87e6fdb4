"""What a query asks for: its tokens, the symbols it names, and whether it wants tests or prose."""

import re
from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from vademecum.lexical.glossary import in_english, terms
from vademecum.lexical.stems import stem
from vademecum.lexical.tokens import apart, fold, has_unspaced, query_tokens, split_identifier
from vademecum.search.entry import squeeze

MAX_TOKENS = 48
"""Most tokens of a query that are looked up; a longer text says no more about what is wanted."""

GLOSS_WEIGHT = 0.8
"""Weight of an English name for a Chinese term of the query, beside 1 for what the query spells: it is a guess."""

FURTHER_WEIGHT = 0.5
"""Weight of its second and further names."""

_ASKING = """
a an the this that these those is are was were be been being am do does did done doing have has had having
i you he she it we they me my our your its their them us what which who whom whose where when why how
and or but if then else than so of to in on at by for with from into onto over under about as
can could should would will shall may might must there here not no any some all each every
please show find tell give explain want need looking look code implementation implemented implement implements
defined definition located handled handles handle happens works work working used uses using
"""

STOP_WORDS = frozenset(_ASKING.split())
"""Words that say that something is asked rather than what. Left out of the search unless nothing else remains."""

_WHOLE = re.compile(
    r"\b(overview|architecture|structure|stack|code ?base|repo|repository|project|app|application|scaffold\w*"
    r"|introduc\w+|get(?:ting)? started)\b|项目|架构|概述|结构|代码库|应用",
    re.IGNORECASE,
)
INTRODUCTIONS = "readme overview introduction architecture"
"""What files say of themselves that tell about a project as a whole."""

_WORD = re.compile(r"[^\W]+")
_IDENTIFIER = re.compile(r"[^\W\d]\w*(?:(?:\.|::|->|#|/)[^\W\d]\w*)*(?:\(\))?")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_TESTS = re.compile(r"\b(tests?|testing|specs?|fixtures?|mocks?|unittests?|pytest|jest)\b", re.IGNORECASE)
_DOCS = re.compile(r"\b(docs?|documentation|readme|changelog|tutorial|guide|manual)\b", re.IGNORECASE)
_EXAMPLES = re.compile(r"\b(examples?|samples?|demos?)\b", re.IGNORECASE)


@frozen
class Ask:
    """A query, understood.

    :param tokens: token -> weight, for the text of chunks.
    :param words: stems of the words that carry meaning, in order.
    :param named: squeezed names of symbols the query spells as such (`parseConfig`, `parse_config`, `Parser.parse`).
    :param capitals: squeezed words that are perhaps names, by their capital: *how the Session is opened*.
    :param phrases: squeezed names that neighbouring words would make (*rate limiter* -> ratelimiter).
    :param gloss: the query in English, as far as its Chinese terms are known; empty when there are none. What the names
        in it are worth is in `tokens`, `words` and `phrases` already.
    :param qualified: for `named` ones that were written with their parents, the whole of it, squeezed part by part.
    """

    text: str
    tokens: dict[str, float]
    words: tuple[str, ...]
    named: frozenset[str]
    capitals: frozenset[str]
    phrases: frozenset[str]
    qualified: tuple[tuple[str, ...], ...]
    wants_tests: bool
    wants_docs: bool
    wants_examples: bool
    gloss: str = ""

    @property
    def meant(self) -> str:
        """The text that a model is to understand: the query, and its Chinese terms in English behind it."""
        return f"{self.text} {self.gloss}" if self.gloss else self.text


def understand(text: str) -> Ask:
    """What the text asks for. Never fails, whatever characters it holds."""
    plain = apart(fold(text))
    kept = _telling(plain)
    tokens = query_tokens(" ".join(kept))
    named: set[str] = set()
    capitals: set[str] = set()
    qualified: list[tuple[str, ...]] = []
    for spelled in _IDENTIFIER.findall(plain):
        bare = spelled.removesuffix("()")
        parts = [part for part in re.split(r"\.|::|->|#|/", bare) if part]
        # A query of one word names it; one run of Chinese is a phrase.
        alone = kept == [bare] and not has_unspaced(bare)
        if spelled != bare or len(parts) > 1 or "_" in bare.strip("_") or _CAMEL.search(bare) or alone:
            named.add(squeeze(bare))
            if len(parts) > 1:
                qualified.append(tuple(squeeze(part) for part in parts))
        elif bare[:1].isupper() and bare.lower() not in STOP_WORDS and not plain.lstrip().startswith(bare):
            # A capital in the middle of a sentence is a name more often than not: the Session, a Blueprint.
            capitals.add(squeeze(bare))
    spoken = [kept]
    if gloss := in_english(plain):
        spoken.append(_telling(gloss))
        for name, weight in _names(plain):
            spoken.append(_telling(name))
            for token, own in query_tokens(" ".join(spoken[-1])).items():
                tokens[token] = max(tokens.get(token, 0.0), weight * own)
    if len(tokens) > MAX_TOKENS:
        heavy = sorted(tokens.items(), key=lambda item: -item[1])[:MAX_TOKENS]
        tokens = dict(heavy)
    phrases = {phrase for words in spoken for phrase in _phrases([word.lower() for word in words])}
    parts_of = [part for words in spoken for word in words for part in (split_identifier(word) or [word.lower()])]
    said = f"{plain} {gloss}"
    return Ask(
        text=text,
        tokens=tokens,
        words=tuple(dict.fromkeys(stem(part) for part in parts_of)),
        named=frozenset(named - {""}),
        capitals=frozenset(capitals - named - {""}),
        phrases=frozenset(phrases - named),
        qualified=tuple(qualified),
        wants_tests=_TESTS.search(said) is not None,
        wants_docs=_DOCS.search(said) is not None,
        wants_examples=_EXAMPLES.search(said) is not None,
        gloss=gloss,
    )


def asks_for_the_whole(text: str) -> bool:
    """Whether a query may be about the project as a whole: *how does the app work*, *what is the tech stack*."""
    return _WHOLE.search(text) is not None


def introduced(ask: Ask) -> Ask:
    """The same question, put to the files that introduce a project; its meaning stays."""
    return evolve(understand(INTRODUCTIONS), text=ask.text, gloss=ask.gloss)


def _telling(text: str) -> list[str]:
    """The words of a text but for those that only ask; all of them when there are no others."""
    words = [word for word in _WORD.findall(text) if word.strip("_")]
    return [word for word in words if word.lower() not in STOP_WORDS] or words


def _names(text: str) -> Iterator[tuple[str, float]]:
    """The English names of the Chinese terms in a text, each with its weight."""
    for term in terms(text):
        for place, name in enumerate(term.names):
            yield name, FURTHER_WEIGHT if place else GLOSS_WEIGHT


def _phrases(words: Sequence[str]) -> set[str]:
    """What up to three neighbouring words make together, and each word of more than two characters."""
    return {
        "".join(words[start : start + length])
        for length in (1, 2, 3)
        for start in range(len(words) - length + 1)
        if length > 1 or len(words[start]) > 2
    }
