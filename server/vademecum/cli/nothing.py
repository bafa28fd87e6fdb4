"""What is said where nothing is remembered, so that nobody takes memory for broken."""

from vademecum.api.types.memory import MemoryStatusResult
from vademecum.cli.asking import Asking


def nothing_remembered(asking: Asking) -> str:
    """Why there is nothing, and what to do about it."""
    status: MemoryStatusResult = asking.ask("memory/status", {})
    if status.withheld:
        return (
            "nothing is remembered but what came with this repository, which is not used until you trust it: "
            "`vademecum trust`"
        )
    return "nothing is remembered yet; `vademecum remember NOTE` keeps a note"
