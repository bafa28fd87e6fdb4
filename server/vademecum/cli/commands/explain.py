"""`vademecum explain`: whole bodies with their surroundings, for a question about the code."""

import argparse

from vademecum.api.types.search import Items
from vademecum.cli.answers import check, tell
from vademecum.cli.hits import WHOLE, Layout
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit
from vademecum.cli.waiting import soon_embedded, until_ready

_EPILOG = """\
examples:
  vademecum explain how is a request dispatched
  vademecum explain 'Where is the cache invalidated?' --path 'src/**' --tokens 4000
  vademecum explain retry policy --json | jq -r '.items[].snippet'

Like search, but with whole bodies rather than places: what an answer needs, within a budget of tokens.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """What is asked, and how much may come."""
    add = parser.add_argument
    add("query", nargs="+", metavar="QUESTION", help="a question, a symbol or words")
    add("--limit", type=int, metavar="N", help="bodies at most (10; up to 50)")
    add("--offset", type=int, metavar="N", help="go on here: what the previous answer ended with")
    add("--tokens", type=int, metavar="N", help="N tokens at most in all (2200); what is too long becomes a skeleton")
    add("--path", action="append", metavar="GLOB", help="only files that match, as in .gitignore; again for more")
    add("--language", action="append", metavar="NAME", help="only this language, such as python; again for more")
    add("--session", metavar="TAG", help="a conversation; bodies that it was given already are left out")
    add("--json", action="store_true", help="print the result of search/query")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Search, and print bodies, best first."""
    options = job.options
    query = " ".join(options.query)
    params = {
        "query": query,
        "purpose": "explain",
        "limit": options.limit,
        "offset": options.offset,
        "tokenBudget": options.tokens,
        "paths": options.path,
        "languages": options.language,
        "session": options.session,
    }
    check(params)
    with job.opened() as asking:
        until_ready(asking, job.output)
        soon_embedded(asking, job.output)
        several = len(asking.workspaces.folders) > 1
        answer: Items = asking.ask("search/query", params)
    tell(job, answer, query, Layout(WHOLE, explain=False, whole_paths=several))
    return Exit.DONE
