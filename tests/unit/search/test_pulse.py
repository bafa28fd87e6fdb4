"""Whether an indexer gets on, seen from inside and from outside."""

import os
from pathlib import Path

import pytest

from unit.search.support import eventually
from vademecum.search import pulse
from vademecum.search.pulse import Pulse, Watched, stuck


def test_silence_is_said_when_it_is_long() -> None:
    assert stuck(29.0) is None
    assert "for 30 seconds" in (stuck(31.0) or "")
    assert stuck(31.0) == stuck(59.0)
    assert stuck(100.0, "another", 180.0) is None


def test_a_holder_that_touches_its_lock_gets_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "TOUCH_SECONDS", 0.0)
    monkeypatch.setattr(pulse, "OTHERS_STUCK_SECONDS", 0.2)
    lock = tmp_path / "writer.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    holder, seen = Pulse(), Watched(lock)
    holder.lock = lock
    eventually(lambda: seen.trouble, "trouble with one that does nothing")
    holder.beat()
    assert seen.trouble is None
    assert holder.silent < 5
    lock.unlink()
    assert seen.trouble is None
    holder.beat()
