"""Waiting for the index: a command that asks once wants an answer from the whole of it."""

import time
from collections.abc import Sequence

from vademecum.api.types.search import ModelReport, SearchStatusResult
from vademecum.cli.asking import Asking
from vademecum.cli.outcome import Failed
from vademecum.cli.output import Output
from vademecum.cli.progress import bar
from vademecum.search.types import IndexState, VectorsState

_POLL_SECONDS = 0.03
# A status is wanted at once; an index that is merely opened and compared with the files is settled within this.
_SETTLE_SECONDS = 2.0
# A command that asks once does not wait long, and for nothing that would not be done then: MiniLM makes 70 vectors a
# second, the static model thousands.
_EMBED_SECONDS = 3.0
_EMBED_MOST = 200


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
            progress(status.files, status.files + status.pending if status.counted else None, "")
            _pause(asking)


def until_embedded(asking: Asking, output: Output) -> None:
    """Wait until every passage that can have a vector has one, with a progress bar on standard error.

    :raises Failed: where there is no model, saying why.
    :raises Cancelled: on Ctrl-C.
    """
    with bar(output.errors, "Embedding", "texts") as progress:
        while not _are_embedded(models := _models(asking)):
            for model in models:
                if model.state is VectorsState.NONE:
                    raise Failed(model.reason or "There is no model to make vectors with.")
            progress(sum(model.embedded for model in models), sum(model.total for model in models) or None, "")
            _pause(asking)


def soon_embedded(asking: Asking, output: Output) -> None:
    """Wait a moment for vectors that are nearly there, or that a small folder lacks.

    :raises Cancelled: on Ctrl-C.
    """
    deadline = time.monotonic() + _EMBED_SECONDS
    with bar(output.errors, "Embedding", "texts") as progress:
        while time.monotonic() < deadline:
            models = _models(asking)
            done, total = sum(model.embedded for model in models), sum(model.total for model in models)
            if _are_embedded(models) or any(model.state is VectorsState.NONE for model in models):
                return
            if total - done > _EMBED_MOST and not any(model.name == "static" for model in models):
                return
            progress(done, total or None, "")
            _pause(asking)


def _models(asking: Asking) -> list[ModelReport]:
    uris = [folder.uri for folder in asking.workspaces.folders]
    told: list[SearchStatusResult] = [asking.ask("search/status", {"workspace": uri}) for uri in uris]
    return [one.model for one in told]


def _are_embedded(models: Sequence[ModelReport]) -> bool:
    return all(
        model.state is VectorsState.READY or model.embedded + model.failed == model.total > 0 for model in models
    )


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
