"""`vademecum chats` lists, shows and removes what editors and agents keep of conversations."""

from pathlib import Path

import pytest

from unit.cli.conftest import Run
from vademecum.session.history import ChatHistory
from vademecum.session.settings import SessionSettings
from vademecum.session.types import Role, Said
from vademecum.settings import Locations
from vademecum.workspace import Workspace
from vademecum.workspaces import Workspaces


@pytest.fixture
def chats(home: Path, repository: Path) -> None:
    """Two conversations, kept as a server keeps them."""
    history = ChatHistory(home / "state", SessionSettings)
    places = Locations(home, home / "state", home / "cache", home)
    key = Workspace(repository.as_uri(), Workspaces(places, {}, None)).key  # type: ignore[arg-type]
    history.append(key, "chat-1", [Said(Role.USER, "Where?\x1b[31m"), Said(Role.ASSISTANT, "There.")])
    history.append(key, "chat two", [Said(Role.USER, "And?")])
    history.append("elsewhere", "chat-1", [Said(Role.USER, "Not here.")])
    history.close()


@pytest.mark.usefixtures("chats")
def test_they_are_listed_shown_and_removed(call: Run) -> None:
    rows = [line.split("\t") for line in call("chats").out.splitlines()]
    assert [(row[0], row[-1]) for row in rows] == [("1", "chat two"), ("2", "chat-1")]
    shown = call("chats", "show", "chat-1").out
    assert shown.index("Where?\\x1b[31m") < shown.index("There.") and "Not here" not in shown
    last = call("chats", "show", "chat-1", "--limit", "1")
    assert "There." in last.out and "Where?" not in last.out and "1 earlier" in last.err
    assert call("chats", "show", "chat-1", "--json").json["total"] == 2
    assert call("chats", "clear", "chat two").out == "Removed 1 entry.\n"
    asked = call("chats", "clear")
    assert (asked.code, asked.out) == (1, "") and "nothing was removed" in asked.err
    assert call("chats", "clear", "--yes", "--json").json == {"removed": 2}
    assert "no conversation" in call("chats").err


def test_there_may_be_none(call: Run) -> None:
    done = call("chats")
    assert (done.code, done.out) == (0, "") and "no conversation" in done.err
    assert call("chats", "--json").json == {"items": []}
    assert "nothing was said" in call("chats", "show", "x").err


@pytest.mark.parametrize(
    "arguments", [("show",), ("clear", "x", "--yes"), ("--yes",), ("--limit", "3"), ("burn", "x"), ("show", "x", "y")]
)
def test_an_unusable_command_line_is_said(call: Run, arguments: tuple[str, ...]) -> None:
    with_code = call("chats", *arguments)
    assert with_code.code == 2 and with_code.err.startswith("vademecum")
