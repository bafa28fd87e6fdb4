"""Memory and index, as their own status tells them."""

from collections.abc import Iterator

from vademecum.api.types.memory import MemoryStatusResult
from vademecum.api.types.search import ModelReport
from vademecum.cli.asking import Asking
from vademecum.cli.doctor.check import Check, ok, warn
from vademecum.cli.meaning import meaning
from vademecum.cli.waiting import settled
from vademecum.files.watch import WatcherState
from vademecum.quantities import counted, size
from vademecum.search.types import IndexState, VectorsState


def memory(asking: Asking) -> Iterator[Check]:
    """Whether memory is on, its stores can be read, and what came with the repository is used."""
    status: MemoryStatusResult = asking.ask("memory/status", {})
    if not status.enabled:
        yield warn("memory", status.message, "Set memory.enabled to true (or unset VADEMECUM_MEMORY) to have it.")
        return
    yield ok("memory", f"on; {sum(status.counts.values()):,} memories")
    for store in status.stores:
        if store.exists:
            yield ok("memory", f"{store.memories:,} in {store.path} ({store.scope}, {store.kind})")
    for file in status.unreadable:
        yield warn(
            "memory", f"{file.path} ({file.scope}, {file.store}) was left alone: {file.reason}", "Repair or remove it."
        )
    for sentence in status.health:
        yield warn("memory", sentence, "See docs/files.md for what the files hold.")
    if status.withheld:
        yield warn(
            "trust",
            f"{status.withheld:,} memories that came with this repository are not used",
            "Read them with `vademecum memories`, then `vademecum trust` if you agree with them.",
        )
    elif status.trust is not None:
        yield ok("trust", "this repository is trusted" if status.trust.trusted else "nothing came with this repository")


def evidence(asking: Asking) -> Iterator[Check]:
    """How much is kept of what sessions were given."""
    for folder in asking.workspaces.folders:
        totals = folder.deliveries.totals()
        if totals is None:
            yield ok("evidence", "switched off: nothing is kept of what sessions are given")
            continue
        saved = f", {totals.saved:,} tokens not given twice" if totals.saved else ""
        yield ok(
            "evidence",
            f"{counted(totals.sessions, 'session')}, {counted(totals.deliveries, 'snippet')} "
            f"in {size(folder.deliveries.size)}{saved}",
        )


def index(asking: Asking) -> Iterator[Check]:
    """Whether the code is indexed, and changes are noticed."""
    status = settled(asking)
    if status.refusal is not None:
        yield warn("index", status.refusal, "Open another folder with -C, or do what the message says.")
        return
    held = f"{status.files:,} files, {status.chunks:,} chunks, {size(status.bytes)}, generation {status.generation}"
    if status.state is IndexState.READY:
        yield ok("index", f"ready: {held}, up to date at {status.indexed_at}")
    else:
        yield ok("index", f"{status.state}: {held} so far; `vademecum index` shows how far it is")
    if status.notice is not None:
        yield warn("files", status.notice, "Until then some files may be missing, or found though they are ignored.")
    yield _vectors(status.model)
    if status.watcher.state is WatcherState.WATCHING:
        yield ok("changes", "are noticed as they happen")
    elif status.state is IndexState.READY:
        yield warn(
            "changes",
            f"are found by comparing at intervals ({status.watcher.reason or status.watcher.state})",
            "See the limits of inotify below.",
        )


def _vectors(model: ModelReport) -> Check:
    if model.state is VectorsState.NONE and model.reason is not None:
        return warn(
            "meaning",
            f"search goes by words alone: {model.reason}",
            "Do what it says, or set search.model to none and it is no fault.",
        )
    if model.reason is not None:
        return warn("meaning", model.reason, "Make room, or see the limits of the cache below.")
    return ok("meaning", meaning(model))
