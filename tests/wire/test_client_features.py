"""The VS Code client's bundle leaves out what the server does not offer; what it offers later must come back in."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wire.client import Client

LEFT_OUT = Path(__file__).parents[2] / "client-vscode" / "leftOut.json"


def test_the_client_leaves_out_only_what_the_server_does_not_offer(
    start: Callable[..., Client], repository: Path
) -> None:
    offered = start().initialize(repository)["capabilities"]
    left_out = json.loads(LEFT_OUT.read_text("utf-8"))
    assert "hoverProvider" in offered
    assert "renameProvider" in left_out.values()
    assert [module for module, capability in left_out.items() if _announced(offered, capability)] == []


def _announced(offered: dict[str, Any], capability: str) -> bool:
    """`workspace.fileOperations` is a member of a member; pygls announces it empty."""
    value: Any = offered
    for name in capability.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return bool(value)
