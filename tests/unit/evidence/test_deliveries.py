"""What sessions are given, over real files and a real ledger: nothing stale is withheld, every change is told once."""

import os
import random
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unit.files.trees import write
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.evidence import ledger
from vademecum.evidence.deliveries import Deliveries, Delivery, Form, Snippet
from vademecum.evidence.reference import mint, parse
from vademecum.evidence.settings import EvidenceSettings
from vademecum.evidence.verdicts import Verdict
from vademecum.files.buffers import Buffers
from vademecum.files.content import Content
from vademecum.files.gate import Gate
from vademecum.work import Cancel, Cancelled

DAY = 86_400_000
TEXT = "".join(f"line {n}\n" for n in range(1, 21))


class Desk:
    """A folder with a gate, and what its sessions were given."""

    def __init__(self, folder: Path, settings: EvidenceSettings | None = None) -> None:
        self.root = folder / "project"
        self.root.mkdir(parents=True, exist_ok=True)
        self.state = folder / "state"
        self.buffers = Buffers()
        self.gate = Gate(self.root, buffers=self.buffers)
        self.now = 1_000 * DAY
        self.settings = settings or EvidenceSettings()
        self.deliveries = Deliveries(self.state, self.root, lambda: self.gate, lambda: self.settings, lambda: self.now)

    def write(self, path: str, text: str) -> None:
        write(self.root, {path: text})

    def read(self, path: str) -> Content:
        content = self.gate.read(path)
        assert isinstance(content, Content)
        return content

    def snippet(self, path: str, start: int, end: int) -> Snippet:
        content = self.read(path)
        return Snippet(parse(str(mint(content, start, end))), "\n".join(content.text.split("\n")[start - 1 : end]))

    def give(self, session: str, *places: tuple[str, int, int]) -> Delivery:
        return self.deliveries.deliver(session, [self.snippet(*place) for place in places])

    def path(self) -> Path:
        (path,) = (self.state / "evidence").glob("*.sqlite")
        return path


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.write("a.txt", TEXT)
    desk.write("b.txt", TEXT)
    return desk


def told(delivery: Delivery) -> list[tuple[str, Verdict]]:
    return [(str(each.reference).partition("@")[0], each.verdict) for each in delivery.invalidated]


def test_the_same_text_is_withheld_from_the_second_time_on(desk: Desk) -> None:
    assert desk.give("s", ("a.txt", 1, 3), ("a.txt", 5, 6)).withheld == (False, False)
    assert desk.give("s", ("a.txt", 5, 6), ("a.txt", 5, 7), ("b.txt", 5, 6)).withheld == (True, False, False)
    assert desk.give("t", ("a.txt", 5, 6)).withheld == (False,)


def test_within_one_answer_nothing_is_withheld(desk: Desk) -> None:
    """Whoever reads an answer may read its items in any order."""
    assert desk.give("s", ("a.txt", 1, 3), ("a.txt", 1, 3)).withheld == (False, False)


def test_whole_partial_and_skeleton_are_told_apart(desk: Desk) -> None:
    whole = desk.snippet("a.txt", 1, 4)
    partial = Snippet(whole.reference, "line 1\nline 2")
    skeleton = Snippet(whole.reference, "line 1\n…", Form.SKELETON)
    assert [each.given.form for each in (whole, partial, skeleton)] == [Form.WHOLE, Form.PARTIAL, Form.SKELETON]
    for first in (whole, partial, skeleton):
        session = f"began with {first.given.form}"
        assert desk.deliveries.deliver(session, [first]).withheld == (False,)
        others = [each for each in (whole, partial, skeleton) if each is not first]
        assert desk.deliveries.deliver(session, others).withheld == (False, False)
        assert desk.deliveries.deliver(session, [whole, partial, skeleton]).withheld == (True, True, True)


def test_redacted_lines_are_given_anew_when_their_text_differs(desk: Desk) -> None:
    """The same lines can show differently: a key block may begin above them."""
    reference = desk.snippet("a.txt", 1, 2).reference
    assert desk.deliveries.deliver("s", [Snippet(reference, "[redacted: key]\n")]).withheld == (False,)
    assert desk.deliveries.deliver("s", [Snippet(reference, "line 1\nline 2")]).withheld == (False,)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (TEXT.replace("line 5", "x"), Verdict.CHANGED),
        (TEXT.replace("line 5\n", ""), Verdict.CHANGED),
        ("x\n" + TEXT + TEXT, Verdict.AMBIGUOUS),
        ("", Verdict.CHANGED),
        (None, Verdict.DELETED),
        ("\0", Verdict.EXCLUDED),
    ],
)
def test_what_no_longer_stands_is_told_once(desk: Desk, text: str | None, verdict: Verdict) -> None:
    desk.give("s", ("a.txt", 4, 6))
    desk.give("other", ("a.txt", 4, 6))
    if text is None:
        (desk.root / "a.txt").unlink()
    else:
        desk.write("a.txt", text)
    assert told(desk.give("s", ("b.txt", 1, 1))) == [("a.txt:4-6", verdict)]
    assert told(desk.give("s", ("b.txt", 1, 1))) == []
    assert told(desk.give("other")) == [("a.txt:4-6", verdict)]


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("\n", "\r"),
        TEXT.rstrip("\n"),
        "\ufeff" + TEXT,
        "above\n" + TEXT,
        TEXT.replace("line 19", "x"),
    ],
)
def test_what_still_stands_is_not_told_of(desk: Desk, text: str) -> None:
    desk.give("s", ("a.txt", 4, 6))
    (desk.root / "a.txt").write_bytes(text.encode())
    assert told(desk.give("s", ("b.txt", 1, 1))) == []


def test_told_as_gone_it_is_given_anew_though_its_bytes_come_back(desk: Desk) -> None:
    desk.give("s", ("a.txt", 4, 6))
    desk.write("a.txt", "other\n")
    assert told(desk.give("s"))
    desk.write("a.txt", TEXT)
    assert desk.give("s", ("a.txt", 4, 6)).withheld == (False,)
    assert desk.give("s", ("a.txt", 4, 6)).withheld == (True,)
    desk.write("a.txt", "other\n")
    assert told(desk.give("s")) == [("a.txt:4-6", Verdict.CHANGED)]


def test_bytes_that_went_and_came_back_between_two_answers_still_stand(desk: Desk) -> None:
    desk.give("s", ("a.txt", 4, 6))
    desk.write("a.txt", "other\n")
    desk.write("a.txt", TEXT)
    assert told(desk.give("s")) == []
    assert desk.give("s", ("a.txt", 4, 6)).withheld == (True,)


def test_lines_that_moved_are_withheld_and_from_then_on_expected_there(desk: Desk) -> None:
    desk.give("s", ("a.txt", 4, 6))
    desk.write("a.txt", "above\n" + TEXT)
    assert desk.give("s", ("a.txt", 5, 7)) == Delivery((True,))
    desk.write("a.txt", "above\n" + TEXT + TEXT)  # twice now, but at 5-7 as it was last told
    assert told(desk.give("s")) == []
    assert [str(each).partition("@")[0] for each in desk.deliveries.held("s")] == ["a.txt:5-7"]


def test_unsaved_text_is_the_file(desk: Desk) -> None:
    desk.give("s", ("a.txt", 4, 6))
    desk.buffers.set(desk.root / "a.txt", TEXT.replace("line 5", "typing"), 1)
    assert told(desk.give("s")) == [("a.txt:4-6", Verdict.CHANGED)]
    desk.buffers.drop(desk.root / "a.txt")
    assert desk.give("s", ("a.txt", 4, 6)).withheld == (False,)


def test_a_settled_file_is_not_read_again_and_an_edit_of_it_is_seen(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    past = time.time() - 3_600
    desk.give("s", ("a.txt", 4, 6), ("b.txt", 1, 2))
    monkeypatch.setattr("vademecum.files.content.SETTLED_AFTER_NS", 0)
    desk.give("s")
    read: list[str] = []
    original = Gate.read_many

    def counting(self: Gate, paths: object) -> object:
        asked = list(paths)  # type: ignore[call-overload]
        read.extend(asked)
        return original(self, asked)

    monkeypatch.setattr(Gate, "read_many", counting)
    assert told(desk.give("s")) == []
    assert read == []
    desk.write("a.txt", TEXT.replace("line 5", "LINE 5"))  # the same size
    os.utime(desk.root / "a.txt", (past, past))
    assert told(desk.give("s")) == [("a.txt:4-6", Verdict.CHANGED)]
    assert read == ["a.txt"]


# What is kept ---------------------------------------------------------------------------------------------------------


def test_nothing_is_kept_of_a_call_that_was_cancelled(desk: Desk) -> None:
    def settle() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        desk.deliveries.deliver("s", [desk.snippet("a.txt", 1, 2)], Cancel(), settle)
    assert desk.give("s", ("a.txt", 1, 2)).withheld == (False,)


@pytest.mark.parametrize("tag", ["", " ", "\n", "x" * 201])
def test_unusable_tags(desk: Desk, tag: str) -> None:
    for use in (lambda: desk.give(tag), lambda: desk.deliveries.held(tag), lambda: desk.deliveries.forget(tag)):
        with pytest.raises(InvalidField) as caught:
            use()
        assert caught.value.field == "session"


def test_any_other_text_is_a_tag_and_none_is_kept(desk: Desk) -> None:
    for tag in ("chat:1", "日本語", "'; DROP TABLE spans; --", "a b"):
        desk.give(tag, ("a.txt", 1, 2))
        assert desk.give(tag, ("a.txt", 1, 2)).withheld == (True,)
        assert tag.encode() not in b"".join(each.read_bytes() for each in desk.path().parent.iterdir())


def test_sessions_past_their_time_are_collected_once_a_day(desk: Desk) -> None:
    desk.give("old", ("a.txt", 1, 2))
    desk.now += 13 * DAY
    desk.give("new", ("a.txt", 3, 4), ("a.txt", 1, 2))
    desk.now += 2 * DAY
    desk.give("new", ("a.txt", 5, 6))
    assert desk.deliveries.held("old") == {}
    totals = desk.deliveries.totals()
    assert totals is not None
    assert (totals.sessions, totals.deliveries) == (1, 3)
    desk.now += 20 * DAY
    collected = desk.deliveries.collect()
    assert (collected.sessions, collected.deliveries) == (1, 3)
    rows = sqlite3.connect(desk.path()).execute("SELECT count(*) FROM spans").fetchone()
    assert rows == (0,)


def test_beyond_the_bound_the_sessions_longest_unused_go_first(tmp_path: Path) -> None:
    desk = Desk(tmp_path, EvidenceSettings(max_deliveries=10))
    desk.write("a.txt", TEXT)
    for session in ("one", "two", "three"):
        desk.now += 1
        desk.give(session, *(("a.txt", at, at) for at in range(1, 5)))
    assert [len(desk.deliveries.held(session)) for session in ("one", "two", "three")] == [0, 4, 4]
    desk.give("three", *(("a.txt", at, at) for at in range(1, 21)))
    totals = desk.deliveries.totals()
    assert totals is not None
    assert totals.deliveries <= 10
    assert desk.give("three", ("a.txt", 20, 20)).withheld == (True,)  # of one that is too large, the oldest go


def test_forgetting_shrinks_the_file_to_nothing_readable(desk: Desk) -> None:
    desk.write("secret-name.txt", TEXT)
    desk.give("s", ("secret-name.txt", 1, 2))
    desk.give("t", ("a.txt", 1, 2))
    removed = desk.deliveries.forget("s")
    assert (removed.sessions, removed.deliveries) == (1, 1)
    assert b"secret-name" not in b"".join(each.read_bytes() for each in desk.path().parent.iterdir())
    assert desk.give("t", ("a.txt", 1, 2)).withheld == (True,)
    removed = desk.deliveries.forget(None)
    assert (removed.sessions, removed.deliveries) == (1, 1)


def test_looking_makes_no_ledger(desk: Desk) -> None:
    assert desk.deliveries.held("s") == {}
    assert desk.deliveries.forget(None).sessions == 0
    assert desk.deliveries.collect().sessions == 0
    totals = desk.deliveries.totals()
    assert totals is not None
    assert totals.sessions == 0
    assert desk.give("s") == Delivery(())
    assert not (desk.state / "evidence").exists()


def test_ledgers_of_folders_long_unused_are_swept(desk: Desk, tmp_path: Path) -> None:
    other = Desk(tmp_path / "other")
    other.state = desk.state
    other.deliveries = Deliveries(desk.state, other.root, lambda: other.gate, lambda: other.settings)
    other.write("a.txt", TEXT)
    other.give("s", ("a.txt", 1, 2))
    other.deliveries.close()
    (theirs,) = (desk.state / "evidence").glob("*.sqlite")
    desk.give("s", ("a.txt", 1, 2))
    desk.deliveries.collect()
    assert theirs.exists()
    old = time.time() - 15 * 86_400
    for each in theirs.parent.glob(f"{theirs.name}*"):
        os.utime(each, (old, old))
    desk.deliveries.collect()
    assert not theirs.exists()
    assert desk.give("s", ("a.txt", 1, 2)).withheld == (True,)
    assert other.give("s", ("a.txt", 1, 2)).withheld == (False,)  # its server begins anew, though it had it open


def test_a_change_is_told_to_one_of_many_answers_at_once(desk: Desk) -> None:
    """Two servers, several threads each, and one session: no text is lost, and no change is told twice."""
    second = Deliveries(desk.state, desk.root, lambda: desk.gate, lambda: desk.settings, lambda: desk.now)
    places = [("a.txt", at, at + 1) for at in range(1, 19)]
    desk.give("s", *places)
    desk.write("a.txt", "gone\n")
    desk.write("c.txt", TEXT)
    snippets = [desk.snippet("c.txt", at, at) for at in range(1, 9)]

    def ask(number: int) -> Delivery:
        answer = Delivery((), trouble="not asked yet")
        while answer.trouble is not None:  # the other one wrote for longer than a call waits
            answer = (desk.deliveries, second)[number % 2].deliver("s", [snippets[number]])
        return answer

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(8)))
    assert [answer.withheld for answer in answers] == [(False,)] * 8
    told_of = [each for answer in answers for each in told(answer)]
    assert sorted(told_of) == sorted((f"a.txt:{start}-{end}", Verdict.CHANGED) for _, start, end in places)
    assert desk.deliveries.deliver("s", snippets).withheld == (True,) * 8


# A ledger that cannot be used -----------------------------------------------------------------------------------------


def test_while_another_program_writes_nothing_is_withheld_and_nothing_lost(desk: Desk) -> None:
    desk.give("s", ("a.txt", 1, 2))
    desk.write("b.txt", "other\n")
    desk.give("s", ("b.txt", 1, 1))
    other = sqlite3.connect(desk.path(), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    desk.write("b.txt", "changed\n")
    began = time.monotonic()
    answer = desk.give("s", ("a.txt", 1, 2))
    assert time.monotonic() - began < 100 * ledger.BUSY_MILLISECONDS / 1000
    assert answer.withheld == (False,)
    assert answer.invalidated == ()
    assert answer.trouble
    with pytest.raises(VademecumError) as caught:
        desk.deliveries.forget(None)
    assert caught.value.kind is ErrorKind.BUSY
    other.execute("ROLLBACK")
    other.close()
    assert told(answer := desk.give("s", ("a.txt", 1, 2))) == [("b.txt:1-1", Verdict.CHANGED)]
    assert answer.withheld == (True,)


def test_damage_met_in_the_middle_is_moved_aside_at_the_next_call(desk: Desk) -> None:
    for at in range(1, 20):
        desk.give("s", *(("a.txt", at, end) for end in range(at, 21)))
    desk.deliveries.collect()
    desk.deliveries.close()
    path = desk.path()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\x55" * (len(data) - 4096)
    path.write_bytes(data)
    answers = [desk.give("s", ("a.txt", 1, 2)) for _ in range(3)]
    assert answers[-1].withheld == (True,)
    assert answers[-1].trouble is None
    assert all(answer.trouble or not answer.withheld[0] for answer in answers[:2])
    assert len(list(path.parent.glob("*.corrupt-*"))) == 1


def test_a_file_that_is_removed_meanwhile_is_made_anew(desk: Desk) -> None:
    desk.give("s", ("a.txt", 1, 2))
    for each in desk.path().parent.iterdir():
        each.unlink()
    assert desk.give("s", ("a.txt", 1, 2)).withheld == (False,)
    assert desk.give("s", ("a.txt", 1, 2)).withheld == (True,)


def test_a_state_directory_that_cannot_be_made(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("a.txt", TEXT)
    desk.state.write_text("a file")
    answer = desk.give("s", ("a.txt", 1, 2))
    assert answer.withheld == (False,)
    assert answer.trouble


# Any history ----------------------------------------------------------------------------------------------------------

EDITS = st.lists(
    st.tuples(
        st.sampled_from(["insert", "delete", "replace", "copy", "swap", "crlf", "undo", "unlink", "buffer", "ask"]),
        st.integers(0, 2**16),
    ),
    max_size=14,
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EDITS)
def test_through_any_edits_nothing_stale_is_withheld_and_what_is_put_back_is_the_answer(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, int]]
) -> None:
    """A session that trusts what it is told never holds a wrong text, and misses no change."""
    desk = Desk(tmp_path_factory.mktemp("edits"))
    desk.write("a.txt", TEXT)
    texts = [TEXT]
    known: dict[tuple[str, int], str] = {}  # what the caller holds, by hash and number of lines
    places: dict[tuple[str, int], int] = {}
    for kind, number in [*edits, ("ask", 3), ("ask", 7)]:
        rng = random.Random(number)
        if kind != "ask":
            edit(desk, texts, kind, rng)
            continue
        content = desk.gate.read("a.txt")
        lines = content.text.rstrip("\n").split("\n") if isinstance(content, Content) and content.lines else []
        asked = []
        for _ in range(rng.randint(0, 3)):
            if lines:
                start = rng.randint(1, len(lines))
                asked.append(desk.snippet("a.txt", start, min(len(lines), start + rng.randint(0, 3))))
        answer = desk.deliveries.deliver("s", asked)
        # What it was told is gone is indeed not where it was; what it was not told of still stands.
        gone = {(each.reference.digest, each.reference.line_count) for each in answer.invalidated}
        for key in gone:
            assert key in known
            del known[key]
        for snippet, withheld in zip(asked, answer.withheld, strict=True):
            key = (snippet.reference.digest, snippet.reference.line_count)
            if withheld:
                assert known[key] == snippet.text  # put back, it is what the file holds now
            known[key] = snippet.text
            places[key] = snippet.reference.start
        for (digest, count), text in known.items():
            span = text.split("\n")
            there = [at + 1 for at in range(len(lines) - count + 1) if lines[at : at + count] == span]
            assert there, f"{digest} was not told of"
            assert len(there) == 1 or places[digest, count] in there


def edit(desk: Desk, texts: list[str], kind: str, rng: random.Random) -> None:
    path = desk.root / "a.txt"
    lines = texts[-1].split("\n")[:-1]
    at = rng.randint(0, max(0, len(lines) - 1))
    if kind == "insert":
        lines.insert(at, f"new {rng.random()}")
    elif kind == "delete":
        del lines[at : at + rng.randint(1, 3)]
    elif kind == "replace" and lines:
        lines[at] = lines[at].upper() + "x" * rng.randint(0, 1)
    elif kind == "copy":
        lines += lines[at : at + 6]
    elif kind == "swap" and len(lines) > 1:
        lines[at], lines[-1] = lines[-1], lines[at]
    elif kind == "undo" and len(texts) > 1:
        texts.pop()
        lines = texts[-1].split("\n")[:-1]
    elif kind == "unlink":
        path.unlink(missing_ok=True)
        return
    elif kind == "buffer":
        if desk.buffers.get(path) is None:
            desk.buffers.set(path, "typed\n" + texts[-1], rng.randint(1, 9))
        else:
            desk.buffers.drop(path)
        return
    texts.append("".join(line + "\n" for line in lines))
    end = "\r\n" if kind == "crlf" else "\n"
    path.write_bytes(texts[-1].replace("\n", end).encode())
