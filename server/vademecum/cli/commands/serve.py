"""`vademecum serve`: what editors start."""

import argparse
import gc

from vademecum.cli.job import Job
from vademecum.work import share_memory

# Editors add options of their own; an unknown one is no reason not to serve.
IGNORES_UNKNOWN_OPTIONS = True
# Editors show standard error in a log of their own, so more is worth telling there.
LOG_LEVEL = "info"

GARBAGE_EVERY = 5_000
"""Objects made beyond those let go, until some are looked through for cycles. A query makes two thousand that live as
long as it does; with Python's 700 that looking took a tenth of its time, and with more it takes no less."""


def describe(parser: argparse.ArgumentParser) -> None:
    """Take what vscode-languageclient adds, too."""
    parser.add_argument("--stdio", action="store_true", help="speak over standard input and output; always the case")
    parser.add_argument("--clientProcessId", type=int, metavar="PID", help="end when this process is gone")
    parser.epilog = "Editors start this; folders and settings come from them. Unknown options are ignored."


def run(job: Job) -> int:
    """Serve until the editor leaves."""
    from vademecum.lifetime import take_stdout
    from vademecum.search.spare import Spare

    share_memory()
    # Before anything is loaded that might print.
    stdout = take_stdout()
    # It loads its libraries while this process loads the language server's.
    spare = Spare(job.places.cache)
    spare.start()
    # The libraries make hundreds of thousands of objects that stay; looking through them again and again for garbage
    # would take a fifth of the start.
    gc.disable()
    # Only here, so that no other command loads the language server's libraries.
    from vademecum.lsp.server import serve

    gc.freeze()
    gc.set_threshold(GARBAGE_EVERY)
    gc.enable()
    job.interrupt.release()
    return serve(job.places, stdout, job.options.clientProcessId, spare)
