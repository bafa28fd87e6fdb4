"""What an answer says of itself."""

import pytest

from vademecum.search.notices import notices
from vademecum.search.types import IndexState, Mode, NoticeKind, Status, VectorsState, VectorsStatus


def told(vectors: VectorsStatus, mode: Mode = Mode.HYBRID) -> list[tuple[NoticeKind, str]]:
    status = Status(state=IndexState.READY, files=3, complete=True, vectors=vectors)
    return [(each.kind, each.message) for each in notices(mode, status, told=False, no_meaning=None, cut=False)]


def test_before_anything_is_counted_no_numbers_are_told() -> None:
    prepared = "Search by meaning is being prepared: everything is found by words until then."
    assert told(VectorsStatus()) == [(NoticeKind.VECTORS_PENDING, prepared)]
    changed = VectorsStatus(state=VectorsState.EMBEDDING, name="static", former="minilm")
    ((kind, message),) = told(changed)
    assert kind is NoticeKind.MODEL_CHANGED
    assert message == "The model was changed from minilm to static; everything is found by words until then."


def test_how_far_it_is_is_told_until_every_text_had_its_turn() -> None:
    half = VectorsStatus(state=VectorsState.EMBEDDING, name="minilm", embedded=1_500, total=3_000)
    ((kind, message),) = told(half)
    assert kind is NoticeKind.VECTORS_PENDING
    assert message.endswith(": 1,500 of 3,000 texts have a vector so far, the rest is found by words.")
    assert told(VectorsStatus(state=VectorsState.READY, name="minilm", embedded=2, failed=1, total=3)) == []


@pytest.mark.parametrize("state", VectorsState)
def test_who_asks_for_words_alone_is_told_nothing_of_meaning(state: VectorsState) -> None:
    assert told(VectorsStatus(state=state), Mode.LEXICAL) == []
