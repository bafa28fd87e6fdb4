"""`vademecum trust`: may memory that came with a repository be used?"""

import argparse

from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit
from vademecum.memory.types import Trust

_EPILOG = """\
examples:
  vademecum trust
  vademecum trust --off

A repository can bring memory along in its .vademecum folder, written by whoever made it. It is used only where you
said so, with this command or in your editor.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Yes or no."""
    parser.add_argument("--off", action="store_true", help="do not use it any more")
    parser.add_argument("--json", action="store_true", help="print the result of memory/trust")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Keep the decision."""
    with job.opened() as asking:
        trust: Trust = asking.ask("memory/trust", {"trusted": not job.options.off})
    if job.options.json:
        job.output.json(trust)
    else:
        used = "is used here" if trust.trusted else "is not used here"
        job.output.line(f"Memory that came with the repository {used} from now on.")
    return Exit.DONE
