"""Import, export, restoring and audit of 2,000 plausible memories, over the pipe, in both forms.

In tests/, `python -m bench.transfer`. The memories are those of the recall benchmark.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from bench.recall.data_files import rows
from wire.client import Client, running


def timed(client: Client, name: str, run: Callable[[], Any]) -> tuple[str, Any]:
    """The name with the seconds that passed and those that the server itself took, and what `run` returned."""
    process = psutil.Process(client.process.pid)
    began, used = time.monotonic(), sum(process.cpu_times()[:2])
    result = run()
    passed, took = time.monotonic() - began, sum(process.cpu_times()[:2]) - used
    return f"{name}: {passed:.2f} s, of which the server {took:.2f} s", result


def measure(folder: Path, form: str) -> list[str]:
    """The figures of one form as lines of text."""
    fields = ("title", "content", "category", "type", "description")
    items = [{**{key: row[key] for key in fields}, "keywords": "|".join(row["keywords"])} for row in rows("memories")]
    source = folder / "user-memory.json"
    source.write_text(json.dumps(items), encoding="utf-8")
    archive = folder / "archive.json"
    options = {"settings": {"memory": {"format": form}}}
    lines = []
    with running(folder / "home") as client:
        client.initialize(options=options)
        client.request("memory/list", {"limit": 1})
        for name, params in (
            ("dry run", {"source": str(source), "dryRun": True}),
            ("import", {"source": str(source)}),
            ("import again", {"source": str(source)}),
        ):
            line, done = timed(client, name, lambda params=params: client.request("memory/import", params))
            lines.append(f"{line} ({done['added']:,} new, {done['same']:,} known, {done['refused']:,} refused)")
        line, done = timed(client, "export", lambda: client.request("memory/export", {"target": str(archive)}))
        lines.append(f"{line} ({done['memories']:,} memories, {done['bytes']:,} bytes)")
        line, found = timed(client, "audit", lambda: client.request("memory/audit"))
        lines.append(f"{line} ({found['total']:,} findings in {found['checked']:,} memories)")
    with running(folder / "other") as client:
        client.initialize(options=options)
        client.request("memory/list", {"limit": 1})
        line, done = timed(client, "restore", lambda: client.request("memory/import", {"source": str(archive)}))
        again = client.request("memory/export", {})["text"]
        is_same = json.loads(again)["parts"] == json.loads(archive.read_text(encoding="utf-8"))["parts"]
        lines.append(f"{line} ({done['added']:,} memories, {'identical' if is_same else 'DIFFERENT'})")
    return lines


def main() -> None:
    """Print the figures of both forms."""
    for form in ("markdown", "json"):
        with tempfile.TemporaryDirectory() as folder:
            sys.stdout.write("\n".join([f"as {form}:", *(f"  {line}" for line in measure(Path(folder), form)), ""]))


if __name__ == "__main__":
    main()
