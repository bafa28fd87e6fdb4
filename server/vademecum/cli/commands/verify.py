"""`vademecum verify`: do references still hold?"""

import argparse
import re
import sys

from vademecum.api.types.evidence import Verified, VerifyItem
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit, Usage

_EPILOG = """\
examples:
  vademecum verify src/shapes.py:10-20@3f9a2c1b7d4e8a90
  vademecum verify --session chat-1
  grep -rho '[^ ]*@[0-9a-f]\\{16\\}' docs | vademecum verify --strict -

verdicts: valid, relocated (the same lines once elsewhere in the file), changed, ambiguous (more than once elsewhere),
deleted, excluded (not to be read), unreadable. In a pipe the fields are separated by tabs. The third says where the
lines are now, or for a deleted file "perhaps" and where git thinks it went.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Which references, and how strictly."""
    parser.add_argument("references", nargs="*", metavar="REF", help="path:lines@hash; - reads them, one a line")
    parser.add_argument("--session", metavar="TAG", help="all that a conversation was given, in place of references")
    parser.add_argument("--strict", action="store_true", help="exit with 1 unless every one is valid or relocated")
    parser.add_argument("--json", action="store_true", help="print the result of evidence/verify")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Print a verdict a reference."""
    if bool(job.options.references) == (job.options.session is not None):
        raise Usage("give either references or --session TAG")
    references: list[str] = []
    for word in job.options.references:
        references += _from_stdin() if word == "-" else [word]
    given = {"references": references} if job.options.session is None else {"session": job.options.session}
    with job.opened() as asking:
        verified: Verified = asking.ask("evidence/verify", given)
    if job.options.json:
        job.output.json(verified)
    else:
        job.output.table(("verdict", "reference", "now"), [_row(item) for item in verified.items])
        if not verified.items:
            why = "no reference was read" if job.options.session is None else "nothing was given under this session"
            job.output.note(f"there is nothing to verify: {why}")
    return Exit.FAILED if job.options.strict and not verified.all_valid else Exit.DONE


def _row(item: VerifyItem) -> tuple[str, str, str]:
    if item.error is not None:
        return (item.error.kind, item.reference, item.error.message)
    guess = f"perhaps {item.moved_to}" if item.moved_to else ""
    return (str(item.verdict), item.reference, item.relocated_to or guess)


def _from_stdin() -> list[str]:
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    # Lines are those of the line model: a path may hold what else Python takes for the end of one.
    return [line.strip() for line in re.split(r"[\r\n]+", text) if line.strip()]
