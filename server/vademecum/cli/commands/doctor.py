"""`vademecum doctor`: is everything well?"""

import argparse
import logging
from collections.abc import Callable, Iterator

from rich.text import Text

from vademecum.cli.doctor import environment, storage
from vademecum.cli.doctor.check import Check, Level, fail
from vademecum.cli.failures import told
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit, Usage
from vademecum.cli.printable import one_line
from vademecum.settings import fold
from vademecum.work import Cancelled

_STYLES = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "bold red"}

_EPILOG = """\
Each line says ok, warn (it works, but not as well as it could) or fail, and what to do. Exits with 1 when something
fails.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Nothing but the form."""
    parser.add_argument("--json", action="store_true", help="print [{level, subject, message, advice?}]")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Look at everything; a check that cannot be made is told as one that failed."""
    checks: list[Check] = []
    for check in _checks(job):
        checks.append(check)
        if not job.options.json:
            _print(job, check)
    if job.options.json:
        job.output.json(checks)
    return Exit.FAILED if any(check.level is Level.FAIL for check in checks) else Exit.DONE


def _checks(job: Job) -> Iterator[Check]:
    places = job.places
    _, problems = fold(places.config, [], job.environment)
    yield from _guarded("Python", environment.python)
    yield from _guarded("dependencies", environment.dependencies)
    yield from _guarded("agents", environment.agents)
    yield from _guarded("git", environment.git)
    yield from _guarded("storage", lambda: storage.writable(places))
    yield from _guarded("permissions", lambda: storage.permissions(places))
    yield from _guarded("settings", lambda: storage.settings(str(places.config), problems))
    yield from _guarded("services", lambda: _services(job))


def _services(job: Job) -> Iterator[Check]:
    # Only here, so that a library that is missing is told as such, above.
    from vademecum.cli.doctor import documents, services, watching

    with job.opened() as asking:
        yield from _guarded("memory", lambda: services.memory(asking))
        yield from _guarded("documents", lambda: documents.folders(asking))
        yield from _guarded("evidence", lambda: services.evidence(asking))
        yield from _guarded("index", lambda: services.index(asking))
        yield from _guarded("inotify", lambda: watching.limits(asking))


def _guarded(subject: str, look: Callable[[], Iterator[Check]]) -> Iterator[Check]:
    try:
        yield from look()
    except (Cancelled, BrokenPipeError, Usage):
        raise
    except Exception as error:
        logging.getLogger(__name__).debug("A check failed", exc_info=error)
        yield fail(subject, told(error)[1], "Run it again with --log-level debug for the details.")


def _print(job: Job, check: Check) -> None:
    level = (f"{check.level:<5}", _STYLES[check.level])
    job.output.line(Text.assemble(level, f" {check.subject:<13} ", one_line(check.message)))
    if check.advice is not None:
        job.output.line(Text(f"{'':<20}→ {one_line(check.advice)}", "bold"))
