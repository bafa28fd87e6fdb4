"""`vademecum cite`: a reference to lines of a file."""

import argparse

from vademecum.api.types.evidence import Citation
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit, Usage
from vademecum.cli.place import place_of
from vademecum.cli.printable import printable
from vademecum.cli.told import news

_EPILOG = """\
examples:
  vademecum cite src/shapes.py:10-20
  vademecum cite src/shapes.py:10

A reference names lines by their bytes; `vademecum verify` tells later whether they still stand there.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Which lines."""
    parser.add_argument("place", metavar="FILE:LINES", help="lines of a file, such as src/shapes.py:10-20, from 1")
    parser.add_argument("--session", metavar="TAG", help="a conversation; lines that it was given already are left out")
    parser.add_argument("--json", action="store_true", help="print the result of evidence/cite")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Print the reference, then the lines it names."""
    place = place_of(job.options.place)
    if place is None:
        raise Usage("FILE:LINES: must be a file and lines from 1, such as src/shapes.py:10-20")
    span = {"start": {"line": place.first - 1, "character": 0}, "end": {"line": place.last, "character": 0}}
    with job.opened() as asking:
        uri = (job.directory / place.file).resolve().as_uri()
        citation: Citation = asking.ask("evidence/cite", {"uri": uri, "range": span, "session": job.options.session})
    if job.options.json:
        job.output.json(citation)
        return Exit.DONE
    job.output.line(printable(citation.reference), "bold cyan")
    if citation.snippet is None:
        job.output.note("the session holds these lines already")
    else:
        for line in citation.snippet.split("\n"):
            job.output.line(printable(line))
    news(job.output, citation.memory, citation.notices or ())
    return Exit.DONE
