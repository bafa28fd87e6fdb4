"""`vademecum uninstall`: take out of agents and editors what `vademecum install` put there."""

import argparse

from vademecum.cli.commands import install
from vademecum.cli.install.targets import TARGETS
from vademecum.cli.job import Job

_EPILOG = """\
examples:
  vademecum uninstall                    from everything
  vademecum uninstall codex --dry-run    show what would be taken out of Codex

Memories, indexes and settings stay. `vademecum install --undo` takes it back.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """From which, and whether to ask."""
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help=f"{', '.join(target.name for target in TARGETS)}; all, when left out")
    add("--dry-run", action="store_true", help="show what would change, and change nothing")
    add("--yes", action="store_true", help="write it without asking")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Show what would change, and write it where the user says so."""
    return install.set_up(job, remove=True)
