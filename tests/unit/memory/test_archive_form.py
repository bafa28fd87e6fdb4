"""What an archive may hold: nothing in it is believed, and none of it leads out of the memory folders."""

import json
from pathlib import Path
from typing import Any

import pytest

from unit.memory.archives import OpenElsewhere, restored
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.memory.settings import Format
from vademecum.memory.transfer import archive
from vademecum.memory.transfer.gathering import Gathered
from vademecum.memory.transfer.judging import Wish
from vademecum.memory.transfer.types import ImportFormat, SourceText
from vademecum.memory.types import Origin


def hostile(**changes: Any) -> str:
    memory = {
        "id": "abcd",
        "store": "user",
        "format": "markdown",
        "name": "a.md",
        "data": "---\nid: abcd\ntitle: T\n---\nText\n",
        "own": True,
        "versions": [],
    }
    value = {"vademecum": "archive", "version": 1, "parts": [{"project": None, "memories": [memory | changes]}]}
    return json.dumps(value)


@pytest.mark.parametrize(
    "name", ["../../x.md", "/etc/x.md", "..", ".hidden.md", "a\\b.md", "x" * 300 + ".md", "con:.md", "x"]
)
def test_no_name_leads_out_of_the_folder(elsewhere: OpenElsewhere, tmp_path: Path, name: str) -> None:
    done = restored(elsewhere(), hostile(name=name))
    assert done.added == 1
    paths = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md")}
    assert paths == {"new/home/memory/restored.md", "new/home/memory/MEMORY.md"}


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "../x"},
        {"store": "private"},
        {"store": 3},
        {"format": "yaml"},
        {"data": None},
        {"data": "<!-- vademecum:generated -->"},
        {"data": "a\0b"},
        {"data": "\udcff"},
        {"format": "json", "name": "0", "data": "[1]"},
        {"versions": [{"store": "user"}]},
    ],
)
def test_what_is_not_of_the_form_is_told_and_left_out(elsewhere: OpenElsewhere, changes: dict[str, Any]) -> None:
    done = restored(elsewhere(), hostile(**changes))
    assert (done.added, done.refused) == (0, 1)


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"vademecum": "archive"}', '{"vademecum": "archive", "version": 2}', "{"]
)
def test_what_is_no_archive_is_refused(elsewhere: OpenElsewhere, text: str) -> None:
    with pytest.raises(InvalidField) as refused:
        elsewhere().transfer.bring_in(Gathered(ImportFormat.ARCHIVE, (SourceText("", text),)))
    assert refused.value.field == "source"


def test_a_project_of_a_hostile_archive_lies_in_its_own_folder(elsewhere: OpenElsewhere) -> None:
    value = json.loads(hostile(store="private"))
    about = {"key": "0" * 16, "folder": "../../x-" + "0" * 16, "identity": "i", "origins": [], "commits": []}
    value["parts"][0]["project"] = about
    assert (restored(elsewhere(), json.dumps(value)).refused) == 1
    about["folder"] = "x-" + "0" * 16
    assert (restored(elsewhere(), json.dumps(value)).added) == 1


def test_an_archive_in_an_open_folder_needs_the_users_word(elsewhere: OpenElsewhere) -> None:
    gathered = Gathered(ImportFormat.ARCHIVE, (SourceText("a.json", hostile(), inside=True),))
    with pytest.raises(VademecumError) as untrusted:
        elsewhere().transfer.bring_in(gathered)
    assert untrusted.value.kind is ErrorKind.UNTRUSTED
    assert elsewhere().transfer.bring_in(gathered, Wish(origin=Origin.USER)).added == 1
    with pytest.raises(InvalidField):
        elsewhere().transfer.bring_in(gathered, Wish(origin=Origin.REPOSITORY))


def test_bytes_that_are_no_text_survive() -> None:
    piece = archive.Piece(archive.StoreKind.USER, Format.MARKDOWN, "a.md", b"\xff\xfe\x00")
    part = archive.Part(None, (archive.ArchivedMemory("abcd", piece),))
    assert archive.read(archive.write((part,), "now"))[0] == (part,)
