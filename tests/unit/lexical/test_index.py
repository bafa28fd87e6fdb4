"""The full-text index."""

from pathlib import Path

import pytest

from vademecum.lexical.index import Fields, Index, Unusable
from vademecum.lexical.tokens import index_text, query_tokens

FIELDS = Fields(text=("body",), keywords=("path", "tag"), blobs=("digest",))


def filled(folder: Path | None = None) -> Index:
    index = Index(FIELDS, folder)
    writer = index.writer(15_000_000)
    for number, text in enumerate(["parse the config", "read config twice: config", "unrelated words"]):
        writer.add(
            {
                "body": index_text(text),
                "path": f"dir{number}/file.py",
                "tag": ["even" if number % 2 == 0 else "odd", "all"],
                "digest": b"%d" % number,
            }
        )
    writer.commit()
    writer.close()
    return index


def test_documents_are_found_with_what_was_stored() -> None:
    snapshot = filled().snapshot()
    found = snapshot.search(snapshot.any_term({"body": query_tokens("config")}), 10)
    assert [each.blob("digest") for each in found] == [b"1", b"0"]
    assert found[0].score > found[1].score > 0


def test_filters_restrict_and_change_no_score() -> None:
    snapshot = filled().snapshot()
    query = snapshot.any_term({"body": query_tokens("config")})
    scores = {each.blob("digest"): each.score for each in snapshot.search(query, 10)}
    only = snapshot.filtered(query, [snapshot.one_of("tag", ["even"])])
    assert {each.blob("digest"): each.score for each in snapshot.search(only, 10)} == {
        b"0": pytest.approx(scores[b"0"])
    }
    without = snapshot.filtered(query, [], [snapshot.matching("path", "dir0/.*")])
    assert [each.blob("digest") for each in snapshot.search(without, 10)] == [b"1"]


def test_nothing_asked_finds_nothing() -> None:
    snapshot = filled().snapshot()
    assert snapshot.search(snapshot.any_term({"body": {}}), 10) == []


def test_a_snapshot_stays_what_it_was(tmp_path: Path) -> None:
    index = filled(tmp_path)
    before = index.snapshot()
    writer = index.writer(15_000_000)
    writer.remove("path", "dir1/file.py")
    writer.commit()
    assert before.count == 3
    assert index.snapshot().count == 2


def test_there_is_one_writer(tmp_path: Path) -> None:
    index = filled(tmp_path)
    writer = index.writer(15_000_000)
    with pytest.raises(OSError, match=r"(?i)lock"):
        Index(FIELDS, tmp_path).writer(15_000_000)
    writer.close()


def test_a_damaged_index_is_unusable(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / "meta.json").write_text("{")
    with pytest.raises(Unusable):
        Index(FIELDS, tmp_path)


def test_an_index_of_another_shape_is_unusable(tmp_path: Path) -> None:
    filled(tmp_path)
    with pytest.raises(Unusable):
        Index(Fields(text=("other",), keywords=("path",)), tmp_path)
