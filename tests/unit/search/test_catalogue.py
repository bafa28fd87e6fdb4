"""What is remembered of each file."""

import sqlite3
from pathlib import Path

import pytest

from vademecum.files.content import Stamp
from vademecum.search.catalogue import (
    SUSPECT,
    Catalogue,
    CatalogueUnusable,
    ChunkRow,
    FileRow,
    Known,
    Totals,
    read_skipped,
)

STAMP = Stamp(3, 10, 11, 12)


def row(path: str, chunks: int = 1, refusal: str | None = None) -> FileRow:
    rows = [ChunkRow(n + 1, n + 1, bytes([n]), "sym", "function", bytes(16)) for n in range(chunks)]
    return FileRow(path, Known(STAMP, True, b"d"), "python", rows, refusal)


def test_a_file_is_known_after_it_was_recorded_and_not_while_it_is_marked(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path / "c")
    catalogue.mark(["a"])
    assert catalogue.known() == {}
    assert catalogue.marked() == {"a": 1}
    catalogue.record([row("a", 2)], [], {"generation": "1"})
    assert catalogue.known() == {"a": Known(STAMP, True, b"d")}
    assert catalogue.totals() == Totals(1, 2)
    assert [each.start for each in catalogue.chunks("a")] == [1, 2]
    assert catalogue.meta("generation") == "1"
    catalogue.mark(["a"])
    assert catalogue.one("a") is None
    catalogue.close()


def test_marks_outlive_the_process(tmp_path: Path) -> None:
    first = Catalogue(tmp_path / "c")
    first.mark(["a", "b"])
    first.suspect("b", True)
    first.close()
    assert Catalogue(tmp_path / "c").marked() == {"a": 1, "b": SUSPECT}


def test_a_new_stamp_keeps_the_chunks(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path / "c")
    catalogue.record([row("a", 3)], [], {})
    newer = Known(Stamp(3, 20, 21, 12), False, b"d")
    catalogue.record([FileRow("a", newer, "python", None)], [], {})
    assert catalogue.totals() == Totals(1, 3)
    assert catalogue.known()["a"] == newer
    assert catalogue.unsettled() == ["a"]


def test_what_is_gone_leaves_nothing(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path / "c")
    catalogue.record([row("a")], [], {})
    catalogue.record([], ["a"], {})
    assert catalogue.known() == {}
    assert catalogue.chunks("a") == []


def test_files_below_a_folder_are_told_from_its_neighbours(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path / "c")
    catalogue.record([row(path) for path in ("src/a", "src/b/c", "src.py", "src2/a", "src-x/a", "s")], [], {})
    assert catalogue.below("src") == ["src/a", "src/b/c"]


def test_refused_content_is_skipped_and_no_file(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path / "c")
    catalogue.record([row("b.bin", 0, "binary"), row("a.py")], [], {})
    catalogue.replace_skipped([("z", "ignored"), ("c", "dependency")])
    assert catalogue.totals() == Totals(1, 1)
    assert read_skipped(tmp_path / "c", 0, 2) == ([("b.bin", "binary"), ("c", "dependency")], 3)
    assert read_skipped(tmp_path / "c", 2, 2) == ([("z", "ignored")], 3)
    catalogue.change_skipped([("y", "secretName")], ["z"])
    assert read_skipped(tmp_path / "c", 2, 5) == ([("y", "secretName")], 3)


def test_a_failed_transaction_changes_nothing(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path / "c")
    bad = FileRow("b", Known(STAMP, True, b"d"), "x", [ChunkRow(1, 1, b"", None, None, b"")] * 2)
    with pytest.raises(OSError):
        catalogue.record([row("a"), bad], [], {})
    assert catalogue.known() == {}


def test_a_damaged_file_is_unusable(tmp_path: Path) -> None:
    (tmp_path / "c").write_bytes(b"not a database" * 100)
    with pytest.raises(CatalogueUnusable):
        Catalogue(tmp_path / "c")


def test_a_locked_catalogue_still_reads(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path / "c")
    catalogue.replace_skipped([("a", "ignored")])
    other = sqlite3.connect(tmp_path / "c", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert read_skipped(tmp_path / "c", 0, 5)[1] == 1
    other.execute("ROLLBACK")


def test_no_catalogue_skips_nothing(tmp_path: Path) -> None:
    assert read_skipped(tmp_path / "none", 0, 5) == ([], 0)


def test_a_catalogue_of_an_older_version_is_unusable_rather_than_a_disk_that_refuses(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "c")
    db.execute("CREATE TABLE chunks (path TEXT, start INTEGER, PRIMARY KEY (path, start)) WITHOUT ROWID")
    db.commit()
    db.close()
    with pytest.raises(CatalogueUnusable):
        Catalogue(tmp_path / "c")
