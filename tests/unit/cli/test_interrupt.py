"""Signals that come while a command is being loaded."""

import os
import signal
import sys
import weakref
from collections.abc import Iterator

import pytest

from vademecum.cli.interrupt import Interrupt


@pytest.fixture
def interrupt() -> Iterator[Interrupt]:
    """Installed in this very process, and what was there before put back."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupt = Interrupt()
    interrupt.install()
    yield interrupt
    signal.signal(signal.SIGINT, before)


def test_one_that_was_lost_while_a_module_was_loaded_is_told_before_the_signals_are_left(
    interrupt: Interrupt, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost: list[sys.UnraisableHookArgs] = []

    class Module:
        pass

    def callback(_module: object) -> None:
        # As importlib has for its locks: what is raised in a callback is printed, and passed over.
        os.kill(os.getpid(), signal.SIGINT)

    module = Module()
    kept = weakref.ref(module, callback)
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    del module
    assert kept() is None
    assert [each.exc_type for each in lost] == [KeyboardInterrupt]
    with pytest.raises(KeyboardInterrupt):
        interrupt.release()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_where_none_came_the_signals_are_left_as_they_were(interrupt: Interrupt) -> None:
    interrupt.release()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
