"""`vademecum install`: set up the agents and editors on this machine."""

import argparse
import shutil
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from vademecum.cli.confirm import confirmed
from vademecum.cli.install.changes import Change, carry_out, change, undo, undoing
from vademecum.cli.install.jsonc import Unreadable
from vademecum.cli.install.machine import Machine
from vademecum.cli.install.targets import TARGETS, Target
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit, Failed, Usage
from vademecum.quantities import counted
from vademecum.settings import home_of

_EPILOG = """\
examples:
  vademecum install                      everything that is found on this machine, after asking
  vademecum install claude cursor        these alone
  vademecum install --dry-run            show what would change, and change nothing
  vademecum install --list               what can be set up, and what is found
  vademecum install --undo               put the files back as they were before the last change
  vademecum uninstall                    take everything of Vademecum's out again

What changes is shown before it is written, and nothing else in the files is touched: comments and layout stay. A file
that is not understood is left alone. What is set up already stays as it is.
"""

_UNASKED = "nothing was changed; --yes writes this"


def describe(parser: argparse.ArgumentParser) -> None:
    """Which, and whether to ask."""
    add = parser.add_argument
    names = ", ".join(target.name for target in TARGETS)
    add("names", nargs="*", metavar="NAME", help=f"{names}; what is found on this machine, when left out")
    add("--list", action="store_true", help="tell what can be set up, what is found, and which files it is about")
    add("--dry-run", action="store_true", help="show what would change, and change nothing")
    add("--yes", action="store_true", help="write it without asking")
    add("--undo", action="store_true", help="undo the last change, as far as nobody has changed the files since")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Show what would change, and write it where the user says so."""
    if job.options.list:
        return _list(job)
    if job.options.undo:
        return _undo(job)
    return set_up(job, remove=False)


def set_up(job: Job, remove: bool) -> int:
    """Put everything in its place, or take it out.

    :return: 1 when a file was left alone because it was not understood.
    """
    machine = machine_of(job)
    chosen = _chosen(job.options.names, machine, everything=remove)
    changes, problems = _changes(chosen, machine, remove)
    for problem in problems:
        job.output.note(problem)
    if not chosen:
        job.output.note("none of the agents and editors that can be set up was found; name one (see --list)")
    elif not changes and not problems:
        titles = ", ".join(target.title for target in chosen)
        job.output.line("Nothing of Vademecum's was found." if remove else f"Set up already: {titles}")
    if changes and _written(job, changes):
        verb = "Taken out of" if remove else "Set up"
        job.output.line(f"{verb}: {', '.join(str(each.path) for each in changes)}")
        job.output.note("`vademecum install --undo` puts it back as it was")
        if not remove and find_spec("mcp") is None and any(target.is_agent for target in chosen):
            job.output.note("agents need the extra `mcp`, which is not installed: pip install 'vademecum[mcp]'")
        for target in chosen if not remove else ():
            if target.then:
                job.output.line(f"{target.title}: {target.then}")
    return Exit.FAILED if problems else Exit.DONE


def machine_of(job: Job) -> Machine:
    """The machine that this command runs on.

    :raises VademecumError: when its user has no home folder, whether or not Vademecum's own things lie elsewhere.
    """
    beside = Path(sys.executable).with_name("vademecum.exe" if sys.platform == "win32" else "vademecum")
    on_path = shutil.which("vademecum", path=job.environment.get("PATH", ""))
    # What the user's shell finds stays where it is when the environment behind it is made anew.
    program = on_path or (str(beside) if beside.exists() else None)
    if program is None:
        raise Failed("there is no program `vademecum` to be started by others; install the package first")
    return Machine(home_of(job.environment), job.environment, sys.platform, str(Path(program).absolute()))


def _chosen(names: Sequence[str], machine: Machine, everything: bool) -> list[Target]:
    known = {target.name: target for target in TARGETS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise Usage(f"NAME: {unknown[0]!r} is none of {', '.join(known)}")
    if names:
        return [known[name] for name in dict.fromkeys(names)]
    return [target for target in TARGETS if everything or target.is_here(machine)]


def _changes(chosen: Sequence[Target], machine: Machine, remove: bool) -> tuple[list[Change], list[str]]:
    changes: list[Change] = []
    problems: list[str] = []
    for target in chosen:
        for piece in target.pieces(machine):
            try:
                changes.append(change(piece, remove))
            except Unreadable as error:
                problems.append(f"{piece.path} is left alone: {error}")
            except OSError as error:
                problems.append(f"{piece.path} is left alone: {error.strerror}")
    return [each for each in changes if each.is_any], problems


def _written(job: Job, changes: Sequence[Change]) -> bool:
    for each in changes:
        job.output.line(f"{each.path}: {each.what}")
        job.output.line(each.diff())
    if job.options.dry_run:
        return False
    if not job.options.yes and not confirmed(job.output, f"Write this ({counted(len(changes), 'file')})?", _UNASKED):
        return False
    try:
        carry_out(changes, job.places.state)
    except (Unreadable, OSError) as error:
        raise Failed(f"{error}") from error
    return True


def _list(job: Job) -> int:
    machine = machine_of(job)
    rows = [
        (
            target.name,
            "found" if target.is_here(machine) else "-",
            target.title,
            ", ".join(str(piece.path) for piece in target.pieces(machine)),
        )
        for target in TARGETS
    ]
    job.output.table(("name", "here", "what", "files"), rows)
    return Exit.DONE


def _undo(job: Job) -> int:
    try:
        changes, left, record = undoing(job.places.state)
    except (Unreadable, OSError) as error:
        raise Failed(f"it cannot be undone: {error}") from error
    if record is None:
        job.output.note("there is nothing to undo")
        return Exit.DONE
    for path in left:
        job.output.note(f"{path} has changed since, and is left alone")
    for each in changes:
        job.output.line(each.diff())
    if job.options.dry_run:
        return Exit.DONE
    if not job.options.yes and not confirmed(job.output, "Put it back as it was?", _UNASKED):
        return Exit.DONE
    undo(changes, record)
    job.output.line(f"Undone: {', '.join(str(each.path) for each in changes)}" if changes else "Nothing was changed.")
    return Exit.FAILED if left else Exit.DONE
