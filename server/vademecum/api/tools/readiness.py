"""Waiting for a first index: an agent asks once, right after it has started the server."""

from collections.abc import Sequence

from vademecum.api import search
from vademecum.api.calls import Call
from vademecum.api.types.common import Nothing
from vademecum.api.types.search import SearchStatusResult

SECONDS = 10.0
"""Longest wait for an index that is being built for the first time; then the answer is partial and says so."""

_EACH = 0.05


def wait(call: Call, folder: str | None) -> None:
    """Return once every folder that is asked has an index, or when that takes too long.

    An index that is being brought up to date is not waited for: what it holds is read again for each answer.

    :raises Cancelled: when the call is.
    """
    for _ in range(int(SECONDS / _EACH)):
        first = _unbuilt(call, folder)
        if not first:
            return
        done = sum(status.files for status in first)
        total = done + sum(status.pending for status in first)
        call.progress(done, total if all(status.counted for status in first) else None, "Indexing")
        call.cancel.wait(_EACH)


def _unbuilt(call: Call, folder: str | None) -> Sequence[SearchStatusResult]:
    """The states of the folders whose first index is under way."""
    told = [search.status(call, Nothing(each.uri)) for each in call.workspaces.chosen(folder)]
    return [status for status in told if status.indexed_at is None and status.refusal is None]
