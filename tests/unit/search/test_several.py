"""One answer from several indexes."""

from collections.abc import Callable
from pathlib import Path

from unit.search.support import Opened, eventually, write
from vademecum.search.several import query_all
from vademecum.search.skeleton import cost
from vademecum.search.types import EXPLAIN_TOKENS, Answer, Form, NoticeKind, Purpose, Query
from vademecum.work import Cancel

Open = Callable[..., Opened]


def asked(searches: list[Opened], **fields: object) -> list[tuple[str, str]]:
    answer = query_all([one.search for one in searches], Query(**fields), Cancel())  # type: ignore[arg-type]
    return [(hit.absolute.parent.name, hit.path.rpartition("/")[2]) for hit in answer.hits]


def test_a_folder_that_knows_little_of_the_query_comes_last(tmp_path: Path, opened: Open) -> None:
    poor, rich = tmp_path / "poor", tmp_path / "rich"
    write(poor, {f"p{n}.py": f"def paint_{n}(wall):\n    return wall.session\n" for n in range(3)})
    write(
        rich, {"r.py": "def expire_session(store):\n    return store.expire(session)\n", "o.py": "def other(): pass\n"}
    )
    write(rich, {f"f{n}.py": f"def filler_{n}(): pass\n" for n in range(40)})
    both = [opened(poor).ready(), opened(rich).ready()]
    eventually(lambda: len(asked(both, text="expire session")) == 4, "all hits")
    for searches in (both, both[::-1]):
        assert asked(searches, text="where does a session expire")[0] == ("rich", "r.py")


def test_a_folder_inside_another_tells_nothing_twice(tmp_path: Path, opened: Open) -> None:
    outer = tmp_path / "outer"
    write(outer, {"inner/a.py": "def only_once(): pass\n", "b.py": "def unrelated(): pass\n"})
    both = [opened(outer).ready(), opened(outer / "inner").ready()]
    assert asked(both, text="only_once") == [("inner", "a.py")]


def test_the_budget_is_that_of_the_whole_answer(tmp_path: Path, opened: Open) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        write(folder, {f"{folder.name}{n}.py": f"def budget_word_{n}():\n    return {n}\n" for n in range(4)})
    both = [opened(one).ready().search, opened(two).ready().search]
    whole = query_all(both, Query(text="budget_word"), Cancel()).hits
    seen, offset = [], 0
    while True:
        answer = query_all(both, Query(text="budget_word", token_budget=20, offset=offset), Cancel())
        assert sum(-(-len(hit.snippet) // 4) for hit in answer.hits) <= 20
        seen += answer.hits
        if answer.next_offset is None:
            break
        assert NoticeKind.TRUNCATED in {notice.kind for notice in answer.notices}
        offset = answer.next_offset
    assert seen == list(whole)
    assert len(whole) == 8


def test_whole_bodies_keep_to_the_budget_that_was_given_or_to_that_of_explaining(tmp_path: Path, opened: Open) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        body = "".join(f"    phase_{n} = engine.step('{folder.name}', {n})\n" for n in range(200))
        write(folder, {f"{folder.name}.py": f"def ignite(engine):\n{body}"})
    both = [opened(one).ready().search, opened(two).ready().search]

    def explained(budget: int | None) -> Answer:
        return query_all(both, Query(text="ignite", purpose=Purpose.EXPLAIN, token_budget=budget), Cancel())

    for budget in (70, 500, None, 3_000):
        hits = explained(budget).hits
        assert hits
        assert sum(cost(hit.snippet) for hit in hits) <= (budget or EXPLAIN_TOKENS)
    assert [(hit.start, hit.end, hit.form) for hit in explained(50_000).hits] == 2 * [(1, 201, Form.WHOLE)]
