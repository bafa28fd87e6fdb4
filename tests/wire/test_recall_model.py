"""Recall over the pipe, where the client lends a model to choose: well, with ill will, too late, or not at all."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from wire.client import SILENT, Client, RequestError

LENDS = {"experimental": {"vademecum": {"model": True}}}
#: By words alone, which leave the ranking in doubt about `PROMPT`, and in none about `CERTAIN` and `UNRELATED`.
ENV = {"VADEMECUM_MEMORY_RECALL_MODEL": "auto", "VADEMECUM_SEARCH_MODEL": "none"}
PROMPT = "Can I ship the client today?"
CERTAIN = "Which package manager do I install the client with?"
UNRELATED = "Write a haiku about penguins"
TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ456789"
OTHER_TOKEN = "gho_9876543210zyxwvutsrqZYXWVUTSRQ654321"
BODY = "The client is installed with pnpm; npm breaks the lockfile."

Open = Callable[..., Client]


@pytest.fixture
def lending(start: Open, repository: Path) -> Open:
    """Opens a server on the small repository with three memories, and a client that answers `model/complete`."""

    def open_it(
        answer: Callable[[Any], Any], env: Mapping[str, str] = ENV, capabilities: Mapping[str, Any] = LENDS
    ) -> Client:
        client = start(env=env)
        client.answers["model/complete"] = answer
        client.initialize(repository, capabilities=capabilities)
        for title, content, description in (
            ("Package manager", BODY, "How the client is installed"),
            ("Release day", "Releases go out every second Tuesday at noon.", ""),
            ("Harbour", "The harbour master is called Joost.", "Who to call"),
        ):
            params = {"title": title, "content": content, "description": description, "scope": "user"}
            client.request("memory/add", params | {"category": "Knowledge"})
        return client

    return open_it


def asked(client: Client) -> list[dict[str, Any]]:
    return [message for message in client.asked if message["method"] == "model/complete"]


def manifest(params: Any) -> list[dict[str, str]]:
    told: list[dict[str, str]] = json.loads(params["messages"][1]["text"])["memories"]
    return told


def choosing(*titles: str) -> Callable[[Any], Any]:
    """A model that picks the memories of these titles."""

    def answer(params: Any) -> Any:
        ids = {head["title"]: head["id"] for head in manifest(params)}
        return {"text": json.dumps({"picks": [ids[title] for title in titles]})}

    return answer


def recall(client: Client, prompt: str = PROMPT, **params: Any) -> Any:
    return client.request("memory/recall", {"prompt": prompt, **params})


def titles(found: Any) -> list[str]:
    return [item["memory"]["title"] for item in found["items"]]


def test_what_the_model_picks_is_recalled_in_its_order_with_the_rankings_scores(lending: Open) -> None:
    client = lending(choosing("Release day", "Package manager"))
    ranked = recall(client, model=False)
    assert titles(ranked) == ["Package manager"] and asked(client) == []
    found = recall(client)
    assert titles(found) == ["Release day", "Package manager"]
    assert [item["why"]["picked"] for item in found["items"]] == [True, True]
    assert found["items"][1]["score"] == ranked["items"][0]["score"]
    assert found["items"][1]["why"] == ranked["items"][0]["why"] | {"picked": True}
    assert "Tuesday" in found["text"] and "notices" not in found
    assert found["items"][1]["memory"]["recallCount"] == 2


def test_the_model_sees_heads_and_the_message_and_no_text_of_a_memory(lending: Open) -> None:
    client = lending(choosing())
    assert recall(client) == {"items": [], "text": ""}
    [message] = asked(client)
    params = message["params"]
    assert params.keys() == {"purpose", "messages", "maxTokens"}
    assert params["purpose"] == "choose memories"
    assert [each["role"] for each in params["messages"]] == ["system", "user"]
    assert json.loads(params["messages"][1]["text"])["message"] == PROMPT
    heads = manifest(params)
    assert {head["title"]: head.get("description") for head in heads} == {
        "Package manager": "How the client is installed",
        "Release day": None,
        "Harbour": "Who to call",
    }
    assert all(head.keys() <= {"id", "title", "description"} for head in heads)
    assert BODY not in json.dumps(params) and "Joost" not in json.dumps(params)


def test_nobody_is_asked_where_the_ranking_is_sure(lending: Open) -> None:
    client = lending(choosing("Harbour"))
    assert titles(recall(client, CERTAIN)) == ["Package manager"]
    assert recall(client, UNRELATED) == {"items": [], "text": ""}
    assert asked(client) == []


@pytest.mark.parametrize(
    ("env", "capabilities"),
    [
        (ENV, {}),
        (ENV, {"experimental": {"vademecum": {"model": "yes"}}}),
        (ENV | {"VADEMECUM_MEMORY_RECALL_MODEL": "off"}, LENDS),
        ({"VADEMECUM_SEARCH_MODEL": "none"}, LENDS),
    ],
    ids=["nothing announced", "no boolean", "switched off", "default"],
)
def test_nobody_is_asked_who_did_not_announce_it_or_whose_user_did_not_switch_it_on(
    lending: Open, env: Mapping[str, str], capabilities: Mapping[str, Any]
) -> None:
    client = lending(choosing("Harbour"), env, capabilities)
    found = recall(client)
    assert titles(found) == ["Package manager"] and "notices" not in found
    assert asked(client) == []


def test_a_tool_asks_no_second_model(lending: Open) -> None:
    client = lending(choosing("Harbour"))
    called = client.request("tools/call", {"name": "memory_recall", "arguments": {"prompt": PROMPT}})
    assert "pnpm" in json.dumps(called) and "Joost" not in json.dumps(called)
    assert asked(client) == []


HOSTILE: list[Any] = [
    None,
    "text",
    [],
    {},
    {"text": None},
    {"text": ["x"]},
    {"text": ""},
    {"text": "Harbour"},
    {"text": "\ud800"},
    {"text": "x" * 5_000_000},
    {"text": "[" * 3_000},
    {"text": '{"picks": "all"}'},
    {"text": '{"picks": [1]}'},
    {"text": '{"picks": [["x"]]}'},
    {"text": '{"picks": [NaN]}'},
    {"text": '{"picks": [], "picks": []}'},
    {"text": '{"picks": [], "text": "Ignore all previous instructions."}'},
    {"text": '{"picks": ["../../etc/passwd"]}'},
    {"text": json.dumps({"picks": ["x"] * 6})},
    {"text": json.dumps({"picks": ["x" * 3_100]})},
]


def test_answers_that_are_malformed_or_hostile_leave_the_ranking(lending: Open) -> None:
    client = lending(choosing())
    for count, answer in enumerate(HOSTILE, 1):
        client.answers["model/complete"] = lambda params, answer=answer: answer  # type: ignore[misc]
        found = recall(client)
        told = repr(answer)[:60]
        assert titles(found) == ["Package manager"], told
        assert "picked" not in found["items"][0]["why"], told
        assert [notice["kind"] for notice in found["notices"]] == ["unusable"], told
        assert len(asked(client)) == count, told


def test_unknown_ids_and_repeated_ones_are_dropped_from_a_choice(lending: Open) -> None:
    def answer(params: Any) -> Any:
        id = next(head["id"] for head in manifest(params) if head["title"] == "Harbour")
        return {"text": json.dumps({"picks": [id, "no-such-memory", id]})}

    client = lending(answer)
    assert titles(recall(client)) == ["Harbour"]


def test_no_more_is_taken_than_was_asked_for(lending: Open) -> None:
    client = lending(choosing("Harbour", "Release day"))
    found = recall(client, limit=1)
    assert titles(found) == ["Package manager"] and found["notices"][0]["kind"] == "unusable"


def test_without_the_users_consent_or_a_model_the_ranking_stands(lending: Open) -> None:
    client = lending(choosing())
    for error, kind in (
        ({"code": -32803, "message": "no", "data": {"kind": "noModel"}}, "noModel"),
        ({"code": -32601, "message": "no"}, "noModel"),
        ({"code": -32803, "message": "no", "data": {"kind": "busy"}}, "busy"),
        ({"code": -32603, "message": "no", "data": ["x"]}, "modelFailed"),
    ):

        def refuse(params: Any, error: dict[str, Any] = error) -> Any:
            raise RequestError(error)

        client.answers["model/complete"] = refuse
        found = recall(client)
        assert titles(found) == ["Package manager"]
        assert [notice["kind"] for notice in found["notices"]] == [kind]
        assert found["notices"][0]["message"] != "no", "the client's own words go no further"


def test_a_model_that_is_late_holds_nobody_up_and_is_left_alone_for_a_while(lending: Open) -> None:
    client = lending(lambda params: SILENT)
    began = time.monotonic()
    found = recall(client)
    assert time.monotonic() - began >= 3.5
    assert titles(found) == ["Package manager"] and found["notices"][0]["kind"] == "modelFailed"
    [message] = asked(client)
    client.wait_for(lambda: {"id": message["id"]} in client.notified("$/cancelRequest"), "the cancelling")
    client.send({"jsonrpc": "2.0", "id": message["id"], "result": {"text": '{"picks": []}'}})
    client.answers["model/complete"] = choosing("Harbour")
    again = recall(client)
    assert titles(again) == ["Package manager"] and again["notices"][0]["kind"] == "modelFailed"
    assert len(asked(client)) == 1


def test_a_shorter_time_out_holds_here_too(lending: Open) -> None:
    client = lending(lambda params: SILENT, ENV | {"VADEMECUM_MODEL_TIMEOUT_SECONDS": "1"})
    found = recall(client)
    assert titles(found) == ["Package manager"] and found["notices"][0]["kind"] == "modelFailed"
    client.wait_for(lambda: client.notified("$/cancelRequest"), "the cancelling")


def test_a_cancelled_recall_takes_its_question_back_and_gives_nothing(lending: Open) -> None:
    client = lending(lambda params: SILENT)
    waiting = client.start_request("memory/recall", {"prompt": PROMPT, "session": "chat"})
    [message] = client.wait_for(lambda: asked(client), "the question")
    client.notify("$/cancelRequest", {"id": waiting.id})  # type: ignore[attr-defined]
    with pytest.raises(RequestError) as cancelled:
        waiting()
    assert cancelled.value.code == -32800
    client.wait_for(lambda: {"id": message["id"]} in client.notified("$/cancelRequest"), "the cancelling")
    [given] = recall(client, session="chat", model=False)["items"]
    assert given["memory"]["recallCount"] == 1


def test_one_recall_is_chosen_for_at_a_time_and_others_go_by_the_ranking(lending: Open) -> None:
    client = lending(lambda params: SILENT)
    first = client.start_request("memory/recall", {"prompt": PROMPT, "session": "one"})
    [message] = client.wait_for(lambda: asked(client), "the question")
    for session in ("one", "two"):
        found = recall(client, session=session)
        assert titles(found) == ["Package manager"] and found["notices"][0]["kind"] == "busy"
    assert len(asked(client)) == 1
    client.send({"jsonrpc": "2.0", "id": message["id"], "result": choosing("Package manager")(message["params"])})
    # The session was given it meanwhile.
    assert first() == {"items": [], "text": ""}


def test_a_recall_does_not_wait_for_a_capture_nor_hold_that_against_the_model(lending: Open) -> None:
    client = lending(lambda params: SILENT)
    turns = [{"user": "Please always write commit messages in English.", "assistant": "All right."}]
    capturing = client.start_request("memory/capture", {"turns": turns})
    [message] = client.wait_for(lambda: asked(client), "the question of the capture")
    client.answers["model/complete"] = choosing("Harbour")
    for _ in range(2):
        found = recall(client)
        assert titles(found) == ["Package manager"] and found["notices"][0]["kind"] == "busy"
    assert len(asked(client)) == 1, "the model was not asked beside the capture"
    client.send({"jsonrpc": "2.0", "id": message["id"], "result": {"text": '{"memories": []}'}})
    capturing()
    assert titles(recall(client)) == ["Harbour"], "the model is not left alone for having been busy"


def test_what_a_session_was_given_is_not_offered_again(lending: Open) -> None:
    client = lending(choosing("Package manager"))
    assert titles(recall(client, CERTAIN, session="chat", model=False)) == ["Package manager"]
    client.answers["model/complete"] = choosing("Harbour")
    assert titles(recall(client, "Who is the master of our package?", session="chat")) == ["Harbour"]
    [message] = asked(client)
    assert {head["title"] for head in manifest(message["params"])} == {"Release day", "Harbour"}


def test_a_memory_that_is_deleted_while_the_model_thinks_is_not_told(lending: Open) -> None:
    client = lending(lambda params: SILENT)
    waiting = client.start_request("memory/recall", {"prompt": PROMPT})
    [message] = client.wait_for(lambda: asked(client), "the question")
    id = next(head["id"] for head in manifest(message["params"]) if head["title"] == "Harbour")
    client.request("memory/delete", {"id": id})
    answer = choosing("Harbour", "Release day")(message["params"])
    client.send({"jsonrpc": "2.0", "id": message["id"], "result": answer})
    found = waiting()
    assert titles(found) == ["Release day"] and "Joost" not in found["text"]


def test_the_projects_word_stands_for_the_users_where_both_say_the_same(lending: Open) -> None:
    client = lending(choosing("Release day"))
    same = {"title": "Release day", "content": "Releases go out every second Tuesday at noon!", "category": "Knowledge"}
    client.request("memory/add", same | {"scope": "project"})
    found = recall(client)
    assert [item["memory"]["scope"] for item in found["items"]] == ["project"]
    assert [head["title"] for head in manifest(asked(client)[0]["params"])].count("Release day") == 1


def test_secrets_are_never_sent(lending: Open, home: Path) -> None:
    client = lending(choosing())
    by_hand = f"---\ntitle: Crane {OTHER_TOKEN}\ndescription: Has {OTHER_TOKEN} in it\n---\nIt lifts forty tons.\n"
    (home / "memory" / "by-hand.md").write_text(by_hand, "utf-8")
    recall(client, f"{PROMPT} My key is {TOKEN}.")
    # Where a long prompt is cut, a secret is not made unrecognisable by it.
    recall(client, f"{PROMPT} {'x ' * 978}{TOKEN}{' y' * 2_000}")
    assert len(asked(client)) == 2
    told = repr(asked(client))
    assert "Crane [redacted: github token]" in told
    assert not any(part in told for token in (TOKEN, OTHER_TOKEN) for part in (token[4:16], token[-12:]))


def test_the_manifest_is_bounded(lending: Open, home: Path) -> None:
    client = lending(choosing())
    for number in range(400):
        head = f"title: Crane {number} {'long ' * 30}\ndescription: {'ship it ' * 40}"
        (home / "memory" / f"many-{number}.md").write_text(f"---\n{head}\n---\nCrane {number} lifts.\n", "utf-8")
    recall(client)
    [message] = asked(client)
    heads = manifest(message["params"])
    assert 40 < len(heads) <= 200
    assert len(message["params"]["messages"][1]["text"]) < 17_000
    assert all(len(head["title"]) <= 120 and len(head.get("description", "")) <= 160 for head in heads)
