"""`vademecum recall`: what of memory fits a prompt."""

import argparse

from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit
from vademecum.cli.printable import one_line
from vademecum.memory.types import Recall, Recalled

_EPILOG = """\
examples:
  vademecum recall 'how do I install the dependencies?'
  vademecum recall --text 'when does the next version go out?'

Nothing is printed when nothing fits. Each memory comes with its score and with the words that it shares with the
prompt, or how near it is in meaning; with which other of them contradicts it and holds; and with whether a language
model picked it. Why such a model did not choose, where it was to, is told on standard error.
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
    for item in () if options.text else found.items:
        title = one_line(item.memory.title)
        job.output.line(f"{item.memory.id} {item.score:.2f} {title} ({', '.join(_reasons(item))})")
    for notice in found.notices or ():
        job.output.note(notice.message)
    return Exit.DONE


def _reasons(item: Recalled) -> list[str]:
    why = item.why
    return [
        *(["picked by the language model"] if why.picked else []),
        *([f"contradicted by {item.contradicted_by}, which holds"] if item.contradicted_by else []),
        *why.words,
        *([f"meaning {why.meaning:.2f}"] if why.meaning is not None else []),
    ]
