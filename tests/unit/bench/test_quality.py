"""The measure of quality agrees with what is worked out by hand, and the annotations are whole."""

import math
import subprocess
from pathlib import Path

import pytest

from bench.quality.metric import Place, Score, answers, by, by_file, ndcg, over_repositories
from bench.quality.others import bm25, ripgrep
from bench.quality.queries import Question, Repository, Target, chinese, load, present, unnamed
from bench.quality.report import Result, by_category, compared
from bench.quality.sources import Missing, Tree, tree


def places(*paths: str) -> list[Place]:
    return [Place(path, 1, 10) for path in paths]


def targets(*paths: str) -> list[Target]:
    return [Target(path) for path in paths]


@pytest.mark.parametrize(
    ("found", "wanted", "value"),
    [
        (["a"], ["a"], 1.0),
        (["b", "a"], ["a"], 0.6309297535714575),  # 1 / log2(3)
        (["b", "c", "a"], ["a"], 0.5),  # 1 / log2(4)
        (["b"] * 9 + ["a"], ["a"], 0.2890648263178879),  # 1 / log2(11)
        (["b"] * 10 + ["a"], ["a"], 0.0),
        ([], ["a"], 0.0),
        (["a", "b"], ["a", "b"], 1.0),
        # (1 + 1 / log2(4)) / (1 + 1 / log2(3))
        (["a", "x", "b"], ["a", "b"], 1.5 / 1.6309297535714575),
        # A second hit of a place that was met takes a rank and gains nothing.
        (["a", "a", "b"], ["a", "b"], 1.5 / 1.6309297535714575),
        (["a", "a", "a"], ["a"], 1.0),
        (["a"], ["a", "b"], 1 / 1.6309297535714575),
    ],
)
def test_gains_are_those_worked_out_by_hand(found: list[str], wanted: list[str], value: float) -> None:
    assert ndcg(places(*found), targets(*wanted)) == pytest.approx(value, abs=1e-12)


def test_the_ideal_of_more_places_than_ranks_is_all_ranks() -> None:
    many = [f"f{number}" for number in range(12)]
    assert ndcg(places(*many), targets(*many)) == pytest.approx(1.0)


def test_a_hit_is_one_place_only() -> None:
    both = [Target("a", 1, 5), Target("a", 6, 9)]
    assert ndcg([Place("a", 1, 10)], both) == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert ndcg([Place("a", 1, 10), Place("a", 1, 10)], both) == pytest.approx(1.0)


def test_a_folder_is_answered_by_the_files_below_it() -> None:
    assert answers(Place("src/a/b.py"), Target("src/a"))
    assert answers(Place("src/a/b.py"), Target("src/a/"))
    assert not answers(Place("src/ab.py"), Target("src/a"))


@pytest.mark.parametrize(
    ("first", "last", "meets"), [(1, 9, False), (1, 10, True), (12, 13, True), (20, 30, True), (21, 30, False)]
)
def test_lines_have_to_meet_where_they_are_named(first: int, last: int, meets: bool) -> None:
    target = Target("a", 10, 20)
    assert answers(Place("a", first, last), target) is meets
    assert answers(Place("a", first, last), target, lines=False)
    assert answers(Place("a"), target), "a whole file holds every line"


def test_files_count_once_at_their_first_hit() -> None:
    assert by_file(places("a", "b", "a", "c")) == [Place("a"), Place("b"), Place("c")]


def test_a_repository_does_not_count_more_for_being_asked_more() -> None:
    scores = [
        Score("one", "c", "semantic", 1.0),
        Score("two", "go", "semantic", 0.0),
        Score("two", "go", "semantic", 0.5),
        Score("two", "go", "symbol", 0.25),
    ]
    assert over_repositories(scores) == pytest.approx((1.0 + 0.25) / 2)
    assert by(scores, "category") == {"semantic": pytest.approx(0.625), "symbol": pytest.approx(0.25)}
    assert by(scores, "language") == {"c": 1.0, "go": pytest.approx(0.25)}


def test_the_annotations_are_whole() -> None:
    repositories = load()
    assert len(repositories) == 18
    assert sum(len(each.questions) for each in repositories) == 356
    assert {question.category for each in repositories for question in each.questions} == {
        "semantic",
        "architecture",
        "symbol",
    }
    assert all(question.targets for each in repositories for question in each.questions)


def test_the_chinese_renderings_are_of_all_repositories_and_keep_what_answers() -> None:
    repositories = load()
    rendered = chinese(repositories)
    assert len(rendered) == 18
    assert sum(len(each.questions) for each in rendered) >= 48
    texts = [question.text for each in rendered for question in each.questions]
    assert all(any("\u4e00" <= char <= "\u9fff" for char in text) for text in texts)
    assert len(set(texts)) == len(texts)
    english = {question.targets for each in repositories for question in each.questions}
    assert all(question.targets in english for each in rendered for question in each.questions)


def repository(root: str | None, *asked: Question, home: str = "o/n", commit: str = "0" * 40) -> Repository:
    return Repository("n", "python", home, commit, root, asked)


def test_a_path_from_the_searched_folder_is_completed_and_what_is_missing_is_dropped_and_counted() -> None:
    asked = (
        Question("whole", "semantic", (Target("lib/a.py"),)),
        Question("short", "semantic", (Target("a.py"),)),
        Question("folder", "semantic", (Target("lib/in"),)),
        Question("half", "semantic", (Target("lib/a.py"), Target("lib/gone.py"))),
    )
    kept, dropped = present(repository("lib", *asked), ["lib/a.py", "lib/in/b.py"])
    assert dropped == 1
    assert [question.targets[0].path for question in kept.questions] == ["lib/a.py", "lib/a.py", "lib/in"]


def test_what_the_path_of_an_answer_spells_is_taken_from_the_query() -> None:
    asked = (
        Question("how sessions of the HeaderParser are kept in memory", "semantic", (Target("lib/header_parser.py"),)),
        Question("the session store keeps cookies", "semantic", (Target("sessions/a.py"), Target("x/store.py"))),
        Question("header parser", "symbol", (Target("lib/header_parser.py"),)),
        Question("parsing lib quickly, in parts", "semantic", (Target("lib/parse.py"),)),
    )
    kept = unnamed(repository(None, *asked))
    assert [question.text for question in kept.questions] == [
        "how sessions of the are kept in memory",
        "the keeps cookies",
        "quickly, in parts",
    ]
    assert [question.targets for question in kept.questions] == [asked[at].targets for at in (0, 1, 3)]


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """A folder of bare clones with one repository of two commits."""

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.email=a@b.c", "-c", "user.name=n", "-c", "commit.gpgsign=false", *arguments]
        return subprocess.run(command, cwd=work, check=True, capture_output=True, text=True).stdout.strip()

    work = tmp_path / "work"
    (work / "lib").mkdir(parents=True)
    git("init", "-q", "-b", "main")
    (work / "lib" / "parse.py").write_text("def parse_header(text):\n    return text.split(':')\n")
    (work / "lib" / "send.py").write_text("def send(text):\n    print(text)\n")
    (work / "lib" / "README.md").write_text("parse header\n")
    (work / "other.py").write_text("def parse_header(): ...\n")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    (tmp_path / "first").write_text(git("rev-parse", "HEAD"))
    (work / "lib" / "later.py").write_text("late = 1\n")
    git("add", ".")
    git("commit", "-q", "-m", "two")
    git("clone", "-q", "--bare", str(work), str(tmp_path / "mirror" / "o+n" / "repo"))
    return tmp_path / "mirror"


def test_a_tree_holds_the_code_below_the_searched_folder_at_its_commit(mirror: Path, tmp_path: Path) -> None:
    commit = (tmp_path / "first").read_text()
    made = tree(repository("lib", commit=commit), mirror, tmp_path / "cache")
    assert made.exact
    assert made.files == ("lib/parse.py", "lib/send.py")
    assert made.searched == made.folder / "lib"
    log = subprocess.run(["git", "log", "--format=%s"], cwd=made.searched, capture_output=True, text=True, check=True)
    assert log.stdout.split() == ["one"], "it has its history"
    assert tree(repository("lib", commit=commit), mirror, tmp_path / "cache") == made


def test_the_newest_commit_stands_in_for_one_that_a_clone_does_not_have(mirror: Path, tmp_path: Path) -> None:
    made = tree(repository("lib"), mirror, tmp_path / "cache")
    assert not made.exact
    assert made.files == ("lib/later.py", "lib/parse.py", "lib/send.py")


def test_a_repository_that_cannot_be_had_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.quality.sources.HOME", str(tmp_path / "nowhere" / "{}"))
    with pytest.raises(Missing, match="o/n"):
        tree(repository("lib"), None, tmp_path / "cache")


def test_plain_bm25_and_ripgrep_find_by_words(mirror: Path, tmp_path: Path) -> None:
    made: Tree = tree(repository("lib"), mirror, tmp_path / "cache")
    texts = ["how is text split", "send a text", "nothing of the kind"]
    first, second, third = bm25(made, texts)
    assert [each.path for each in first] == ["lib/parse.py", "lib/send.py"]
    assert second[0].path == "lib/send.py"
    assert (second[0].start, second[0].end) == (1, 2)
    assert third == []
    found = ripgrep(made, texts)
    if found is not None:
        assert found[0][0] == Place("lib/parse.py")
        assert found[1][0] == Place("lib/send.py")
        assert found[2] == []


def test_a_result_is_scored_by_lines_by_file_and_by_how_many_files_there_are() -> None:
    result = Result("ours")
    asked = repository(None, Question("q", "semantic", (Target("a", 50, 60),)), Question("p", "symbol", (Target("b"),)))
    result.add(asked, [[Place("a", 1, 10), Place("a", 55, 70)], [Place("b", 1, 2), Place("c", 1, 2)]])
    assert result.all == pytest.approx((0.6309297535714575 + 1) / 2)
    assert result.figures() == {
        "all": 0.8155,
        "semantic": 0.6309,
        "symbol": 1.0,
        "by_file": 1.0,
        "distinct": 1.5,
        "languages": {"python": 0.8155},
    }
    assert "| ours | 0.815 | 0.631 | 0.000 | 1.000 | 1.000 | 1.5 |" in by_category([result])


def test_what_is_changed_is_told_as_a_difference() -> None:
    asked = repository(None, Question("q", "semantic", (Target("a"),)))
    first, second = Result("as it comes"), Result("without")
    first.add(asked, [places("a", "b")])
    second.add(asked, [places("b", "a")])
    rows = compared([first, second], [second, first]).splitlines()
    assert rows[2] == "| as it comes | 1.000 | 1.000 | 0.000 | 0.000 | 0.631 | 2.0 |"
    assert rows[3] == "| without | -0.369 | -0.369 | +0.000 | +0.000 | +0.369 | 2.0 |"
