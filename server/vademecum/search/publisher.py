"""Tells what an index is: to all who read it, in the published file, and to the indexer's own server."""

import json
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path

from vademecum.files.watch import WatcherStatus
from vademecum.search import published as publishing
from vademecum.search.keeper import Keeper
from vademecum.search.messages import Event
from vademecum.search.published import Published
from vademecum.search.types import IndexState, VectorsStatus

log = logging.getLogger(__name__)

PUBLISH_EVERY = 0.25
"""Seconds between publications of mere progress; commits are published at once."""

SIZE_EVERY = 5.0
"""Seconds between measurements of the size on the disk."""


class Publisher:
    """Publishes for the one that writes an index; belongs to its thread.

    :param home: the index's folder.
    :param tell: sends an event to the server.
    :ivar last: what was published last, by whichever process; None when nothing was.
    :ivar refusal: why the index cannot be kept now; goes along with what is published next.
    """

    def __init__(self, home: Path, tell: Callable[[Event, dict[str, object]], None]) -> None:
        self._home = home
        self._tell = tell
        self.last: Published | None = publishing.read(home)
        self.refusal: str | None = None
        self._at = 0.0
        self._size, self._size_at = 0, 0.0

    @property
    def is_due(self) -> bool:
        """Whether mere progress is worth publishing again."""
        return time.monotonic() - self._at >= PUBLISH_EVERY

    def measure(self) -> None:
        """Have the size on the disk measured with the next publication."""
        self._size = 0

    def repeat(self) -> None:
        """Tell the server again what was published last, and why nothing follows."""
        if self.last is not None:
            self._send(self.last)

    def publish(
        self, keeper: Keeper, state: IndexState, watcher: WatcherStatus, files_read: int, vectors: VectorsStatus
    ) -> None:
        """Publish what an index is now.

        :param files_read: by others than this keeper, since the process began.
        """
        now = time.monotonic()
        if now - self._size_at > SIZE_EVERY or not self._size:
            self._size, self._size_at = keeper.build.size(), now
        totals = keeper.build.catalogue.totals()
        self.last = Published(
            build=keeper.build.name,
            generation=keeper.generation,
            state=state,
            complete=keeper.complete,
            files=totals.files,
            chunks=totals.chunks,
            pending=keeper.pending,
            counted=keeper.counted,
            watcher=watcher.state,
            watcher_reason=watcher.reason,
            indexed_at=keeper.indexed_at,
            bytes=self._size,
            files_read=files_read + keeper.files_read,
            refusal=self.refusal,
            pid=os.getpid(),
            silent=keeper.silent,
            vectors=vectors,
        )
        self._at = now
        try:
            publishing.write(self._home, self.last)
        except OSError as error:
            log.warning("what the index is cannot be published: %s", error)
        self._send(self.last)

    def _send(self, state: Published) -> None:
        told = json.loads(publishing.to_json(state))
        told["refusal"] = self.refusal
        self._tell(Event.STATE, {"writer": True, "published": told})
