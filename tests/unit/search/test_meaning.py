"""Search by meaning, in a running search with a real model: what is found, what is said, what it costs."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from unit.search.support import Opened, eventually, open_search, write
from vademecum.embedding.embedder import Embedder
from vademecum.search.related import Place, Wanted
from vademecum.search.settings import SearchSettings
from vademecum.search.types import Answer, Form, Mode, NoticeKind, Purpose, VectorsState
from vademecum.search.weights import Reranker, Weights
from vademecum.work import Cancel

Open = Callable[..., Opened]
STATIC = SearchSettings(model="static", reconcile_seconds=60.0)

FILES = {
    "billing.py": "def charge(customer, amount):\n    '''Take the money from the credit card.'''\n    return amount\n",
    "accounts.py": "def sign_in(name, password):\n    '''Authenticate a user at login.'''\n    return name\n",
    "canvas.py": "def paint(surface, colour):\n    '''Fill the picture with one colour.'''\n    return surface\n",
    "weather.py": "def forecast(city):\n    '''Predict rain and temperature.'''\n    return city\n",
}


def embedded(opened: Opened) -> Opened:
    """Wait until everything has a vector that queries can use."""

    def done() -> bool:
        vectors = opened.search.status().vectors
        return vectors.state is VectorsState.READY and vectors.embedded == vectors.total > 0

    opened.ready()
    eventually(done, f"vectors ({opened.search.status().vectors})")
    eventually(lambda: opened.ask("anything", mode=Mode.SEMANTIC).hits, "vectors in memory")
    return opened


@pytest.fixture
def tree(workspace: Path) -> Path:
    write(workspace, FILES)
    return workspace


def kinds(answer: Answer) -> set[NoticeKind]:
    return {notice.kind for notice in answer.notices}


def test_what_shares_no_word_is_found_by_what_it_means(tree: Path, opened: Open) -> None:
    search = embedded(opened(tree, settings=STATIC))
    assert search.paths("payment")[0] == "billing.py"
    assert search.paths("payment", mode=Mode.LEXICAL) == []
    assert search.paths("authentication credentials", mode=Mode.SEMANTIC)[0] == "accounts.py"
    assert not kinds(search.ask("payment"))


def test_both_sides_are_told_when_it_is_asked_why(tree: Path, opened: Open) -> None:
    search = embedded(opened(tree, settings=STATIC))
    first = search.ask("credit card payment", explain=True).hits[0]
    assert first.path == "billing.py"
    assert first.signals is not None
    assert {"lexical", "semantic"} <= first.signals.keys()


def test_filters_hold_for_what_meaning_finds(tree: Path, opened: Open) -> None:
    write(tree, {"shop/money.ts": "export function pay() { return 'take money from the credit card' }\n"})
    search = embedded(opened(tree, settings=STATIC))
    assert search.paths("payment", languages=("typescript",)) == ["shop/money.ts"]
    assert set(search.paths("payment", paths=("!shop/**",))) == set(FILES)
    assert search.paths("payment", mode=Mode.SEMANTIC, paths=("shop/**",)) == ["shop/money.ts"]


def test_without_a_model_words_answer_and_it_is_said_why(tree: Path, opened: Open) -> None:
    search = opened(tree, settings=SearchSettings(model="/nowhere/model")).ready()
    eventually(lambda: search.search.status().vectors.state is VectorsState.NONE)
    answer = search.ask("login", mode=Mode.SEMANTIC)
    assert [hit.path for hit in answer.hits] == ["accounts.py"]
    assert kinds(answer) == {NoticeKind.NO_MODEL}
    assert "there is no folder model" in answer.notices[0].message
    assert not kinds(search.ask("login", mode=Mode.LEXICAL))


def test_pages_of_a_ranking_neither_repeat_nor_miss_a_hit_while_vectors_come(workspace: Path, opened: Open) -> None:
    write(workspace, {f"f{n}.py": f"def handler_{n}(request):\n    return request, {n}\n" for n in range(150)})
    search = opened(workspace, settings=STATIC).ready()
    met: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = search.ask("handler request", limit=7, offset=offset)
        met += [hit.path for hit in page.hits]
        offset = page.next_offset
    assert sorted(met) == sorted(f"f{n}.py" for n in range(150))


def test_what_the_best_candidates_lack_is_made_at_once_and_kept(
    tree: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = embedded(opened(tree, settings=STATIC))
    semantics = search.search._semantics
    assert semantics is not None
    text = "def refund(order):\n    '''Give the customer the cash back.'''\n    return order\n"
    write(tree, {"refunds.py": text})
    search.finds("refund", "refunds.py")
    hit = next(hit for hit in search.ask("refund order", explain=True).hits if hit.path == "refunds.py")
    assert hit.signals is not None
    assert "semantic" in hit.signals  # whoever was first, the indexer or the query


def test_a_second_opinion_has_the_last_word(tree: Path, opened: Open) -> None:
    weights = Weights(reranker=Reranker.MINILM, rerank_weight=1.0, diversity=1.0)
    search = embedded(opened(tree, settings=STATIC, weights=weights))
    answer = search.ask("how will the sky be tomorrow", explain=True)
    assert answer.hits[0].path == "weather.py"
    assert answer.hits[0].signals is not None
    assert answer.hits[0].signals["rerank"] == 1.0


def test_age_counts_where_it_is_wanted(tree: Path, opened: Open, git: Callable[..., str]) -> None:
    write(
        tree, {"old.py": "def total_price(cart):\n    return 1\n", "new.py": "def total_price(cart):\n    return 2\n"}
    )
    git("add", "-A")
    git("commit", "-qm", "all", "--date", "2001-01-01T00:00:00Z")
    write(tree, {"new.py": "def total_price(cart):\n    return 3\n"})
    search = opened(tree, weights=Weights(decay=0.5)).ready()
    hits = {hit.path: hit for hit in search.ask("total_price", explain=True).hits}
    assert hits["new.py"].signals is not None
    assert hits["new.py"].signals["decay"] > 0.99


def test_constants_are_exchanged_without_a_new_index(tree: Path, opened: Open) -> None:
    write(tree, {"tests/test_login.py": "def test_login():\n    assert login()\n"})
    search = opened(tree).ready()
    before = search.search.indexer_pid
    assert search.paths("login")[0] == "tests/test_login.py"
    search.search.rank_by(Weights(test=0.1))
    assert search.paths("login")[0] == "accounts.py"
    assert search.search.indexer_pid == before


# Code like some other code


def test_copies_and_variants_are_found_and_the_place_itself_is_not(tree: Path, opened: Open) -> None:
    write(
        tree,
        {
            "a.py": "def retry(call, times):\n    for attempt in range(times):\n        try:\n"
            "            return call()\n        except OSError:\n            sleep(2 ** attempt)\n",
            "b.py": "def again(action, count):\n    for number in range(count):\n        try:\n"
            "            return action()\n        except OSError:\n            sleep(2 ** number)\n",
        },
    )
    search = embedded(opened(tree, settings=STATIC))
    content = search.gate.read("a.py")
    answer = search.search.related(Place("a.py", 3), content, Wanted(limit=3), Cancel())  # type: ignore[arg-type]
    assert answer.hits[0].path == "b.py"
    assert "a.py" not in [hit.path for hit in answer.hits]


def test_an_unsaved_text_has_relatives_too(tree: Path, opened: Open) -> None:
    search = embedded(opened(tree, settings=STATIC))
    search.gate.buffers.set(tree / "draft.py", "def withdraw(customer, money):\n    return credit_card\n", 1)
    content = search.gate.read("draft.py")
    answer = search.search.related(Place("draft.py", 1), content, Wanted(limit=2), Cancel())  # type: ignore[arg-type]
    assert answer.hits[0].path == "billing.py"


def test_an_empty_file_has_none(tree: Path, opened: Open) -> None:
    write(tree, {"empty.py": ""})
    search = opened(tree).ready()
    content = search.gate.read("empty.py")
    assert search.search.related(Place("empty.py", 1), content, Wanted(limit=5), Cancel()).hits == ()  # type: ignore[arg-type]


# Whole bodies, and budgets


def long_class() -> str:
    methods = "".join(
        f"    def method_{n}(self, value):\n"
        + "".join(f"        step_{n}_{i} = value + {i}\n" for i in range(8))
        + "\n"
        for n in range(30)
    )
    return f"class Engine:\n{methods}"


@pytest.fixture
def bodies(workspace: Path, opened: Open) -> Iterator[Opened]:
    long = (
        "def ignite(engine):\n" + "".join(f"    phase_{n} = engine.step({n})\n" for n in range(150)) + "    return 1\n"
    )
    write(workspace, {"engine.py": long_class(), "ignition.py": long, "use.py": "def drive():\n    ignite(None)\n"})
    yield opened(workspace).ready()


def test_explaining_gives_a_long_function_whole(bodies: Opened) -> None:
    found = bodies.ask("ignite phase_120", limit=1)
    body = bodies.ask("ignite phase_120", limit=1, purpose=Purpose.EXPLAIN, token_budget=100_000)
    assert body.hits[0].end - body.hits[0].start > found.hits[0].end - found.hits[0].start
    assert (body.hits[0].start, body.hits[0].end) == (1, 152)
    assert body.hits[0].snippet.startswith("def ignite(engine):")
    assert body.hits[0].reference.startswith("ignition.py:1-152@")


def test_explaining_keeps_to_its_budget_and_nothing_overlaps(bodies: Opened) -> None:
    answer = bodies.ask("ignite engine step", limit=20, purpose=Purpose.EXPLAIN)
    assert sum(len(hit.snippet) for hit in answer.hits) <= 4 * 2_200
    spans = sorted((hit.path, hit.start, hit.end) for hit in answer.hits)
    assert all(a[0] != b[0] or a[2] < b[1] for a, b in itertools.pairwise(spans))
    assert {hit.form for hit in answer.hits} <= set(Form)


def test_pages_of_bodies_give_all_that_was_found_and_no_line_twice(bodies: Opened) -> None:
    def asked(**more: object) -> Answer:
        return bodies.ask("engine step", token_budget=100_000, **more)

    hits, offset = [], 0
    while offset is not None:
        answer = asked(limit=2, offset=offset, purpose=Purpose.EXPLAIN)
        hits += answer.hits
        offset = answer.next_offset
    spans = sorted((hit.path, hit.start, hit.end) for hit in hits)
    assert len(hits) > 4
    assert all(a[0] != b[0] or a[2] < b[1] for a, b in itertools.pairwise(spans))
    given = {(path, line) for path, start, end in spans for line in range(start, end + 1)}
    found = asked(limit=50).hits
    assert {(hit.path, line) for hit in found for line in range(hit.start, hit.end + 1)} <= given


@pytest.mark.parametrize("purpose", list(Purpose))
def test_scores_fall_along_all_pages(workspace: Path, opened: Open, purpose: Purpose) -> None:
    write(workspace, {"many.py": long_class()})
    write(workspace, {f"p{n}.py": f"def reel_{n}():\n    return {'reel + ' * (n % 9)}{n}\n" for n in range(180)})
    search = opened(workspace).ready()
    scores, offset = [], 0
    while offset is not None:
        answer = search.ask("reel", limit=50, offset=offset, purpose=purpose, token_budget=100_000)
        scores += [hit.score for hit in answer.hits]
        offset = answer.next_offset
    assert len(scores) > 150
    assert scores == sorted(scores, reverse=True)


def test_what_is_too_long_comes_as_an_outline_that_names_the_whole_place(bodies: Opened) -> None:
    hit = bodies.ask("ignite", limit=1, token_budget=70).hits[0]
    assert hit.form is Form.SKELETON
    assert len(hit.snippet) <= 4 * 70
    assert hit.snippet.startswith("def ignite(engine):")
    assert "…" in hit.snippet
    whole = bodies.ask("ignite", limit=1).hits[0]
    assert (hit.reference, hit.start, hit.end) == (whole.reference, whole.start, whole.end)
    assert whole.form is Form.WHOLE


def test_a_budget_ends_an_answer_and_the_next_page_goes_on(bodies: Opened) -> None:
    met: list[tuple[str, int]] = []
    offset: int | None = 0
    while offset is not None:
        page = bodies.ask("method value step", limit=50, offset=offset, token_budget=300)
        assert page.hits
        met += [(hit.path, hit.start) for hit in page.hits]
        offset = page.next_offset
    assert len(met) == len(set(met))
    assert met == [(hit.path, hit.start) for hit in bodies.ask("method value step", limit=50).hits]


def test_a_folder_keeps_its_model_when_another_folder_takes_another(workspace: Path, tmp_path: Path) -> None:
    write(workspace, FILES)
    other = tmp_path / "other"
    other.mkdir()
    write(other, {f"f{n}.py": f"def handler_{n}(request):\n    return request, {n}\n" for n in range(12)})
    settings = SearchSettings(model="auto", static_above=8)
    embedder = Embedder(settings)
    first, second = (open_search(root, tmp_path / "cache", settings, embedder=embedder) for root in (workspace, other))
    try:
        for turn, (each, name) in enumerate(((first, "minilm"), (second, "static"), (first, "minilm"))):
            embedded(each)
            assert each.search.status().vectors.name == name
            answer = each.ask(f"authenticate person {turn}", mode=Mode.SEMANTIC)
            assert answer.hits
            assert not answer.notices
    finally:
        first.search.close()
        second.search.close()
        embedder.close()
