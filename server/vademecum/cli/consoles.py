"""rich's console, as the commands have it."""

from rich.console import Console


class PatientConsole(Console):
    """Leaves it to the command what happens when nobody reads any more."""

    def on_broken_pipe(self) -> None:
        """End as `main` decides, not as rich would."""
        raise BrokenPipeError
