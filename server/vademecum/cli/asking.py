"""The terminal's way to the desk: open the folders, ask a method, close them again."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import frozen

from vademecum.api import wire
from vademecum.api.calls import Call, Encoding
from vademecum.api.dispatch import METHODS
from vademecum.cli.interrupt import Interrupt
from vademecum.cli.output import Output
from vademecum.settings import Locations
from vademecum.work import Progress, silent
from vademecum.workspace import Nobody
from vademecum.workspaces import Workspaces


@frozen
class Asking:
    """Open folders, and whoever may interrupt the calls to them."""

    workspaces: Workspaces
    interrupt: Interrupt

    def ask(
        self,
        method: str,
        params: Mapping[str, Any],
        progress: Progress = silent,
        encoding: Encoding = "utf-16",
    ) -> Any:
        """Run one method as the wire would: from the JSON of its params to its result.

        :param method: a name of `vademecum.api.dispatch.METHODS`, such as `search/query`.
        :param params: as in docs/protocol.md; None stands for a field that is left out.
        :param encoding: how positions in the result count; LSP's default, so that `--json` is what the wire gives.
        :raises InvalidParams, InvalidField, VademecumError, Cancelled: as the method does.
        """
        entry = METHODS[method]
        given = wire.structure({key: value for key, value in params.items() if value is not None}, entry.params)
        with self.interrupt.gently():
            return entry.run(Call(self.workspaces, self.interrupt.cancel, progress, encoding), given)


@contextmanager
def opened(
    folders: tuple[Path, ...], places: Locations, environment: Mapping[str, str], interrupt: Interrupt, output: Output
) -> Iterator[Asking]:
    """Open `folders` for as long as the block runs; settings that cannot be used are told once."""
    workspaces = Workspaces(places, environment, Nobody())
    try:
        for problem in (*workspaces.enter(folder.as_uri() for folder in folders), *workspaces.take_problems()):
            output.note(str(problem))
        yield Asking(workspaces, interrupt)
    finally:
        workspaces.close()
