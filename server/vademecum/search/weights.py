"""The constants of ranking, each of them a setting (`ranking.*`); folded together by `vademecum.settings`, owned here.

What a rule adds is in units of the best score that words and meaning alone give, which is 1; factors multiply. The
defaults are what a public benchmark of annotated queries shows (docs/benchmarks.md has each left out in turn).
"""

from enum import StrEnum

from attrs import field, frozen, validators

_SHARE = [validators.ge(0.0), validators.le(1.0)]
_GAIN = [validators.ge(0.0), validators.le(10.0)]
_FACTOR = [validators.gt(0.0), validators.le(10.0)]


class Fusing(StrEnum):
    """How the scores of words and of meaning become one (see `vademecum.search.fusion`)."""

    WEIGHTED = "weighted"
    """From the worst to the best candidate of each side, weighed and added."""
    RECIPROCAL = "reciprocal"
    """By the ranks alone, weighed and added."""


class Reranker(StrEnum):
    """What has the last word on the best candidates."""

    RULES = "rules"
    """Nothing beyond the rules."""
    MINILM = "minilm"
    """The transformer, over what the static model or words alone have found."""
    MULTILINGUAL = "multilingual"
    """The model that reads a hundred languages; slow, and an extra."""


@frozen
class Weights:
    """The constants of ranking.

    A value that cannot be used raises ValueError naming the field.
    """

    fusion: Fusing = Fusing.WEIGHTED
    """How words and meaning are put together."""
    semantic: float | None = field(default=None, validator=validators.optional(_SHARE))
    """Weight of meaning beside words, 0 to 1; when not set, what suits the model (0.5 for a transformer, 0.3 for a
    static one)."""
    symbol_semantic: float = field(default=0.5, validator=_SHARE)
    """Factor on `semantic` for a query that spells a symbol: who asks for `parse_config` wants that very word."""
    named_definition: float = field(default=0.7, validator=_GAIN)
    """Added for a chunk that defines a symbol which the query spells out."""
    named_qualified: float = field(default=0.4, validator=_GAIN)
    """Added to `namedDefinition` when the query spells the symbol's parents, too."""
    capital_definition: float = field(default=0.1, validator=_GAIN)
    """Added for a chunk that defines a word of the query with a capital, which may be a name or just a word."""
    phrase_definition: float = field(default=0.35, validator=_GAIN)
    """Added for a chunk that defines what neighbouring words of the query spell together."""
    worded_definition: float = field(default=0.15, validator=_GAIN)
    """Added for a chunk whose symbol's own words are all among the query's; less for fewer."""
    file_words: float = field(default=0.35, validator=_GAIN)
    """Added for a file whose name is made of the query's words."""
    folder_words: float = field(default=0.1, validator=_GAIN)
    """Added for a file whose folders' names are made of the query's words."""
    coherence: float = field(default=0.45, validator=_GAIN)
    """Added for the best chunk of the file whose chunks together scored most; for those of others in proportion."""
    further: float = field(default=0.4, validator=_FACTOR)
    """Factor for the second chunk of a file; its square for the third, and so on."""
    wanted: float = field(default=2.0, validator=_FACTOR)
    """Factor for tests, examples or prose when the query asks for them by name."""
    test: float = field(default=0.5, validator=_FACTOR)
    """Factor for test files, unless the query asks for tests."""
    example: float = field(default=0.5, validator=_FACTOR)
    """Factor for examples, unless the query asks for them."""
    generated: float = field(default=0.4, validator=_FACTOR)
    """Factor for generated files."""
    vendored: float = field(default=0.5, validator=_FACTOR)
    """Factor for code of others that was copied in."""
    stub: float = field(default=0.8, validator=_FACTOR)
    """Factor for files of declarations alone, such as `.pyi`."""
    reexport: float = field(default=0.75, validator=_FACTOR)
    """Factor for files that mostly pass on what others define, such as `__init__.py`."""
    docs: float = field(default=0.7, validator=_FACTOR)
    """Factor for prose, unless the query asks for it."""
    data: float = field(default=0.6, validator=_FACTOR)
    """Factor for settings and data."""
    decay: float = field(default=0.0, validator=_SHARE)
    """How much a file loses by age: 0 nothing, 1 all. Age counts from its last commit or edit."""
    half_life_days: float = field(default=30.0, validator=[validators.ge(1.0), validators.le(3650.0)])
    """Days in which a file loses half of what `decay` allows."""
    diversity: float = field(default=0.8, validator=_SHARE)
    """Lambda of maximal marginal relevance: 1 is off; the less, the more it costs a hit to be like those before it. The
    published systems have 0.7."""
    sparing_above: int = field(default=30_000, validator=[validators.ge(0), validators.le(1_000_000_000)])
    """Chunks of an index above which meaning is asked sparingly, so that answers stay quick: two thirds of its nearest
    join what words found, and none where the query spells a symbol that is defined in the workspace."""
    per_file: int = field(default=2, validator=[validators.ge(1), validators.le(1000)])
    """Hits of one file that keep their place in an answer; further ones follow after the other files."""
    reranker: Reranker = Reranker.RULES
    """What has the last word on the best candidates."""
    rerank_top: int = field(default=20, validator=[validators.ge(1), validators.le(100)])
    """How many of the best a reranking model looks at."""
    rerank_weight: float = field(default=0.5, validator=_SHARE)
    """Weight of the reranking model's opinion beside the score so far."""
