"""How far a long piece of work is, shown on standard error where that is a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from vademecum.work import Progress, silent


class _Count(ProgressColumn):
    """`1,204/3,800 files  512/s`, as far as it is known."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        total = f"/{task.total:,.0f}" if task.total else ""
        rate = f"  {task.speed:,.0f}/s" if task.speed else ""
        return Text(f"{task.completed:,.0f}{total} {self._unit}{rate}")


@contextmanager
def bar(console: Console, title: str, unit: str = "files") -> Iterator[Progress]:
    """A progress bar with counts and rate for as long as the block runs, gone afterwards.

    Nothing is shown in a pipe or on a terminal that cannot move its cursor.

    :param unit: what is counted, in the plural.
    """
    if not console.is_terminal or console.is_dumb_terminal:
        yield silent
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), _Count(unit), TimeElapsedColumn())
    with Bar(*columns, console=console, transient=True) as shown:
        task = shown.add_task(title, total=None)

        def report(done: int, total: int | None, message: str) -> None:
            shown.update(task, completed=done, total=total)

        yield report
