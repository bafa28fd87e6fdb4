"""What a task sees is published and attached to it: on every way to a text, at any time."""

from collections.abc import Callable
from typing import Any

import pytest

from unit.knowledge.conftest import Open, served
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.knowledge.model import Message
from vademecum.knowledge.service import Knowledge
from vademecum.work import Cancel

SECRET_WORD = "capybara"
TEXT = f"# Hidden {SECRET_WORD}\n\nThe {SECRET_WORD} sleeps.\n\n## Below {SECRET_WORD}\n\n{SECRET_WORD}\n"


def never(purpose: str, messages: tuple[Message, ...], max_tokens: int, cancel: Cancel) -> str:
    """A model that reads whatever it can and says it."""
    told = "\n".join(message.text for message in messages if message.role == "user")
    if purpose == "summarise a document":
        return told
    if len(messages) < 4:
        return f"SEARCH {SECRET_WORD}\nREAD 1\nREAD 2"
    return f"ANSWER {told.replace('Question: ' + SECRET_WORD, '').replace(f'Found for {SECRET_WORD!r}', '')} [1]"


# Every request that can return text of a document or of its headings, and what it is refused with.
WAYS: dict[str, Callable[[Knowledge, str], Any]] = {
    "map": lambda knowledge, id: knowledge.map(),
    "outline": lambda knowledge, id: knowledge.outline(id),
    "search": lambda knowledge, id: knowledge.search(SECRET_WORD),
    "search for a phrase": lambda knowledge, id: knowledge.search(f'"{SECRET_WORD} sleeps"'),
    "search for signs": lambda knowledge, id: knowledge.search('"."'),
    "readSection": lambda knowledge, id: knowledge.read_section(id, f"hidden-{SECRET_WORD}"),
    "readSection below": lambda knowledge, id: knowledge.read_section(id, f"hidden-{SECRET_WORD}/below-{SECRET_WORD}"),
    "ask": lambda knowledge, id: knowledge.ask(SECRET_WORD),
}


def told_by(way: str, knowledge: Knowledge, id: str) -> str:
    try:
        return repr(WAYS[way](knowledge, id))
    except VademecumError as error:
        return f"refused: {error.kind}"


@pytest.fixture(params=[None, never], ids=["no model", "a model that tells all"])
def knowledge(request: pytest.FixtureRequest, open_knowledge: Open) -> Knowledge:
    return open_knowledge(complete=request.param)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_a_text_needs_it_published_and_attached(knowledge: Knowledge, way: str) -> None:
    served(knowledge, "# Other\n\nother. text\n", "Other")
    id = knowledge.import_text(TEXT, f"Title {SECRET_WORD}").id

    def seen() -> bool:
        return SECRET_WORD in told_by(way, knowledge, id).replace(f"Question: {SECRET_WORD}", "")

    assert not seen(), "pending, not attached"
    knowledge.attach([id])
    assert not seen(), "pending, attached"
    knowledge.publish(id)
    assert seen(), "published, attached"
    knowledge.detach([id])
    assert not seen(), "published, detached"
    knowledge.attach([id], "another task")
    assert not seen(), "attached to another task"
    knowledge.attach([id])
    assert seen()
    knowledge.withdraw(id)
    assert not seen(), "withdrawn"
    knowledge.publish(id)
    assert seen()
    knowledge.import_text(TEXT + "more\n", id=id)
    assert not seen(), "imported again"
    knowledge.publish(id)
    assert seen()
    knowledge.remove(id)
    assert not seen(), "removed"


def test_refusals_say_why(open_knowledge: Open) -> None:
    knowledge = open_knowledge()
    id = knowledge.import_text(TEXT, "Title").id

    def kinds() -> set[str]:
        return {told_by(way, knowledge, id) for way in ("outline", "readSection")}

    assert kinds() == {"refused: notPublished"}
    knowledge.publish(id)
    assert kinds() == {"refused: notAttached"}
    knowledge.attach([id])
    with pytest.raises(VademecumError) as error:
        knowledge.read_section(id, "no-such-section")
    assert error.value.kind is ErrorKind.NOT_FOUND
    knowledge.remove(id)
    assert kinds() == {"refused: notFound"}


def test_attachments_are_of_a_task_and_survive_a_restart(open_knowledge: Open) -> None:
    one = open_knowledge()
    first, second = served(one, title="A", task="t1"), served(one, title="B", task="t2")
    assert one.attach([second.id], "t1").attached == tuple(sorted((first.id, second.id)))
    assert one.detach([first.id, "nobody"], "t1").attached == (second.id,)
    other = open_knowledge()
    assert other.attached("t1").attached == (second.id,)
    assert other.attached("t3").attached == ()
    assert other.attach([], "t3").attached == ()


def test_the_map_has_pages_by_title(open_knowledge: Open) -> None:
    knowledge = open_knowledge()
    for title in ("c", "A", "e", "B", "d"):
        served(knowledge, title=title)
    served(knowledge, title="other", task="other")
    pages = [knowledge.map(offset=offset, limit=2) for offset in (0, 2, 4, 6)]
    assert [[item.title for item in page.items] for page in pages] == [["A", "B"], ["c", "d"], ["e"], []]
    assert [(page.total, page.next_offset) for page in pages] == [(5, 2), (5, 4), (5, None), (5, None)]


def test_an_unknown_id_attaches_none(open_knowledge: Open) -> None:
    knowledge = open_knowledge()
    id = knowledge.import_text("x", "X").id
    with pytest.raises(VademecumError):
        knowledge.attach([id, "nobody"])
    assert knowledge.attached().attached == ()


@pytest.mark.parametrize("task", ["", "t" * 201])
def test_names_of_tasks_are_bounded(open_knowledge: Open, task: str) -> None:
    knowledge = open_knowledge()
    for call in (knowledge.map, knowledge.attached):
        with pytest.raises(InvalidField) as error:
            call(task)
        assert error.value.field == "task"
