"""Code search by meaning over the pipe: related code, whole bodies, budgets, and what an answer says of itself."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client, RequestError

RETRY = """\
def retry(call, times):
    for attempt in range(times):
        try:
            return call()
        except OSError:
            wait(2 ** attempt)
"""
AGAIN = """\
def again(action, count):
    for number in range(count):
        try:
            return action()
        except OSError:
            wait(2 ** number)
"""
LONG = "def ignite(engine):\n" + "".join(f"    phase_{n} = engine.step({n})\n" for n in range(120)) + "    return 1\n"


@pytest.fixture
def embedded(start: Callable[..., Client], repository: Path, home: Path) -> Client:
    """A client of a server whose static vectors are all made."""
    (repository / "src/retry.py").write_text(RETRY)
    (repository / "src/again.py").write_text(AGAIN)
    (repository / "src/long.py").write_text(LONG)
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text('[search]\nmodel = "static"\n')
    client = start()
    client.initialize(repository)
    client.indexed()
    client.wait_for(lambda: client.request("search/status")["model"]["state"] == "ready", "the vectors")
    # They are made by the indexer; the server itself holds them a moment later.
    asked = {**place(repository, "src/retry.py", 2), "limit": 1, "explain": True}
    client.wait_for(
        lambda: "semantic" in client.request("search/related", asked)["items"][0]["signals"], "vectors in answers"
    )
    return client


def place(repository: Path, path: str, line: int) -> dict[str, Any]:
    return {"uri": (repository / path).as_uri(), "position": {"line": line, "character": 0}}


def test_the_status_tells_the_model_and_how_far_it_is(embedded: Client) -> None:
    model = embedded.request("search/status")["model"]
    assert (model["name"], model["dimensions"]) == ("static", 256)
    assert model["embedded"] == model["total"] > 0


def test_code_like_the_code_at_a_place_is_found_and_that_itself_is_not(embedded: Client, repository: Path) -> None:
    answer = embedded.request("search/related", {**place(repository, "src/retry.py", 2), "limit": 3})
    assert answer["items"][0]["path"] == "src/again.py"
    assert "src/retry.py" not in [item["path"] for item in answer["items"]]
    assert answer["items"][0]["reference"].startswith("src/again.py:1-6@")


def test_a_session_is_given_related_code_once(embedded: Client, repository: Path) -> None:
    asked = {**place(repository, "src/retry.py", 2), "limit": 1, "session": "chat"}
    first, second = (embedded.request("search/related", asked)["items"][0] for _ in range(2))
    assert first["snippet"].startswith("def again")
    assert (second["snippet"], second["reused"]) == (None, True)


def test_related_code_goes_on_page_by_page_without_a_gap_or_a_repeat(embedded: Client, repository: Path) -> None:
    asked = place(repository, "src/retry.py", 2)
    whole = embedded.request("search/related", {**asked, "limit": 50})
    assert "nextOffset" not in whole
    met: list[str] = []
    offset: int | None = 0
    while offset is not None:
        answer = embedded.request("search/related", {**asked, "limit": 1, "offset": offset})
        assert answer["index"]["generation"] == whole["index"]["generation"]
        met += [item["reference"] for item in answer["items"]]
        offset = answer.get("nextOffset")
    assert met == [item["reference"] for item in whole["items"]]
    assert len(met) > 2
    assert embedded.request("search/related", {**asked, "offset": 10_000})["items"] == []


def test_related_code_is_explained_where_that_is_asked(embedded: Client, repository: Path) -> None:
    asked = {**place(repository, "src/retry.py", 2), "limit": 1}
    assert "signals" not in embedded.request("search/related", asked)["items"][0]
    signals = embedded.request("search/related", {**asked, "explain": True})["items"][0]["signals"]
    assert {"lexical", "semantic"} <= set(signals)


def test_a_page_of_related_code_tells_when_the_index_is_another(embedded: Client, repository: Path) -> None:
    asked = {**place(repository, "src/retry.py", 2), "limit": 1}
    before = embedded.request("search/related", asked)["index"]["generation"]
    (repository / "src/more.py").write_text(AGAIN.replace("again", "more"))
    later = {**asked, "limit": 50}
    embedded.wait_for(
        lambda: "src/more.py" in [item["path"] for item in embedded.request("search/related", later)["items"]],
        "the new file",
    )
    assert embedded.request("search/related", {**asked, "offset": 1})["index"]["generation"] > before


def test_a_file_with_a_blank_for_a_name_has_relatives_too(embedded: Client, repository: Path) -> None:
    (repository / " ").write_text(RETRY)
    answer = embedded.request("search/related", place(repository, " ", 2))
    assert answer["items"][0]["path"] in ("src/retry.py", "src/again.py")


@pytest.mark.parametrize(
    ("params", "kind"),
    [
        ({"uri": "file:///etc/passwd", "position": {"line": 0, "character": 0}}, "outsideWorkspace"),
        ({"uri": "{missing}", "position": {"line": 0, "character": 0}}, "notFound"),
        ({"uri": "{ignored}", "position": {"line": 0, "character": 0}}, "excluded"),
    ],
)
def test_a_place_that_may_not_be_read_has_no_relatives(
    embedded: Client, repository: Path, params: dict[str, Any], kind: str
) -> None:
    known = {"{missing}": repository / "none.py", "{ignored}": repository / "build/generated.py"}
    if params["uri"] in known:
        params = {**params, "uri": known[params["uri"]].as_uri()}
    with pytest.raises(RequestError) as error:
        embedded.request("search/related", params)
    assert error.value.data["kind"] == kind


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 51}, "limit"),
        ({"offset": -1}, "offset"),
        ({"offset": 10_001}, "offset"),
        ({"position": {"line": -1, "character": 0}}, "position"),
        ({"position": None}, "position"),
        ({"uri": "untitled:1"}, "uri"),
    ],
)
def test_unusable_params_are_named(embedded: Client, repository: Path, params: dict[str, Any], field: str) -> None:
    with pytest.raises(RequestError, match=field):
        embedded.request("search/related", {**place(repository, "src/retry.py", 0), **params})


def test_explaining_gives_whole_bodies_and_a_budget_gives_outlines(embedded: Client) -> None:
    whole = embedded.request(
        "search/query", {"query": "ignite phase_100", "purpose": "explain", "limit": 1, "tokenBudget": 50_000}
    )["items"][0]
    assert whole["snippet"] == LONG.rstrip("\n")
    assert "skeleton" not in whole
    short = embedded.request("search/query", {"query": "ignite phase_100", "limit": 1, "tokenBudget": 80})["items"][0]
    assert short["skeleton"] is True
    assert len(short["snippet"]) <= 320
    assert "phase_100" in short["snippet"]


def test_each_mode_says_which_side_found_what(embedded: Client) -> None:
    def signals(mode: str) -> set[str]:
        asked = {"query": "try once more after an error", "mode": mode, "explain": True}
        return set(embedded.request("search/query", asked)["items"][0]["signals"])

    assert "semantic" in signals("hybrid")
    assert "semantic" in signals("semantic")
    assert "semantic" not in signals("lexical")


def test_without_a_model_the_same_call_answers_by_words_and_says_so(
    start: Callable[..., Client], repository: Path, home: Path
) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text('[search]\nmodel = "/nowhere"\n')
    client = start()
    client.initialize(repository)
    client.indexed()
    client.wait_for(lambda: client.request("search/status")["model"]["state"] == "none", "that there is no model")
    for _ in range(3):
        answer = client.request("search/query", {"query": "circle"})
        assert answer["items"]
        assert [notice["kind"] for notice in answer["notices"]] == ["noModel"]
