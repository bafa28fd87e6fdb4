"""What every command is handed."""

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from vademecum.cli.folders import folders
from vademecum.cli.interrupt import Interrupt
from vademecum.cli.output import Output
from vademecum.settings import Locations

if TYPE_CHECKING:
    from vademecum.cli.asking import Asking


@frozen
class Job:
    """One command line, and what it may use of the process it runs in."""

    options: argparse.Namespace
    workspace: tuple[str, ...]
    """The folders of every `-C`, as they were written."""
    directory: Path
    """The current directory."""
    environment: Mapping[str, str]
    places: Locations
    interrupt: Interrupt
    output: Output

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that the command is about.

        :raises Usage: when one that was named is not there.
        """
        return folders(self.workspace, self.directory, self.places.user_home)

    @contextmanager
    def opened(self, only: tuple[Path, ...] | None = None) -> "Iterator[Asking]":
        """The folders of the command (or `only` these) opened, for asking."""
        # Only here, so that `doctor` can tell of a library that is missing.
        from vademecum.cli.asking import opened

        with opened(
            self.folders if only is None else only, self.places, self.environment, self.interrupt, self.output
        ) as asking:
            yield asking
