"""`serve` starts for whatever an editor adds to its command line."""

import os
from pathlib import Path

import pytest

from unit.cli.conftest import Run
from wire.client import running


@pytest.mark.parametrize(
    "arguments",
    [
        ("serve",),
        ("serve", "--stdio"),
        ("serve", "--stdio", f"--clientProcessId={os.getpid()}"),
        ("serve", "--clientProcessId", str(os.getpid()), "--log-level", "debug"),
        ("serve", "--stdio", "--node-ipc", "--some-new-option=3", "value"),
    ],
)
def test_the_options_of_editors(arguments: tuple[str, ...], tmp_path: Path) -> None:
    with running(tmp_path / "home", args=arguments) as client:
        assert client.initialize()["serverInfo"]["name"] == "vademecum"


def test_the_log_tells_nothing_that_the_client_said(tmp_path: Path) -> None:
    with running(tmp_path / "home") as client:
        client.initialize()
        client.shut_down()
        log = client.log()
    assert "Stopping" in log
    assert "pygls" not in log


def test_input_that_ends_at_once_ends_the_server(run: Run) -> None:
    done = run("serve", "--stdio")
    assert (done.code, done.out) == (1, "")
