"""The three streams of the process, where the shell or the disk did something to them."""

import os
import sys
from pathlib import Path
from typing import TextIO


def open_missing() -> None:
    """A stream that the shell closed (`>&-`) leads nowhere; a character that it cannot hold becomes an escape."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            stream = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 (open for the whole of the process)
            setattr(sys, name, stream)
        if mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def discard(stream: TextIO) -> None:
    """Nothing more can be written; without this, Python would try once more at its end, and complain.

    Python 3.11.2 and others even keep what they could not write, and fail with it at each later flush.
    """
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 (a descriptor is wanted, not a path)
        os.dup2(nowhere.fileno(), stream.fileno())
