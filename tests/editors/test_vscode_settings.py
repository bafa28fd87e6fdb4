"""The settings that the VS Code extension offers are the server's own: the same names, types and defaults."""

import json
import re
from pathlib import Path
from typing import Any

import attrs
import pytest

from vademecum.settings import Settings, camel, fold, settable

MANIFEST = Path(__file__).parents[2] / "client-vscode" / "package.json"
#: Groups that only the client reads.
CLIENT_GROUPS = {"server", "trace"}


def groups() -> list[dict[str, Any]]:
    """The groups of settings, as the settings editor shows them."""
    found: list[dict[str, Any]] = json.loads(MANIFEST.read_text("utf-8"))["contributes"]["configuration"]
    return found


def offered() -> dict[str, dict[str, Any]]:
    """All settings, the client's own too, by their full names."""
    return {name: told for group in groups() for name, told in group["properties"].items()}


def contributed() -> dict[str, dict[str, Any]]:
    """The settings for the server in the manifest, without the section's name; one without a group is the client's."""
    settings = {name.removeprefix("vademecum."): told for name, told in offered().items()}
    return {name: told for name, told in settings.items() if "." in name and name.split(".")[0] not in CLIENT_GROUPS}


def folded(tmp_path: Path, name: str, value: object) -> tuple[Settings, tuple[object, ...]]:
    group, leaf = name.split(".")
    return fold(tmp_path / "none.toml", [{group: {leaf: value}}], {})


@pytest.mark.parametrize("name", sorted(contributed()))
def test_a_default_in_the_editor_is_the_servers_default(name: str, tmp_path: Path) -> None:
    told = contributed()[name]
    settings, problems = folded(tmp_path, name, told["default"])
    assert problems == ()
    assert settings == Settings()


def allowed(told: dict[str, Any]) -> tuple[list[object], list[object]]:
    """Values at the edge of what the editor takes for a setting, and values just beyond that."""
    kinds = [told["type"]] if isinstance(told["type"], str) else told["type"]
    if "boolean" in kinds:
        return [True, False], ["on"]
    if "array" in kinds and "enum" in told["items"]:
        return [told["items"]["enum"]], [[*told["items"]["enum"], "another"], told["items"]["enum"][0]]
    if "array" in kinds:
        return [["build/"]], ["build/"]
    if "enum" in told:
        return told["enum"], ["another"]
    step = 1 if "integer" in kinds else 0.001
    low = told["minimum"] if "minimum" in told else told["exclusiveMinimum"] + step
    return [low, told["maximum"]], [low - step, told["maximum"] + step]


@pytest.mark.parametrize("name", sorted(contributed()))
def test_the_editor_allows_what_the_server_takes_and_nothing_else(name: str, tmp_path: Path) -> None:
    told = contributed()[name]
    taken, refused = allowed(told)
    for value in taken:
        settings, problems = folded(tmp_path, name, value)
        assert problems == ()
        if value != told["default"]:
            assert settings != Settings()
    for value in refused:
        settings, problems = folded(tmp_path, name, value)
        assert len(problems) == 1
        assert settings == Settings()


def test_the_editor_offers_every_setting_that_it_may_set() -> None:
    everything = {
        f"{camel(section.name)}.{camel(leaf.name)}"
        for section in attrs.fields(Settings)
        for leaf in settable(section.type)
    }
    assert everything - contributed().keys() == {"knowledge.shared"}


@pytest.mark.parametrize(
    "name",
    ["search.model", "search.workers", "evidence.retentionDays", "memory.capture", "session.history"],
)
def test_a_repository_sets_nothing_that_costs_the_machine_or_keeps_more_of_the_user(name: str) -> None:
    assert contributed()[name]["scope"] in ("machine", "application")


def test_what_the_editor_offers_of_a_model_is_no_folder() -> None:
    assert all("/" not in name for name in contributed()["search.model"]["enum"])


def test_the_guide_tells_of_settings_that_are_there() -> None:
    guide = (MANIFEST.parents[1] / "docs" / "editors" / "vscode.md").read_text("utf-8")
    told = set(re.findall(r"`(vademecum\.[a-z]+\.[A-Za-z]+)`", guide))
    assert told
    assert told <= offered().keys()


def test_groups_have_titles_and_an_order_and_so_has_every_setting_in_them() -> None:
    assert [group["order"] for group in groups()] == list(range(1, len(groups()) + 1))
    assert len({group["title"] for group in groups()}) == len(groups())
    for group in groups():
        assert [told["order"] for told in group["properties"].values()] == list(range(1, len(group["properties"]) + 1))


@pytest.mark.parametrize("name", sorted(offered()))
def test_every_setting_says_what_it_does_and_what_each_choice_means(name: str) -> None:
    told = offered()[name]
    text = told["markdownDescription"]
    assert re.fullmatch(r"[A-Z].*[.)]", text, re.DOTALL)
    # Each is read alone, in a search of the settings: none leans on the one before it.
    assert not re.match(r"(For one|More when|Factor on that)\b", text)
    choices = told.get("items", told)
    described = choices.get("markdownEnumDescriptions", [])
    assert len(described) == len(choices.get("enum", []))
    assert all(described)
    links = re.findall(r"#(vademecum\.[\w.]+)#", " ".join([text, *described]))
    assert set(links) <= offered().keys() - {name}
    assert told["scope"] in ("window", "resource", "machine", "application")


@pytest.mark.parametrize("name", [name for name in sorted(offered()) if name.startswith("vademecum.server.")])
def test_a_setting_that_can_start_a_program_is_the_machines(name: str) -> None:
    assert offered()[name]["scope"] == "machine"
    capabilities = json.loads(MANIFEST.read_text("utf-8"))["capabilities"]
    assert name in capabilities["untrustedWorkspaces"]["restrictedConfigurations"]
