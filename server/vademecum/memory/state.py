"""The database of what is kept beside memories: prior versions, trust, snapshots, which path is which project."""

from pathlib import Path

from vademecum.files.database import Database
from vademecum.memory.state_schema import MIGRATIONS

FILE_NAME = "memory.sqlite"

#: "VDMM".
APPLICATION_ID = 0x56444D4D


class State(Database):
    """The file `memory.sqlite` in the state directory."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / FILE_NAME, "state database", APPLICATION_ID, MIGRATIONS)
