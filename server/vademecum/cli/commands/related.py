"""`vademecum related`: code like the code at a place."""

import argparse

from vademecum.api.types.search import Items
from vademecum.cli.answers import tell
from vademecum.cli.hits import DEFAULT_LINES, Layout, lines_shown
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit, Usage
from vademecum.cli.place import place_of
from vademecum.cli.waiting import soon_embedded, until_ready

_EPILOG = """\
examples:
  vademecum related src/shapes.py:40
  vademecum related src/shapes.py:40 --limit 3 --no-snippets

Finds copies and variants of a function, and code that does the like elsewhere.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Like what, and how much is shown."""
    add = parser.add_argument
    add("place", metavar="FILE:LINE", help="a line of a file, such as src/shapes.py:40, from 1")
    add("--limit", type=int, metavar="N", help="hits at most (10; up to 50)")
    add("--offset", type=int, metavar="N", help="go on here: what the previous answer ended with")
    add("--session", metavar="TAG", help="a conversation; snippets that it was given already are left out")
    add("--lines", type=int, metavar="N", help=f"lines of each snippet ({DEFAULT_LINES}; with --session all)")
    add("--no-snippets", action="store_true", help="only where the hits are")
    add("--explain", action="store_true", help="show the signals behind each score")
    add("--json", action="store_true", help="print the result of search/related")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Find what is alike, and print it, best first."""
    options = job.options
    lines = lines_shown(options)
    place = place_of(options.place)
    if place is None or place.first != place.last:
        raise Usage("FILE:LINE: must be a file and a line from 1, such as src/shapes.py:40")
    with job.opened() as asking:
        until_ready(asking, job.output)
        soon_embedded(asking, job.output)
        answer: Items = asking.ask(
            "search/related",
            {
                "uri": (job.directory / place.file).resolve().as_uri(),
                "position": {"line": place.first - 1, "character": 0},
                "limit": options.limit,
                "offset": options.offset,
                "explain": options.explain,
                "session": options.session,
            },
        )
    tell(job, answer, "", Layout(lines, options.explain))
    return Exit.DONE
