"""Large messages are followed by one relief, small ones by none."""

import threading
import time

import pytest

from vademecum.lsp import relief
from vademecum.lsp.relief import LARGE_BYTES, Relief


def test_many_large_messages_are_relieved_at_once_and_small_ones_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    done = threading.Semaphore(0)
    monkeypatch.setattr(relief, "give_back_memory", done.release)
    one = Relief(0.2)
    one.heed(LARGE_BYTES - 1)
    assert not done.acquire(timeout=0.5)
    began = time.monotonic()
    for _ in range(50):
        one.heed(LARGE_BYTES)
    were_at_once = time.monotonic() - began < 0.2  # on a busy machine they may not have been
    assert done.acquire(timeout=60)
    assert not done.acquire(timeout=0.5) or not were_at_once
    one.heed(LARGE_BYTES)
    assert done.acquire(timeout=60), "a later one is relieved, too"
