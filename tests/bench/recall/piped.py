"""How long `memory/recall` takes from request to answer, with a real server at the other end of a pipe."""

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import quantiles

from bench.recall.data_files import Row
from wire.client import Client, running

#: How long a server may take to read its vectors, in seconds.
_LOAD = 60.0


def piped(home: Path, model: str, prompts: Sequence[Row]) -> str:
    """Ask a server every prompt once, after it has read its vectors, and say how long the answers took.

    :param home: holds the memories and what was made of them, and is the server's own.
    """
    with running(home, env={"VADEMECUM_SEARCH_MODEL": model}) as client:
        client.initialize()
        if model != "none":
            client.wait_for(lambda: _knows_meaning(client, prompts), "the vectors", _LOAD)
        for each in prompts[:20]:
            client.request("memory/recall", {"prompt": each["prompt"]})
        times = []
        for each in prompts:
            began = time.perf_counter()
            client.request("memory/recall", {"prompt": each["prompt"]})
            times.append(time.perf_counter() - began)
    cut = quantiles(times, n=100)
    return f"over the pipe: p50 {cut[49] * 1000:.1f} ms, p95 {cut[94] * 1000:.1f} ms of {len(times)} requests"


def _knows_meaning(client: Client, prompts: Sequence[Row]) -> bool:
    answers = (client.request("memory/recall", {"prompt": each["prompt"]}) for each in prompts[:10])
    return any(item["why"].get("meaning") is not None for answer in answers for item in answer["items"])
