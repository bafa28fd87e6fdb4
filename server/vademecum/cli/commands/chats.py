"""`vademecum chats`: the chat histories that are kept for a folder, listed, shown and removed."""

import argparse

from rich.text import Text

from vademecum.api.types.memory import Removed
from vademecum.api.types.session import Chats
from vademecum.cli.confirm import confirmed
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit, Usage
from vademecum.cli.printable import one_line, printable
from vademecum.quantities import size
from vademecum.session.types import HistoryPage

_UNASKED = "nothing was removed; --yes removes all, a SESSION one conversation"

_EPILOG = """\
examples:
  vademecum chats                         the conversations that have a history here
  vademecum chats show chat-1             what was said last, the oldest entry first
  vademecum chats show chat-1 --limit 500
  vademecum chats clear chat-1            remove one for good
  vademecum chats clear --yes             remove all of this folder, without asking

Editors and agents keep these; entries go by themselves after 30 days (setting session.historyDays).
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """What to do with which."""
    parser.add_argument("action", nargs="?", choices=("show", "clear"), metavar="ACTION", help="show or clear")
    parser.add_argument("session", nargs="?", metavar="SESSION", help="the conversation, as the list names it")
    parser.add_argument("--limit", type=int, metavar="N", help="show: the last N entries (100)")
    parser.add_argument("--yes", action="store_true", help="clear: all of them, without asking")
    parser.add_argument("--json", action="store_true", help="print the result of the request, session/history/…")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """List them, or do what the first word says."""
    options = job.options
    if options.limit is not None and options.action != "show":
        raise Usage("--limit: is for show")
    if options.yes and (options.action != "clear" or options.session is not None):
        raise Usage("--yes: is for clear without a SESSION, which removes all")
    if options.action == "show":
        return _show(job)
    return _clear(job) if options.action == "clear" else _list(job)


def _list(job: Job) -> int:
    with job.opened() as asking:
        chats: Chats = asking.ask("session/history/list", {})
    if job.options.json:
        job.output.json(chats)
    elif chats.items:
        rows = [(f"{one.entries:,}", size(one.bytes), one.first, one.last, one.session) for one in chats.items]
        job.output.table(("entries", "size", "first", "last", "session"), rows)
    else:
        job.output.note("no conversation has a history here")
    return Exit.DONE


def _show(job: Job) -> int:
    if job.options.session is None:
        raise Usage("SESSION: name the conversation to show, as `vademecum chats` does")
    params = {"session": job.options.session, "order": "newest", "limit": job.options.limit}
    with job.opened() as asking:
        page: HistoryPage = asking.ask("session/history/read", params)
    if job.options.json:
        job.output.json(page)
        return Exit.DONE
    if not page.items:
        job.output.note("nothing was said in that conversation, as far as is kept")
    for entry in reversed(page.items):
        job.output.line(Text.assemble((f"{entry.role}  ", "bold"), (one_line(entry.at), "dim")))
        job.output.line(printable(entry.content))
        job.output.line()
    if page.total > len(page.items):
        job.output.note(f"{page.total - len(page.items):,} earlier entries; --limit shows them")
    return Exit.DONE


def _clear(job: Job) -> int:
    session = job.options.session
    if session is None and not job.options.yes:
        question = "Remove every chat history of this folder?"
        if not confirmed(job.output, question, _UNASKED, may_ask=not job.options.json):
            return Exit.FAILED
    with job.opened() as asking:
        params = {"all": True} if session is None else {"session": session}
        removed: Removed = asking.ask("session/history/clear", params)
    if job.options.json:
        job.output.json(removed)
    else:
        job.output.line(f"Removed {removed.removed:,} {'entry' if removed.removed == 1 else 'entries'}.")
    return Exit.DONE
