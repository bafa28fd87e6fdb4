"""What went wrong, in one line that names what stands on the command line rather than on the wire."""

import re

from vademecum.api.errors import InvalidParams, failure
from vademecum.cli.outcome import Exit, Failed, Usage
from vademecum.errors import InvalidField
from vademecum.work import Cancelled

# What the user wrote for a field of the wire, where it is not `--` and the field's own name.
_ON_THE_COMMAND_LINE = {
    "query": "QUERY",
    "note": "NOTE",
    "id": "ID",
    "source": "SOURCE",
    "ids": "ID",
    "anchor": "ANCHOR",
    "question": "QUESTION",
    "uri": "FILE",
    "range": "FILE:LINES",
    "references": "REF",
    "workspace": "-C/--workspace",
    "paths": "--path",
    "languages": "--language",
    "budget": "--entries/--characters",
    "budget.entries": "--entries",
    "budget.characters": "--characters",
    "revision": "--revision",
    "target": "-o/--output",
    "only": "--only",
    "kinds": "KIND",
    "tokenBudget": "--tokens",
}


def told(error: BaseException) -> tuple[int, str]:
    """The exit code and the line for `error`.

    An error that no rule names is told without its text, which may hold what is remembered; the log has it.
    """
    match error:
        case Usage():
            return Exit.USAGE, str(error)
        case Failed():
            return Exit.FAILED, str(error)
        case InvalidParams():
            return Exit.USAGE, "; ".join(f"{_option(item.field)}: {item.message}" for item in error.fields)
        case InvalidField():
            return Exit.USAGE, f"{_option(error.field)}: {error.message}"
        case Cancelled() | KeyboardInterrupt():
            return Exit.INTERRUPTED, "interrupted"
        case ImportError():
            return Exit.FAILED, f"cannot be loaded: {error}"
        case OSError() if error.filename is None and error.strerror:
            return Exit.FAILED, f"cannot go on: {error.strerror}"
        case OSError() if error.strerror:
            return Exit.FAILED, f"{error.filename}: {error.strerror}"
        case _:
            return Exit.FAILED, failure(error).message.replace(
                "The log has the details.", "Run it again with --log-level debug for the details."
            )


def _option(field: str) -> str:
    bare = re.sub(r"\[\d+\]", "", field)
    return _ON_THE_COMMAND_LINE.get(bare) or "--" + re.sub(r"(?<=[a-z])([A-Z])", r"-\1", bare).lower()
