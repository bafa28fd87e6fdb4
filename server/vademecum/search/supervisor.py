"""Owns the indexer process of one folder: starts it, listens to it, starts it again when it dies, ends it."""

import contextlib
import json
import logging
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO

from vademecum.search.messages import Do, Event, line
from vademecum.search.pulse import stuck
from vademecum.search.spare import Spare, spawn

log = logging.getLogger(__name__)

FIRST_PAUSE = 0.5
"""Seconds before a dead indexer is started again; doubled each time, up to `LAST_PAUSE`."""

LAST_PAUSE = 30.0

PROVEN = 60.0
"""An indexer that lived so many seconds has not died of what killed the one before."""

PING_EVERY = 5.0
"""Seconds between questions whether an indexer still gets on."""

SILENT = 15.0
"""Seconds after which an indexer that says nothing at all, not even to a question, is frozen."""

END_WITHIN = 0.7
"""Seconds an indexer is given to end by itself when its input closes."""


class Supervisor:
    """Keeps one indexer running.

    :param folder: its working directory, inside our cache: never the workspace, whose files must not become modules.
    :param greeting: the messages a new indexer is begun with, asked for at each start.
    :param heard: called in this object's thread with every event.
    :param died: called in that thread when the indexer ended unasked, with what is known of it.
    :param doubted: called when `trouble` begins or ends, in some thread of this object.
    :param spare: an indexer that may wait already; it is taken rather than another one started.
    """

    def __init__(
        self,
        folder: Path,
        greeting: Callable[[], Iterable[Mapping[str, object]]],
        heard: Callable[[Event, Mapping[str, object]], None],
        died: Callable[[str], None],
        doubted: Callable[[], None] = lambda: None,
        spare: Spare | None = None,
    ) -> None:
        self._folder = folder
        self._greeting = greeting
        self._heard = heard
        self._died = died
        self._doubted = doubted
        self._spare = spare
        self._heard_at = time.monotonic()
        self._stuck_since = self._heard_at
        self._in_doubt = False
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._outbox: queue.SimpleQueue[bytes | None] | None = None
        self._thread = threading.Thread(target=self._run, name="indexer", daemon=True)

    @property
    def pid(self) -> int | None:
        """The indexer's process id; None while there is none."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    @property
    def trouble(self) -> str | None:
        """Why the indexer, though alive, is not to be relied on at present, as a clause; None when it gets on."""
        if self.pid is None:
            return None
        now = time.monotonic()
        quiet = now - self._heard_at
        if quiet > SILENT:
            return f"the indexer has not answered for {quiet:.0f} seconds"
        return stuck(now - self._stuck_since)

    def start(self) -> None:
        """Start the indexer, and the thread that listens to it."""
        self._thread.start()

    def send(self, message: Mapping[str, object]) -> bool:
        """Tell the indexer something, soon; False when there is none. Never waits, however stuck the indexer is."""
        with self._lock:
            outbox = self._outbox
            if outbox is None:
                return False
            outbox.put(line(message))
            return True

    def close(self) -> None:
        """End the indexer and the thread; returns within about a second."""
        self._closing.set()
        with self._lock:
            process, outbox = self._process, self._outbox
        if outbox is not None:
            outbox.put(None)
        if process is not None:
            try:
                process.wait(END_WITHIN)
            except subprocess.TimeoutExpired:
                process.kill()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(END_WITHIN)

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._closing.is_set():
            began = time.monotonic()
            why = self._live()
            if self._closing.is_set():
                return
            log.warning("the indexer ended: %s", why)
            self._died(why)
            if time.monotonic() - began > PROVEN:
                pause = FIRST_PAUSE
            self._closing.wait(pause)
            pause = min(LAST_PAUSE, 2 * pause)

    def _live(self) -> str:
        """One indexer's life; returns how it ended."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            process = (None if self._spare is None else self._spare.take()) or spawn(self._folder)
        except OSError as error:
            return f"it cannot be started: {error.strerror or error}"
        assert process.stdin is not None
        assert process.stdout is not None
        outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._heard_at = self._stuck_since = time.monotonic()
        for message in self._greeting():
            outbox.put(line(message))
        with self._lock:
            self._process, self._outbox = process, outbox
        if self._closing.is_set():
            process.kill()
        speaking = (process.stdin, outbox, self._doubt)
        threading.Thread(target=_speak, args=speaking, name="to-indexer", daemon=True).start()
        try:
            self._listen(process.stdout)
        finally:
            with self._lock:
                self._process, self._outbox = None, None
            outbox.put(None)
            # Its end of the pipe is closed: it has ended, or can no longer be heard.
            try:
                code = process.wait(END_WITHIN)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
            process.stdout.close()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def _doubt(self) -> None:
        """Tell when trouble has begun or ended."""
        in_doubt = self.trouble is not None
        if in_doubt != self._in_doubt:
            self._in_doubt = in_doubt
            self._doubted()

    def _listen(self, stream: IO[bytes]) -> None:
        for raw in stream:
            try:
                message = json.loads(raw)
                event = Event(message["event"])
            except (ValueError, KeyError, TypeError):
                log.warning("the indexer said something that is no message")
                continue
            self._heard_at = time.monotonic()
            silent = message.get("silent")
            self._stuck_since = self._heard_at - (silent if isinstance(silent, float) else 0.0)
            self._doubt()
            try:
                self._heard(event, message)
            except Exception:
                log.exception("what the indexer said could not be used")


def _speak(stream: IO[bytes], outbox: "queue.SimpleQueue[bytes | None]", doubt: Callable[[], None]) -> None:
    """Write what is put into the outbox until None comes, then close the pipe, which ends the indexer."""
    text: bytes | None = b""
    asked = time.monotonic()
    with contextlib.suppress(OSError, ValueError):
        while text is not None:
            stream.write(text)
            stream.flush()
            if time.monotonic() - asked >= PING_EVERY:
                asked = time.monotonic()
                stream.write(line({"do": Do.PING}))
                stream.flush()
                doubt()
            try:
                text = outbox.get(timeout=PING_EVERY)
            except queue.Empty:
                text = b""
    with contextlib.suppress(OSError, ValueError):
        stream.close()
