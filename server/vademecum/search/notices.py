"""What an answer says of itself: why it may lack something, and what to do about it."""

from collections.abc import Iterator

from vademecum.files.watch import WatcherState
from vademecum.search.types import Mode, Notice, NoticeKind, Status, VectorsState

CUT = Notice(NoticeKind.TRUNCATED, "The token budget ended the answer; go on at nextOffset.")
"""Told with an answer that the budget has cut."""

OFF = Notice(NoticeKind.DISABLED, "Code search is switched off in the settings (search.enabled).")
"""Told instead of an answer."""


def notices(mode: Mode, status: Status, told: bool, no_meaning: str | None, cut: bool) -> Iterator[Notice]:
    """What there is to say.

    :param told: whether the indexer has said anything since this server began.
    :param no_meaning: why the answer was found by words alone, though more was asked for.
    :param cut: whether the token budget ended the answer.
    """
    if not status.complete:
        text = f"The first index is being made: {status.files} files so far. Ask again for a complete answer."
        yield Notice(NoticeKind.PARTIAL, text)
    if status.refusal is not None:
        yield Notice(NoticeKind.INDEXER_FAILED, f"The index is not being updated: {status.refusal}.")
    elif status.watcher.state is WatcherState.FAILED and told:
        reason = status.watcher.reason or "for a reason unknown"
        yield Notice(
            NoticeKind.WATCHER_FAILED,
            f"Changes are not noticed at once ({reason}); what is shown here was read just now.",
        )
    if mode is not Mode.LEXICAL:
        yield from _of_meaning(status, no_meaning)
    if cut:
        yield CUT


def _of_meaning(status: Status, no_meaning: str | None) -> Iterator[Notice]:
    vectors = status.vectors
    if no_meaning is None and vectors.state is VectorsState.NONE:
        no_meaning = vectors.reason
    if no_meaning is not None:
        yield Notice(NoticeKind.NO_MODEL, f"The answer is found by words alone: {no_meaning}.")
    elif vectors.former is not None and vectors.state is not VectorsState.READY:
        yield Notice(
            NoticeKind.MODEL_CHANGED,
            f"The model was changed from {vectors.former} to {vectors.name}; {_so_far(status)}.",
        )
    elif vectors.state is not VectorsState.NONE and not 0 < vectors.total <= vectors.embedded + vectors.failed:
        yield Notice(NoticeKind.VECTORS_PENDING, f"Search by meaning is being prepared: {_so_far(status)}.")


def _so_far(status: Status) -> str:
    vectors = status.vectors
    if not vectors.total:
        return "everything is found by words until then"
    return f"{vectors.embedded:,} of {vectors.total:,} texts have a vector so far, the rest is found by words"
