"""The machine that is set up: where its user's programs keep their configuration."""

import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen


@frozen
class Machine:
    """Where things are, for this user.

    :param home: the user's own home folder.
    :param environment: the process's variables.
    :param platform: as `sys.platform` has it.
    :param program: the absolute path of the `vademecum` that agents and editors are to start.
    """

    home: Path
    environment: Mapping[str, str]
    platform: str
    program: str

    @property
    def config(self) -> Path:
        """Where programs keep their configuration on Linux and the like."""
        named = Path(self.environment.get("XDG_CONFIG_HOME", ""))
        return named if named.is_absolute() else self.home / ".config"  # a relative one is void by the rules for it

    @property
    def applications(self) -> Path:
        """Where desktop programs keep theirs on this platform."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return Path(self.environment.get("APPDATA") or self.home / "AppData" / "Roaming")
        return self.config

    def has_program(self, name: str) -> bool:
        """Whether a program is on this user's PATH."""
        return shutil.which(name, path=self.environment.get("PATH", "")) is not None

    @property
    def server(self) -> dict[str, Any]:
        """How the server of tools is started, as most agents write it."""
        return {"command": self.program, "args": ["mcp"]}

    @property
    def hook(self) -> str:
        """The command line of the hook, for the platform's shell."""
        words = [self.program, "prompt", "--hook"]
        return subprocess.list2cmdline(words) if self.platform == "win32" else shlex.join(words)


def is_our_hook(command: object) -> bool:
    """Whether a command line is our hook, whichever program it starts."""
    return isinstance(command, str) and "vademecum" in command and command.rstrip().endswith("prompt --hook")
