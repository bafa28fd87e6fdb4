"""Where a command writes: results to standard output, everything else to standard error."""

import json
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TextIO

from vademecum.cli import streams
from vademecum.cli.printable import one_line

if TYPE_CHECKING:  # rich is loaded by who prints: a server does not
    from rich.console import Console
    from rich.text import Text

_GAP = "  "
# A last column that is narrower tells nothing; the terminal may wrap it then.
_LEAST_WIDTH = 16


class Output:
    """The two streams of a command. Colours go to terminals alone, and not where `NO_COLOR` is set."""

    def __init__(self, stdout: TextIO, stderr: TextIO) -> None:
        self._stdout = stdout
        self._stderr = stderr

    @cached_property
    def console(self) -> "Console":
        """Standard output."""
        return _console(self._stdout)

    @cached_property
    def errors(self) -> "Console":
        """Standard error."""
        return _console(self._stderr)

    def line(self, text: "str | Text" = "", style: str = "") -> None:
        """One line of a result, never wrapped by us. Whoever calls has made the text printable."""
        if self.console.is_terminal:
            from rich.text import Text

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
        """`text` in UTF-8 and not one byte more, but a line end after it on a terminal."""
        self._bytes(text.encode("utf-8"))
        if text and not text.endswith("\n") and self._stdout.isatty():
            self.line()

    def _bytes(self, data: bytes) -> None:
        try:
            self._stdout.flush()
            self._stdout.buffer.write(data)
            self._stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError:
            streams.discard(self._stdout)
            raise

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Rows with headings on a terminal; in a pipe fields separated by tabs, without headings.

        On a terminal the last column is cut where there is no room for it, never an earlier one; empty ones are left
        out. (A rich Table would cut the ids first.)
        """
        from rich.cells import cell_len

        cells = [[one_line(cell) for cell in row] for row in rows]
        if not self.console.is_terminal:
            for row in cells:
                self.line("\t".join(row))
            return
        kept = [column for column in range(len(headings)) if any(row[column] for row in cells)]
        lines: list[Sequence[str]] = [headings, *cells]
        widths = [max(cell_len(row[column]) for row in lines) for column in kept]
        room = max(_LEAST_WIDTH, self.console.width - sum(widths[:-1]) - len(_GAP) * (len(widths) - 1))
        widths[-1:] = [min(room, width) for width in widths[-1:]]
        for number, cells_of_line in enumerate(lines):
            line = _GAP.join(_fitted(cells_of_line[column], width) for column, width in zip(kept, widths, strict=True))
            self.line(line.rstrip(), "" if number else "dim")

    def note(self, message: str) -> None:
        """One line beside the result, on standard error."""
        self._stderr.write(f"vademecum: {one_line(message)}\n")
        self._stderr.flush()


def _fitted(cell: str, width: int) -> str:
    """`cell` in exactly `width` columns of a terminal."""
    from rich.cells import cell_len, set_cell_size

    return set_cell_size(cell, width) if cell_len(cell) <= width else set_cell_size(cell, width - 1) + "…"


def _console(stream: TextIO) -> "Console":
    from vademecum.cli.consoles import PatientConsole

    return PatientConsole(file=stream, markup=False, highlight=False, emoji=False)
