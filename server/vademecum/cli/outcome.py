"""How a command ends."""

from enum import IntEnum


class Exit(IntEnum):
    """The exit codes, as `vademecum --help` tells them."""

    DONE = 0
    FAILED = 1
    """It cannot be done, or what was asked about is not well."""
    USAGE = 2
    """The command line holds something that cannot be used."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C: 128 and the signal's number, as shells count."""


class Usage(Exception):
    """A command line that cannot be used; the text names the option and says what it may hold."""


class Declined(Exception):
    """The user did not say yes, or could not be asked; either is told already, and nothing was done."""


class Failed(Exception):
    """What was asked cannot be done; the text says why and what to do."""
