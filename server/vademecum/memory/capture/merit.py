"""Merit: which proposals are good enough to be kept, whatever the model says of them."""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence

from vademecum.memory.capture import judging
from vademecum.memory.capture.cues import Cue
from vademecum.memory.capture.proposal import Proposal
from vademecum.memory.capture.types import Exchange
from vademecum.memory.types import Scope

#: Salience, from 1 to 5, below which nothing is kept unless the user asked for it.
LEAST_SALIENCE = 3

#: A quote must hold this many letters to prove anything.
_LEAST_QUOTE = 4

#: Text that orders a model to leave what it was told, or to be somebody else.
_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|other|the user"
    r"|system|safety|these|those)\b.{0,30}\b(?:instructions?|rules?|prompts?|messages?|memor(?:y|ies)|guidelines?|user)\b"
    r"|^\s*#*\s*(?:system|assistant|developer)\s*:|\byou are now\b|\bjailbreak\b|\bdo anything now\b"
    r"|(?:忽略|无视|忘记|绕过).{0,12}(?:之前|以上|上面|先前|所有|系统).{0,8}(?:指令|指示|规则|提示|消息)",
    re.IGNORECASE | re.MULTILINE,
)
#: What a user who does not work on such things has no reason to speak of.
_OF_MODELS = re.compile(r"\b(?:system|developer) (?:prompt|message|override)\b|系统提示", re.IGNORECASE)
#: Marks of frames and chat templates, which no plain fact holds.
_FRAME = re.compile(
    r"</[a-z]|<\||\|>|\[/?INST\]|<!--|vademecum-(?:memory|standing|background|changes|charter)"
    r"|<(?:system|assistant|user|instructions?|memory|memories|context|important|prompt)\b",
    re.IGNORECASE,
)


def worthy(
    proposals: Sequence[Proposal], window: Mapping[Exchange, Collection[Cue]], scopes: Collection[Scope]
) -> list[Proposal]:
    """Return the proposals that are worth keeping.

    Each must rest on words of the user that stand in the window, hold no instruction or frame, and be of a scope that
    there is. It must also be specific, lasting, not to be read from the files, and salient, unless it rests on a
    message in which the user asked outright to remember something.

    :param window: the exchanges that were shown, with their cues; those without any prove nothing.
    """
    kept = []
    for proposal in proposals:
        cues = [cues for exchange, cues in window.items() if cues and rests_on(proposal.quote, exchange)]
        if not cues or proposal.scope not in scopes or is_hostile(proposal):
            continue
        is_asked_for = any(Cue.EXPLICIT in each for each in cues)
        if is_asked_for or is_lasting(proposal):
            kept.append(proposal)
    return kept


def is_lasting(proposal: Proposal) -> bool:
    """Whether the model's own judgment of it is good enough."""
    return proposal.specific and proposal.lasting and not proposal.in_files and proposal.salience >= LEAST_SALIENCE


def rests_on(quote: str, exchange: Exchange) -> bool:
    """Whether the user said these words in the exchange: case, width and spacing aside, character for character."""
    wanted = _plain(quote)
    return sum(map(str.isalnum, wanted)) >= _LEAST_QUOTE and wanted in _plain(judging.shown(exchange.user))


def is_hostile(proposal: Proposal) -> bool:
    """Whether any text of it is shaped like an instruction to a model, or imitates a frame."""
    return any(map(is_hostile_text, (proposal.title, proposal.content, proposal.description, *proposal.keywords)))


def is_hostile_text(text: str) -> bool:
    """Whether a text, as it stands or as a reader may see it, is an instruction to a model or imitates a frame."""
    return any(_is_hostile(form) for form in forms(text))


def is_override(text: str) -> bool:
    """Whether a text, as it stands or as a reader may see it, orders a model to leave what it was told."""
    return any(map(_OVERRIDE.search, forms(text)))


def forms(text: str) -> tuple[str, ...]:
    """The text, and what a reader may make of it: without invisible characters, in plain width, in one line."""
    visible = "".join(char for char in text if unicodedata.category(char) != "Cf")
    plain = unicodedata.normalize("NFKC", visible)
    return (text, plain, " ".join(plain.split()))


def _is_hostile(text: str) -> bool:
    return bool(_OVERRIDE.search(text) or _OF_MODELS.search(text) or _FRAME.search(text))


def _plain(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("‘", "'")
    return " ".join(plain.split()).strip(" .,!?;:\"'。，！？；：")
