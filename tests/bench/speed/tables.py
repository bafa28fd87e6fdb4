"""What was measured, as rows for people and as numbers for later comparison."""

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field

BEGIN, END = "<!-- speed: begin -->", "<!-- speed: end -->"


@define
class Table:
    """The figures of one tree: for people as rows, for later comparison as numbers."""

    corpus: str
    rows: list[tuple[str, str, str]] = field(factory=list)
    figures: dict[str, float] = field(factory=dict)

    def add(self, what: str, figure: str, target: str = "", **figures: float) -> None:
        """Note one row; `figures` are the numbers in it."""
        self.rows.append((what, figure, target))
        self.figures.update({name: round(value, 6) for name, value in figures.items()})
        sys.stdout.write(f"| {what} | {figure} | {target} |\n")
        sys.stdout.flush()


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Median and 95th percentile."""
    ordered = sorted(values)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]


def milliseconds(values: Sequence[float]) -> str:
    """Durations in seconds, as text."""
    median, late = spread(values)
    return f"p50 {1000 * median:.1f} ms, p95 {1000 * late:.1f} ms"


def timed(work: Callable[[], Any]) -> float:
    """Seconds that a call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def markdown(table: Table) -> str:
    """A table with its heading."""
    lines = [f"| {what} | {figure} | {target} |" for what, figure, target in table.rows]
    return "\n".join([f"### {table.corpus}", "", "| what | figure | target |", "|---|---|---|", *lines, ""])


def put(document: Path, text: str, first: str = BEGIN, last: str = END) -> None:
    """Replace what stands between the two marks of a document."""
    before, begin, rest = document.read_text("utf-8").partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise SystemExit(f"{document} has no marks {first} and {last}")
    document.write_text(f"{before}{begin}\n{text}{end}{after}", "utf-8")


def commit() -> str:
    """The commit that is measured, `+` when there is more than it; empty outside a repository."""
    here = Path(__file__).parent
    try:
        name = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=here, capture_output=True, text=True)
        state = ["git", "status", "--porcelain", "--untracked-files=no", "../../server"]
        changed = subprocess.run(state, cwd=here, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""
    return name.stdout.strip() + ("+" if changed else "")


def machine() -> str:
    """What the figures were measured on."""
    return f"{os.cpu_count()} processors ({platform.machine()}), Python {platform.python_version()}"
