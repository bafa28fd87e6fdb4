"""Waiting for the index: a command that asks once wants an answer from the whole of it."""

import time

from vademecum.api.types.search import SearchStatusResult
from vademecum.cli.asking import Asking
from vademecum.cli.outcome import Failed
from vademecum.cli.output import Output
from vademecum.cli.progress import bar
from vademecum.search.types import IndexState, VectorsState

_POLL_SECONDS = 0.03
# A status is wanted at once; an index that is merely opened and compared with the files is settled within this.
_SETTLE_SECONDS = 2.0


def until_ready(asking: Asking, output: Output, *, started: bool = False) -> SearchStatusResult:
    """Wait until every open folder's index agrees with its files, with a progress bar on standard error.

    :param started: whether it is enough that every indexer runs.

    :return: the state then.
    :raises Failed: where nothing is indexed, saying why.
    :raises Cancelled: on Ctrl-C.
    """
    if not asking.workspaces.settings.search.enabled:
        raise Failed("Code search is switched off in the settings (search.enabled).")
    with bar(output.errors, "Indexing") as progress:
        while True:
            status: SearchStatusResult = asking.ask("search/status", {})
            if status.refusal is not None and not status.files:
                raise Failed(status.refusal)
            if status.state is IndexState.READY or status.refusal is not None:
                return status
            if started and status.state is not IndexState.STARTING:
                return status
            # While the folder is still being walked nobody knows how many files it holds.
            progress(status.files, status.files + status.pending if status.pending else None, "")
            _pause(asking)


def until_embedded(asking: Asking, output: Output) -> None:
    """Wait until every passage that can have a vector has one, with a progress bar on standard error.

    :raises Failed: where there is no model, saying why.
    :raises Cancelled: on Ctrl-C.
    """
    uris = [folder.uri for folder in asking.workspaces.folders]
    with bar(output.errors, "Embedding") as progress:
        while True:
            told: list[SearchStatusResult] = [asking.ask("search/status", {"workspace": uri}) for uri in uris]
            models = [one.model for one in told]
            for model in models:
                if model.state is VectorsState.NONE:
                    raise Failed(model.reason or "There is no model to make vectors with.")
            if all(
                model.state is VectorsState.READY or model.embedded + model.failed == model.total > 0
                for model in models
            ):
                return
            progress(sum(model.embedded for model in models), sum(model.total for model in models) or None, "")
            _pause(asking)


def settled(asking: Asking) -> SearchStatusResult:
    """The state of the index once it is ready, or as it is after two seconds."""
    seconds = _SETTLE_SECONDS if asking.workspaces.settings.search.enabled else 0.0
    deadline = time.monotonic() + seconds
    while True:
        status: SearchStatusResult = asking.ask("search/status", {})
        if status.state is IndexState.READY or status.refusal is not None or time.monotonic() > deadline:
            return status
        _pause(asking)


def _pause(asking: Asking) -> None:
    with asking.interrupt.gently():
        asking.interrupt.cancel.wait(_POLL_SECONDS)
