"""The folders of documents: the user's own, and the one that a team shares, which may lie on a drive that is gone."""

import threading
from collections.abc import Iterator

from vademecum.cli.asking import Asking
from vademecum.cli.doctor.check import Check, fail, ok, warn
from vademecum.knowledge.health import ShelfHealth
from vademecum.knowledge.types import Owner

ANSWER_SECONDS = 5.0
"""How long a drive may take to tell what is on it. One that is not reachable any more may never answer."""

_MOST_FLAWS = 5


def folders(asking: Asking) -> Iterator[Check]:
    """Whether each folder of documents can be read, and whether everything in it is a document."""
    for owner, folder in asking.workspaces.knowledge.folders():
        found: list[ShelfHealth | Exception] = []

        def look(owner: Owner = owner, found: list[ShelfHealth | Exception] = found) -> None:
            try:
                found.append(asking.workspaces.knowledge.health(owner))
            except Exception as error:
                found.append(error)

        # A look at such a drive cannot be stopped, so a thread is left to it that the process does not wait for.
        thread = threading.Thread(target=look, name=f"vademecum-doctor-{owner}", daemon=True)
        thread.start()
        thread.join(ANSWER_SECONDS)
        if not found:
            yield fail("documents", f"{folder} does not answer within {ANSWER_SECONDS:.0f} seconds", _advice(owner))
        elif isinstance(found[0], Exception):
            raise found[0]
        else:
            yield from _told(found[0])


def _told(health: ShelfHealth) -> Iterator[Check]:
    if health.fault is not None:
        yield fail("documents", f"{health.folder} {health.fault}", _advice(health.owner))
        return
    how = "" if health.writable else "; you can read it, not write it"
    yield ok("documents", f"{health.documents:,} in {health.folder} ({health.owner}){how}")
    for flaw in health.flaws[:_MOST_FLAWS]:
        yield warn(
            "documents", f"{health.folder / flaw.name} is no document: {flaw.reason}", "Repair, move or remove it."
        )
    if len(health.flaws) > _MOST_FLAWS:
        more = len(health.flaws) - _MOST_FLAWS
        yield warn("documents", f"so are {more:,} other files there", "Repair, move or remove them.")


def _advice(owner: Owner) -> str:
    if owner is Owner.SYSTEM:
        return "Connect the drive, or name the folder in the setting knowledge.shared, or unset that."
    return "Make it a folder that you can read and write."
