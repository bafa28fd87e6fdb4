"""Keeps one build equal to the folder: finds what differs, reads it, cuts it, writes it. Used by one thread only."""

import logging
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime

from attrs import frozen

from vademecum.files.content import Content, Reason, Refused, Stamp
from vademecum.files.folders import closed_above
from vademecum.files.gate import Gate
from vademecum.files.walk import Found, walk
from vademecum.lexical import tokens
from vademecum.search.build import Build
from vademecum.search.catalogue import SUSPECT, FileRow, Known
from vademecum.search.entry import Entry, make
from vademecum.search.settings import SearchSettings
from vademecum.search.worker import MAX_WORKERS, Broken, Workers, worker_count
from vademecum.work import Cancel, Progress, give_back_memory

log = logging.getLogger(__name__)

BATCH = 32
"""Files read, marked and cut together."""

POOL_AFTER = 400
"""Files to cut past which other processes help; below, starting them takes longer than the work."""

IN_FLIGHT = 2
"""Batches that each of them is given ahead, so that none waits for the next."""

LOOK_AHEAD = 0.1
"""Seconds that a comparison looks around for so many files before it cuts the first, so that help is called early."""

TOLD_EVERY = 2_000
"""Files after which it is told how far a comparison is, though it finds nothing to do."""

FIRST_COMMIT = 0.25
"""Seconds until the first piece of a first index is searchable."""

LATER_COMMITS = 4.0
"""Seconds between commits once they have grown; each is twice as far from the last as that was."""

CONTENT_REFUSALS = frozenset({Reason.BINARY, Reason.ENCODING, Reason.MINIFIED})
"""Reasons that only the bytes tell; they are remembered with the file's stamp, so that it is not read again."""


class FolderGone(FileNotFoundError):
    """The opened folder itself is not there."""


@frozen
class _Due:
    path: str
    known: Known | None
    attempts: int
    stamp: Stamp | None


class Keeper:
    """Brings a build up to date with its folder.

    :param committed: called after every commit, in the same thread.
    """

    def __init__(
        self, build: Build, gate: Gate, settings: SearchSettings, grammars: str, committed: Callable[[], None]
    ) -> None:
        self.build = build
        self._gate = gate
        self._settings = settings
        self._grammars = grammars
        self._committed = committed
        self._rows: dict[str, FileRow] = {}
        self._gone: set[str] = set()
        self._writes = False
        self._workers: Workers | None = None
        self._flight: deque[tuple[list[tuple[FileRow, bytes]], Future[list[Entry]]]] = deque()
        self._jobs = 0
        self._alone = False
        """Whether a worker died of what it was given, so that files are cut here and one at a time."""
        self._commit_every = FIRST_COMMIT
        self._last_commit = time.monotonic()
        self.files_read = 0
        self.commits = 0
        self._due = 0
        self._at_work = False
        self._walked = False
        self._others: set[str] = set()
        self.generation = int(build.catalogue.meta("generation") or 0)

    @property
    def complete(self) -> bool:
        """Whether every file has been indexed at least once."""
        return self.build.catalogue.meta("complete") == "1"

    @property
    def pending(self) -> int:
        """Files known to be changed that cannot be searched yet as they are, be they cut already or not."""
        if not self._at_work:
            return 0
        return max(0, self._due) + sum(row.chunks is not None and row.refusal is None for row in self._rows.values())

    @property
    def counted(self) -> bool:
        """Whether every file has been seen, so that those indexed and those pending are all there are."""
        return self._walked or self.complete

    @property
    def silent(self) -> tuple[str, ...]:
        """Folders that are passed over since the disks that are mounted there do not answer."""
        return self._gate.silence.folders

    @property
    def indexed_at(self) -> str | None:
        """When the build last agreed with the whole folder."""
        return self.build.catalogue.meta("indexed_at")

    def reconcile(self, cancel: Cancel, progress: Progress, changed: Callable[[], Collection[str]] = tuple) -> None:
        """Compare the whole folder with the build and redo what differs.

        Files whose stamps are as recorded are not opened. What was begun by a process that ended is done again. When it
        is cancelled, what was committed stays.

        :param changed: asked now and then for files that changed meanwhile; they are redone at once, so that a save
            does not wait for the end of a first index.
        :raises Cancelled: when told to stop.
        :raises FolderGone: when there is nothing to compare with.
        :raises OSError: when the disk refuses.
        """
        if not self._gate.root.is_dir():
            raise FolderGone("the folder is gone; its index is kept until it is back")
        catalogue = self.build.catalogue
        known, marked = catalogue.known(), catalogue.marked()
        seen: set[str] = set()
        skipped: list[tuple[str, str]] = []
        due: deque[_Due] = deque()
        redone: set[str] = set()
        self._jobs, self._alone = 0, False
        look_until = time.monotonic() + LOOK_AHEAD

        def take(most: int) -> None:
            """Work off what is due until no more than so many files are left."""
            while len(due) > most:
                skipped.extend(self._take([due.popleft() for _ in range(min(BATCH, len(due)))], cancel))
                progress(len(seen), None, "indexing")
                if paths := changed():
                    # What was known of them when this began is no longer what the index holds.
                    redone.update(paths)
                    skipped.extend(self._redo(paths, cancel))

        self._commit_every, self._last_commit = FIRST_COMMIT, time.monotonic()
        self._at_work = True
        try:
            for item in walk(self._gate, cancel):
                if not isinstance(item, Found):
                    skipped.append((item.path, str(item.reason)))
                    continue
                seen.add(item.path)
                if not len(seen) % TOLD_EVERY:
                    progress(len(seen), None, "comparing")
                row = None if item.path in redone else known.get(item.path)
                if row is None or not row.settled or row.stamp != item.stamp:
                    due.append(_Due(item.path, row, marked.get(item.path, 0), item.stamp))
                    self._due += 1
                if len(due) > POOL_AFTER:
                    self._start_workers()
                if self._workers is not None or time.monotonic() > look_until:
                    take(BATCH - 1)
            self._walked = True
            take(0)
            self._land(0)
            # What lies on a disk that does not answer is as it was, for all that is known.
            silence = self._gate.silence
            self._remove(path for path in (known.keys() | marked.keys()) - seen if not silence.holds(path))
            now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
            self._commit({"complete": "1", "indexed_at": now})
            catalogue.replace_skipped(skipped)
            progress(len(seen), len(seen), "indexed")
        finally:
            self._stop_workers()
            self._due, self._at_work, self._walked = 0, False, False

    def rest(self) -> None:
        """Give back what a large comparison took. It may take a while, so whoever waits for the index is told before.

        :raises OSError: when the disk refuses.
        """
        if self.build.large or self._jobs > POOL_AFTER:
            self._jobs = 0
            tokens.forget()
            self.build.settle()
            give_back_memory()

    def update(self, paths: Iterable[str], cancel: Cancel) -> None:
        """Redo these files, whatever their stamps say; one that is gone, or is no longer let through, goes.

        A path that was a folder takes everything below it along.

        :raises FolderGone: when the whole folder is not there; its index is kept.
        """
        if not self._gate.root.is_dir():
            raise FolderGone("the folder is gone; its index is kept until it is back")
        wanted = list(dict.fromkeys(paths))
        self._at_work = True
        try:
            refused = self._redo(wanted, cancel)
            # Below a folder that is skipped nothing is told, as in a walk.
            skipped = [(path, reason) for path, reason in refused if not closed_above(self._gate, path)]
            self.build.catalogue.change_skipped(skipped, wanted)
        finally:
            self._stop_workers()
            self._due, self._at_work = 0, False

    def take_changed(self) -> set[str]:
        """Files whose chunks were committed as others than before, or as gone, since this was asked last."""
        changed, self._others = self._others, set()
        return changed

    def unsettled(self) -> list[str]:
        """Files that were changed so shortly before they were read that their stamps prove nothing yet."""
        return self.build.catalogue.unsettled()

    def _redo(self, paths: Collection[str], cancel: Cancel) -> list[tuple[str, str]]:
        """Redo these files and commit; returns what was refused, with reasons."""
        # First what is out already, which may be a former state of the same files.
        self._land(0)
        self._commit({})
        catalogue = self.build.catalogue
        marked = catalogue.marked()
        wanted = list(paths)
        self._due += len(wanted)
        skipped: list[tuple[str, str]] = []
        for start in range(0, len(wanted), BATCH):
            part = wanted[start : start + BATCH]
            dues = [_Due(path, catalogue.one(path), marked.get(path, 0), None) for path in part]
            skipped += self._take(dues, cancel)
        self._land(0)
        self._commit({})
        return skipped

    def _take(self, dues: Sequence[_Due], cancel: Cancel) -> list[tuple[str, str]]:
        """Read some files and have those that changed cut; returns what was refused, with reasons."""
        refused: list[tuple[str, str]] = []
        jobs: list[tuple[FileRow, bytes, int]] = []
        cancel.check()
        now = time.time_ns()  # before anything is read, so that no stamp is trusted too early
        contents = self._gate.read_many(due.path for due in dues)
        for due in dues:
            content = contents[due.path]
            if isinstance(content, Refused):
                refused += self._refuse(due, content, now)
                continue
            self.files_read += 1
            digest = content.digest
            row = FileRow(due.path, _known(content, digest, now), "", None)
            if due.known is not None and due.known.digest == digest:
                self._rows[due.path] = row
                self._due -= 1
            else:
                jobs.append((row, content.data, due.attempts))
        self._cut(jobs, cancel)
        if time.monotonic() - self._last_commit >= self._commit_every:
            self._land(0 if self._workers is None else 2 * self._workers.count)
            self._commit({})
            self._commit_every = min(LATER_COMMITS, 2 * self._commit_every)
        return refused

    def _refuse(self, due: _Due, refused: Refused, now: int) -> list[tuple[str, str]]:
        self._due -= 1
        catalogue = self.build.catalogue
        if refused.reason in CONTENT_REFUSALS:
            settled = due.stamp is not None and due.stamp.settled(now)
            self._remove([due.path])
            self._gone.discard(due.path)
            self._rows[due.path] = FileRow(due.path, Known(due.stamp, settled, b""), "", (), str(refused.reason))
            return []
        if refused.reason is Reason.MISSING:
            self._remove([due.path, *catalogue.below(due.path)])
            return []
        if refused.reason is not Reason.SILENT:
            self._remove([due.path])
        return [(due.path, str(refused.reason))]

    def _cut(self, jobs: Sequence[tuple[FileRow, bytes, int]], cancel: Cancel) -> None:
        if not jobs:
            return
        self.build.catalogue.mark(row.path for row, _, _ in jobs)
        fresh = [(row, data) for row, data, attempts in jobs if not attempts]
        self._jobs += len(jobs)
        if self._jobs > POOL_AFTER:
            self._start_workers()
        self._land(IN_FLIGHT * MAX_WORKERS)
        # They are kept busy; beyond that this process does not wait for them but lends a hand.
        if self._workers is not None and fresh and len(self._flight) < IN_FLIGHT * self._workers.count:
            self._flight.append((fresh, self._workers.submit([(row.path, data) for row, data in fresh])))
        else:
            for row, data in fresh:
                cancel.check()
                self._add(row, make(row.path, data, self._settings.chunk_lines))
        for row, data, attempts in jobs:
            if attempts:
                cancel.check()
                self._carefully(row, data, attempts)

    def _carefully(self, row: FileRow, data: bytes, attempts: int) -> None:
        """Cut a file that was being worked on when a process ended; the one that ended it is cut by lines."""
        if attempts >= SUSPECT:
            log.warning("%s ended a process that parsed it; it is cut by lines", row.path)
            self._add(row, make(row.path, data, self._settings.chunk_lines, by_lines=True))
            return
        self.build.catalogue.suspect(row.path, True)
        entry = make(row.path, data, self._settings.chunk_lines)
        self.build.catalogue.suspect(row.path, False)
        self._add(row, entry)

    def _land(self, most: int) -> None:
        """Take in what workers have finished, until at most `most` batches are still out."""
        while self._flight and (len(self._flight) > most or self._flight[0][1].done()):
            jobs, future = self._flight.popleft()
            try:
                for (row, _), entry in zip(jobs, future.result(), strict=True):
                    self._add(row, entry)
            except Broken:
                # Which of the files it was nobody can tell; one at a time does.
                log.warning("a worker ended while it was cutting files; they are cut one at a time")
                flown = [jobs, *(batch for batch, _ in self._flight)]
                self._flight.clear()
                self._stop_workers()
                self._alone = True
                for batch in flown:
                    for row, data in batch:
                        self._carefully(row, data, 1)

    def _add(self, row: FileRow, entry: Entry) -> None:
        writer = self.build.writer
        writer.remove("path", row.path)
        for document in entry.documents:
            writer.add(document)
        self._writes = True
        self._gone.discard(row.path)
        self._rows[row.path] = FileRow(row.path, row.known, entry.language, entry.rows)
        self._due -= 1

    def _remove(self, paths: Iterable[str]) -> None:
        gone = list(paths)
        # A file that is refused again and again, such as a database that a program writes into, has nothing to remove.
        held = [path for path in gone if path in self._rows or self.build.catalogue.holds(path)]
        if held:
            self.build.catalogue.mark(held)
            for path in held:
                self.build.writer.remove("path", path)
            self._writes = True
        for path in gone:
            self._rows.pop(path, None)
            self._gone.add(path)

    def _commit(self, meta: dict[str, str]) -> None:
        """Make everything so far durable, there before here."""
        if self._writes:
            self.build.writer.commit()
            self.generation += 1
            meta = {**meta, "generation": str(self.generation)}
        if self._rows or self._gone or meta:
            self.build.catalogue.record(self._rows.values(), self._gone, meta)
        elif not self._writes:
            return
        self._others.update(self._gone, (path for path, row in self._rows.items() if row.chunks is not None))
        self._rows, self._gone, self._writes = {}, set(), False
        self._last_commit = time.monotonic()
        self.commits += 1
        self._committed()

    def _start_workers(self) -> None:
        if self._workers is None and not self._alone:
            count = worker_count(self._settings.workers)
            self._workers = Workers(count, self._settings.chunk_lines, self._grammars)

    def _stop_workers(self) -> None:
        self._flight.clear()
        if self._workers is not None:
            self._workers.close()
            self._workers = None


def _known(content: Content, digest: bytes, now: int) -> Known:
    stamp = content.stamp
    return Known(stamp, stamp is not None and stamp.settled(now), digest)
