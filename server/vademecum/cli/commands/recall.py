"""`vademecum recall`: what of memory fits a prompt."""

import argparse

from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit
from vademecum.cli.printable import one_line
from vademecum.memory.types import Recall

_EPILOG = """\
examples:
  vademecum recall 'how do I install the dependencies?'
  vademecum recall --text 'when does the next version go out?'

Nothing is printed when nothing fits. Each memory comes with its score and with the words that it shares with the
prompt, or how near it is in meaning.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """The prompt, and how much is wanted."""
    add = parser.add_argument
    add("prompt", nargs="+", metavar="PROMPT", help="a question or a request, in your own words")
    add("--session", metavar="TAG", help="leave out what this conversation was given already")
    add("--limit", type=int, default=5, metavar="N", help="memories at most (5, and no more than 5)")
    add("--text", action="store_true", help="print the text that is given to a model")
    add("--json", action="store_true", help="print the result of memory/recall")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Print what fits."""
    options = job.options
    with job.opened() as asking:
        params = {"prompt": " ".join(options.prompt), "session": options.session, "limit": options.limit}
        found: Recall = asking.ask("memory/recall", params)
    if options.json:
        job.output.json(found)
        return Exit.DONE
    if options.text:
        job.output.exact(found.text)
        return Exit.DONE
    for item in found.items:
        met = [*item.why.words, *([f"meaning {item.why.meaning:.2f}"] if item.why.meaning is not None else [])]
        job.output.line(f"{item.memory.id} {item.score:.2f} {one_line(item.memory.title)} ({', '.join(met)})")
    return Exit.DONE
