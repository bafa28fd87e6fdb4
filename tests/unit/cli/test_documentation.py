"""docs/terminal.md names what there is, and only that."""

import re
from pathlib import Path

from vademecum.cli.commands import docs
from vademecum.cli.commands.memories import _ACTIONS
from vademecum.cli.main import COMMANDS

GUIDE = (Path(__file__).parents[3] / "docs" / "terminal.md").read_text("utf-8")


def test_every_command_is_in_the_guide() -> None:
    assert set(re.findall(r"^\| `vademecum (\w+)", GUIDE, re.MULTILINE)) == set(COMMANDS)


def test_every_action_on_memories_is_in_the_guide() -> None:
    (row,) = re.findall(r"^\| `vademecum memories show ID`.*$", GUIDE, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", row)) | {"show"} == set(_ACTIONS)


def test_every_action_on_documents_is_in_the_guide() -> None:
    rows = " ".join(re.findall(r"^\| `vademecum docs.*$", GUIDE, re.MULTILINE))
    told = set(re.findall(r"`(?:vademecum docs )?(\w+)(?: [A-Z]+| --task [A-Z]+)*`", rows)) - {"vademecum"}
    assert told == set(docs._ACTIONS)
