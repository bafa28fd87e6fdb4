"""A call on a thread: cancelled, it stops where it reads, and goes on to its end where it writes."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from vademecum.api.calls import Call
from vademecum.mcp.running import run
from vademecum.settings import Locations
from vademecum.work import Cancelled
from vademecum.workspace import Nobody
from vademecum.workspaces import Workspaces


class Session:
    """What a call sees of its session: where it reports progress."""

    def __init__(self) -> None:
        self.heard: list[tuple[float, float | None, str | None]] = []

    async def report_progress(self, done: float, total: float | None, message: str | None) -> None:
        self.heard.append((done, total, message))


@pytest.fixture
def workspaces(tmp_path: Path) -> Workspaces:
    return Workspaces(Locations(tmp_path, tmp_path, tmp_path, tmp_path), {}, Nobody())


def begin(workspaces: Workspaces, function: Callable[[Call], Any], session: Session | None = None) -> Any:
    return run(cast(Any, SimpleNamespace(session=session or Session())), workspaces, function)


def cancelled_while_it_runs(workspaces: Workspaces, function: Callable[[Call], None]) -> None:
    """Begin `function`, which says when it is in the middle, and cancel it there."""
    inside = threading.Event()

    def work(call: Call) -> None:
        inside.set()
        function(call)

    async def main() -> None:
        task = asyncio.create_task(begin(workspaces, work))
        await asyncio.to_thread(inside.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_what_reads_stops_at_its_next_check(workspaces: Workspaces) -> None:
    stopped = threading.Event()

    def read(call: Call) -> None:
        try:
            call.cancel.wait(60)
        except Cancelled:
            stopped.set()

    cancelled_while_it_runs(workspaces, read)
    assert stopped.wait(60)


def test_what_writes_and_has_begun_is_carried_to_its_end(workspaces: Workspaces) -> None:
    settled, go_on, written = threading.Event(), threading.Event(), threading.Event()

    def write(call: Call) -> None:
        call.settle()
        settled.set()
        go_on.wait(60)
        call.cancel.check()
        written.set()

    async def main() -> None:
        task = asyncio.create_task(begin(workspaces, write))
        await asyncio.to_thread(settled.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()

    asyncio.run(main())
    assert written.wait(60)


def test_progress_rises_and_is_not_told_more_often_than_it_is_read(workspaces: Workspaces) -> None:
    session = Session()

    def work(call: Call) -> str:
        for done in (5, 3, 5, 6, 7):
            call.progress(done, 10, "Indexing")
        return "done"

    async def main() -> None:
        assert await begin(workspaces, work, session) == "done"
        await asyncio.sleep(0)

    asyncio.run(main())
    assert session.heard == [(5, 10, "Indexing")]
