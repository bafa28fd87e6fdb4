"""Builds what the test installs: the extension as users get it, and the scripted model."""

import os
import subprocess
import sys
from pathlib import Path

from editors.vscode.toolchain import Toolchain

ROOT = Path(__file__).parents[3]
CLIENT = ROOT / "client-vscode"
FAKE_MODEL = Path(__file__).parent / "fake-model"
BUILD_SECONDS = 600


def build(toolchain: Toolchain, folder: Path) -> tuple[Path, Path]:
    """The `.vsix` of the extension and of the scripted model, in `folder`."""
    environment = toolchain.environment(os.environ)
    vsce = CLIENT / "node_modules" / ".bin" / "vsce"
    if not vsce.exists():
        _run(["npm", "ci", "--no-audit", "--no-fund"], CLIENT, environment)
    built = []
    for source, name in ((CLIENT, "vademecum"), (FAKE_MODEL, "scripted-model")):
        target = folder / f"{name}.vsix"
        pack = [str(vsce), "package", "--no-dependencies", "--allow-missing-repository", "--out", str(target)]
        _run(pack, source, environment)
        built.append(target)
    return built[0], built[1]


def build_for_this_machine(toolchain: Toolchain, folder: Path) -> tuple[Path, Path]:
    """As `build`, but the extension is the one for this platform, with the wheels in it, as `make vsix` makes it."""
    _, scripted_model = build(toolchain, folder)
    environment = toolchain.environment(os.environ)
    carrying = folder / "carrying"
    _run([sys.executable, str(CLIENT / "packaging" / "vsix.py"), "--out", str(carrying)], CLIENT, environment)
    (built,) = carrying.glob("*.vsix")
    return built, scripted_model


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
    )
    if done.returncode:
        raise RuntimeError(f"`{' '.join(command)}` failed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
