"""What the processes that cut files share."""

import os
import time
from pathlib import Path

import pytest

from vademecum.search.worker import UNPACK_SECONDS, sweep, use_grammars


def test_what_killed_processes_left_of_grammars_goes_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEMBLE_GRAMMARS_CACHE_DIR", "")  # to be put back
    folder = use_grammars(str(tmp_path))
    assert os.environ["SEMBLE_GRAMMARS_CACHE_DIR"] == str(folder)
    sweep(folder)  # it is not there yet
    folder.mkdir()
    names = ("libtree_sitter_go.so", ".libtree_sitter_go.so.young", ".libtree_sitter_c.so.old")
    for name in names:
        (folder / name).write_bytes(b"")
    long_ago = time.time() - UNPACK_SECONDS - 60
    for name in (names[0], names[2]):
        os.utime(folder / name, (long_ago, long_ago))
    sweep(folder)
    assert sorted(file.name for file in folder.iterdir()) == sorted(names[:2])
