"""Both sides of a search: what words find and what meaning finds, and every candidate measured by both."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from vademecum.embedding.scripts import share_read
from vademecum.embedding.types import Kind
from vademecum.lexical.index import Snapshot
from vademecum.search.asking import Ask
from vademecum.search.candidates import POOL, Candidate, Filters, lexical, with_numbers
from vademecum.search.fusion import Blend, Measured
from vademecum.search.types import Mode
from vademecum.search.weights import Weights
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.search.semantic import Meaning

SEMANTIC_OF = {Kind.TRANSFORMER: 0.5, Kind.STATIC: 0.3}
"""Weight of the vectors beside words, by the kind of model; measured, see docs/benchmarks.md."""

WIDER = 8
"""How many times more of the nearest are looked at when filters leave too few of them; twice at most."""


SPARING = 40
"""The nearest that join what words found where meaning is asked sparingly; see `Weights.sparing_above`."""


def gather(
    snapshot: Snapshot,
    ask: Ask,
    kept: Filters,
    mode: Mode,
    meaning: "Meaning | None",
    cancel: Cancel,
    *,
    sparing: bool = False,
) -> list[Measured]:
    """The candidates of the sides that a mode asks for: those that words find first, best first on either side.

    Without a `meaning` words find them whatever the mode.

    :param sparing: whether meaning adds fewer of its own to what words find, and none where these define a symbol that
        the query spells. It measures all of them anyway.
    :raises Cancelled: when told to stop.
    """
    if meaning is None:
        return [Measured(each, each.score, None) for each in lexical(snapshot, ask, kept, POOL)]
    found = lexical(snapshot, ask, kept, POOL) if mode is Mode.HYBRID else []
    sparing = sparing and mode is Mode.HYBRID
    answered = sparing and any(not each.defines.isdisjoint(ask.named) for each in found)
    if mode is not Mode.LEXICAL and not answered:
        met = {each.key for each in found}
        known = {each.number for each in found}
        most = SPARING if sparing else POOL
        found += [each for each in nearest(snapshot, ask, kept, meaning, cancel, known, most) if each.key not in met]
    measured = zip(found, meaning.cosines([each.vector for each in found]), strict=True)
    return [Measured(each, each.score, cosine) for each, cosine in measured]


def nearest(
    snapshot: Snapshot,
    ask: Ask,
    kept: Filters,
    meaning: "Meaning",
    cancel: Cancel,
    known: Collection[int] = (),
    most: int = POOL,
) -> list[Candidate]:
    """The chunks nearest to a meaning, nearest first; their scores are BM25 of the query's words.

    :param known: numbers of vectors whose text is a candidate already; these take their place among the nearest, and
        are not given.
    """
    wanted = most
    while True:
        numbers = meaning.nearest(wanted, cancel)
        unknown = [number for number in numbers if number not in known]
        left = most - (len(numbers) - len(unknown))
        found = with_numbers(snapshot, ask, kept, unknown)
        if len(found) >= left or len(numbers) < wanted or wanted >= most * WIDER**2 or not kept.any:
            break
        wanted *= WIDER
    rank = {number: place for place, number in enumerate(numbers)}
    found.sort(key=lambda each: (rank.get(each.number, len(rank)), each.path, each.start))
    return found[: max(0, left)]


def blend(
    weights: Weights, ask: Ask, meaning: "Meaning | None", measured: Sequence[Measured], held: Callable[[str], bool]
) -> Blend:
    """How much weight meaning has for one query: less for a symbol that is spelled out; less for the part of the query
    in scripts that the model was not taught, as far as words can find it; all of it where no word was found at all.

    What is asked in Chinese of code that holds none is out of the reach of words: there even a model that was hardly
    taught it knows better, and 0.53 instead of 0.35 was measured on Chinese questions.

    :param held: whether any text of the index holds a token.
    """
    if meaning is None:
        return Blend(weights.fusion, 0.0)
    if not any(each.words > 0 for each in measured):
        return Blend(weights.fusion, 1.0)
    facts = meaning.facts
    share = SEMANTIC_OF[facts.kind] if weights.semantic is None else weights.semantic
    if ask.named:
        share *= weights.symbol_semantic
    read = share_read(facts.scripts, ask.meant)
    if read < 1:
        # Pairs of characters: a single one is held by any text of its language.
        strange = [token for token in ask.tokens if len(token) > 1 and share_read(facts.scripts, token) < 1]
        within_reach = sum(map(held, strange)) / len(strange) if strange else 0.0
        share *= 1 - (1 - read) * within_reach
    return Blend(weights.fusion, share)
