"""When the server goes: with its client, within seconds, whatever either of them is doing."""

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import BinaryIO

import psutil

logger = logging.getLogger(__name__)

_PARENT_POLL_SECONDS = 1.0
# A server is to be gone within 5 s of its client. Closing gets 3 of them, then the process ends in any case.
_GRACE_SECONDS = 3.0


def take_stdout() -> BinaryIO:
    """Keep standard output for frames alone.

    Returns a private stream on the real standard output and points descriptor 1 (and `sys.stdout`) at standard error,
    so that nothing which a dependency prints, in Python or in C, can get between two frames.
    """
    private = os.dup(sys.stdout.fileno())
    os.set_inheritable(private, False)
    sys.stdout.flush()
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    return os.fdopen(private, "wb", buffering=256 * 1024)


def watch_client(pid: int, on_gone: Callable[[], None]) -> None:
    """Call `on_gone` within about a second of the end of process `pid`.

    A pid that is not there from the start is not watched: the client may live in another container, where its
    processes have other numbers; the end of standard input tells of its death then.
    """
    try:
        client = psutil.Process(pid)
    except (psutil.Error, ValueError, OverflowError):
        logger.info("The client's process %d cannot be seen from here; not watching it", pid)
        return

    def run() -> None:
        while client.is_running() and client.status() != psutil.STATUS_ZOMBIE:
            time.sleep(_PARENT_POLL_SECONDS)
        on_gone()

    def guarded() -> None:
        try:
            run()
        except psutil.Error:
            on_gone()

    threading.Thread(target=guarded, name="vademecum-client-watch", daemon=True).start()


def end_on_signals(stop: Callable[[str], None]) -> None:
    """End in good order, children and databases too, when the system or the editor asks for it with a signal."""

    def handle(number: int, _frame: object) -> None:
        # Not here: this runs between any two instructions of the main thread, which may hold the log's lock.
        why = f"Signal {signal.Signals(number).name}"
        threading.Thread(target=stop, args=(why,), name="vademecum-signal", daemon=True).start()

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handle)


def end_within_grace(code: int) -> None:
    """From now on the process has a few seconds to close; then it ends, whatever its threads are doing."""

    def end() -> None:
        time.sleep(_GRACE_SECONDS)
        os._exit(code)

    threading.Thread(target=end, name="vademecum-end", daemon=True).start()
