"""`vademecum prompt`: the text for the head of a chat."""

import argparse
import sys
from collections.abc import Mapping

from vademecum.cli.failures import told
from vademecum.cli.folders import folders
from vademecum.cli.job import Job
from vademecum.cli.nothing import nothing_remembered
from vademecum.cli.outcome import Exit, Failed
from vademecum.cli.session_start import LONGEST, SessionStart
from vademecum.memory.prompt_types import PromptBlock

_EPILOG = """\
examples:
  vademecum prompt
  vademecum prompt --session chat-1 > head.txt
  vademecum prompt --explain > /dev/null     what is in it, and why (on standard error)
  vademecum prompt --hook                    for an agent's hook (`vademecum install` writes it)

It is printed byte for byte, with no line end added but on a terminal. With a session it stays the same, whatever is
remembered meanwhile. --hook reads what an agent says when a session starts (JSON on standard input) and answers as the
agent wants it; nothing that fails there keeps the session from starting.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """For which conversation, and how long it may be."""
    add = parser.add_argument
    add("--session", metavar="TAG", help="a name of your own for one conversation")
    add("--entries", type=int, metavar="N", help="memories in full at most")
    add("--characters", type=int, metavar="N", help="characters at most, charters aside")
    add("--explain", action="store_true", help="tell on standard error why each memory is in it, or is not")
    add("--json", action="store_true", help="print the result of memory/prompt")
    add("--hook", action="store_true", help="answer the hook of an agent that starts a session")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Print it."""
    options = job.options
    bounds = {"entries": options.entries, "characters": options.characters}
    budget = {name: value for name, value in bounds.items() if value is not None}
    if options.hook:
        return _hook(job, budget)
    with job.opened() as asking:
        params = {"session": options.session, "budget": budget or None, "explain": options.explain}
        block: PromptBlock = asking.ask("memory/prompt", params)
        nothing = None if block.text or options.json else nothing_remembered(asking)
    if options.json:
        job.output.json(block)
        return Exit.DONE
    job.output.exact(block.text)
    if nothing is not None:
        job.output.note(nothing)
    for notice in block.notices or ():
        job.output.note(notice)
    for choice in block.explain or ():
        score = "" if choice.score is None else f" (worth {choice.score:.2f}: {', '.join(choice.because)})"
        job.output.note(f"{choice.id} {choice.form}: {choice.reason}{score}")
    return Exit.DONE


def _hook(job: Job, budget: Mapping[str, int]) -> int:
    """Answer an agent: the block, and behind it what changed since the session had it first.

    An agent takes exit code 2 for an order to stop, so what is unusable is a failure here like any other.
    """
    start = SessionStart.read(b"" if sys.stdin.isatty() else sys.stdin.buffer.read())
    # The folder that the command line names counts; else the agent's, as if the shell stood there.
    at = folders((), start.folder, job.places.user_home) if start.folder and not job.workspace else None
    session = job.options.session or start.session
    params = {"session": session, "budget": {"characters": LONGEST, **budget}}
    try:
        with job.opened(at) as asking:
            text = asking.ask("memory/prompt", params).text
            if session is not None and (news := asking.ask("memory/changes", {"session": session}).text):
                text = f"{text}\n\n{news}"
    except Exception as error:
        raise Failed(f"a session starts without what is remembered: {told(error)[1]}") from error
    if text:
        job.output.json(start.answer(text))
    return Exit.DONE
