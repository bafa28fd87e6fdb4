"""What the VS Code extension contributes of the table of tools: all that it has a use for, under names that exist."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))

from contributed_tools import CONTRIBUTED, PREFIX, contributed_tools

from vademecum.api.tools.aliases import ALIASES
from vademecum.api.tools.table import OWN, TOOLS
from vademecum.api.tools.tool import Access, Need


def test_every_tool_of_a_client_that_lends_its_model_is_contributed() -> None:
    own = {tool.name for tool in OWN if tool.need is not Need.DOCUMENTS_ALONE}
    assert {each.tool for each in CONTRIBUTED} == own


def test_descriptions_name_only_tools_that_the_editor_has() -> None:
    there = {tool["name"] for tool in contributed_tools()}
    for tool in contributed_tools():
        told = str(tool)
        assert set(re.findall(rf"{PREFIX}\w+", told)) <= there
        known = {name for name in TOOLS if "_" in name} - there
        foreign = [name for name in known if re.search(rf"(?<!\w){name}\b", told)]
        assert foreign == [], tool["name"]


def test_names_of_other_systems_are_there_for_when_the_server_offers_them() -> None:
    named = {tool["name"]: tool["when"] for tool in contributed_tools() if not tool["name"].startswith(PREFIX)}
    assert named == {tool.name: f"vademecum.offers.{tool.name}" for tool in ALIASES}


def test_a_part_of_a_tool_has_arguments_of_the_whole_and_no_session_is_asked_for() -> None:
    contributed = {tool["toolReferenceName"]: tool["inputSchema"] for tool in contributed_tools()}
    assert list(contributed["deleteMemory"]["properties"]) == ["id"]
    assert contributed["deleteMemory"]["required"] == ["id"]
    assert contributed["updateMemory"]["properties"]["title"]["maxLength"] == 200
    assert contributed["searchMemory"]["properties"]["limit"]["maximum"] == 50
    assert "required" not in contributed["searchMemory"]
    assert contributed["searchWorkspace"]["required"] == ["query"]
    assert all("session" not in schema["properties"] for schema in contributed.values())


def test_what_changes_or_deletes_is_a_tool_of_its_own() -> None:
    """The editor asks for leave by tool, and may be told to ask no more."""
    parts = [each for each in CONTRIBUTED if TOOLS[each.tool].access is Access.CHANGES]
    assert {each.reference for each in parts} == {"searchMemory", "updateMemory", "deleteMemory"}
