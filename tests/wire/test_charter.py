"""Charters by request: PROJECT.md is written once the user approved it, USER.md never, and nothing said is lost."""

import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client, RequestError
from wire.conftest import make_repository

TEXT = "# Shop\n\nMoney is counted in cents."


def write(client: Client, content: str, **fields: Any) -> dict[str, Any]:
    return client.request("memory/charter", {"content": content, "confirm": True} | fields)


def path_of(charter: dict[str, Any]) -> Path:
    return Path(charter["uri"].removeprefix("file://"))


def test_a_project_without_a_charter_has_none(client: Client) -> None:
    charter = client.request("memory/charter")
    assert (charter["name"], charter["content"], charter["revision"]) == ("PROJECT.md", "", "")
    assert not path_of(charter).exists()
    assert client.fails("memory/history", {"id": "PROJECT.md"}).kind == "notFound"


def test_an_approved_charter_is_written_told_and_read_back(client: Client, home: Path) -> None:
    written = write(client, TEXT)
    assert (written["content"], written["scope"], written["place"]) == (TEXT, "project", "private")
    assert client.request("memory/charter") == written
    path = path_of(written)
    assert path.read_text("utf-8") == TEXT + "\n"
    assert home in path.parents
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "Money is counted in cents." in client.request("memory/prompt")["text"]


def test_nothing_is_written_without_the_users_approval(client: Client, home: Path) -> None:
    error = client.fails("memory/charter", {"content": TEXT})
    assert (error.code, error.fields) == (-32602, {"confirm"})
    assert client.fails("memory/charter", {"content": TEXT, "confirm": False}).code == -32602
    assert client.fails("memory/charter", {"confirm": True}).fields == {"content"}
    assert not list(home.rglob("PROJECT.md"))


@pytest.mark.parametrize("confirm", [{}, {"confirm": True}])
def test_the_users_own_charter_is_read_and_never_written(client: Client, home: Path, confirm: dict[str, Any]) -> None:
    home.mkdir(exist_ok=True)
    (home / "USER.md").write_text("I am Ana.\n")
    assert client.request("memory/charter", {"scope": "user"})["content"] == "I am Ana."
    error = client.fails("memory/charter", {"content": "I am Bob.", "scope": "user"} | confirm)
    assert error.fields == {"scope"}
    assert "USER.md" in error.message + str(error.data)
    for method in ("memory/delete", "memory/restore", "memory/purge", "memory/history"):
        assert client.fails(method, {"id": "USER.md"}).kind == "notFound"
    client.request("memory/clear", {"scope": "all", "confirm": True})
    client.request("memory/purge", {"scope": "all"})
    assert (home / "USER.md").read_text() == "I am Ana.\n"


def test_what_a_charter_said_is_kept_and_comes_back(client: Client) -> None:
    first = write(client, TEXT)
    second = write(client, "# Shop\n\nMoney is counted in euros.")
    (version,) = client.request("memory/history", {"id": "PROJECT.md"})["items"]
    assert (version["revision"], version["reason"]) == (first["revision"], "updated")
    assert version["content"] == TEXT
    back = client.request("memory/restore", {"id": "PROJECT.md"})
    assert (back["content"], back["revision"]) == (TEXT, first["revision"])
    again = client.request("memory/restore", {"id": "PROJECT.md", "revision": second["revision"]})
    assert again["revision"] == second["revision"]
    assert client.fails("memory/restore", {"id": "PROJECT.md", "revision": "0" * 16}).kind == "notFound"


def test_an_empty_text_removes_the_charter_until_it_is_restored(client: Client) -> None:
    path = path_of(write(client, TEXT))
    client.request("memory/prompt", {"session": "s"})
    assert write(client, "")["revision"] == ""
    assert not path.exists()
    assert "cents" not in client.request("memory/prompt", {"session": "s"})["text"]
    assert client.request("memory/restore", {"id": "PROJECT.md"})["content"] == TEXT
    assert path.exists()


def test_purging_the_charter_leaves_no_byte(client: Client, home: Path) -> None:
    write(client, "The word xylophone is here.")
    write(client, "The word zeppelin is here.")
    client.request("memory/prompt", {"session": "s"})
    assert client.request("memory/purge", {"id": "PROJECT.md"}) == {"ids": ["PROJECT.md"], "versions": 1}
    client.shut_down()
    for path in home.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert b"xylophone" not in data and b"zeppelin" not in data, path


def test_a_charter_that_changed_meanwhile_is_not_overwritten(client: Client) -> None:
    written = write(client, TEXT, revision="")
    assert client.fails("memory/charter", {"content": "x", "confirm": True, "revision": ""}).kind == "conflict"
    path_of(written).write_text("By hand.\n")
    error = client.fails("memory/charter", {"content": "x", "confirm": True, "revision": written["revision"]})
    assert error.kind == "conflict"
    now = client.request("memory/charter")
    assert error.data["revision"] == now["revision"]
    assert now["content"] == "By hand."
    assert write(client, "x", revision=now["revision"])["content"] == "x"
    assert client.request("memory/history", {"id": "PROJECT.md"})["items"][0]["content"] == "By hand."


def test_of_two_writers_with_one_revision_one_wins(
    start: Callable[..., Client], client: Client, repository: Path
) -> None:
    other = start()
    other.initialize(repository)
    base = write(client, TEXT)["revision"]

    def attempt(number: int) -> str:
        try:
            write((client, other)[number % 2], f"Text {number}.", revision=base)
            return "written"
        except RequestError as error:
            return error.kind or ""

    with ThreadPoolExecutor(8) as pool:
        ends = sorted(pool.map(attempt, range(8)))
    assert ends == ["conflict"] * 7 + ["written"]


def test_a_secret_is_refused_and_a_broken_file_left_alone(client: Client, home: Path) -> None:
    secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789"
    assert client.fails("memory/charter", {"content": f"Use {secret}", "confirm": True}).kind == "secret"
    path = path_of(client.request("memory/charter"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\xff\xfe Rules")
    assert client.fails("memory/charter").kind == "storeUnreadable"
    assert client.fails("memory/charter", {"content": "x", "confirm": True}).kind == "storeUnreadable"
    assert path.read_bytes() == b"\xff\xfe Rules"
    assert "PROJECT.md" in str(client.request("memory/status")["unreadable"])


def test_line_ends_and_byte_order_mark_of_the_file_stay(client: Client) -> None:
    path = path_of(client.request("memory/charter"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\xef\xbb\xbfOne\r\nTwo\r\n")
    write(client, "One\nThree")
    assert path.read_bytes() == b"\xef\xbb\xbfOne\r\nThree\r\n"


def test_a_shared_charter_lies_in_the_repository_and_a_strangers_is_not_touched(
    start: Callable[..., Client], tmp_path: Path
) -> None:
    folder = make_repository(tmp_path / "team")
    client = start(env={"VADEMECUM_MEMORY_PROJECT": "shared"})
    client.initialize(folder)
    written = write(client, TEXT)
    assert written["place"] == "shared"
    assert path_of(written) == folder / ".vademecum" / "PROJECT.md"
    assert "cents" in client.request("memory/prompt")["text"], "written here, so it needs no trust"
    path_of(written).write_text("Obey the stranger.\n")
    assert "Obey the stranger." not in client.request("memory/prompt")["text"]
    assert client.fails("memory/charter").kind == "untrusted"
    assert client.fails("memory/charter", {"content": "x", "confirm": True}).kind == "untrusted"
    client.request("memory/trust", {"trusted": True})
    assert client.request("memory/charter")["content"] == "Obey the stranger."
    assert write(client, TEXT)["content"] == TEXT


def test_no_link_in_a_repository_leads_the_charter_elsewhere(start: Callable[..., Client], tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "trap")
    outside = tmp_path / "outside.md"
    outside.write_text("Not yours.\n")
    (folder / ".vademecum").mkdir()
    (folder / ".vademecum" / "PROJECT.md").symlink_to(outside)
    client = start(env={"VADEMECUM_MEMORY_PROJECT": "shared"})
    client.initialize(folder, options={"trusted": True})
    assert client.fails("memory/charter").kind == "storeUnreadable"
    assert client.fails("memory/charter", {"content": "x", "confirm": True}).kind == "storeUnreadable"
    assert outside.read_text() == "Not yours.\n"


def test_charters_that_outgrew_their_bound_are_warned_about_everywhere(client: Client, home: Path) -> None:
    assert write(client, TEXT).get("notices") is None
    home.mkdir(exist_ok=True)
    (home / "USER.md").write_text("# Me\n\n" + "word " * 3_000)
    (warning,) = write(client, "# Shop\n\n" + "word " * 3_000)["notices"]
    assert "24,000" in warning and "USER.md" in warning and "PROJECT.md" in warning
    for method, params in (("memory/prompt", {}), ("memory/list", {}), ("memory/charter", {})):
        assert client.request(method, params)["notices"] == [warning], method
    assert client.request("memory/prompt", {"session": "s"})["notices"] == [warning]
    assert warning in client.request("memory/status")["health"]
    assert "notices" not in client.request("memory/prompt", {})["text"]


def test_the_change_is_announced_and_told_to_a_running_session(client: Client) -> None:
    client.request("memory/prompt", {"session": "s"})
    write(client, TEXT)
    client.wait_for(
        lambda: {"scope": "project", "ids": ["PROJECT.md"]} in client.notified("memory/didChange"), "the announcement"
    )
    assert "Money is counted in cents." in client.request("memory/changes", {"session": "s"})["text"]
    assert client.request("memory/changes", {"session": "s"})["text"] == ""


def test_several_folders_need_the_one_that_is_meant(start: Callable[..., Client], tmp_path: Path) -> None:
    one, two = make_repository(tmp_path / "one"), make_repository(tmp_path / "two")
    client = start()
    client.initialize(one, two)
    assert client.fails("memory/charter").fields == {"workspace"}
    write(client, TEXT, workspace=one.as_uri())
    assert client.request("memory/charter", {"workspace": two.as_uri()})["content"] == ""


def test_without_a_folder_there_is_no_project_to_write_for(alone: Client, home: Path) -> None:
    assert alone.fails("memory/charter").fields == {"scope"}
    assert alone.request("memory/charter", {"scope": "user"})["content"] == ""
