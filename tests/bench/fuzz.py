"""Chance at the wire for ten minutes: does the server still answer, is its memory back, is anything lost?

`python -m bench.fuzz` from `tests/`. Each round sends frames that are none, requests by and against their schemas,
notifications with anything in them, the smallest and the largest messages, and 10,000 requests at once, of which many
are cancelled. Afterwards another server must find everything that was acknowledged. A failure names the seed.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

import psutil

from wire.client import running
from wire.conftest import make_repository
from wire.fuzzing import Fuzz

BURST = 10_000
FRAMES = 300
PARAMS = 1_000
NOTIFICATIONS = 300
SPARE = 64 << 20
"""Bytes that the process may hold more in the end than after the first round."""
MEGABYTE = 1 << 20


def main() -> int:
    """Run for as long as was asked, and say what came of it; 1 when anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    options = parser.parse_args()
    say(f"seed {options.seed}")
    with tempfile.TemporaryDirectory() as folder:
        return fuzz(Path(folder), random.Random(options.seed), options.minutes * 60)


def fuzz(folder: Path, chance: random.Random, seconds: float) -> int:
    """Rounds until the time is over."""
    repository, home = make_repository(folder / "project"), folder / "home"
    environment = {"VADEMECUM_SEARCH_MODEL": "none"}
    end = time.monotonic() + seconds
    base = 0
    with running(home, env=environment) as client:
        client.initialize(repository)
        client.indexed()
        run = Fuzz(client, chance)
        process = psutil.Process(client.process.pid)
        number = 0
        while time.monotonic() < end:
            number += 1
            for _ in range(10):
                run.keep()
            run.bad_frames(FRAMES)
            run.random_params(PARAMS)
            run.notifications(NOTIFICATIONS)
            run.sizes()
            began = time.monotonic()
            run.burst(BURST)
            took = time.monotonic() - began
            held = process.memory_info().rss
            base = base or held
            say(f"round {number}: {run.sent:,} requests, {BURST:,} at once in {took:.1f} s, {held // MEGABYTE} MB")
        run.nothing_is_lost()
        held = settled(process, base + SPARE)
        say(f"outcomes: {dict(sorted(run.replies.items()))}")
        say(f"memory: {base // MEGABYTE} MB after the first round, {held // MEGABYTE} MB in the end")
        code = client.shut_down()
    with running(home, env=environment) as run.client:
        run.client.initialize(repository)
        run.nothing_is_lost()
    say(f"{len(run.kept)} memories were acknowledged, and another server has them all")
    return 0 if code == 0 and held < base + SPARE else 1


def settled(process: psutil.Process, bound: int) -> int:
    """What the process holds once that is below `bound`, or after ten seconds."""
    end = time.monotonic() + 10
    while (held := process.memory_info().rss) >= bound and time.monotonic() < end:
        time.sleep(0.1)
    return int(held)


def say(line: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
