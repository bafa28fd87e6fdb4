"""Chat histories: durable, bounded, private, and gone when they are cleared."""

import logging
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import attrs
import pytest

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.session import limits
from vademecum.session.history import FILE_NAME, MIGRATIONS, ChatHistory
from vademecum.session.settings import SessionSettings
from vademecum.session.types import Order, Role, Said

Open = Callable[..., ChatHistory]
KEY = "sk-proj-abcdefghijklmnop" + "qrstuvwxyz0123456789"


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def open_history(state: Path, clock: Clock) -> Iterator[Open]:
    """Opens the histories as a server does; each call is another server on the same state directory."""
    opened = []

    def open_it(**settings: object) -> ChatHistory:
        told = SessionSettings(**settings)  # type: ignore[arg-type]
        opened.append(ChatHistory(state, lambda: told, clock))
        return opened[-1]

    yield open_it
    for history in opened:
        history.close()


@pytest.fixture
def history(open_history: Open) -> ChatHistory:
    return open_history()


def said(*texts: str) -> list[Said]:
    return [Said(Role.USER, text) for text in texts]


def texts(history: ChatHistory, session: str = "s", places: tuple[str, ...] = ("p",), **page: object) -> list[str]:
    return [entry.content for entry in history.read(places, session, **page).items]  # type: ignore[arg-type]


def test_what_was_said_comes_back_in_order(history: ChatHistory, open_history: Open, clock: Clock) -> None:
    told = history.append("p", "s", [Said(Role.USER, "où?\r\n\ttab 日本 🙂", "2026-01-01T03:00:00+02:00")])
    clock.now += timedelta(minutes=1)
    more = history.append("p", "s", [Said(Role.ASSISTANT, ""), Said(Role.TOOL, "there")])
    assert (told.total, told.redacted, more.total) == (1, 0, 3)
    page = open_history().read(["p"], "s")
    assert [(one.role, one.content, one.at) for one in page.items] == [
        (Role.USER, "où?\r\n\ttab 日本 🙂", "2026-01-01T01:00:00.000Z"),
        (Role.ASSISTANT, "", "2026-01-01T00:01:00.000Z"),
        (Role.TOOL, "there", "2026-01-01T00:01:00.000Z"),
    ]
    assert tuple(one.number for one in page.items) == told.numbers + more.numbers
    assert (page.total, page.next_offset) == (3, None)


def test_pages_from_either_end(history: ChatHistory) -> None:
    history.append("p", "s", said(*"abcdefg"))
    assert texts(history, limit=3) == ["a", "b", "c"]
    assert texts(history, order=Order.NEWEST, limit=3) == ["g", "f", "e"]
    gathered = []
    offset: int | None = 0
    while offset is not None:
        page = history.read(["p"], "s", offset=offset, limit=3)
        assert page.total == 7
        gathered += [entry.content for entry in page.items]
        offset = page.next_offset
    assert gathered == [*"abcdefg"]
    beyond = history.read(["p"], "s", offset=7)
    assert (beyond.items, beyond.total, beyond.next_offset) == ((), 7, None)


def test_sessions_and_places_are_apart_and_can_be_read_together(history: ChatHistory) -> None:
    history.append("p", "s", said("one"))
    history.append("q", "s", said("two"))
    history.append("p", "t", said("three"))
    assert texts(history) == ["one"] and texts(history, places=("q",)) == ["two"]
    assert texts(history, places=("p", "q")) == ["one", "two"]
    assert history.read(["r"], "s").total == 0
    chats = history.chats(["p", "q"])
    assert [(chat.session, chat.entries, chat.bytes) for chat in chats] == [("t", 1, 5), ("s", 2, 6)]


def test_nothing_is_made_before_something_is_said(history: ChatHistory, state: Path) -> None:
    assert history.read(["p"], "s").total == 0
    assert history.chats(["p"]) == () and history.clear(["p"]) == 0
    history.collect()
    assert not state.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_the_file_is_for_its_owner_alone(history: ChatHistory, state: Path) -> None:
    history.append("p", "s", said("x"))
    for path in state.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600
    assert state.stat().st_mode & 0o777 == 0o700


def test_secrets_do_not_reach_the_disk_and_no_text_the_log(
    history: ChatHistory, state: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    told = history.append("p", "s", said(f"my key is {KEY}, keep it", "harmless words"))
    assert told.redacted == 1
    assert texts(history) == ["my key is [redacted: api key], keep it", "harmless words"]
    assert all(KEY.encode() not in path.read_bytes() for path in state.iterdir())
    assert "harmless" not in caplog.text


@pytest.mark.parametrize("which", ["one", "all"])
def test_clearing_leaves_no_byte(history: ChatHistory, state: Path, which: str) -> None:
    history.append("p", "s", said("purple elephants " * 500))
    history.append("q", "s", said("elsewhere"))
    assert history.clear(["p"], "s" if which == "one" else None) == 1
    assert history.read(["p"], "s").total == 0
    assert all(b"elephants" not in path.read_bytes() for path in state.iterdir())
    assert texts(history, places=("q",)) == ["elsewhere"]
    assert history.clear(["p"], "s") == 0


def test_entries_go_by_age(open_history: Open, clock: Clock) -> None:
    history = open_history(history_days=2)
    history.append("p", "s", said("old"))
    history.append("q", "s", said("old elsewhere"))
    clock.now += timedelta(days=1)
    history.append("p", "s", said("newer"))
    clock.now += timedelta(days=1, seconds=1)
    assert texts(history) == ["newer"] and history.read(["p"], "s").total == 1
    assert [chat.session for chat in history.chats(["q"])] == []
    history.collect()
    assert open_history(history_days=3_650).read(["p", "q"], "s").total == 1


def test_entries_go_by_number_and_by_size_in_their_workspace_alone(
    open_history: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = open_history(history_entries=100)
    history.append("q", "s", said("elsewhere"))
    history.append("p", "t", said("the oldest"))
    told = history.append("p", "s", said(*map(str, range(102))))
    assert told.total == 100
    assert texts(history, limit=1) == ["2"] and history.read(["p"], "t").total == 0
    assert texts(history, places=("q",)) == ["elsewhere"]
    monkeypatch.setattr(limits, "HISTORY_BYTES", 1_000)
    assert history.append("p", "s", said("x" * 600, "y" * 500)).total == 1
    assert texts(history) == ["y" * 500]


@pytest.mark.parametrize(
    ("field", "session", "entries"),
    [
        ("session", "", said("x")),
        ("session", "s" * 201, said("x")),
        ("entries", "s", []),
        ("entries", "s", said(*["x"] * 201)),
        ("entries", "s", said(*["x" * 250_000] * 17)),
        ("entries[1].content", "s", said("fine", "x" * (limits.ENTRY_BYTES + 1))),
        ("entries[1].content", "s", said("fine", "half\0text")),
        ("entries[1].at", "s", [*said("fine"), Said(Role.USER, "x", "yesterday")]),
        ("entries[1].at", "s", [*said("fine"), Said(Role.USER, "x", "2026-01-01")]),
        ("entries[1].at", "s", [*said("fine"), Said(Role.USER, "x", "2026-01-01T00:00:00")]),
        ("entries[1].at", "s", [*said("fine"), Said(Role.USER, "x", "0001-01-01T00:00:00+23:00")]),
    ],
)
def test_what_cannot_be_kept_is_named_and_nothing_is_kept(
    history: ChatHistory, field: str, session: str, entries: list[Said]
) -> None:
    with pytest.raises(InvalidField) as caught:
        history.append("p", session, entries)
    assert caught.value.field == field
    assert history.chats(["p"]) == ()


@pytest.mark.parametrize(
    ("field", "page"),
    [("offset", {"offset": -1}), ("offset", {"offset": 2**63}), ("limit", {"limit": 0}), ("limit", {"limit": 501})],
)
def test_pages_have_bounds(history: ChatHistory, field: str, page: dict[str, int]) -> None:
    with pytest.raises(InvalidField) as caught:
        history.read(["p"], "s", **page)  # type: ignore[arg-type]
    assert caught.value.field == field


def test_off_is_off_but_clearing_works(open_history: Open, state: Path) -> None:
    open_history().append("p", "s", said("elephants"))
    off = open_history(history=False)
    for call in (lambda: off.append("p", "s", said("x")), lambda: off.read(["p"], "s"), lambda: off.chats(["p"])):
        with pytest.raises(VademecumError) as caught:
            call()
        assert caught.value.kind is ErrorKind.MEMORY_DISABLED
    assert off.clear(["p"]) == 1
    assert b"elephants" not in (state / FILE_NAME).read_bytes()


def test_a_damaged_file_is_moved_aside_and_cleared_with_the_rest(history: ChatHistory, state: Path) -> None:
    state.mkdir()
    (state / FILE_NAME).write_bytes(b"elephants, and no database " * 500)
    history.append("p", "s", said("fresh"))
    assert texts(history) == ["fresh"]
    (aside,) = state.glob(f"{FILE_NAME}.corrupt-*")
    assert aside.read_bytes().startswith(b"elephants")
    history.clear(["p"])
    assert not aside.exists()


def test_a_newer_file_is_left_untouched(history: ChatHistory, state: Path) -> None:
    state.mkdir()
    with sqlite3.connect(state / FILE_NAME) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    db.close()
    before = (state / FILE_NAME).read_bytes()
    with pytest.raises(VademecumError) as caught:
        history.append("p", "s", said("x"))
    assert caught.value.kind is ErrorKind.STORE_UNREADABLE and "newer" in caught.value.message
    with pytest.raises(VademecumError):
        history.read(["p"], "s")
    assert (state / FILE_NAME).read_bytes() == before
    assert sorted(path.name for path in state.iterdir()) == [FILE_NAME]


def test_two_servers_write_one_history(open_history: Open) -> None:
    one, two = open_history(), open_history()
    for number in range(20):
        (one if number % 2 else two).append("p", "s", said(str(number)))
    assert texts(one) == texts(two) == [str(number) for number in range(20)]


_WRITER = """
import sys
from pathlib import Path
from vademecum.session.history import ChatHistory
from vademecum.session.settings import SessionSettings
from vademecum.session.types import Role, Said
history = ChatHistory(Path(sys.argv[1]), SessionSettings)
for number in range(1_000_000):
    history.append("p", sys.argv[2], [Said(Role.USER, f"{number} a"), Said(Role.ASSISTANT, f"{number} b")])
    print(number, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_what_was_acknowledged_survives_kill_9_of_two_writers(state: Path) -> None:
    for attempt in range(3):
        tags = (f"{attempt} one", f"{attempt} two")
        writers = [
            subprocess.Popen([sys.executable, "-c", _WRITER, str(state), tag], stdout=subprocess.PIPE, text=True)
            for tag in tags
        ]
        last = []
        for writer in writers:
            assert writer.stdout is not None
            for _ in range(15):
                writer.stdout.readline()
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
        for writer in writers:
            out, _ = writer.communicate()
            last.append(int(out.split()[-1]) if out.split() else 14)
        history = ChatHistory(state, SessionSettings)
        for tag, number in zip(tags, last, strict=True):
            page = history.read(["p"], tag, order=Order.NEWEST, limit=4)
            kept = [entry.content for entry in page.items]
            # All or none of a call, and at most the one that was never acknowledged beyond the last that was.
            newest = page.total // 2 - 1
            assert page.total % 2 == 0 and number <= newest <= number + 1
            assert kept == [f"{newest} b", f"{newest} a", f"{newest - 1} b", f"{newest - 1} a"]
        history.close()


def test_the_settings_hold_from_one_call_to_the_next(state: Path) -> None:
    settings = SessionSettings()
    history = ChatHistory(state, lambda: settings)
    history.append("p", "s", said("x"))
    settings = attrs.evolve(settings, history=False)
    with pytest.raises(VademecumError):
        history.read(["p"], "s")
    history.close()
