"""LSP's framing over two streams: a thread that only reads, a thread that only writes.

Reading is kept away from everything else, so that a request can be cancelled, and the end of input noticed, however
busy the server is. Writing is kept away too: a client that does not read for a while blocks nobody.
"""

import json
import logging
import queue
import re
import threading
from collections.abc import Callable, Iterator
from typing import BinaryIO

logger = logging.getLogger(__name__)

MAX_FRAME_BYTES = 64 * 1024 * 1024  # far above any request of ours; an editor may send a large unsaved document
_MAX_HEADER_BYTES = 8 * 1024
# Answers that wait for a client that does not read. No client is this far behind and still alive in any useful sense,
# and what waits takes memory.
MAX_WAITING_BYTES = 256 * 1024 * 1024
_LENGTH = re.compile(rb"(?i)content-length[ \t]*:[ \t]*(\d{1,12})[ \t]*")


class BadFrame(ValueError):
    """A frame that cannot be read as a message; the stream goes on with the next one."""


def frames(stream: BinaryIO, max_bytes: int = MAX_FRAME_BYTES) -> Iterator[bytes | BadFrame]:
    """Yield the bodies of the frames on `stream` until its end.

    Header names are read in any case and with any spacing; headers other than `Content-Length` are ignored. A frame
    without a usable length, or larger than `max_bytes`, is yielded as a `BadFrame` and skipped.
    """
    length: int | None = None
    seen = 0
    while line := stream.readline(_MAX_HEADER_BYTES):
        text = line.rstrip(b"\r\n")
        if text:
            seen += 1
            if match := _LENGTH.fullmatch(text):
                length = int(match.group(1))
            continue
        if not seen:
            continue  # a stray empty line between frames
        seen = 0
        if length is None:
            yield BadFrame("a frame came without a Content-Length header")
            continue
        wanted, length = length, None
        if wanted > max_bytes:
            if not _skip(stream, wanted):
                return
            yield BadFrame(f"a message of {wanted} bytes is larger than the limit of {max_bytes}")
            continue
        body = stream.read(wanted)
        if len(body) < wanted:
            return  # the client died in the middle of a message
        yield body


def _skip(stream: BinaryIO, count: int) -> bool:
    while count > 0:
        part = stream.read(min(count, 1 << 20))
        if not part:
            return False
        count -= len(part)
    return True


def decode(body: bytes) -> object:
    """The JSON value in a frame.

    :raises BadFrame: when it is no JSON, no UTF-8, or nested too deeply to be read.
    """
    try:
        return json.loads(body.decode("utf-8"))
    except RecursionError as error:
        raise BadFrame("the message is nested too deeply") from error
    except ValueError as error:
        raise BadFrame("the message is not valid JSON in UTF-8") from error


def read_messages(
    stream: BinaryIO,
    on_message: Callable[[object | BadFrame], None],
    on_end: Callable[[], None],
    heed_size: Callable[[int], None],
) -> None:
    """Start the thread that reads `stream`; the callbacks run on it, `on_end` last and always.

    :param heed_size: told of the bytes of each frame.
    """

    def run() -> None:
        try:
            for frame in frames(stream):
                heed_size(len(frame) if isinstance(frame, bytes) else 0)
                if isinstance(frame, BadFrame):
                    on_message(frame)
                    continue
                try:
                    message = decode(frame)
                except BadFrame as error:
                    message = error
                on_message(message)
        except (OSError, ValueError):  # the stream was closed under us
            logger.info("Input closed")
        finally:
            on_end()

    threading.Thread(target=run, name="vademecum-reader", daemon=True).start()


class FrameWriter:
    """Writes frames to `stream` from a thread of its own, in the order in which they were given.

    It is what pygls calls a writer: `write` takes header and body in one piece and never blocks.
    """

    def __init__(self, stream: BinaryIO, on_broken: Callable[[], None]) -> None:
        self._stream = stream
        self._on_broken = on_broken
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._waiting = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="vademecum-writer", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue one frame."""
        with self._lock:
            was_open = self._waiting <= MAX_WAITING_BYTES
            self._waiting += len(data) if was_open else 0
        if was_open and self._waiting > MAX_WAITING_BYTES:
            logger.error("The client has not read %d bytes; taking it for gone", self._waiting)
            self._on_broken()
        elif was_open:
            self._queue.put(data)

    def close(self, timeout: float = 1.0) -> None:
        """Write what is queued, then stop; give up after `timeout` seconds when nobody reads."""
        self._queue.put(None)
        self._thread.join(timeout)

    def _run(self) -> None:
        try:
            while (data := self._queue.get()) is not None:
                self._stream.write(data)
                with self._lock:
                    self._waiting -= len(data)
                if self._queue.empty():
                    self._stream.flush()
            self._stream.flush()
        except (OSError, ValueError):
            logger.info("The client no longer reads")
            self._on_broken()
