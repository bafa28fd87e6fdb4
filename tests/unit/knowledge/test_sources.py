"""What may be imported: the gate's rules, formats and encodings, sizes, links."""

import codecs
import os
from pathlib import Path

import pytest

from unit.files import trees
from unit.knowledge.conftest import Open, write
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.knowledge.holdings import Places
from vademecum.knowledge.service import Knowledge
from vademecum.knowledge.types import LARGEST_DOCUMENT, Document, DocumentForm, ImportedFolder


def refused(knowledge: Knowledge, path: Path) -> tuple[ErrorKind, object, str]:
    with pytest.raises(VademecumError) as error:
        knowledge.import_path(path)
    assert knowledge.list().total == 0
    return error.value.kind, error.value.data.get("reason"), error.value.message


@pytest.mark.parametrize(
    ("name", "data", "reason", "advice"),
    [
        ("a.pdf", b"%PDF-1.7", "format", "pdftotext"),
        ("a.docx", b"PK\3\4", "format", "pandoc"),
        ("a.html", b"<p>", "format", "pandoc"),
        ("a.RST", b"Title\n=====\n", "format", "pandoc"),
        ("a.md", codecs.BOM_UTF16_LE + "text".encode("utf-16-le"), "encoding", "iconv -f UTF-16"),
        ("a.md", codecs.BOM_UTF32_BE + "text".encode("utf-32-be"), "encoding", "iconv -f UTF-32"),
        ("a.md", b"one\ntwo\ncaf\xe9\n", "encoding", "line 3"),
        ("a.md", b"x" * 10_000 + b"\0", "binary", "UTF-8"),
        ("a.png", b"\x89PNG\0", "binary", "UTF-8"),
        ("a.xlsx", b"PK\3\4", "format", "save it as"),
        ("a.doc", b"\xd0\xcf\x11\xe0", "format", "save it as"),
        ("a.md", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", "format", "pdftotext"),
        ("report", b"%PDF-1.4\n", "format", "pdftotext"),
        ("a.txt", b"{\\rtf1\\ansi text}", "format", "pandoc"),
        ("a.md", b"PK\3\4\x14\0\6\0", "format", "pandoc"),
        ("page", b"\xef\xbb\xbf\n<!DOCTYPE html>\n<p>text", "format", "pandoc"),
        ("a.md", "# Heading\n\ntext\n".encode("utf-16-le"), "encoding", "iconv -f UTF-16LE"),
        ("a.md", "# Heading, 标题\n\ntext\n".encode("utf-16-be"), "encoding", "iconv -f UTF-16BE"),
        ("a.md", "# 标题\n\n这是一个文档\n".encode("gbk"), "encoding", "GB18030"),
        ("a.md", "# 日本語\n\nこれは文書です\n".encode("shift_jis"), "encoding", "SHIFT_JIS"),
        ("a.md", "# Заголовок\n".encode("cp1251"), "encoding", "WINDOWS-1251"),
        ("a.md", b"# \xe9t\xe9\n", "encoding", "iconv -f ISO-8859-1"),
    ],
)
def test_other_formats_and_encodings_say_what_to_do(
    knowledge: Knowledge, tmp_path: Path, name: str, data: bytes, reason: str, advice: str
) -> None:
    (tmp_path / name).write_bytes(data)
    kind, why, message = refused(knowledge, tmp_path / name)
    assert (kind, why) == (ErrorKind.EXCLUDED, reason)
    assert advice in message and str(tmp_path) not in message


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.md", DocumentForm.MARKDOWN),
        ("a.MARKDOWN", DocumentForm.MARKDOWN),
        ("a.mdx", DocumentForm.MARKDOWN),
        ("a.txt", DocumentForm.TEXT),
        ("README", DocumentForm.TEXT),
    ],
)
def test_markdown_and_plain_text(knowledge: Knowledge, tmp_path: Path, name: str, form: DocumentForm) -> None:
    (tmp_path / name).write_bytes(codecs.BOM_UTF8 + b"# Heading\r\n\r\ntext\r")
    document = knowledge.import_path(tmp_path / name)
    assert isinstance(document, Document)
    assert document.form is form
    assert document.title == ("Heading" if form is DocumentForm.MARKDOWN else Path(name).stem)
    knowledge.publish(document.id)
    knowledge.attach([document.id])
    anchor = knowledge.outline(document.id).sections[0].anchor
    assert knowledge.read_section(document.id, anchor).text == "# Heading\n\ntext"


def test_sizes(knowledge: Knowledge, tmp_path: Path) -> None:
    path = tmp_path / "big.txt"
    path.write_bytes(b"x" * (LARGEST_DOCUMENT + 1))
    assert refused(knowledge, path)[0] is ErrorKind.TOO_LARGE
    with pytest.raises(VademecumError) as error:
        knowledge.import_text("é" * (LARGEST_DOCUMENT // 2 + 1), "Big")
    assert error.value.kind is ErrorKind.TOO_LARGE
    path.write_bytes(b"x" * LARGEST_DOCUMENT)
    document = knowledge.import_path(path)
    assert isinstance(document, Document) and document.characters == LARGEST_DOCUMENT


@pytest.mark.parametrize("name", ["a" * 300 + ".md", "a/" * 3_000 + "a.md"])
def test_a_name_that_no_file_can_have(knowledge: Knowledge, tmp_path: Path, name: str) -> None:
    assert refused(knowledge, tmp_path / name)[0] is ErrorKind.NOT_FOUND


def test_what_is_not_there_or_no_file(knowledge: Knowledge, tmp_path: Path) -> None:
    assert refused(knowledge, tmp_path / "missing.md")[0] is ErrorKind.NOT_FOUND
    os.mkfifo(tmp_path / "pipe.md")
    assert refused(knowledge, tmp_path / "pipe.md")[:2] == (ErrorKind.EXCLUDED, "special")
    (tmp_path / "ring.md").symlink_to("ring.md")
    assert refused(knowledge, tmp_path / "ring.md")[0] in (ErrorKind.EXCLUDED, ErrorKind.NOT_FOUND)


def test_secrets_by_name_are_no_documents(knowledge: Knowledge, tmp_path: Path) -> None:
    for name in (".env", "id_rsa", ".ssh/notes.md", "server.pem"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("text")
        assert refused(knowledge, path)[:2] == (ErrorKind.EXCLUDED, "secretName"), name


def test_our_own_folders_are_no_source(knowledge: Knowledge, places: Places) -> None:
    write(places.home / "memory", note="# Remembered\n")
    assert refused(knowledge, places.home / "memory" / "note.md")[:2] == (ErrorKind.EXCLUDED, "own")
    assert refused(knowledge, places.home / "memory")[:2] == (ErrorKind.EXCLUDED, "own")


def test_the_home_directory_is_not_imported_as_a_whole(knowledge: Knowledge, places: Places) -> None:
    write(places.user_home, note="# Note\n")
    assert refused(knowledge, places.user_home)[:2] == (ErrorKind.EXCLUDED, "root")
    assert refused(knowledge, Path("/"))[:2] == (ErrorKind.EXCLUDED, "root")


def test_a_link_is_followed_where_it_was_named(knowledge: Knowledge, tmp_path: Path) -> None:
    write(tmp_path / "real", guide="# Guide\n")
    (tmp_path / "link.md").symlink_to(tmp_path / "real" / "guide.md")
    document = knowledge.import_path(tmp_path / "link.md")
    assert isinstance(document, Document)
    assert document.source == (tmp_path / "real" / "guide.md").as_uri()
    again = knowledge.import_path(tmp_path / "real" / "guide.md")
    assert isinstance(again, Document) and again.id == document.id


def test_links_in_an_imported_folder_are_not_followed(knowledge: Knowledge, tmp_path: Path) -> None:
    write(tmp_path / "outside", secret="# Outside\n")
    folder = write(tmp_path / "docs", guide="# Guide\n")
    (folder / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
    (folder / "more").symlink_to(tmp_path / "outside")
    done = knowledge.import_path(folder)
    assert isinstance(done, ImportedFolder)
    assert [document.title for document in done.documents] == ["Guide"]
    assert [(each.path, each.reason) for each in done.skipped] == [("link.md", "links are not followed")]


def test_in_an_open_folder_its_gate_decides(open_knowledge: Open, tmp_path: Path) -> None:
    folder = trees.write(
        trees.repository(tmp_path / "project"),
        {".gitignore": "build/\n*.tmp.md\n", "docs/guide.md": "# Guide\n\nword\n"},
    )
    write(folder, build__api="# Built\n", **{"notes.tmp": "# Ignored\n"})
    (folder / "out.md").symlink_to(tmp_path / "elsewhere.md")
    (tmp_path / "elsewhere.md").write_text("# Elsewhere\n")
    knowledge = open_knowledge(folder)
    assert refused(knowledge, folder / "build" / "api.md")[:2] == (ErrorKind.EXCLUDED, "ignored")
    assert refused(knowledge, folder / "build")[:2] == (ErrorKind.EXCLUDED, "ignored")
    assert refused(knowledge, folder / "notes.tmp.md")[:2] == (ErrorKind.EXCLUDED, "ignored")
    assert refused(knowledge, folder / "out.md")[0] is ErrorKind.OUTSIDE_WORKSPACE
    done = knowledge.import_path(folder)
    assert isinstance(done, ImportedFolder)
    assert [document.title for document in done.documents] == ["Guide"]


def test_a_citation_of_a_source_in_an_open_folder_is_evidence(open_knowledge: Open, tmp_path: Path) -> None:
    folder = trees.write(
        trees.repository(tmp_path / "project"),
        {"docs/guide.md": "---\nt: x\n---\n# Guide\n\n## Part\n\nmarmot\n\n## End\n"},
    )
    knowledge = open_knowledge(folder)
    document = knowledge.import_path(folder / "docs" / "guide.md")
    assert isinstance(document, Document)
    knowledge.publish(document.id)
    knowledge.attach([document.id])
    citation = knowledge.search("marmot").items[0].citation
    assert (citation.document, citation.path, citation.anchor) == ("Guide", ("Guide", "Part"), "guide/part")
    assert (citation.lines.start, citation.lines.end, citation.revision) == (6, 8, document.revision)
    assert citation.reference is not None and citation.reference.startswith("docs/guide.md:6-8@")
    assert knowledge.read_section(document.id, "guide/part").citation == citation
    from vademecum.evidence.reference import parse
    from vademecum.evidence.verdicts import Verdict, verify
    from vademecum.files.gate import Gate

    assert verify(parse(citation.reference), Gate(folder)).verdict is Verdict.VALID
    (folder / "docs" / "guide.md").write_text("# Guide\n\n## Part\n\nchanged\n")
    assert verify(parse(citation.reference), Gate(folder)).verdict is not Verdict.VALID
    (folder / "docs" / "guide.md").unlink()
    assert knowledge.search("marmot").items[0].citation.reference is None
    assert open_knowledge().search("marmot").items[0].citation.reference is None


def test_a_text_that_takes_the_place_of_a_file_refers_to_it_no_longer(open_knowledge: Open, tmp_path: Path) -> None:
    folder = write(tmp_path / "project", guide="# Guide\n\nmarmot\n")
    knowledge = open_knowledge(folder)
    document = knowledge.import_path(folder / "guide.md")
    assert isinstance(document, Document)
    knowledge.attach([document.id])
    knowledge.publish(document.id)
    assert knowledge.read_section(document.id, "guide").citation.reference is not None
    knowledge.import_text("# Guide\n\nbadger\n", id=document.id)
    assert knowledge.publish(document.id).source == "text"
    assert knowledge.read_section(document.id, "guide").citation.reference is None


@pytest.mark.parametrize("field", ["title", "id"])
def test_a_folder_has_neither_a_title_nor_an_id(knowledge: Knowledge, tmp_path: Path, field: str) -> None:
    with pytest.raises(InvalidField) as error:
        knowledge.import_path(write(tmp_path / "docs", a="# A\n"), **{field: "x"})  # type: ignore[arg-type]
    assert error.value.field == field


def test_only_folders_are_followed(knowledge: Knowledge, tmp_path: Path) -> None:
    write(tmp_path, a="# A\n")
    with pytest.raises(InvalidField) as error:
        knowledge.import_path(tmp_path / "a.md", follow=True)
    assert error.value.field == "follow"
