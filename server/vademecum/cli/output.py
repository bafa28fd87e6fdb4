"""Where a command writes: results to standard output, everything else to standard error."""

import json
from collections.abc import Sequence
from functools import cached_property
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from vademecum.cli.printable import one_line


class Output:
    """The two streams of a command. Colours go to terminals alone, and not where `NO_COLOR` is set."""

    def __init__(self, stdout: TextIO, stderr: TextIO) -> None:
        self._stdout = stdout
        self._stderr = stderr

    @cached_property
    def console(self) -> Console:
        """Standard output."""
        return _console(self._stdout)

    @cached_property
    def errors(self) -> Console:
        """Standard error."""
        return _console(self._stderr)

    def line(self, text: str | Text = "", style: str = "") -> None:
        """One line of a result, never wrapped by us. Whoever calls has made the text printable."""
        if self.console.is_terminal:
            self.console.print(Text(text, style) if isinstance(text, str) else text, soft_wrap=True)
        else:  # as it is: rich would make spaces of tabs
            self._stdout.write(f"{text}\n")

    def json(self, value: object) -> None:
        """A result as JSON in UTF-8, the shape that goes over the wire."""
        from vademecum.api import wire

        text = json.dumps(wire.unstructure(value), ensure_ascii=False, indent=2)
        # Half a surrogate pair, as from a file name that is not UTF-8, becomes the escape that JSON has for it.
        self._bytes(text.encode("utf-8", "backslashreplace") + b"\n")

    def exact(self, text: str) -> None:
        """`text` in UTF-8 and not one byte more."""
        self._bytes(text.encode("utf-8"))

    def _bytes(self, data: bytes) -> None:
        self._stdout.flush()
        self._stdout.buffer.write(data)
        self._stdout.buffer.flush()

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str | Text]]) -> None:
        """Rows with headings on a terminal; in a pipe fields separated by tabs, without headings.

        The last column is cut where the terminal is too narrow.
        """
        if not self.console.is_terminal:
            for row in rows:
                self.line("\t".join(one_line(str(cell)) for cell in row))
            return
        table = Table(box=None, pad_edge=False, header_style="dim")
        for number, heading in enumerate(headings, 1):
            last = number == len(headings)
            table.add_column(heading, no_wrap=True, overflow="ellipsis" if last else "fold", ratio=1 if last else None)
        for row in rows:
            table.add_row(*(Text(one_line(cell)) if isinstance(cell, str) else cell for cell in row))
        self.console.print(table)

    def note(self, message: str) -> None:
        """One line beside the result, on standard error."""
        self._stderr.write(f"vademecum: {one_line(message)}\n")
        self._stderr.flush()


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Nobody reads any more: the command ends as `main` decides, not as rich would."""
        raise BrokenPipeError


def _console(stream: TextIO) -> Console:
    return _Console(file=stream, markup=False, highlight=False, emoji=False)
