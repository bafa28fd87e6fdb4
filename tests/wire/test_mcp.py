"""The agent face over real pipes: handshake, roots, resources, progress, refusals, life beside an editor."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client as Agent
from mcp.shared.exceptions import MCPError

from vademecum.settings import OtherSystem
from wire.agent import ERAS, WORDS_ALONE, Pipe, Roots, agent, environment
from wire.client import DEADLINE, Client
from wire.conftest import make_repository
from wire.fuzzing import calls

SEED = 20_261_130
MANY = "".join(f"def number_{n}():\n    return {n}\n\n\n" for n in range(200))


def folders_of(status: Any) -> list[str]:
    return [folder["folder"] for folder in status.structured_content["folders"]]


async def until(client: Agent, name: str, arguments: Any, found: Callable[[Any], Any]) -> Any:
    """What the tool answers once `found` is true of it."""
    end = time.monotonic() + DEADLINE
    while True:
        told = (await client.call_tool(name, arguments)).structured_content
        if found(told):
            return told
        assert time.monotonic() < end, told
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("mode", ERAS)
def test_an_agent_is_told_how_to_use_the_tools_and_what_is_remembered(
    repository: Path, home: Path, mode: str, start: Callable[..., Client]
) -> None:
    editor = start()
    editor.initialize(repository)
    editor.request("memory/add", {"title": "Use pnpm", "content": "Never npm.", "category": "Rule", "scope": "project"})

    async def session() -> None:
        async with agent(repository, home, mode) as client:
            told = client.instructions or ""
            assert client.server_info.name == "vademecum"
            block = editor.request("memory/prompt")["text"]
            assert told.endswith(block) and "Never npm." in block
            assert 0 < told.index(block) < 2_000, "the guidance comes first, since some agents cut what is long"
            (resource,) = (await client.list_resources()).resources
            (contents,) = (await client.read_resource(resource.uri)).contents
            assert contents.text == block and contents.mime_type == "text/markdown"
            editor.request("memory/remember", {"note": "Demos are on Fridays.", "scope": "project"})
            (now,) = (await client.read_resource(resource.uri)).contents
            assert "Demos are on Fridays" in now.text, "the resource is what is remembered now"
            with pytest.raises(MCPError, match="one resource"):
                await client.read_resource("vademecum://memory/other")

    asyncio.run(session())


@pytest.mark.parametrize("mode", ERAS)
def test_the_roots_of_the_agent_are_what_is_open(repository: Path, home: Path, tmp_path: Path, mode: str) -> None:
    other = make_repository(tmp_path / "other")

    async def session() -> None:
        roots = Roots(other)
        async with agent(repository, home, mode, roots) as client:
            assert folders_of(await client.call_tool("index_status", {})) == [str(other)]
            kept = await client.call_tool("remember", {"note": "Of the other one."})
            assert kept.structured_content["memory"]["scope"] == "project"
            assert roots.asked == 1
        async with agent(other, home, mode) as client:
            found = await client.call_tool("manage_core_memory", {"action": "search", "query": "other"})
            assert found.structured_content["total"] == 1

    asyncio.run(session())


def test_roots_that_change_are_asked_for_again(repository: Path, home: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "other")

    async def session() -> None:
        roots = Roots(repository)
        async with agent(tmp_path, home, "legacy", roots) as client:
            assert folders_of(await client.call_tool("index_status", {})) == [str(repository)]
            roots.folders = (repository, other)
            await client.session.send_roots_list_changed()
            both = await until(client, "index_status", {}, lambda told: len(told["folders"]) == 2)
            assert [folder["folder"] for folder in both["folders"]] == [str(repository), str(other)]
            ambiguous = await client.call_tool("remember", {"note": "Of which?", "scope": "project"})
            assert ambiguous.is_error and "workspace" in ambiguous.content[0].text
            named = {"note": "Of the other one.", "scope": "project", "workspace": str(other)}
            assert not (await client.call_tool("remember", named)).is_error
            wrong = await client.call_tool("search_workspace", {"query": "circle", "workspace": "/nowhere"})
            assert wrong.is_error and str(other) in wrong.content[0].text, "it says which are open"
            found = await client.call_tool("search_workspace", {"query": "area of a circle"})
            places = {(item["folder"], item["path"]) for item in found.structured_content["items"]}
            assert {(str(repository), "src/shapes.py"), (str(other), "src/shapes.py")} <= places
            both = await client.call_tool("find_related", {"path": "src/shapes.py", "line": 1})
            assert both.is_error and "name one" in both.content[0].text
            one = {"path": "src/shapes.py", "line": 1, "workspace": "other"}
            assert not (await client.call_tool("find_related", one)).is_error
            roots.folders = ()
            await client.session.send_roots_list_changed()

    asyncio.run(session())


@pytest.mark.parametrize("mode", ERAS)
def test_a_folder_that_the_user_named_stays(repository: Path, home: Path, tmp_path: Path, mode: str) -> None:
    async def session() -> None:
        roots = Roots(make_repository(tmp_path / "other"))
        async with agent(tmp_path, home, mode, roots, args=("-C", str(repository))) as client:
            assert folders_of(await client.call_tool("index_status", {})) == [str(repository)]
            assert roots.asked == 0

    asyncio.run(session())


def test_an_agent_that_does_not_answer_for_its_roots_is_served(pipe: Callable[..., Pipe], repository: Path) -> None:
    opened = pipe()
    opened.initialize({"roots": {"listChanged": True}})
    assert opened.read()["method"] == "roots/list"
    status = opened.call("index_status", 1)
    assert [folder["folder"] for folder in status["structuredContent"]["folders"]] == [str(repository)]


def test_half_of_a_character_is_no_reason_not_to_answer(pipe: Callable[..., Pipe]) -> None:
    opened = pipe()
    opened.initialize()
    told = opened.call("remember", 1, note="Deploys go out on Tuesdays \ud83d", scope="user")
    assert told["structuredContent"]["memory"]["content"] == "Deploys go out on Tuesdays \ufffd"


def test_a_first_search_waits_for_the_index_and_tells_how_far_it_is(repository: Path, home: Path) -> None:
    for number in range(150):
        (repository / f"numbers_{number}.py").write_text(MANY.replace("number_", f"n{number}_"))
    heard: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    async def session() -> None:
        async with agent(repository, home) as client:
            found = await client.call_tool(
                "search_workspace", {"query": "n149_199"}, progress_callback=progress, read_timeout_seconds=60
            )
            items = found.structured_content["items"]
            assert items[0]["path"] == "numbers_149.py" or found.structured_content["notices"]

    asyncio.run(session())
    assert [done for done, _, _ in heard] == sorted(done for done, _, _ in heard)
    assert heard and all(message == "Indexing" for _, _, message in heard)


def test_a_cancelled_call_is_not_answered_and_stops(pipe: Callable[..., Pipe], repository: Path) -> None:
    for number in range(300):
        (repository / f"numbers_{number}.py").write_text(MANY.replace("number_", f"n{number}_"))
    opened = pipe()
    opened.initialize()
    opened.send("tools/call", {"name": "search_workspace", "arguments": {"query": "circle"}}, 1)
    opened.send("notifications/cancelled", {"requestId": 1})
    opened.send("ping", msg_id=2)
    assert opened.read()["id"] == 2
    assert opened.call("index_status", 3)["structuredContent"]["folders"]
    opened.process.stdin.close()  # type: ignore[union-attr]
    rest = [json.loads(line) for line in opened.process.stdout.read().splitlines()]  # type: ignore[union-attr]
    assert 1 not in {message.get("id") for message in rest}


def test_it_works_beside_an_editor_on_the_same_folder(
    start: Callable[..., Client], repository: Path, home: Path
) -> None:
    editor = start(env=WORDS_ALONE)
    editor.initialize(repository)
    editor.indexed()

    async def session() -> None:
        async with agent(repository, home) as client:
            kept = await client.call_tool("remember", {"note": "Deploys go out on Tuesdays."})
            (found,) = editor.request("memory/search", {"query": "deploys"})["items"]
            assert found["memory"]["id"] == kept.structured_content["memory"]["id"]
            editor.request("memory/update", {"id": found["memory"]["id"], "content": "Deploys go out on Mondays."})
            recalled = await client.call_tool("memory_recall", {"prompt": "when do deploys go out?"})
            assert "Mondays" in recalled.content[0].text
            (repository / "src" / "late.py").write_text("def zebrafish():\n    return 'striped'\n")
            found = await until(client, "search_workspace", {"query": "zebrafish"}, lambda told: told["items"])
            items = found["items"]
            assert items[0]["path"] == "src/late.py" and items[0]["text"].startswith("1| def zebrafish():")
            (repository / "src" / "late.py").write_text("# above\ndef zebrafish():\n    return 'striped'\n")
            verified = await client.call_tool("verify_evidence", {"references": [items[0]["reference"]]})
            (verdict,) = verified.structured_content["items"]
            assert (verdict["verdict"], verdict["relocatedTo"].split("@")[0]) == ("relocated", "src/late.py:2-3")
            assert editor.request("search/status")["writer"], "the editor's indexer goes on writing"

    asyncio.run(session())


def test_while_memory_is_off_nothing_of_it_is_offered(repository: Path, home: Path) -> None:
    async def session() -> None:
        async with agent(repository, home, variables=WORDS_ALONE | {"VADEMECUM_MEMORY": "off"}) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == ["search_workspace", "find_related", "verify_evidence", "index_status"]
            assert (await client.list_resources()).resources == []
            assert "remember" not in (client.instructions or "")
            with pytest.raises(MCPError, match="no tool that is offered"):
                await client.call_tool("remember", {"note": "Anything."})

    asyncio.run(session())
    assert not (home / "memory").exists()


def test_the_documents_of_a_task_are_offered_to_it_alone(
    start: Callable[..., Client], repository: Path, home: Path
) -> None:
    editor = start()
    editor.initialize(repository)
    document = editor.request("knowledge/import", {"text": "# Guide\n\nUse a soft brush.\n", "title": "Guide"})
    editor.request("knowledge/publish", {"id": document["id"]})
    editor.request("knowledge/attach", {"ids": [document["id"]], "task": "painting"})

    async def session() -> None:
        async with agent(repository, home) as client:
            assert "ask_documents" not in {tool.name for tool in (await client.list_tools()).tools}
        async with agent(repository, home, args=("--task", "painting")) as client:
            assert "ask_documents" in {tool.name for tool in (await client.list_tools()).tools}
            told = await client.call_tool("ask_documents", {"question": "Which brush?"})
            (section,) = told.structured_content["sections"]
            assert section["excerpt"] == "Use a soft brush."
            editor.request("knowledge/detach", {"ids": [document["id"]], "task": "painting"})
            with pytest.raises(MCPError, match="no tool that is offered"):
                await client.call_tool("ask_documents", {"question": "Which brush?"})

    asyncio.run(session())


def test_what_is_wrong_is_told_to_the_model(repository: Path, home: Path) -> None:
    async def session() -> None:
        async with agent(repository, home) as client:

            async def refused(name: str, **arguments: Any) -> str:
                told = await client.call_tool(name, arguments)
                assert told.is_error and told.structured_content is None
                return str(told.content[0].text)

            assert await refused("search_workspace") == "Not done (invalidParams): query: is required"
            assert "limit: must be an integer" in await refused("search_workspace", query="a", limit="5")
            assert "nonsense: is not a known field" in await refused("search_workspace", query="a", nonsense=1)
            secret = "AKIA" + "IOSFODNN7EXAMPLZ"
            told = await refused("remember", note=f"The key is {secret}")
            assert told.startswith("Not done (secret)") and secret not in told
            assert "memory.id: is required to update" in await refused("manage_core_memory", action="update")
            assert "line" in await refused("find_related", path="src/shapes.py", line=0)
            assert "relative to the repository" in await refused("find_related", path="../outside.py", line=1)

    asyncio.run(session())


def test_whatever_a_model_gives_the_answer_fits_its_schema(
    start: Callable[..., Client], repository: Path, home: Path
) -> None:
    """The client library holds each result against the tool's output schema, and refuses what does not fit."""
    editor = start()
    editor.initialize(repository)
    document = editor.request("knowledge/import", {"text": "# Guide\n\nUse a soft brush.\n", "title": "Guide"})
    editor.request("knowledge/publish", {"id": document["id"]})
    editor.request("knowledge/attach", {"ids": [document["id"]]})
    all_names = WORDS_ALONE | {"VADEMECUM_TOOLS_ALIASES": os.pathsep.join(OtherSystem)}
    outcomes: dict[str, int] = {}

    async def session() -> None:
        async with agent(repository, home, variables=all_names) as client:
            await client.list_tools()
            for name, arguments in calls(150, SEED):
                if "\\ud8" in json.dumps(arguments):
                    continue  # the client library cannot write half a surrogate pair
                told = await client.call_tool(name, arguments)
                outcome = told.content[0].text.split(":")[0] if told.is_error else "done"
                outcomes[outcome] = outcomes.get(outcome, 0) + 1

    asyncio.run(session())
    assert "Not done (internalError)" not in outcomes
    assert outcomes["done"] > 20 and outcomes["Not done (invalidParams)"] > 20, outcomes


INSPECTOR = os.environ.get("MCP_INSPECTOR") or shutil.which("mcp-inspector")


@pytest.mark.skipif(INSPECTOR is None, reason="needs the MCP inspector: npm install -g @modelcontextprotocol/inspector")
def test_the_inspector_reads_and_calls_the_tools(repository: Path, home: Path) -> None:
    def inspect(*arguments: str) -> Any:
        server = [sys.executable, "-m", "vademecum", "mcp"]
        done = subprocess.run(
            [str(INSPECTOR), "--cli", *server, *arguments],
            cwd=repository,
            env=environment(home, **WORDS_ALONE),
            capture_output=True,
            text=True,
            timeout=90,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    names = {tool["name"] for tool in inspect("--method", "tools/list")["tools"]}
    assert {"remember", "search_workspace"} <= names
    found = inspect("--method", "tools/call", "--tool-name", "search_workspace", "--tool-arg", "query=circle area")
    assert found["structuredContent"]["items"][0]["path"] == "src/shapes.py"
    assert inspect("--method", "resources/list")["resources"][0]["uri"] == "vademecum://memory/prompt"
