"""`vademecum evidence`: what is kept of what conversations were given."""

import argparse
from collections.abc import Mapping
from typing import Any

from vademecum.api.types.evidence import Forgotten
from vademecum.cli.confirm import confirmed
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit, Usage
from vademecum.quantities import counted

_UNASKED = "nothing was removed; --yes removes all, --session TAG one conversation"

_EPILOG = """\
examples:
  vademecum evidence gc                      remove what is past its time, as is done once a day anyway
  vademecum evidence clear --session chat-1  forget one conversation: everything is given to it anew
  vademecum evidence clear --yes             forget all of them, without asking

What is kept are hashes, paths, line numbers and times; no text, and no tag of a conversation.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """What to remove."""
    parser.add_argument("action", choices=("gc", "clear"), metavar="ACTION", help="gc or clear")
    parser.add_argument("--session", metavar="TAG", help="clear: this conversation alone")
    parser.add_argument("--yes", action="store_true", help="clear: all of them, without asking")
    parser.add_argument("--json", action="store_true", help="print what was removed")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Remove it, and say how much it was."""
    options = job.options
    if options.action == "gc":
        if options.session is not None or options.yes:
            raise Usage("--session and --yes are for clear; gc removes what is past its time")
        return _carry_out(job, "evidence/collect", {})
    if options.session is not None:
        return _carry_out(job, "evidence/forget", {"session": options.session})
    question = "Forget what every conversation was given here?"
    if options.yes or confirmed(job.output, question, _UNASKED, may_ask=not options.json):
        return _carry_out(job, "evidence/forget", {"all": True})
    return Exit.FAILED


def _carry_out(job: Job, method: str, params: Mapping[str, Any]) -> int:
    with job.opened() as asking:
        removed: Forgotten = asking.ask(method, params)
    if job.options.json:
        job.output.json(removed)
    else:
        job.output.line(
            f"Removed {counted(removed.sessions, 'session')} with {counted(removed.deliveries, 'snippet')}."
        )
    return Exit.DONE
