"""Servers that are killed while they write lose nothing that they acknowledged; `bench.durability` kills many more."""

from pathlib import Path

import pytest

from bench.durability import run


@pytest.mark.timeout(400)  # on a busy machine a server takes seconds to start
def test_killed_servers_lose_nothing_acknowledged(tmp_path: Path) -> None:
    figures = run(20, 7, tmp_path)
    assert figures.lost == []
    assert figures.acknowledged.total() > 10
