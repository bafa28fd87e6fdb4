"""The settings that the VS Code extension offers are the server's own: the same names, types and defaults."""

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from vademecum.settings import Settings, fold

MANIFEST = Path(__file__).parents[2] / "client-vscode" / "package.json"
#: Groups that only the client reads.
CLIENT_GROUPS = {"server", "trace"}


def contributed() -> dict[str, dict[str, Any]]:
    """The settings for the server in the manifest, without the section's name."""
    groups = json.loads(MANIFEST.read_text("utf-8"))["contributes"]["configuration"]
    settings = {name: told for group in groups for name, told in group["properties"].items()}
    names = {name: name.removeprefix("vademecum.") for name in settings}
    return {names[name]: told for name, told in settings.items() if names[name].split(".")[0] not in CLIENT_GROUPS}


def folded(tmp_path: Path, name: str, value: object) -> tuple[Settings, tuple[object, ...]]:
    group, leaf = name.split(".")
    return fold(tmp_path / "none.toml", [{group: {leaf: value}}], {})


@pytest.mark.parametrize("name", sorted(contributed()))
def test_a_default_in_the_editor_is_the_servers_default(name: str, tmp_path: Path) -> None:
    told = contributed()[name]
    settings, problems = folded(tmp_path, name, told["default"])
    assert problems == ()
    assert settings == Settings()


@pytest.mark.parametrize("name", sorted(contributed()))
def test_every_value_that_the_editor_allows_is_taken(name: str, tmp_path: Path) -> None:
    told = contributed()[name]
    if told["type"] == "boolean":
        values: list[object] = [True, False]
    elif told["type"] == "integer":
        values = [told["minimum"], told["maximum"]]
    elif "enum" in told:
        values = told["enum"]
    else:
        values = [["build/"]]
    for value in values:
        settings, problems = folded(tmp_path, name, value)
        assert problems == ()
        if value != told["default"]:
            assert settings != Settings()


def test_the_editor_offers_what_the_guide_says() -> None:
    guide = (MANIFEST.parents[1] / "docs" / "editors" / "vscode.md").read_text("utf-8")
    for name in contributed():
        assert f"`vademecum.{name}`" in guide
    assert {attribute.name for attribute in attrs.fields(Settings)} >= {name.split(".")[0] for name in contributed()}
