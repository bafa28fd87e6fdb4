"""The house's invariants, read from the source itself; docs/architecture.md explains them."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "server" / "vademecum"

# From the street to the ground floor: a room imports only rooms on floors below its own.
FLOORS: tuple[frozenset[str], ...] = (
    frozenset({"__main__"}),
    frozenset({"lsp", "mcp", "cli"}),
    frozenset({"api"}),
    frozenset({"workspaces"}),
    frozenset({"workspace", "conversations"}),
    frozenset({"settings"}),
    frozenset({"memory", "search", "knowledge", "session"}),
    frozenset({"evidence"}),
    frozenset({"embedding"}),
    frozenset({"lexical"}),
    frozenset({"files"}),
    frozenset({"model"}),
    frozenset({"errors", "work", "lifetime", "quantities", "__init__"}),
)
FLOOR = {room: number for number, floor in enumerate(FLOORS) for room in floor}
# The terminal starts the faces that serve, and it is the only face that may know another.
FACES_STARTED_BY_CLI = {("cli", "lsp"), ("cli", "mcp")}


def modules() -> Iterator[tuple[str, Path, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        yield room, path, ast.parse(path.read_text("utf-8"))


def imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(module: str) -> str | None:
    parts = module.split(".")
    if parts[0] != "vademecum":
        return None
    if len(parts) == 1:
        return "__init__"
    return parts[1] if parts[1] in FLOOR else "__init__"


def test_every_room_has_a_floor() -> None:
    assert {room for room, _, _ in modules()} <= FLOOR.keys()


def test_rooms_import_only_rooms_below_them() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {module}"
        for room, path, tree in modules()
        for module in imports(tree)
        if (target := room_of(module)) is not None
        and target != room
        and (room, target) not in FACES_STARTED_BY_CLI
        and FLOOR[target] <= FLOOR[room]
    ]
    assert wrong == []


def test_only_the_editor_face_knows_the_language_server_library() -> None:
    wrong = [
        str(path.relative_to(PACKAGE))
        for room, path, tree in modules()
        for module in imports(tree)
        if module.split(".")[0] in {"pygls", "lsprotocol"} and room != "lsp"
    ]
    assert wrong == []


def test_only_the_agent_face_knows_the_library_of_agents() -> None:
    wrong = [
        str(path.relative_to(PACKAGE))
        for room, path, tree in modules()
        for module in imports(tree)
        if module.split(".")[0] in {"mcp", "mcp_types"} and room != "mcp"
    ]
    assert wrong == []


# `json` outside the faces: a child process's pipe, a file format, a text in quotes, a stamp in a database, what a
# model's folder says of it and the form in which a value is kept for a caller are no answers to one.
JSON_READERS = {"search", "memory", "session", "embedding", "files"}


def test_only_the_desk_and_the_faces_turn_values_into_json() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {module}"
        for room, path, tree in modules()
        for module in imports(tree)
        if module.split(".")[0] in {"json", "cattrs"}
        and room not in {"api", "lsp", "mcp", "cli"}
        and not (module.split(".")[0] == "json" and room in JSON_READERS)
    ]
    assert wrong == []


ENVIRONMENT = {("os", "environ"), ("os", "getenv"), ("os", "getcwd"), ("Path", "cwd"), ("os", "chdir")}


# `settings` is handed the environment by these; a child process is given what it needs in one variable; two
# libraries can be told to report nothing and not to spin only by variables.
HANDLES_ENVIRONMENT = {"lsp/server.py", "search/worker.py", "embedding/transformer.py", "embedding/multilingual.py"}


def test_only_settings_and_the_terminal_read_the_environment_or_the_current_directory() -> None:
    wrong = []
    for room, path, tree in modules():
        if room in {"cli", "settings"} or path.relative_to(PACKAGE).as_posix() in HANDLES_ENVIRONMENT:
            continue
        wrong += [
            f"{path.relative_to(PACKAGE)}:{node.lineno} reads {node.value.id}.{node.attr}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and (node.value.id, node.attr) in ENVIRONMENT
        ]
    assert wrong == []


def test_nothing_prints() -> None:
    """stdout carries frames only; the terminal face writes through rich."""
    wrong = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for room, path, tree in modules()
        if room != "cli"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert wrong == []


# Rooms that keep files of their own, or read those of packages; they never open a file of the workspace.
OPENERS = {"files", "memory", "knowledge", "settings", "cli", "lsp", "embedding"}


def test_only_the_gate_opens_workspace_files() -> None:
    """Search and evidence read through the gate. What search opens itself lies in its cache, and is named here."""
    own = {"search/build.py", "search/home.py", "search/published.py", "search/relay.py"}
    wrong = []
    for room, path, tree in modules():
        name = path.relative_to(PACKAGE).as_posix()
        if room in OPENERS or name in own:
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in {"read_text", "read_bytes", "write_text", "write_bytes"} or (
                called == "open" and isinstance(node.func, ast.Name)
            ):
                wrong.append(f"{name}:{node.lineno} calls {called}")
    assert wrong == []


@pytest.mark.parametrize(
    "module", ["vademecum.cli.main", "vademecum.api.dispatch", "vademecum.search.indexer", "vademecum.mcp.server"]
)
def test_the_terminal_and_the_indexer_run_without_the_language_server_library(module: str) -> None:
    code = f"import sys, {module}; print([m for m in sys.modules if m.split('.')[0] in ('pygls', 'lsprotocol')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
