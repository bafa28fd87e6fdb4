"""Vectors of models that nobody uses any more."""

import shutil
import time
from collections.abc import Collection
from pathlib import Path

from vademecum.embedding.store import DATABASE, SECONDS_A_DAY


def discard_models(folder: Path, keep: Collection[str], unused_days: int) -> list[str]:
    """Delete the vectors of other models that nobody has written for so many days; returns their ids."""
    gone: list[str] = []
    if not folder.is_dir():
        return gone
    oldest = time.time() - unused_days * SECONDS_A_DAY
    for each in sorted(folder.iterdir()):
        database = each / DATABASE
        if each.name in keep or not database.is_file():
            continue
        newest = max(path.stat().st_mtime for path in each.iterdir())
        if newest < oldest:
            shutil.rmtree(each, ignore_errors=True)
            gone.append(each.name)
    return gone
