"""Settings: four sources, the later winning; what cannot be used is reported and changes nothing."""

from pathlib import Path
from typing import Any

import pytest

from vademecum.errors import VademecumError
from vademecum.memory.settings import Format, ProjectPlace
from vademecum.settings import Settings, fold, home_of, locations


def folded(tmp_path: Path, toml: str = "", editor: Any = (), env: dict[str, str] | None = None) -> Any:
    config = tmp_path / "config.toml"
    config.write_text(toml, "utf-8")
    return fold(config, editor, env or {})


def test_nothing_set_is_the_defaults(tmp_path: Path) -> None:
    assert fold(tmp_path / "none.toml", [], {}) == (Settings(), ())


def test_the_later_source_wins(tmp_path: Path) -> None:
    toml = '[memory]\nformat = "json"\nproject = "shared"\npromptEntries = 5\n'
    editor = [{"memory": {"project": "private", "promptEntries": 6}}, {"memory": {"promptEntries": 7}}]
    settings, problems = folded(tmp_path, toml, editor, {"VADEMECUM_MEMORY_PROMPT_ENTRIES": "8"})
    assert problems == ()
    assert settings.memory.format is Format.JSON
    assert settings.memory.project is ProjectPlace.PRIVATE
    assert settings.memory.prompt_entries == 8


@pytest.mark.parametrize("word", ["0", "off", "false", "no", "OFF"])
def test_memory_is_switched_off_by_one_variable(tmp_path: Path, word: str) -> None:
    settings, problems = folded(tmp_path, "", (), {"VADEMECUM_MEMORY": word})
    assert (settings.memory.enabled, problems) == (False, ())


@pytest.mark.parametrize(
    ("editor", "name"),
    [
        ({"memory": {"enabled": "yes"}}, "memory.enabled"),
        ({"memory": {"promptEntries": "5"}}, "memory.promptEntries"),
        ({"memory": {"promptEntries": 5.5}}, "memory.promptEntries"),
        ({"memory": {"promptEntries": -5}}, "memory.promptEntries"),
        ({"memory": {"promptEntries": True}}, "memory.promptEntries"),
        ({"memory": {"format": "xml"}}, "memory.format"),
        ({"memory": {"colour": 1}}, "memory.colour"),
        ({"memory": 5}, "memory"),
        ({"search": {"chunkLines": 0}}, "search.chunkLines"),
        ({"files": {"exclude": "a"}}, "files.exclude"),
        ({"files": {"exclude": [1]}}, "files.exclude"),
        ({"files": {"exclude": ["half \ud800"]}}, "files.exclude"),
        ({"files": {"ownFolders": ["/"]}}, "files.ownFolders"),
        ({"search": {"reconcileSeconds": 10**400}}, "search.reconcileSeconds"),
        ({"search": {"reconcileSeconds": float("inf")}}, "search.reconcileSeconds"),
        ({"search": {"firstAnswerMs": 10**30}}, "search.firstAnswerMs"),
        ({"search": {"model": "large"}}, "search.model"),
        ({"ranking": {"semantic": 2}}, "ranking.semantic"),
        ({"ranking": {"fusion": "both"}}, "ranking.fusion"),
        ({"search": {"model": "/tmp/weights"}}, "search.model"),
    ],
)
def test_what_cannot_be_used_is_reported_and_the_rest_holds(tmp_path: Path, editor: Any, name: str) -> None:
    settings, problems = folded(tmp_path, "[ranking]\nperFile = 3\n", [editor])
    assert [problem.name for problem in problems] == [name]
    assert settings.memory == Settings().memory
    assert settings.ranking.per_file == 3


def test_a_broken_file_is_reported(tmp_path: Path) -> None:
    settings, problems = folded(tmp_path, "[memory\n")
    assert settings == Settings()
    assert "cannot be read" in str(problems[0])


def test_a_broken_variable_is_reported_by_its_name(tmp_path: Path) -> None:
    _, problems = folded(tmp_path, "", (), {"VADEMECUM_RANKING_PER_FILE": "many", "VADEMECUM_MEMORY": "perhaps"})
    assert {problem.source for problem in problems} == {"VADEMECUM_RANKING_PER_FILE", "VADEMECUM_MEMORY"}


def test_a_variable_holds_numbers_of_both_kinds(tmp_path: Path) -> None:
    env = {"VADEMECUM_SEARCH_RECONCILE_SECONDS": "7.5", "VADEMECUM_RANKING_PER_FILE": " 4 "}
    settings, problems = folded(tmp_path, "", (), env)
    assert (settings.search.reconcile_seconds, settings.ranking.per_file, problems) == (7.5, 4, ())


def test_null_and_foreign_sections_are_ignored(tmp_path: Path) -> None:
    editor = [{"memory": None, "server": {"path": "x"}, "search": {"chunkLines": None}}]
    assert folded(tmp_path, "", editor) == (Settings(), ())


def test_one_variable_moves_everything() -> None:
    places = locations({"VADEMECUM_HOME": "/somewhere", "HOME": "/home/x"})
    assert (places.home, places.state, places.cache) == (
        Path("/somewhere"),
        Path("/somewhere/state"),
        Path("/somewhere/cache"),
    )
    assert places.user_home == Path("/home/x")
    assert places.config == Path("/somewhere/config.toml")


@pytest.mark.parametrize("value", ["", "me", "./me"])
def test_a_home_that_is_no_folder_is_refused_and_not_replaced(value: str) -> None:
    """Python takes `/` for the home of an empty HOME: memories and configurations would be laid there."""
    for of in (locations, home_of):
        with pytest.raises(VademecumError, match="set it to the path of your home folder"):
            of({"HOME": value})
    places = locations({"HOME": value, "VADEMECUM_HOME": "/somewhere"})
    assert (places.home, places.user_home) == (Path("/somewhere"), Path("/somewhere"))


def test_without_the_variable_the_user_database_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/of/the/database"))
    assert home_of({}) == Path("/of/the/database")

    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", unknown)
    with pytest.raises(VademecumError, match="or VADEMECUM_HOME"):
        locations({})


def test_relative_folders_of_the_platform_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    places = locations({"HOME": "/home/x"})
    assert places.state.is_absolute() and places.cache.is_absolute()


def test_a_misspelt_table_of_the_file_is_reported_and_one_of_the_clients_own_is_not(tmp_path: Path) -> None:
    _, problems = folded(tmp_path, "promptEntries = 5\n[memories]\nformat = 'json'\n", [{"server": {"path": "x"}}])
    assert [problem.name for problem in problems] == ["promptEntries", "memories"]


def test_a_folder_of_weights_is_named_by_the_user_alone(tmp_path: Path) -> None:
    """An editor sends a repository's own settings in one with the user's: they could have any file read as weights."""
    folder = str(tmp_path / "weights")
    settings, problems = folded(tmp_path, f"[search]\nmodel = '{folder}'\n", [{"search": {"model": str(tmp_path)}}])
    assert settings.search.model == folder
    assert [problem.source for problem in problems] == ["editor"]
    settings, problems = folded(tmp_path, "", [{"search": {"model": "static"}}])
    assert (settings.search.model, problems) == ("static", ())
    settings, problems = folded(tmp_path, "", [], {"VADEMECUM_SEARCH_MODEL": folder})
    assert (settings.search.model, problems) == (folder, ())


def test_a_misspelt_model_is_told_the_names_there_are(tmp_path: Path) -> None:
    settings, (problem,) = folded(tmp_path, "", [{"search": {"model": "minlm"}}])
    assert settings.search.model == "auto"
    assert problem.name == "search.model"
    assert "must be one of auto, minilm, static" in problem.message
