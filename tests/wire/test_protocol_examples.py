"""The example of every request in docs/protocol.md, sent to a server; params and result are as the JSON Schema says."""

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from vademecum.api.dispatch import METHODS
from vademecum.lsp.results import told
from wire.client import Client, running
from wire.conftest import make_repository
from wire.editor import cite

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8")
SCHEMA: dict[str, Any] = json.loads(resources.files("vademecum").joinpath("protocol.schema.json").read_text("utf-8"))
REGISTRY: Registry[Any] = Registry().with_resource(SCHEMA["$id"], Resource.from_contents(SCHEMA))

WAITING = """---
id: waiting00001
title: Demos are on Fridays
category: Knowledge
type: project
provenance: auto
status: pending
---
Demos are on Fridays.
"""


def examples() -> dict[str, dict[str, Any]]:
    """The messages in the page, by method; those that go to the server."""
    sent = [json.loads(text) for text in re.findall(r"```json\n(\{\"jsonrpc\".*?)\n```", PAGE, re.DOTALL)]
    return {message["method"]: message for message in sent if message["method"] in METHODS}


def check(schema: Mapping[str, Any], value: Any) -> None:
    """Hold a value against a schema of the file."""
    local = json.loads(json.dumps(schema).replace('"#/$defs/', f'"{SCHEMA["$id"]}#/$defs/'))
    errors = [error.message for error in Draft202012Validator(local, registry=REGISTRY).iter_errors(value)]
    assert errors == []


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Path]]:
    folder = tmp_path_factory.mktemp("examples")
    with running(folder / "home") as client:
        project = make_repository(folder / "project")
        client.initialize(project)
        client.indexed()
        yield client, project


_numbers = itertools.count(1)


def memory(client: Client) -> str:
    content = f"The lockfile is npm's, since {next(_numbers)}."
    added = {"title": "Use npm", "content": content, "category": "Rule", "scope": "project"}
    return str(client.request("memory/add", added)["id"])


def deleted(client: Client) -> str:
    return str(client.request("memory/delete", {"id": memory(client)})["id"])


def document(client: Client, project: Path) -> dict[str, Any]:
    imported = client.request("knowledge/import", {"source": (project / "docs" / "guide.md").as_uri()})
    client.request("knowledge/publish", {"id": imported["id"]})
    client.request("knowledge/attach", {"task": "chat-1", "ids": [imported["id"]]})
    return dict(imported)


def pending(client: Client, project: Path) -> str:
    store = next(one for one in client.request("memory/status")["stores"] if one["kind"] == "private")
    path = Path(store["path"]) / "demos-are-on-fridays.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(WAITING)
    return "waiting00001"


def test_every_request_has_an_example() -> None:
    assert set(examples()) == set(METHODS) == set(SCHEMA["requests"])
    assert all(message["params"] == METHODS[name].example for name, message in examples().items())


@pytest.mark.parametrize("name", METHODS)
def test_the_example_works_and_is_what_the_schema_says(name: str, server: tuple[Client, Path]) -> None:
    client, project = server
    # What is needed is made where it is asked for, so that each example stands for itself.
    values: dict[str, Callable[[], str]] = {
        "{id}": lambda: memory(client),
        "{deleted}": lambda: deleted(client),
        "{pending}": lambda: pending(client, project),
        "{document}": lambda: str(document(client, project)["id"]),
        "{revision}": lambda: str(document(client, project)["revision"]),
        "{uri}": lambda: (project / "docs" / "guide.md").as_uri(),
        "{reference}": lambda: cite(client, project / "src" / "shapes.py", 1, 2),
    }
    message = json.dumps(examples()[name])
    for placeholder, value in values.items():
        if placeholder in message:
            message = message.replace(placeholder, value())
    params = json.loads(message)["params"]
    if name in ("knowledge/map", "knowledge/search", "knowledge/ask"):
        document(client, project)
    if name == "session/get":
        client.request("session/set", METHODS["session/set"].example)
    request = SCHEMA["requests"][name]
    check(request["params"], params)
    result = client.request(name, params)
    check(request["result"], result)
    shown = told(name, result)  # what an editor without a plugin is shown of it
    assert shown.text.strip()
    assert shown.is_page or len(shown.text.splitlines()) == 1


@pytest.mark.parametrize("name", METHODS)
def test_the_schema_refuses_what_the_server_refuses(name: str, server: tuple[Client, Path]) -> None:
    client, _ = server
    refused = client.fails(name, {"nonsense": 1})
    assert "nonsense" in refused.fields
    local = SCHEMA["requests"][name]["params"]
    with pytest.raises(AssertionError):
        check(local, {"nonsense": 1})


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    text = json.dumps(SCHEMA)
    assert set(re.findall(r'"#/\$defs/(\w+)"', text)) <= set(SCHEMA["$defs"])
