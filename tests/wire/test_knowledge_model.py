"""Documents with a model that the client lends: answers with citations, and summaries that nothing waits for."""

import threading
from collections.abc import Callable
from typing import Any

from wire.client import Client
from wire.test_knowledge import served

LENDING = {"experimental": {"vademecum": {"model": True}}}
TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ456789"
TEXT = f"# Guide\n\nAbout circles.\n\n## Painting\n\nUse a brush with soft hair, and {TOKEN}.\n"


def lent(start: Callable[..., Client], answer: Callable[[dict[str, Any]], str]) -> Client:
    """A server whose client lends a model that says what `answer` gives."""
    client = start()
    client.answers["model/complete"] = lambda params: {"text": answer(params)}
    client.initialize(capabilities=LENDING)
    return client


def test_a_question_is_answered_from_what_the_model_read(start: Callable[..., Client]) -> None:
    told: list[dict[str, Any]] = []

    def answer(params: dict[str, Any]) -> str:
        if params["purpose"] != "answer from documents":
            return "About circles."
        told.append(params)
        if len(told) == 1:
            return "READ 1"
        return "ANSWER Take one with soft hair [1], says another [4].\nGAP Which colour is best."

    client = lent(start, answer)
    id = served(client, TEXT)["id"]
    result = client.request("knowledge/ask", {"question": "Which brush do I need for painting?"})
    assert result["answer"] == "Take one with soft hair [1], says another."
    assert [(each["id"], each["anchor"]) for each in result["citations"]] == [(id, "guide/painting")]
    assert result["gaps"] == ["Which colour is best."]
    assert result["items"] == []
    read = told[1]["messages"][-1]["text"]
    assert "soft hair" in read and "[redacted: github token]" in read
    assert TOKEN not in repr(told)


def test_a_summary_comes_in_the_background_and_import_does_not_wait(start: Callable[..., Client]) -> None:
    asked = threading.Event()
    answers: list[str] = []

    def answer(params: dict[str, Any]) -> str:
        answers.append(params["purpose"])
        asked.set()
        return "How to paint a circle."

    client = lent(start, answer)
    document = client.request("knowledge/import", {"text": TEXT, "title": "Guide"})
    assert "summary" not in document
    assert asked.wait(60)
    client.wait_for(
        lambda: client.request("knowledge/list")["items"][0].get("summary") == "How to paint a circle.", "the summary"
    )
    assert set(answers) == {"summarise a document"}


def test_a_model_that_is_refused_leaves_the_best_sections(start: Callable[..., Client]) -> None:
    client = start()
    client.initialize(capabilities=LENDING)  # and answers null
    served(client, TEXT)
    result = client.request("knowledge/ask", {"question": "Which brush do I need for painting?"})
    assert result["answer"] is None
    assert result["notice"]
    assert result["items"][0]["anchor"] == "guide/painting"
