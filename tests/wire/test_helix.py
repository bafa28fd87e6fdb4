"""What docs/editors/helix.md says, done by a client that speaks as Helix does: remember, prompt, search, verify."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client
from wire.editor import cite
from wire.helix import Helix, environment_command

GUIDE = (Path(__file__).parents[2] / "docs" / "editors" / "helix.md").read_text("utf-8")
BLOCKS = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)


@pytest.fixture
def helix(start: Callable[..., Client], repository: Path) -> Helix:
    command, arguments = environment_command(tomllib.loads(BLOCKS[0]))
    assert command == "vademecum"
    client = start(args=tuple(arguments))
    opened = Helix(client, repository)
    client.indexed()
    opened.open(repository / "src" / "shapes.py", "python")
    return opened


def typed(beginning: str) -> str:
    """The line of the guide's table that begins so."""
    (line,) = [one for one in re.findall(r"`(:lsp-workspace-command [^`]+)`", GUIDE) if one.startswith(beginning)]
    return line


def test_remember_prompt_search_and_verify_as_the_guide_says(helix: Helix, repository: Path) -> None:
    helix.type(typed(':lsp-workspace-command vademecum.note "'))
    assert "(Knowledge, project): Use pnpm, never npm" in helix.said("Remembered")
    helix.type(typed(":lsp-workspace-command vademecum.note {"))
    assert "(Knowledge, user): I prefer short answers" in helix.said("short answers")

    helix.type(typed(":lsp-workspace-command vademecum.memory.prompt"))
    assert "Use pnpm, never npm" in helix.page(1)
    helix.type(typed(":lsp-workspace-command vademecum.memory.search"))
    assert "Use pnpm, never npm" in helix.page(2)

    helix.type(':lsp-workspace-command vademecum.search.query "circle area"')
    page = helix.page(3)
    assert "src/shapes.py" in page
    reference = re.findall(r"`(src/shapes\.py:[^`]+)`", page)[0]
    place = {"line": page[: page.index(reference)].count("\n"), "character": 5}
    target = helix.client.request(
        "textDocument/definition", {"textDocument": {"uri": helix.opened[2].as_uri()}, "position": place}
    )
    assert target[0]["uri"] == (repository / "src" / "shapes.py").as_uri()  # gd in the page

    helix.type(f':lsp-workspace-command vademecum.evidence.verify "{reference}"')
    assert f"`{reference}`: **valid**" in helix.page(4)
    helix.type(typed(":lsp-workspace-command vademecum.evidence.verify"))
    assert "src/shapes.py:10-20@3f9a2c1b7d4e8a90" in helix.page(5)
    assert "**changed**" in helix.page(5)


def test_a_selection_is_remembered_and_searched_for(helix: Helix, repository: Path) -> None:
    shapes = repository / "src" / "shapes.py"
    offered = {one["title"]: one for one in helix.actions(shapes, (0, 6), (0, 12))}
    helix.execute(offered["Remember this selection"]["command"])
    told = helix.said("Remembered")
    memory = helix.client.request("memory/get", {"id": told.split()[2]})
    assert memory["content"] == "```python\nCircle\n```"
    assert memory["evidence"][0]["reference"] == cite(helix.client, shapes, 1, 1)
    helix.execute(offered["Search for this selection"]["command"])
    assert "src/shapes.py" in helix.page(1)
    assert helix.actions(shapes, (0, 6), (0, 7)) == []  # nothing but the cursor


def test_what_goes_wrong_stands_in_the_status_line(helix: Helix) -> None:
    helix.type(":lsp-workspace-command vademecum.search.query")
    assert "query" in helix.said("query")
    helix.type(':lsp-workspace-command vademecum.memory.get "nosuchmemory"')
    helix.said("no memory with this id")
    helix.type(':lsp-workspace-command vademecum.note "token ghp_0123456789abcdefghijABCDEFGHIJ456789"')
    helix.said("secret")
    assert helix.opened == []


def test_every_command_of_the_guide_is_there(helix: Helix) -> None:
    there = set(helix.server["capabilities"]["executeCommandProvider"]["commands"])
    assert set(re.findall(r":lsp-workspace-command (vademecum\.[\w.]+)", GUIDE)) <= there
    assert "vademecum.memory.delete" in there


def test_settings_come_with_the_configuration(start: Callable[..., Client], repository: Path) -> None:
    config: Any = tomllib.loads(BLOCKS[1])["language-server"]["vademecum"]["config"]
    client = start()
    helix = Helix(client, repository, config)
    for number in range(18):
        client.request("memory/remember", {"note": f"Fact number {number} of many."})
    assert len(client.request("memory/prompt")["entries"]) == 16
    assert helix.status == []


def test_pages_are_gone_with_the_editor(helix: Helix) -> None:
    helix.type(":lsp-workspace-command vademecum.memory.prompt")
    helix.page(1)
    assert helix.client.shut_down() == 0
    assert not helix.opened[0].exists()
