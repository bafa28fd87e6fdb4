"""The table of tools, as a model is shown it."""

import json
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.api import wire
from vademecum.api.dispatch import METHODS
from vademecum.api.schema import schema
from vademecum.api.tools.calling import item
from vademecum.api.tools.guidance import guidance
from vademecum.api.tools.passages import numbered
from vademecum.api.tools.room import CHARACTERS, CUT, fitted, joined, shortened
from vademecum.api.tools.table import OWN, TOOLS
from vademecum.api.tools.tool import Access, Tool
from vademecum.memory.capture.window import changes_memory
from vademecum.settings import OtherSystem

NEVER = ("clear", "purge", "publish", "withdraw", "remove", "attach", "detach", "trust", "import", "forget", "collect")
FOR_THE_USER = {
    name
    for name in METHODS
    if name.startswith(("knowledge/", "evidence/", "memory/", "session/")) and name.split("/")[-1] in NEVER
} | {"memory/restore", "memory/review", "memory/reindex", "search/reindex"}


def test_the_set_is_the_one_that_is_promised() -> None:
    assert [tool.name for tool in OWN] == [
        "remember",
        "manage_core_memory",
        "memory_recall",
        "search_workspace",
        "find_related",
        "verify_evidence",
        "index_status",
        "ask_documents",
        "list_documents",
        "read_doc",
        "search_docs",
        "read_section",
    ]
    assert len(TOOLS) == len({tool.title + tool.name for tool in TOOLS.values()})
    assert {name for tool in TOOLS.values() for name in tool.systems} == set(OtherSystem)


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_each_tool_is_whole(tool: Tool[Any, Any]) -> None:
    told = item(tool)
    assert 80 < len(told.description) < 2_000, "Claude Code cuts longer ones"
    assert len(told.title) < 40
    assert set(tool.requests) <= set(METHODS)
    assert not set(tool.requests) & FOR_THE_USER, "that is for the user alone"
    assert tool.writes == any(METHODS[name].writes for name in tool.requests if name != "memory/recall"), (
        "its access is what its requests do; a recall only counts"
    )
    # What a model is told and what is taken are the same: no field more, none less.
    assert wire.unstructure(wire.structure(dict(tool.example), tool.arguments)).items() >= dict(tool.example).items()
    json.dumps(wire.unstructure(told))


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_schemas_are_plain_and_closed(tool: Tool[Any, Any]) -> None:
    """No references and no open objects: not every agent follows the one, and the other hides a wrong name."""

    def walk(told: Any) -> None:
        if isinstance(told, dict):
            assert "$ref" not in told
            if "properties" in told:
                assert told["additionalProperties"] is False
                assert set(told.get("required", ())) <= set(told["properties"])
                for value in told["properties"].values():
                    walk(value)
            for key in ("items", "anyOf"):
                for value in told[key] if isinstance(told.get(key), list) else [told.get(key)]:
                    walk(value)

    for cls in (tool.arguments, tool.result):
        told = schema(cls)
        assert told["type"] == "object"
        walk(told)


def test_capture_knows_which_tools_save() -> None:
    """What the model kept by itself is not captured once more."""
    for tool in TOOLS.values():
        assert changes_memory(tool.name) or not (tool.writes and any(n.startswith("memory/") for n in tool.requests))
    assert not changes_memory("memory_recall") and not changes_memory("search_workspace")


def test_hints_follow_from_what_a_tool_does() -> None:
    for tool in TOOLS.values():
        hints = item(tool).hints
        assert hints.read_only == (tool.access is Access.READS)
        assert hints.destructive == (tool.access is Access.CHANGES)
        assert hints.idempotent or not hints.read_only
    assert item(TOOLS["manage_core_memory"]).hints.destructive
    assert not item(TOOLS["remember"]).hints.destructive


def test_guidance_speaks_of_what_is_offered_alone() -> None:
    assert len(guidance(OWN)) < 1_500
    assert "memory_recall" in guidance(OWN) and "attached" in guidance(OWN)
    assert guidance([TOOLS["index_status"]]) == ""
    assert "remember" not in guidance([TOOLS["search_workspace"]])


@given(st.text(max_size=60), st.integers(30, 50))
def test_a_text_is_cut_within_its_bound(text: str, most: int) -> None:
    cut = shortened(text, most)
    assert len(cut) <= most
    assert cut == text or (cut.endswith(CUT) and text.startswith(cut.removesuffix(CUT).removesuffix("\n")))


@given(st.lists(st.text(max_size=40), max_size=12), st.integers(1, 100))
def test_what_does_not_fit_is_left_out_from_the_end_and_counted(texts: list[str], room: int) -> None:
    kept, omitted = fitted(list(enumerate(texts)), room)
    assert [number for number, _ in kept] == list(range(len(texts) - omitted))
    assert len(kept) <= 1 or sum(len(text) + 2 for _, text in kept) <= room + 2
    assert bool(kept) == bool(texts)


def test_an_answer_is_bounded_whatever_it_is_made_of() -> None:
    assert len(joined("a" * CHARACTERS, "b" * CHARACTERS)) <= CHARACTERS


def test_lines_stand_behind_their_own_numbers() -> None:
    assert numbered("a\n\nb", 9, outline=False) == " 9| a\n10| \n11| b"
    assert numbered("def f():\n    … 12 lines\n    return 1", 98, outline=True) == (
        " 98| def f():\n   |     … 12 lines\n111|     return 1"
    )
    assert numbered("… 12 lines", 1, outline=False) == "1| … 12 lines", "a line of the file's own"


def test_arguments_and_results_have_names_of_their_own() -> None:
    """docs and protocol name types by their class."""
    classes = {tool.arguments for tool in TOOLS.values()} | {tool.result for tool in TOOLS.values()}
    assert all(attrs.has(cls) for cls in classes)
    assert len({cls.__name__ for cls in classes}) == len(classes)
