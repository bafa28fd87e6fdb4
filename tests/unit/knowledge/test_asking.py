"""The reader, with a scripted model: it walks for real, and what it cites is real, read, and visible."""

import re
import threading
import time
from collections.abc import Callable, Sequence

import pytest

from unit.knowledge.conftest import Open, served
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.knowledge.asking import MOST_SEARCHES, READ_CHARACTERS, ROUNDS, steps
from vademecum.knowledge.model import Message
from vademecum.knowledge.service import Knowledge
from vademecum.knowledge.types import PAGE_CHARACTERS
from vademecum.work import Cancel, Cancelled


class Script:
    """A model that says what is written down, and remembers what it was told. Summaries it leaves alone."""

    def __init__(self, *replies: str | Callable[[], str]) -> None:
        self.replies = list(replies)
        self.told: list[str] = []

    def __call__(self, purpose: str, messages: Sequence[Message], max_tokens: int, cancel: Cancel) -> str:
        if purpose == "summarise a document":
            raise VademecumError(ErrorKind.NO_MODEL, "Not now.")
        self.told.append(messages[-1].text)
        reply = self.replies.pop(0) if self.replies else ""
        return reply if isinstance(reply, str) else reply()


def test_without_a_model_the_best_sections_are_given(knowledge: Knowledge) -> None:
    document = served(knowledge)
    answer = knowledge.ask("Which brush do I need for painting?")
    assert answer.answer is None
    assert answer.notice is not None and "No language model" in answer.notice
    assert answer.items[0].anchor == "widgets/painting"
    assert [citation.id for citation in answer.citations] == [document.id] * len(answer.items)
    assert answer.gaps == ()


def test_no_model_is_asked_of_a_task_without_documents(open_knowledge: Open) -> None:
    script = Script("GAP All of it.")
    answer = open_knowledge(complete=script).ask("Which brush do I need for painting?")
    assert script.told == []
    assert answer.answer is None and answer.items == () and answer.gaps == ()
    assert answer.notice == "Nothing in the documents of this task matches the question."


def test_the_walk_from_map_over_search_to_sections(open_knowledge: Open) -> None:
    script = Script(
        "SEARCH oak shelves\nREAD 1",
        "READ 2",
        "ANSWER Use a soft brush [1]. Shelves are of oak [2][7].\nGAP The price is not told.",
    )
    knowledge = open_knowledge(complete=script)
    served(knowledge)
    answer = knowledge.ask("painting brush")
    assert "Documents:\n- Widgets (4 sections)" in script.told[0]
    assert "[1] Widgets > Widgets > Painting" in script.told[0]
    assert "Use a brush with soft hair." in script.told[1]
    assert "Found for 'oak shelves'" in script.told[1]
    assert answer.answer == "Use a soft brush [1]. Shelves are of oak [2]."
    assert answer.citations[0].anchor == "widgets/painting"
    assert len(answer.citations) == 2
    assert answer.gaps == ("The price is not told.",)
    assert answer.items == () and answer.notice is None


@pytest.mark.parametrize(
    "replies",
    [
        ("ANSWER All is well [1].",),
        ("READ 1", "ANSWER All is well."),
        ("READ 1", "ANSWER All is well [9]."),
        ("READ 99", "ANSWER All is well [99]."),
        ("nonsense",) * ROUNDS,
        ("",),
        ("SEARCH again",) * ROUNDS,
    ],
)
def test_an_answer_that_rests_on_nothing_read_is_not_given(open_knowledge: Open, replies: tuple[str, ...]) -> None:
    script = Script(*replies)
    knowledge = open_knowledge(complete=script)
    served(knowledge)
    answer = knowledge.ask("painting brush")
    assert answer.answer is None
    assert answer.notice is not None
    assert answer.items[0].anchor == "widgets/painting"
    assert len(script.told) <= ROUNDS


def test_gaps_alone_are_an_answer_of_their_own(open_knowledge: Open) -> None:
    knowledge = open_knowledge(complete=Script("GAP Nothing is told of prices."))
    served(knowledge)
    answer = knowledge.ask("What does painting cost?")
    assert (answer.answer, answer.gaps) == (None, ("Nothing is told of prices.",))


def test_a_section_that_is_withdrawn_meanwhile_is_not_cited(open_knowledge: Open) -> None:
    script = Script("READ 1")
    knowledge = open_knowledge(complete=script)
    document = served(knowledge)

    def withdrawing() -> str:
        knowledge.withdraw(document.id)
        return "ANSWER Use a brush [1]."

    script.replies.append(withdrawing)
    answer = knowledge.ask("painting brush")
    assert (answer.answer, answer.citations, answer.items) == (None, (), ())


def test_a_section_that_is_detached_is_not_read(open_knowledge: Open) -> None:
    script = Script()
    knowledge = open_knowledge(complete=script)
    document = served(knowledge)

    def detaching() -> str:
        knowledge.detach([document.id])
        return "READ 1"

    script.replies = [detaching, "ANSWER x [1]"]
    knowledge.ask("painting brush")
    assert "soft hair" not in script.told[1]


def test_the_walk_is_bounded(open_knowledge: Open) -> None:
    script = Script(*["\n".join(f"READ {n}\nSEARCH part {n}" for n in range(1, 40))] * ROUNDS)
    knowledge = open_knowledge(complete=script)
    served(knowledge, "# Doc\n\n" + "".join(f"## Part {n}\n\n{f'part {n} ' * 700}\n\n" for n in range(40)))
    knowledge.ask("part")
    given = [text for told in script.told for text in re.findall(r"<<<\n(.*?)\n>>>", told, re.DOTALL)]
    assert PAGE_CHARACTERS < sum(map(len, given)) <= READ_CHARACTERS
    assert max(map(len, given)) <= PAGE_CHARACTERS
    assert sum(told.count("Found for") for told in script.told) <= MOST_SEARCHES
    assert len(script.told) == ROUNDS


def test_a_model_that_fails_is_told(open_knowledge: Open) -> None:
    def failing() -> str:
        raise VademecumError(ErrorKind.NO_MODEL, "The model was taken back.")

    knowledge = open_knowledge(complete=Script(failing))
    served(knowledge)
    answer = knowledge.ask("painting brush")
    assert (answer.answer, answer.notice) == (None, "The model was taken back.")
    assert answer.items


def test_asking_can_be_stopped(open_knowledge: Open) -> None:
    cancel = Cancel()

    def stopping() -> str:
        cancel.set()
        return "READ 1"

    knowledge = open_knowledge(complete=Script(stopping, "ANSWER x [1]"))
    served(knowledge)
    with pytest.raises(Cancelled):
        knowledge.ask("painting brush", cancel=cancel)


@pytest.mark.parametrize("question", ["", "  ", "x" * 1_001])
def test_questions_are_bounded(knowledge: Knowledge, question: str) -> None:
    with pytest.raises(InvalidField) as error:
        knowledge.ask(question)
    assert error.value.field == "question"


def test_steps_are_read_from_any_reply() -> None:
    assert [
        (step.kind, step.text) for step in steps("Well:\n- SEARCH: a b\nREAD 3\n\nANSWER one\ntwo [1]\nGAP x\ny")
    ] == [
        ("SEARCH", "a b"),
        ("READ", "3"),
        ("ANSWER", "one\ntwo [1]"),
        ("GAP", "x\ny"),
    ]
    assert steps("SEARCHING for it\nREADY\nANSWER\n") == []


# Summaries


def summary_of(knowledge: Knowledge, id: str, within: float = 60.0) -> str | None:
    end = time.monotonic() + within
    while time.monotonic() < end:
        (document,) = (each for each in knowledge.list().items if each.id == id)
        if document.summary is not None:
            return document.summary
        time.sleep(0.01)
    return None


def test_summaries_come_in_the_background(open_knowledge: Open) -> None:
    told: list[str] = []

    def summarising(purpose: str, messages: Sequence[Message], max_tokens: int, cancel: Cancel) -> str:
        told.append(messages[-1].text)
        return "About\nwidgets. " + "x" * 5_000

    knowledge = open_knowledge(complete=summarising)
    document = served(knowledge)
    summary = summary_of(knowledge, document.id)
    assert summary is not None and summary.startswith("About widgets.") and len(summary) <= 2_000
    assert "  Painting" in told[0] and "soft hair" in told[0]
    assert len(told[0]) < 12_000


def test_a_summary_is_never_waited_for_and_a_late_one_is_dropped(open_knowledge: Open) -> None:
    asked, let_go = threading.Event(), threading.Event()

    def slow(purpose: str, messages: Sequence[Message], max_tokens: int, cancel: Cancel) -> str:
        asked.set()
        let_go.wait(60)
        return "Late." if "soft hair" in messages[-1].text else "Of the second."

    knowledge = open_knowledge(complete=slow)
    document = knowledge.import_text("# A\n\nsoft hair\n", "A")
    assert asked.wait(60)
    second = knowledge.import_text("# A\n\nsecond\n", id=document.id)
    knowledge.publish(document.id)
    let_go.set()
    assert summary_of(knowledge, document.id) == "Of the second."
    assert knowledge.list().items[0].revision == second.revision


def test_closing_ends_the_summaries(open_knowledge: Open) -> None:
    def endless(purpose: str, messages: Sequence[Message], max_tokens: int, cancel: Cancel) -> str:
        cancel.wait(60)
        return ""

    knowledge = open_knowledge(complete=endless)
    knowledge.import_text("# A\n", "A")
    knowledge.close()
    assert not any(thread.name == "vademecum-summaries" for thread in threading.enumerate())
