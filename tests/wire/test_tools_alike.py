"""Each tool gives the same answer whatever face it is called through: the editor's two ways, an agent, a terminal."""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from mcp.client import Client as Agent

from vademecum.api.tools.table import OWN, TOOLS
from vademecum.settings import OtherSystem
from wire.agent import WORDS_ALONE, agent, environment
from wire.client import DEADLINE, Client, running
from wire.conftest import make_repository

ALL_NAMES = WORDS_ALONE | {"VADEMECUM_TOOLS_ALIASES": os.pathsep.join(OtherSystem)}
GUIDE = "# Guide\n\nAll about circles.\n\n## Painting\n\nHow to paint a circle with a brush.\n"
RULE = {"title": "Use pnpm, never npm", "content": "The package manager is pnpm.", "category": "Rule"}

_FURTHER: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("manage_core_memory", {"action": "add", "memory": {**RULE, "content": "Use pnpm here.", "scope": "project"}}),
    ("manage_core_memory", {"action": "update", "memory": {"id": "{id}", "content": "pnpm 9, and no other."}}),
    ("manage_core_memory", {"action": "delete", "memory": {"id": "{id}"}}),
    ("manage_core_memory", {"action": "search", "memory": {"id": "{id}"}}),
    ("memory_save", {"name": RULE["title"], "content": "Changed.", "scope": "project"}),
    ("search_workspace", {"query": "circle", "purpose": "explain", "paths": ["src/**"], "languages": ["python"]}),
    ("verify_evidence", {"references": ["{reference}", "nonsense", "gone.py:1-2@0123456789abcdef"]}),
)
CASES = [(tool.name, tool.example) for tool in TOOLS.values()] + list(_FURTHER)


@frozen
class House:
    """One home and one workspace, open in an editor and with an agent at once."""

    editor: Client
    agent: "Loop"
    repository: Path
    home: Path
    values: Mapping[str, str]


class Loop:
    """An agent that lives on a loop of its own, for tests that wait."""

    def __init__(self, repository: Path, home: Path) -> None:
        self._calls: asyncio.Queue[Any] = asyncio.Queue()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._live(repository, home),))
        self._thread.start()
        assert self._ready.wait(60)

    async def _live(self, repository: Path, home: Path) -> None:
        async with agent(repository, home, variables=ALL_NAMES) as client:
            self._ready.set()
            while (asked := await self._calls.get()) is not None:
                work, future = asked
                try:
                    future.set_result(await work(client))
                except Exception as error:
                    future.set_exception(error)

    def ask(self, work: Callable[[Agent], Any]) -> Any:
        """What `work` gives for the client."""

        async def put() -> Any:
            future = self._loop.create_future()
            await self._calls.put((work, future))
            return await future

        return asyncio.run_coroutine_threadsafe(put(), self._loop).result(60)

    def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The tool's answer as the wire has it; the client library has held it against its schema."""
        told = self.ask(lambda client: client.call_tool(name, dict(arguments)))
        assert not told.is_error, told.content
        return {"text": told.content[0].text, "result": told.structured_content}

    def end(self) -> None:
        asyncio.run_coroutine_threadsafe(self._calls.put(None), self._loop).result(10)
        self._thread.join(60)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("alike")
    repository, home = make_repository(folder / "project"), folder / "home"
    with running(home, env=ALL_NAMES) as editor:
        editor.initialize(repository)
        editor.indexed()
        memory = editor.request("memory/add", {**RULE, "scope": "project"})
        document = editor.request("knowledge/import", {"text": GUIDE, "title": "Guide"})
        editor.request("knowledge/publish", {"id": document["id"]})
        editor.request("knowledge/attach", {"ids": [document["id"]]})
        (hit, *_) = editor.request("search/query", {"query": "Circle"})["items"]
        values = {"id": memory["id"], "document": document["id"], "reference": hit["reference"]}
        client = Loop(repository, home)
        try:
            editor.wait_for(
                lambda: client.call("index_status", {})["result"]["folders"][0]["state"] == "ready", "the agent's index"
            )
            yield House(editor, client, repository, home, values)
        finally:
            client.end()


def by_request(house: House, name: str, arguments: Mapping[str, Any]) -> Any:
    return house.editor.request("tools/call", {"name": name, "arguments": arguments})


def by_command(house: House, name: str, arguments: Mapping[str, Any]) -> Any:
    params = {"command": "vademecum.tools.call", "arguments": [{"name": name, "arguments": arguments}]}
    return house.editor.request("workspace/executeCommand", params)


def by_agent(house: House, name: str, arguments: Mapping[str, Any]) -> Any:
    return house.agent.call(name, arguments)


def by_terminal(house: House, name: str, arguments: Mapping[str, Any]) -> Any:
    """What the terminal tells; of the index, once its own process has opened it."""
    end = time.monotonic() + DEADLINE
    while True:
        told = once_in_terminal(house, name, arguments)
        folders = told["result"].get("folders", ())
        if all(folder["state"] == "ready" for folder in folders) or time.monotonic() > end:
            return told


def once_in_terminal(house: House, name: str, arguments: Mapping[str, Any]) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "vademecum", "tool", name, "-", "--json"],
        cwd=house.repository,
        env=environment(house.home, **ALL_NAMES),
        input=json.dumps(arguments).encode(),
        capture_output=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


FACES = (by_request, by_command, by_agent, by_terminal)


def filled(value: Any, values: Mapping[str, str]) -> Any:
    """An example with real values for the words in braces."""
    if isinstance(value, str):
        return values.get(value[1:-1], value) if value.startswith("{") else value
    if isinstance(value, Mapping):
        return {key: filled(item, values) for key, item in value.items()}
    return [filled(item, values) for item in value] if isinstance(value, list | tuple) else value


def put_back(house: House, before: Mapping[str, Any]) -> set[str]:
    """Undo what a tool did to memory; the ids that it made."""
    kept = house.values["id"]
    made = {item["id"] for item in house.editor.request("memory/list")["items"]} - {kept}
    for id in made:
        house.editor.request("memory/purge", {"id": id})
    if house.editor.request("memory/list")["total"] == 0:
        house.editor.request("memory/restore", {"id": kept})
    now = house.editor.request("memory/get", {"id": kept})
    if now["content"] != before["content"]:
        house.editor.request("memory/update", {"id": kept, "content": before["content"]})
    return made


def without(told: Any, made: set[str]) -> Any:
    """What was told, without what is new each time: the ids of new memories, and when they were changed."""
    if isinstance(told, dict):
        return {
            key: "then" if key == "updated" and isinstance(item, str) else without(item, made)
            for key, item in told.items()
        }
    if isinstance(told, list):
        return [without(item, made) for item in told]
    if isinstance(told, str):
        for id in made:
            told = told.replace(id, "new")
    return told


@pytest.mark.parametrize(("name", "arguments"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_every_face_gives_the_same(house: House, name: str, arguments: Mapping[str, Any]) -> None:
    before = house.editor.request("memory/get", {"id": house.values["id"]})
    answers = []
    for face in FACES:
        told = face(house, name, filled(arguments, house.values))
        answers.append(without(told, put_back(house, before)))
    assert set(answers[0]) == {"text", "result"}
    assert answers[0]["text"] and answers[0]["result"]
    assert answers == [answers[0]] * len(FACES)


def test_every_face_offers_the_same(house: House) -> None:
    listed = house.editor.request("tools/list")
    assert {item["name"] for item in listed["items"]} == set(TOOLS), "a document is attached and all names are wanted"
    command = house.editor.request("workspace/executeCommand", {"command": "vademecum.tools.list"})
    terminal = subprocess.run(
        [sys.executable, "-m", "vademecum", "tools", "--json"],
        cwd=house.repository,
        env=environment(house.home, **ALL_NAMES),
        capture_output=True,
        check=True,
        timeout=240,
    )
    assert command == listed == json.loads(terminal.stdout)
    tools = house.agent.ask(lambda client: client.list_tools()).tools
    assert [
        {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
            "hints": {
                "readOnly": tool.annotations.read_only_hint,
                "destructive": tool.annotations.destructive_hint,
                "idempotent": tool.annotations.idempotent_hint,
            },
        }
        for tool in tools
    ] == [{key: value for key, value in item.items() if key != "requests"} for item in listed["items"]]


def test_what_cannot_be_done_is_told_in_the_same_words(house: House) -> None:
    arguments = {"action": "delete", "memory": {"id": "nosuchmemory1"}}
    error = house.editor.fails("tools/call", {"name": "manage_core_memory", "arguments": arguments})
    assert error.kind == "notFound"
    told = house.agent.ask(lambda client: client.call_tool("manage_core_memory", arguments))
    assert told.is_error and told.content[0].text == f"Not done (notFound): {error.message}"
    done = subprocess.run(
        [sys.executable, "-m", "vademecum", "tool", "manage_core_memory", json.dumps(arguments)],
        cwd=house.repository,
        env=environment(house.home, **ALL_NAMES),
        capture_output=True,
        timeout=240,
    )
    assert done.returncode == 1 and error.message in done.stderr.decode()
    assert not done.stdout


def test_names_of_other_systems_are_not_offered_unasked(house: House, tmp_path: Path) -> None:
    with running(tmp_path / "home") as editor:
        editor.initialize(house.repository)
        names = [item["name"] for item in editor.request("tools/list")["items"]]
        assert names == [tool.name for tool in OWN[:7]], "no document is attached"
        error = editor.fails("tools/call", {"name": "search_vector_db", "arguments": {"query": "circle"}})
        assert error.fields == {"name"} and "search_workspace" in error.message
