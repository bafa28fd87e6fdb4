"""Models that say too much, read one thing over and over, or answer from what may not be told any more."""

import pytest

from unit.knowledge.conftest import Open, served
from unit.knowledge.test_asking import Script
from vademecum.knowledge.asking import (
    ANSWER_CHARACTERS,
    GAP_CHARACTERS,
    MOST_GAPS,
    MOST_READ,
)
from vademecum.knowledge.types import PAGE_CHARACTERS


def test_answers_and_gaps_are_bounded(open_knowledge: Open) -> None:
    gaps = "\n".join(f"GAP {n} {'x' * 1_000}" for n in range(100))
    knowledge = open_knowledge(complete=Script("READ 1", f"ANSWER Soft [1]. {'y' * 20_000}\n{gaps}"))
    served(knowledge)
    answer = knowledge.ask("painting brush")
    assert answer.answer is not None and len(answer.answer) == ANSWER_CHARACTERS and answer.answer.endswith("…")
    assert len(answer.gaps) == MOST_GAPS and max(map(len, answer.gaps)) == GAP_CHARACTERS


def test_numbers_by_the_thousand_are_not_answered_one_by_one(open_knowledge: Open) -> None:
    script = Script("READ " + " ".join(map(str, range(10_000))), "ANSWER x [1]")
    knowledge = open_knowledge(complete=script)
    served(knowledge)
    knowledge.ask("painting brush")
    assert script.told[1].count("section") <= MOST_READ + 5


def test_a_section_is_shown_once_however_often_it_is_named(open_knowledge: Open) -> None:
    script = Script("READ 1 1 1\nREAD 1", "READ 1", "ANSWER Soft [1].")
    knowledge = open_knowledge(complete=script)
    served(knowledge)
    assert knowledge.ask("painting brush").answer == "Soft [1]."
    assert script.told[1].count("<<<") == 1
    assert "read to its end" in script.told[2] and "<<<" not in script.told[2]


@pytest.mark.parametrize("text", ["lines of text\n" * 5_000 + "the marmot sleeps\n" + "more\n" * 5_000, None])
def test_a_long_section_is_read_from_where_it_matches(open_knowledge: Open, text: str | None) -> None:
    text = text or "words " * 20_000 + "the marmot sleeps " + "words " * 20_000  # one line
    script = Script("READ 1", "READ 1", "ANSWER It sleeps [1].")
    knowledge = open_knowledge(complete=script)
    document = served(knowledge, f"# Long\n\n{text}", "Long")
    answer = knowledge.ask("marmot")
    assert "the marmot sleeps" in script.told[1]
    (first, second) = (told.split("<<<\n")[1].split("\n>>>")[0] for told in script.told[1:3])
    assert max(len(first), len(second)) <= PAGE_CHARACTERS and "marmot" not in second
    whole = f"# Long\n\n{text}"
    assert first + second in whole, "the next part follows the first"
    (citation,) = answer.citations
    lines = whole.split("\n")[citation.lines.start - 1 : citation.lines.end]
    assert citation.id == document.id and any("marmot" in line for line in lines)
    assert len(lines) < 2_000


@pytest.mark.parametrize("how", ["withdraw", "detach", "remove", "publish"])
def test_an_answer_is_not_given_when_something_it_may_hold_is_not_seen_any_more(open_knowledge: Open, how: str) -> None:
    script = Script("READ 1 2")
    knowledge = open_knowledge(complete=script)
    open_one = served(knowledge, "# Open\n\nThe brush for painting is soft.\n", "Open")
    secret = served(knowledge, "# Closed\n\nThe brush for painting costs 7 florins.\n", "Closed")

    def closing() -> str:
        if how == "publish":
            knowledge.import_text("# Closed\n\nThe brush for painting is gone.\n", id=secret.id)
            knowledge.publish(secret.id)
        elif how == "detach":
            knowledge.detach([secret.id])
        else:
            getattr(knowledge, how)(secret.id)
        return "ANSWER It is soft [1] and costs 7 florins [2].\nGAP Whether 7 florins are dear."

    script.replies.append(closing)
    answer = knowledge.ask("brush for painting")
    assert answer.answer is None and answer.gaps == ()
    assert "florins" not in repr(answer)
    assert answer.notice is not None and "withdrawn" in answer.notice
    assert {hit.id for hit in answer.items} == {open_one.id}
