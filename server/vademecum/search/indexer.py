"""The indexer process: one for each server and folder. Whoever holds the lock writes; the others follow and wait.

It speaks JSON lines over its standard input and output (`vademecum.search.messages`) and ends the moment its input
does, so that nothing outlives a server, however that ended.
"""

import contextlib
import importlib
import json
import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock, Timeout

from vademecum.files.buffers import Buffers
from vademecum.files.gate import Gate
from vademecum.search import messages, published, relay
from vademecum.search.home import LOCK
from vademecum.search.messages import Do, Event
from vademecum.search.pulse import STUCK_SECONDS, Pulse, Watched
from vademecum.search.relay import Asker
from vademecum.search.settings import SearchSettings
from vademecum.search.worker import log_from, sweep, use_grammars
from vademecum.search.writing import Writing
from vademecum.work import Cancel

log = logging.getLogger(__name__)

FOLLOW_SECONDS = 0.25
"""How often one that follows looks for the writer's news, and whether the writer is gone."""

DOUBT_EVERY = 5.0
"""Seconds between looks whether the work is stuck at a disk that went silent."""

AHEAD = ("semble_grammars", "watchdog.observers")
"""Libraries that are otherwise loaded by the first file that is cut, and by the watcher."""


class Mouth:
    """Tells the server things; may be used from every thread."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def __call__(self, event: Event, **message: object) -> None:
        """Send one event; a server that no longer listens is about to close our input, too."""
        with self._lock:
            try:
                self._stream.write(messages.line({"event": event, **message}))
                self._stream.flush()
            except OSError:
                log.debug("the server does not listen any more")


class Ears:
    """Hears the server in a thread of its own, so that cancelling and ending work in the middle of anything."""

    def __init__(self, stream: BinaryIO, pong: Callable[[], None]) -> None:
        self._stream = stream
        self._pong = pong
        self.inbox: queue.SimpleQueue[Mapping[str, object]] = queue.SimpleQueue()
        self.urgent: Callable[[Mapping[str, object]], None] | None = None
        """What takes hints at once, in this object's thread, rather than when the work at hand is done."""
        self._cancels: dict[object, Cancel] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._listen, daemon=True, name="ears").start()

    def cancel_of(self, request: object) -> Cancel:
        """What stops the request of that id."""
        with self._lock:
            return self._cancels.setdefault(request, Cancel())

    def done_with(self, request: object) -> None:
        """Forget a request that was answered."""
        with self._lock:
            self._cancels.pop(request, None)

    def _listen(self) -> None:
        try:
            for raw in self._stream:
                try:
                    message = json.loads(raw)
                except ValueError:
                    log.warning("the server said something that is no message")
                    continue
                if message.get("do") == Do.PING:
                    self._pong()
                elif message.get("do") == Do.CANCEL:
                    self.cancel_of(message.get("id")).set()
                elif self.urgent is not None and message.get("do") in {Do.CHANGED, Do.BUFFER}:
                    try:
                        self.urgent(message)
                    except Exception:
                        log.exception("a hint could not be taken")
                else:
                    self.inbox.put(message)
        finally:
            # At once and from this thread: the main one may be deep in work, and there is nothing to tidy up that the
            # next process would not.
            os._exit(0)


def main() -> None:
    """Run an indexer until its input ends."""
    voice = os.fdopen(os.dup(1), "wb")
    # Whatever else prints, prints to the log.
    os.dup2(2, 1)
    log_from(int(sys.argv[1]) if len(sys.argv) > 1 else logging.WARNING)
    tell = Mouth(voice)
    pulse = Pulse()
    ears = Ears(sys.stdin.buffer, lambda: tell(Event.PONG, silent=pulse.silent))
    begin = _begun(ears)
    sweep(use_grammars(str(begin["grammars"])))
    home = Path(str(begin["home"]))
    settings = messages.search_settings(_mapping(begin["search"]))
    files = messages.file_settings(_mapping(begin["files"]))
    gate = Gate(Path(str(begin["root"])), files, Buffers())
    threading.Thread(target=leave_dead_disk, args=(gate, pulse), daemon=True, name="disk-watch").start()
    lock = _follow(home, gate, tell, ears, pulse)
    pulse.lock = home / LOCK
    try:
        _write(home, gate, settings, str(begin["grammars"]), Path(str(begin["vectors"])), tell, ears, pulse)
    finally:
        lock.release()


def leave_dead_disk(gate: Gate, pulse: Pulse) -> None:
    """End this process once its work is stuck at a disk in the folder that went silent in the middle of a look, which
    nobody can call back: the process that is started in its place passes that disk over."""
    while True:
        time.sleep(DOUBT_EVERY)
        if pulse.silent > STUCK_SECONDS and (silent := gate.silence.found()):
            log.warning("the indexer is stuck at a disk that does not answer (%s), and begins anew", ", ".join(silent))
            os._exit(1)


def _begun(ears: Ears) -> Mapping[str, object]:
    """The first message; until it comes, what only the first work would load is loaded."""
    for library in AHEAD:
        if not ears.inbox.empty():
            break
        # What is missing is told of where it is used, if it is.
        with contextlib.suppress(ImportError, OSError):
            importlib.import_module(library)
    return ears.inbox.get()


def _follow(home: Path, gate: Gate, tell: Mouth, ears: Ears, pulse: Pulse) -> FileLock:
    """Pass on what another process writes, until it is gone."""
    lock = FileLock(home / LOCK, mode=0o600)
    last: published.Published | None = None
    refused: str | None = None
    asker = Asker(home, tell)
    holder = Watched(home / LOCK)
    while True:
        pulse.beat()
        try:
            lock.acquire(timeout=0)
            for request, force in asker.take_back():
                ears.inbox.put({"do": Do.REINDEX, "id": request, "force": force})
            if refused is not None:
                tell(Event.REFUSAL, message=None)
            return lock
        except Timeout:
            message = holder.trouble
        except (OSError, NotImplementedError) as error:
            message = f"the index's folder cannot be used: {error}"
        if message != refused:
            refused = message
            tell(Event.REFUSAL, message=message)
        current = published.read(home)
        if current is not None and current != last:
            last = current
            tell(Event.STATE, writer=False, published=json.loads(published.to_json(current)))
        asker.look()
        deadline = time.monotonic() + FOLLOW_SECONDS
        while (left := deadline - time.monotonic()) > 0:
            try:
                asked = ears.inbox.get(timeout=left)
            except queue.Empty:
                break
            if asked.get("do") == Do.REINDEX:
                request = asked.get("id")
                asker.ask(request, bool(asked.get("force")), ears.cancel_of(request))
            elif asked.get("do") == Do.BUFFER:
                apply_buffer(gate, asked)


def _write(
    home: Path,
    gate: Gate,
    settings: SearchSettings,
    grammars: str,
    vectors: Path,
    tell: Mouth,
    ears: Ears,
    pulse: Pulse,
) -> None:
    """Keep the index, as long as the server lives."""

    def say(event: Event, message: Mapping[str, object]) -> None:
        pulse.beat()
        tell(event, **message)

    def wake() -> None:
        ears.inbox.put({"do": Do.WAKE})

    writing = Writing(home, gate, settings, grammars, say, wake, vectors)

    def take(message: Mapping[str, object]) -> None:
        if message.get("do") == Do.CHANGED:
            writing.hint(str(path) for path in _list(message.get("paths")))
        elif (path := apply_buffer(gate, message)) is not None:
            writing.hint([path], typing=True)
        wake()

    ears.urgent = take
    held = _identity(home / LOCK)
    with writing:
        # Texts that came while another process wrote: it could not know them.
        writing.hint(known for each in gate.buffers.paths() if isinstance(known := gate.relative(each), str))
        while True:
            pulse.beat()
            if _identity(home / LOCK) != held:
                # The cache was swept away: another process may hold the new lock by now, and this one holds nothing.
                log.warning("the index's folder is gone; it is begun anew")
                os._exit(1)
            try:
                message = ears.inbox.get(timeout=writing.wait_seconds())
            except queue.Empty:
                message = {"do": Do.WAKE}
            match message.get("do"):
                case Do.CHANGED | Do.BUFFER:
                    take(message)
                case Do.REINDEX:
                    request = message.get("id")
                    writing.reindex(request, bool(message.get("force")), ears.cancel_of(request))
                    ears.done_with(request)
                case Do.WAKE:
                    pass
                case _:
                    log.warning("the server asked for something unknown")
            for question in relay.questions(home):
                writing.reindex(None, question.force, question.withdrawn, question.answer)
            writing.tick()


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def apply_buffer(gate: Gate, message: Mapping[str, object]) -> str | None:
    """Take over an unsaved text, or that it was closed; returns its path as the gate has it, if it has it."""
    absolute, text, version = Path(str(message["path"])), message.get("text"), message.get("version")
    if isinstance(text, str):
        gate.buffers.set(absolute, text, int(str(version or 0)))
    else:
        gate.buffers.drop(absolute)
    path = gate.relative(absolute)
    return path if isinstance(path, str) else None


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise TypeError("not a mapping")
    return value


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


if __name__ == "__main__":
    main()
