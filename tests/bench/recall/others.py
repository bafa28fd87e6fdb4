"""How others find memories for a prompt, on the same memories."""

from collections.abc import Callable, Sequence

from bench.recall.data_files import Row
from vademecum.lexical.tokens import prose_tokens

Answer = Callable[[str], Sequence[tuple[str, float]]]
"""Ids with their scores, best first."""


def substring(memories: Sequence[Row]) -> Answer:
    """CodeBuddy's way: the prompt as it is, in title, content or keywords."""
    texts = [
        (each["id"], f"{each['title']}\n{each['content']}\n{'|'.join(each['keywords'])}".lower()) for each in memories
    ]
    return lambda prompt: [(id, 1.0) for id, text in texts if prompt.lower() in text]


def all_words(memories: Sequence[Row]) -> Answer:
    """CodeWhale's way: every word of the prompt has to be there."""
    texts = [(each["id"], set(prose_tokens(f"{each['title']} {each['content']}"))) for each in memories]

    def answer(prompt: str) -> list[tuple[str, float]]:
        asked = set(prose_tokens(prompt))
        return [(id, 1.0) for id, words in texts if asked <= words]

    return answer
