"""`vademecum search`: code and documentation by words."""

import argparse

from vademecum.api.types.search import Items
from vademecum.cli.answers import check, tell
from vademecum.cli.hits import DEFAULT_LINES, Layout, lines_shown
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit
from vademecum.cli.waiting import soon_embedded, until_ready

_EPILOG = """\
examples:
  vademecum search parse config file
  vademecum search 'who closes the connection?' --language python --path 'src/**'
  vademecum search HttpClient --no-snippets --limit 30
  vademecum search retry --json | jq -r '.items[].reference'

There is no query syntax. The first search of a folder builds its index.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """What may be asked, and how much is shown."""
    add = parser.add_argument
    add("query", nargs="+", metavar="QUERY", help="words, a symbol or a question")
    add("--limit", type=int, metavar="N", help="hits at most (10; up to 50)")
    add("--offset", type=int, metavar="N", help="go on here: what the previous answer ended with")
    add("--path", action="append", metavar="GLOB", help="only files that match, as in .gitignore; again for more")
    add("--language", action="append", metavar="NAME", help="only this language, such as python; again for more")
    add("--content", metavar="KIND", help="code, docs or all (all)")
    add("--mode", metavar="MODE", help="hybrid, lexical (by words alone) or semantic (by meaning alone) (hybrid)")
    add("--tokens", type=int, metavar="N", help="snippets of N tokens at most in all; long ones become skeletons")
    add("--session", metavar="TAG", help="a conversation; snippets that it was given already are left out")
    add("--lines", type=int, metavar="N", help=f"lines of each snippet ({DEFAULT_LINES}; with --session all)")
    add("--no-snippets", action="store_true", help="only where the hits are")
    add("--explain", action="store_true", help="show the signals behind each score")
    add("--no-wait", action="store_true", help="answer from what is indexed already")
    add("--json", action="store_true", help="print the result of search/query")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Search, and print the hits, best first."""
    options = job.options
    lines = lines_shown(options)
    query = " ".join(options.query)
    params = {
        "query": query,
        "limit": options.limit,
        "offset": options.offset,
        "paths": options.path,
        "languages": options.language,
        "content": options.content,
        "mode": options.mode,
        "tokenBudget": options.tokens,
        "explain": options.explain,
        "session": options.session,
    }
    check(params)
    with job.opened() as asking:
        if not options.no_wait:
            until_ready(asking, job.output)
            if options.mode != "lexical":
                soon_embedded(asking, job.output)
        several = len(asking.workspaces.folders) > 1
        answer: Items = asking.ask("search/query", params)
    tell(job, answer, query, Layout(lines, options.explain, whole_paths=several))
    return Exit.DONE
