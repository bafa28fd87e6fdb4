"""`vademecum memories audit`: what is amiss with memories, and mending it, each finding after a question."""

import sys
from collections.abc import Callable

from vademecum.api.types.audit import AuditFinding, AuditResult
from vademecum.cli.asking import Asking
from vademecum.cli.failures import told
from vademecum.cli.job import Job
from vademecum.cli.outcome import Usage
from vademecum.cli.printable import one_line
from vademecum.cli.progress import bar
from vademecum.errors import VademecumError


def audit(job: Job, asking: Asking, words: list[str]) -> tuple[object, Callable[[], None]]:
    """Look, and show what was found; with `--fix` ask what to do about each."""
    options = job.options
    params = {"scope": options.scope, "kinds": words or None, "limit": options.limit}
    if options.fix and (options.json or not (sys.stdin.isatty() and job.output.errors.is_terminal)):
        raise Usage("--fix: asks about each finding, so it needs a terminal; --json tells the fixes as requests")
    with bar(job.output.errors, "Looking at memories") as progress:
        found: AuditResult = asking.ask("memory/audit", params, progress)
    mended = _mend(job, asking, found) if options.fix else None

    def show() -> None:
        if mended is None:
            _list(job, found)
        else:
            job.output.line(f"Mended {mended:,} of {found.total:,}.")
        if found.total > len(found.findings):
            job.output.note(f"{found.total - len(found.findings):,} more findings; --limit shows them")

    return found, show


def _list(job: Job, found: AuditResult) -> None:
    rows = [(each.kind, " ".join(each.ids), f"{each.message} {each.fixes[0].title}.") for each in found.findings]
    if rows:
        job.output.table(("kind", "ids", "what, and what mends it"), rows)
        job.output.note(f"{found.total:,} findings in {found.checked:,} memories; --fix asks what to do about each")
    else:
        job.output.note(f"nothing is amiss with {found.checked:,} memories")


def _mend(job: Job, asking: Asking, found: AuditResult) -> int:
    """Go through the findings, and return how many were mended; what a fix removed is not asked about again."""
    gone: set[str] = set()
    mended = 0
    for number, finding in enumerate(found.findings, 1):
        if not gone.isdisjoint(finding.ids):
            continue
        choice = _choose(job, finding, f"{number}/{len(found.findings)}")
        if choice is None:
            break
        if choice == 0:
            continue
        try:
            for request in finding.fixes[choice - 1].requests:
                asking.ask(request.method, request.params)
                if request.method in ("memory/delete", "memory/purge"):
                    gone.add(str(request.params["id"]))
            mended += 1
        except VademecumError as error:
            job.output.note(told(error)[1])
    return mended


def _choose(job: Job, finding: AuditFinding, place: str) -> int | None:
    """Ask what to do: the number of a fix, 0 for nothing, None to stop."""
    write = job.output.errors.print
    write(f"\n{place}  {finding.kind}  {' '.join(finding.ids)}\n  {one_line(finding.message)}")
    for number, fix in enumerate(finding.fixes, 1):
        write(f"  {number}) {one_line(fix.title)}")
    while True:
        write("Which one? (Enter leaves it, q stops) ", end="")
        line = sys.stdin.readline()
        answer = line.strip().lower()
        if not line or answer == "q":
            return None
        if not answer:
            return 0
        if answer.isdigit() and 1 <= int(answer) <= len(finding.fixes):
            return int(answer)
