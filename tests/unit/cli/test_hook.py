"""`vademecum prompt --hook`: agents of several kinds get the block in their own shape, and never a reason to stop."""

import json
from pathlib import Path
from typing import Any

import pytest

from unit.cli.conftest import Run
from wire.conftest import make_repository

CLAUDE = {
    "session_id": "5f2e9c1a-7b1c-4a5e-9a3e-000000000001",
    "transcript_path": "/tmp/transcript.jsonl",
    "hook_event_name": "SessionStart",
    "source": "startup",
}


def started(run: Run, cwd: Path, elsewhere: Path, *arguments: str, **said: Any) -> Any:
    """What an agent that works in `cwd` is answered; the hook itself runs somewhere else."""
    done = run("prompt", "--hook", *arguments, cwd=elsewhere, stdin=json.dumps(CLAUDE | {"cwd": str(cwd)} | said))
    assert done.code == 0, done.err
    return done.json if done.out else None


def text(answer: Any) -> str:
    (key,) = answer
    assert key == "hookSpecificOutput"
    assert answer[key].pop("hookEventName") == "SessionStart"
    ((name, value),) = answer[key].items()
    assert name == "additionalContext"
    return str(value)


def test_the_block_of_the_agents_folder_comes_in_its_shape(run: Run, repository: Path, tmp_path: Path) -> None:
    run("remember", "Use pnpm, never npm", "--category", "Rule")
    answer = started(run, repository / "src", tmp_path)
    assert "Use pnpm, never npm" in text(answer)
    other = make_repository(tmp_path / "other")
    assert "pnpm" not in json.dumps(started(run, other, tmp_path))


def test_it_stays_the_same_for_a_session_and_tells_what_changed(run: Run, repository: Path, tmp_path: Path) -> None:
    run("remember", "Use pnpm, never npm")
    first = text(started(run, repository, tmp_path))
    run("remember", "Deploys go out on Tuesdays")
    again = text(started(run, repository, tmp_path, source="resume"))
    assert again.startswith(first)
    assert "Tuesdays" in again[len(first) :]
    assert text(started(run, repository, tmp_path, source="compact")) == first  # each change is told once
    assert "Tuesdays" in text(started(run, repository, tmp_path, session_id="another"))


def test_cursor_is_answered_in_its_own_shape(run: Run, repository: Path, tmp_path: Path) -> None:
    run("remember", "Use pnpm, never npm")
    said = {"conversation_id": "c-1", "hook_event_name": "sessionStart", "workspace_roots": [str(repository)]}
    done = run("prompt", "--hook", cwd=tmp_path, stdin=json.dumps(said))
    assert list(done.json) == ["additional_context"]
    assert "Use pnpm, never npm" in done.json["additional_context"]


def test_the_answer_is_short_enough_to_be_put_into_the_conversation(run: Run, repository: Path, tmp_path: Path) -> None:
    for number in range(14):
        run("remember", f"Rule number {number}: " + f"word{number} " * 110, "--category", "Rule")
    assert 5_000 < len(text(started(run, repository, tmp_path))) <= 9_500
    assert len(text(started(run, repository, tmp_path, "--characters", "2000", session_id="short"))) <= 2_000


def test_with_nothing_to_tell_nothing_is_told(run: Run, repository: Path, tmp_path: Path) -> None:
    assert started(run, repository, tmp_path) is None
    assert run("prompt", "--hook", stdin=json.dumps(CLAUDE), VADEMECUM_MEMORY="off").code in (0, 1)


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"session_id": 7, "cwd": "nowhere"}',
        b'{"cwd": "/no/such"}',
        b'{"session_id": "\\ud800", "cwd": "/\\ud800"}',
        b"[" * 200_000,
    ],
    ids=range(8),
)
def test_whatever_an_agent_says_the_session_starts(run: Run, said: bytes) -> None:
    run("remember", "Use pnpm, never npm")
    done = run("prompt", "--hook", stdin=said)
    assert done.code == 0
    assert "Use pnpm, never npm" in text(done.json)


def test_what_fails_is_never_an_order_to_stop(run: Run, repository: Path, home: Path) -> None:
    home.write_text("no folder")
    done = run("prompt", "--hook", stdin=json.dumps(CLAUDE | {"cwd": str(repository)}))
    assert (done.code, done.out) == (1, "")
    assert "starts without what is remembered" in done.err
