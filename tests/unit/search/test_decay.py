"""Age: counted from the last commit or edit, by one question to git."""

import math
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from unit.search.support import candidate
from vademecum.search.decay import SECONDS_A_DAY, History, decayed
from vademecum.work import Cancel

NOW = 1_800_000_000.0


def test_half_of_what_may_go_goes_in_a_half_life() -> None:
    new, old, unknown = (candidate(f"{name}.py").with_signal("lexical", 1.0, 1.0) for name in ("new", "old", "unknown"))
    changed = {"new.py": NOW, "old.py": NOW - 30 * SECONDS_A_DAY}
    scores = [each.score for each in decayed([new, old, unknown], changed, NOW, 30.0, 0.4)]
    assert scores[:2] == [1.0, pytest.approx(0.8)]
    assert math.isclose(scores[2], 0.6, abs_tol=0.001)  # never less than what may stay


def test_a_clock_that_runs_ahead_makes_nothing_better() -> None:
    each = candidate("a.py").with_signal("lexical", 1.0, 1.0)
    assert decayed([each], {"a.py": NOW + 1e9}, NOW, 30.0, 1.0)[0].score == 1.0


def test_times_are_those_of_commits_and_of_edits_that_are_not_committed(
    workspace: Path, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    day = int(time.time()) - 10 * int(SECONDS_A_DAY)
    for name, stamp in (("first 名.py", day), ("second.py", day + 1000)):
        (workspace / name).write_text("x = 1\n", "utf-8")
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{stamp} +0000")
        git("add", "-A")
        git("commit", "-qm", name)
    paths = ["first 名.py", "second.py", "new.py", "[a].py"]
    history = History(workspace)
    assert history.changed(30.0, paths, Cancel()) == {"first 名.py": float(day), "second.py": float(day + 1000)}
    os.utime(workspace / "second.py")  # touched, not changed
    assert history.changed(30.0, paths, Cancel())["second.py"] == day + 1000
    (workspace / "second.py").write_text("x = 2\n", "utf-8")
    (workspace / "new.py").write_text("y = 1\n", "utf-8")
    changed = history.changed(30.0, paths, Cancel())
    assert changed["second.py"] == (workspace / "second.py").stat().st_mtime
    assert changed["new.py"] == (workspace / "new.py").stat().st_mtime
    git("add", "-A")
    git("commit", "-qm", "both")
    assert history.changed(30.0, paths, Cancel())["new.py"] == day + 1000  # the head has moved: asked again


def test_without_git_nothing_is_known(workspace: Path) -> None:
    (workspace / "a.py").write_text("x = 1\n", "utf-8")
    assert History(workspace).changed(30.0, ["a.py"], Cancel()) == {}
