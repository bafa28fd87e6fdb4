"""A code-server of its own for one test: its folders, its extensions, its life."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from editors.vscode.toolchain import Toolchain

START_SECONDS = 60
STOP_SECONDS = 15
INSTALL_SECONDS = 120
#: How long an extension host outlives its page, in seconds; hours by default, which no test can wait for.
GRACE_SECONDS = 2

SETTINGS: Mapping[str, Any] = {
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "editor.minimap.enabled": False,
    "workbench.colorTheme": "Default Light Modern",
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "extensions.ignoreRecommendations": True,
    "extensions.autoCheckUpdates": False,
    "update.mode": "none",
    "git.openRepositoryInParentFolders": "never",
    "chat.setupFromDialog": False,
    "window.restoreWindows": "none",
}

#: Where trust is asked for. A dialog at the start would lie over everything; the workbench's own command grants it.
TRUST_SETTINGS: Mapping[str, Any] = {
    "security.workspace.trust.enabled": True,
    "security.workspace.trust.startupPrompt": "never",
    # The page on trust would lie over all else.
    "workbench.editor.useModal": "off",
}


@attrs.frozen
class CodeServer:
    """A running code-server."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path


@contextmanager
def run(
    toolchain: Toolchain,
    *,
    folder: Path,
    home: Path,
    extensions: Sequence[Path],
    machine_settings: Mapping[str, Any],
    environment: Mapping[str, str],
    asks_for_trust: bool = False,
) -> Iterator[CodeServer]:
    """Start code-server and end it, with everything it started.

    :param folder: where its data may lie; nothing else of the machine is written to.
    :param home: the HOME it sees.
    :param extensions: `.vsix` files to install.
    :param machine_settings: settings of machine scope, as on a remote machine.
    :param environment: variables that its extensions see, on top of this process's own.
    :param asks_for_trust: whether a folder is restricted until somebody trusts it, as users have it; nobody is asked.
    """
    _write(folder / "data" / "User" / "settings.json", {**SETTINGS, **(TRUST_SETTINGS if asks_for_trust else {})})
    _write(folder / "data" / "Machine" / "settings.json", machine_settings)
    home.mkdir(parents=True, exist_ok=True)
    variables = toolchain.environment({**os.environ, "HOME": str(home), "EXTENSIONS_GALLERY": "{}", **environment})
    # Those of a terminal inside VS Code would make this one its client; XDG's lead away from `home`.
    variables = {name: value for name, value in variables.items() if not name.startswith(("VSCODE_", "XDG_"))}
    # Sockets lie here, whose paths must be short; whoever is killed leaves them behind.
    temporary = tempfile.TemporaryDirectory(prefix="vademecum-", ignore_cleanup_errors=True)
    flags = () if asks_for_trust else ("--disable-workspace-trust",)
    with temporary as place, _running(toolchain, folder, extensions, variables | {"TMPDIR": place}, flags) as server:
        yield server


@contextmanager
def _running(
    toolchain: Toolchain, folder: Path, extensions: Sequence[Path], variables: Mapping[str, str], flags: Sequence[str]
) -> Iterator[CodeServer]:
    user_data, extension_folder, log = folder / "data", folder / "extensions", folder / "code-server.log"
    places = ["--user-data-dir", str(user_data), "--extensions-dir", str(extension_folder)]
    for extension in extensions:
        command = [str(toolchain.code_server), *places, "--install-extension", str(extension), "--force"]
        subprocess.run(command, env=variables, check=True, capture_output=True, timeout=INSTALL_SECONDS)
    port = _free_port()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                *(str(toolchain.code_server), *places, "--auth", "none", "--bind-addr", f"127.0.0.1:{port}"),
                *("--disable-telemetry", "--disable-update-check", *flags),
                *("--reconnection-grace-time", str(GRACE_SECONDS)),
            ],
            env=variables,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        server = CodeServer(url=f"http://127.0.0.1:{port}", process=process, log=log)
        _wait_until_up(server)
        yield server
    finally:
        _end_group(process)


def _write(path: Path, settings: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings, indent=2))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_up(server: CodeServer) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{server.url}/healthz", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"code-server did not start:\n{server.log.read_text('utf-8', errors='replace')[-4000:]}")


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Only our own process group: it was started as a session of its own."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    process.wait(STOP_SECONDS)
