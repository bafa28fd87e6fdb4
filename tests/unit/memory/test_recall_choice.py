"""A lent model's choice of what is recalled: what it is shown, when it is asked, what counts of what it does."""

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from vademecum.errors import ErrorKind, VademecumError
from vademecum.memory import recall_choice
from vademecum.memory.model_answer import Unusable
from vademecum.memory.places import Places
from vademecum.memory.recall_choice import Chooser, NotChosen, is_in_doubt, manifest, picks
from vademecum.memory.record import Record
from vademecum.memory.service import Memories
from vademecum.memory.settings import MemorySettings, RecallModel
from vademecum.memory.types import Category, NewMemory, RecallNoticeKind, Scope
from vademecum.model import Complete, Lack, Message, Purpose, lacking
from vademecum.work import Bounded, Cancel, Cancelled


def _records(count: int, title: str = "Title", description: str = "") -> list[tuple[str, Record]]:
    return [
        (f"id{n}", Record(f"id{n}", f"{title} {n}", "BODY", Category.RULE, "user", description)) for n in range(count)
    ]


def _saying(answer: str | Exception, asked: list[Sequence[Message]] | None = None) -> Complete:
    def complete(purpose: Purpose, messages: Sequence[Message], max_tokens: int, cancel: Cancel) -> str:
        assert purpose is Purpose.RECALL
        if asked is not None:
            asked.append(messages)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return complete


def test_at_most_two_hundred_short_heads_are_shown_and_the_best_stay() -> None:
    shown = manifest(_records(500))
    assert [each["id"] for each in shown] == [f"id{n}" for n in range(200)]
    shown = manifest(_records(500, "茶" * 190, "说" * 300))
    assert [each["id"] for each in shown] == [f"id{n}" for n in range(len(shown))]
    assert 40 < len(shown) < 200
    assert len(json.dumps(shown, ensure_ascii=False)) <= recall_choice.MANIFEST_CHARACTERS + 2
    assert "BODY" not in repr(shown)


def test_a_description_that_is_cut_hides_no_half_of_a_secret() -> None:
    [shown] = manifest(_records(1, description=f"{'x' * 140} ghp_0123456789abcdefghijABCDEFGHIJ456789"))
    assert "ghp_" not in shown["description"] and len(shown["description"]) <= 160


def test_a_fenced_answer_is_read_and_repeated_or_unknown_ids_are_dropped() -> None:
    assert picks('```json\n{"picks": ["b", "a", "b", "x"]}\n```', {"a", "b"}, 5) == ("b", "a")
    assert picks('{"picks": []}', {"a"}, 5) == ()
    for answer in ('{"picks": ["x"]}', '{"picks": ["a", "b"]}', '["a"]', '{"ids": ["a"]}', "a", ""):
        with pytest.raises(Unusable):
            picks(answer, {"a", "b"}, 1)


@pytest.mark.parametrize(
    ("error", "kind", "rests"),
    [
        (lacking(Lack.NOT_LENT, "no"), RecallNoticeKind.NO_MODEL, False),
        (lacking(Lack.NO_ANSWER, "late"), RecallNoticeKind.MODEL_FAILED, True),
        (lacking(Lack.MALFORMED, "long"), RecallNoticeKind.UNUSABLE, False),
        (VademecumError(ErrorKind.BUSY, "busy"), RecallNoticeKind.BUSY, False),
        (Cancelled(), RecallNoticeKind.MODEL_FAILED, True),
        (RuntimeError("hostile"), RecallNoticeKind.MODEL_FAILED, True),
    ],
    ids=repr,
)
def test_whatever_a_model_does_no_choice_comes_of_it_and_after_a_failure_it_is_left_alone(
    error: Exception, kind: RecallNoticeKind, rests: bool
) -> None:
    now = 100.0
    asked: list[Sequence[Message]] = []
    chooser = Chooser(_saying(error, asked), lambda: now)
    for _ in range(2):
        with pytest.raises(NotChosen) as problem:
            chooser.choose("prompt", _records(3), 5, Cancel())
        assert problem.value.notice.kind is kind
    assert len(asked) == (1 if rests else 2)
    now += recall_choice.REST_SECONDS
    with pytest.raises(NotChosen):
        chooser.choose("prompt", _records(3), 5, Cancel())
    assert len(asked) == (2 if rests else 3)


def test_a_recall_that_was_cancelled_is_no_failure_of_the_model() -> None:
    cancel = Cancel()
    cancel.set()
    chooser = Chooser(_saying(Cancelled()))
    with pytest.raises(Cancelled):
        chooser.choose("prompt", _records(3), 5, cancel)
    with pytest.raises(NotChosen):  # asked again, since its turn was given back
        chooser.choose("prompt", _records(3), 5, Cancel())


def test_who_comes_second_does_not_wait() -> None:
    asked, go = threading.Event(), threading.Event()

    def slow(purpose: Purpose, messages: Sequence[Message], max_tokens: int, cancel: Cancel) -> str:
        asked.set()
        assert go.wait(60)
        return '{"picks": ["id1"]}'

    chooser = Chooser(slow)
    chosen: list[tuple[str, ...]] = []
    thread = threading.Thread(target=lambda: chosen.append(chooser.choose("prompt", _records(3), 5, Cancel())))
    thread.start()
    assert asked.wait(60)
    with pytest.raises(NotChosen) as problem:
        chooser.choose("prompt", _records(3), 5, Cancel())
    go.set()
    thread.join(60)
    assert problem.value.notice.kind is RecallNoticeKind.BUSY and chosen == [("id1",)]


def test_a_cancel_with_a_time_is_set_by_either() -> None:
    outer = Cancel()
    assert Bounded(outer, 0).is_set
    bounded = Bounded(outer, 600)
    bounded.check()
    bounded.wait(0)
    outer.set()
    for stopped in (bounded.check, lambda: bounded.wait(60), lambda: Bounded(Cancel(), 0).wait(60)):
        with pytest.raises(Cancelled):
            stopped()


def test_a_ranking_is_in_doubt_between_all_but_sure_and_sure() -> None:
    assert [is_in_doubt(best, 0.5) for best in (0.0, 0.049, 0.05, 0.5, 0.89, 0.9, 1.0)] == [
        False, False, True, True, True, False, False,
    ]  # fmt: skip
    assert is_in_doubt(0.92, 0.95), "it would not be recalled"


@pytest.fixture
def remembering(tmp_path: Path) -> Callable[[Complete], Memories]:
    def made(complete: Complete) -> Memories:
        settings = MemorySettings(recall_model=RecallModel.AUTO)
        memories = Memories(Places(tmp_path / "home", tmp_path / "state"), settings=settings, complete=complete)
        for n in range(250):
            memories.add(NewMemory(f"Crane {n}", f"Crane number {n} lifts {n} tons.", Category.KNOWLEDGE, Scope.USER))
        memories.add(NewMemory("Package manager", "The client uses pnpm.", Category.KNOWLEDGE, Scope.USER))
        return memories

    return made


def test_the_best_and_the_most_recent_are_offered(remembering: Callable[[Complete], Memories]) -> None:
    asked: list[Sequence[Message]] = []
    memories = remembering(_saying('{"picks": []}', asked))
    newest = NewMemory("Harbour", "The harbour master is called Joost.", Category.KNOWLEDGE, Scope.USER)
    memories.add(newest)
    found = memories.recall("Can I ship the client today?")
    assert found.items == () and found.notices is None
    shown = json.loads(asked[0][1].text)["memories"]
    assert shown[0]["title"] == "Package manager"
    assert "Harbour" in [each["title"] for each in shown]
    assert len(shown) == 200 == len({each["id"] for each in shown})


def test_a_caller_may_do_without(remembering: Callable[[Complete], Memories]) -> None:
    asked: list[Sequence[Message]] = []
    memories = remembering(_saying("", asked))
    memories.recall("Can I ship the client today?", ask_model=False)
    assert asked == []
