"""`vademecum prompt`: the text for the head of a chat."""

import argparse

from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit
from vademecum.memory.prompt_types import PromptBlock

_EPILOG = """\
examples:
  vademecum prompt
  vademecum prompt --session chat-1 > head.txt
  vademecum prompt --explain > /dev/null     what is in it, and why (on standard error)

It is printed byte for byte, with no line end added but on a terminal. With a session it stays the same, whatever is
remembered meanwhile.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """For which conversation, and how long it may be."""
    add = parser.add_argument
    add("--session", metavar="TAG", help="a name of your own for one conversation")
    add("--entries", type=int, metavar="N", help="memories in full at most")
    add("--characters", type=int, metavar="N", help="characters at most, charters aside")
    add("--explain", action="store_true", help="tell on standard error why each memory is in it, or is not")
    add("--json", action="store_true", help="print the result of memory/prompt")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Print it."""
    options = job.options
    bounds = {"entries": options.entries, "characters": options.characters}
    budget = {name: value for name, value in bounds.items() if value is not None}
    with job.opened() as asking:
        params = {"session": options.session, "budget": budget or None, "explain": options.explain}
        block: PromptBlock = asking.ask("memory/prompt", params)
    if options.json:
        job.output.json(block)
        return Exit.DONE
    job.output.exact(block.text)
    for notice in block.notices or ():
        job.output.note(notice)
    for choice in block.explain or ():
        job.output.note(f"{choice.id} {choice.form}: {choice.reason}")
    return Exit.DONE
