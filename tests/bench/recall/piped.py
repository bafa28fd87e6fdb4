"""How long `memory/recall` takes from request to answer, with a real server at the other end of a pipe."""

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import quantiles

from bench.recall.data_files import Row
from wire.client import Client, running

#: How long a server may take to read its vectors, in seconds.
_LOAD = 60.0


def piped(home: Path, model: str, prompts: Sequence[Row]) -> str:
    """Ask a server every prompt once, after it has read its vectors; say how long the answers took and what it worked.

    :param home: holds the memories and what was made of them, and is the server's own.
    """
    with running(home, env={"VADEMECUM_SEARCH_MODEL": model}) as client:
        client.initialize()
        if model != "none":
            client.wait_for(lambda: _knows_meaning(client, prompts), "the vectors", _LOAD)
        for each in prompts[:20]:
            client.request("memory/recall", {"prompt": each["prompt"]})
        passed, own = [], []
        for each in prompts:
            began, busy = time.perf_counter(), _worked(client.process.pid)
            client.request("memory/recall", {"prompt": each["prompt"]})
            passed.append(time.perf_counter() - began)
            own.append(_worked(client.process.pid) - busy)
    told = f"over the pipe: {_cuts(passed)} of {len(passed)} requests"
    return f"{told}; the server's own time, all threads: {_cuts(own)}" if any(own) else told


def _cuts(seconds: Sequence[float]) -> str:
    cut = quantiles(seconds, n=100)
    return f"p50 {cut[49] * 1000:.1f} ms, p95 {cut[94] * 1000:.1f} ms"


def _worked(process: int) -> float:
    """Processor time of a process in seconds, to the nanosecond, which Linux alone tells: what a request takes where
    nothing else runs, and a little more, as threads that work at once are added up."""
    tasks = Path(f"/proc/{process}/task")
    if not tasks.is_dir():
        return 0.0
    worked = 0
    for task in tasks.iterdir():
        with suppress(OSError):  # a thread that ended meanwhile
            worked += int((task / "schedstat").read_text().split()[0])
    return worked / 1e9


def _knows_meaning(client: Client, prompts: Sequence[Row]) -> bool:
    answers = (client.request("memory/recall", {"prompt": each["prompt"]}) for each in prompts[:10])
    return any(item["why"].get("meaning") is not None for answer in answers for item in answer["items"])
