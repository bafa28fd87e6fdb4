"""`vademecum mcp`: what agents start."""

import argparse
import gc

from vademecum.cli.commands.serve import GARBAGE_EVERY
from vademecum.cli.job import Job
from vademecum.cli.outcome import Failed
from vademecum.knowledge.types import DEFAULT_TASK
from vademecum.work import share_memory
from vademecum.workspace import Nobody
from vademecum.workspaces import Workspaces

# Agents show standard error in a log of their own.
LOG_LEVEL = "warning"

_EPILOG = """\
Agents start this: it speaks the Model Context Protocol over standard input and output, and ends when its input does.
It is about the folders given with -C, else about the roots that the agent names, else about the repository around the
current folder. It works beside an editor that has the same folder open. It needs the extra `mcp`.

docs/editors/agents.md has the configuration for Claude Code, Codex and Cursor.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Whose documents are read."""
    parser.add_argument("--task", default=DEFAULT_TASK, metavar="TASK", help="whose documents the tools read (default)")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Serve until the agent leaves."""
    from vademecum.lifetime import take_stdout
    from vademecum.search.spare import Spare

    share_memory()
    # Before anything is loaded that might print.
    stdout = take_stdout()
    folders = job.folders
    # It loads its libraries while this process loads those of the protocol.
    spare = Spare(job.places.cache)
    spare.start()
    # As for an editor's server: what the libraries make stays, and is not looked through for garbage again and again.
    gc.disable()
    try:
        from vademecum.mcp.server import serve
    except ImportError as error:
        spare.close()
        raise Failed(f"The extra mcp is missing or too old ({error}): pip install 'vademecum[mcp]'") from error
    gc.freeze()
    gc.set_threshold(GARBAGE_EVERY)
    gc.enable()
    job.interrupt.release()
    workspaces = Workspaces(job.places, job.environment, Nobody(), spare)
    workspaces.is_serving = True
    for problem in workspaces.take_problems():
        job.output.note(str(problem))
    serve(workspaces, folders, job.options.task, stdout, are_named=bool(job.workspace))
    return 0
