"""`vademecum tools` and `vademecum tool`: what a model may call, listed and called in a terminal."""

import json

import pytest

from unit.cli.conftest import Run


def test_the_tools_are_listed_and_shown(run: Run) -> None:
    done = run("tools")
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert [row[0] for row in rows][:2] == ["remember", "manage_core_memory"] and len(rows) == 7
    assert {row[1] for row in rows} == {"reads", "adds", "changes"}
    shown = run("tools", "search_workspace")
    assert shown.out.startswith("search_workspace: Search the code (reads)")
    assert json.loads(shown.out[shown.out.index("{") :])["required"] == ["query"]
    assert run("tools", "remember", "--json").json["inputSchema"]["required"] == ["note"]
    unknown = run("tools", "nosuchtool")
    assert unknown.code == 1 and "index_status" in unknown.err


def test_a_tool_is_called_as_a_model_would(run: Run) -> None:
    found = run("tool", "search_workspace", '{"query": "area of a circle", "limit": 1}')
    assert found.code == 0 and found.out.startswith("src/shapes.py:1-5 class Circle\nreference: src/shapes.py:1-5@")
    assert "\n4|     def area(self):\n" in found.out
    kept = run("tool", "remember", "-", "--json", stdin='{"note": "Deploys go out on Tuesdays."}')
    assert kept.json["result"]["memory"]["scope"] == "project" and "Remembered as" in kept.json["text"]
    (folder,) = run("tool", "index_status", "--json").json["result"]["folders"]
    # A process of its own looks, and does not wait long for its indexer: a busy machine may not have begun.
    assert folder["files"] == 4 and folder["state"] in ("starting", "ready")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nosuchtool",), "NAME: 'nosuchtool' is no tool that is offered here; there are: remember"),
        (("search_workspace", "{"), "JSON: cannot be read"),
        (("search_workspace", "[]"), "JSON: must be an object"),
        (("search_workspace", "{}"), "query: is required"),
        (("search_workspace", '{"query": "a", "limit": 99}'), "limit: must be between 1 and 30"),
        (("manage_core_memory", '{"action": "add"}'), "memory.title: is required to add"),
    ],
)
def test_what_cannot_be_used_is_named_as_it_was_written(run: Run, arguments: tuple[str, ...], told: str) -> None:
    done = run("tool", *arguments)
    assert done.code == 2 and told in done.err and done.out == ""


def test_what_a_memory_holds_cannot_drive_the_terminal(run: Run) -> None:
    run("remember", "Beware of \x1b[2J and more.")
    shown = run("tool", "manage_core_memory", '{"action": "search"}')
    assert "Beware of" in shown.out and "\x1b" not in shown.out
