"""A moment of chance at the wire; `python -m bench.fuzz` runs the same for ten minutes."""

import random
from collections.abc import Callable
from pathlib import Path

import psutil

from wire.client import Client
from wire.fuzzing import Fuzz

SEED = 20_261_130
BURST = 2_000
MEMORY = 64 << 20
"""Bytes that the process may hold more than after the first round: what an allocator keeps."""


def test_chance_leaves_a_server_that_answers_and_has_lost_nothing(
    start: Callable[..., Client], repository: Path
) -> None:
    environment = {"VADEMECUM_SEARCH_MODEL": "none"}
    client = start(env=environment)
    client.initialize(repository)
    client.indexed()
    fuzz = Fuzz(client, random.Random(SEED))
    process = psutil.Process(client.process.pid)
    base = 0
    for _ in range(2):
        for _ in range(5):
            fuzz.keep()
        fuzz.bad_frames(60)
        fuzz.random_params(120)
        fuzz.notifications(60)
        fuzz.sizes()
        fuzz.burst(BURST)
        base = base or process.memory_info().rss
    fuzz.nothing_is_lost()
    client.wait_for(lambda: process.memory_info().rss < base + MEMORY, "memory that is given back")
    assert fuzz.replies["ok"] > BURST and fuzz.replies["-32800"] > 0 and fuzz.replies["-32602"] > 0
    assert client.shut_down() == 0
    fuzz.client = start(env=environment)
    fuzz.client.initialize(repository)
    fuzz.nothing_is_lost()
