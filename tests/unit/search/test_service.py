"""The whole of it, with a real indexer: what is found, and that it is what stands on the disk."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from unit.search.support import Opened, eventually, write
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.evidence.reference import parse
from vademecum.evidence.verdicts import Verdict, verify
from vademecum.search.settings import SearchSettings
from vademecum.search.types import ContentClass, IndexState, Match, NoticeKind, Query
from vademecum.search.weights import Weights
from vademecum.work import Cancel, Cancelled

Open = Callable[..., Opened]

PARSER = '''import json


def parse_config(text):
    """Turn the text of a configuration into values."""
    return json.loads(text)


class ConfigReader:
    def read(self, path):
        return parse_config(open(path).read())
'''


def test_an_empty_folder_is_ready_and_finds_nothing(workspace: Path, opened: Open) -> None:
    search = opened(workspace).ready()
    answer = search.ask("anything")
    assert (answer.hits, answer.partial, answer.next_offset) == ((), False, None)


def test_a_hit_says_where_it_is_and_proves_it(workspace: Path, opened: Open) -> None:
    write(workspace, {"src/config.py": PARSER, "README.md": "# Config\n\nHow the config is parsed.\n"})
    search = opened(workspace).ready()
    hit = search.ask("parse_config", explain=True).hits[0]
    assert (hit.path, hit.absolute, hit.language) == ("src/config.py", workspace / "src/config.py", "python")
    assert hit.symbol == "parse_config"
    assert not hit.stale
    assert hit.match == Match(4, 4, 16)
    assert hit.snippet == "\n".join(PARSER.split("\n")[hit.start - 1 : hit.end])
    assert hit.signals is not None and "definition" in hit.signals
    assert verify(parse(hit.reference), search.gate).verdict is Verdict.VALID
    assert search.ask("parse_config").hits[0].signals is None


def test_edits_deletes_and_renames_are_noticed(workspace: Path, opened: Open) -> None:
    write(workspace, {"a.py": "alphaword = 1\n", "b/c.py": "betaword = 1\n"})
    search = opened(workspace).ready()
    write(workspace, {"a.py": "gammaword = 1\n"})
    search.finds("gammaword", "a.py")
    search.loses("alphaword")
    (workspace / "a.py").rename(workspace / "z.py")
    search.finds("gammaword", "z.py")
    assert "a.py" not in search.paths("gammaword")
    shutil.rmtree(workspace / "b")
    assert search.paths("betaword") == []
    search.loses("betaword")
    write(workspace, {"new/deep/d.py": "deltaword = 1\n"})
    search.finds("deltaword", "new/deep/d.py")
    eventually(lambda: search.search.status().files == 2, "a true count of files")


def test_a_branch_switch_is_followed_both_ways(workspace: Path, opened: Open, git: Callable[..., str]) -> None:
    write(workspace, {"a.py": "def onlymain(): pass\n"})
    git("add", ".")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "other")
    write(workspace, {"a.py": "def onlyother(): pass\n", "b.py": "def addedthere(): pass\n"})
    git("add", ".")
    git("commit", "-qm", "two")
    git("checkout", "-q", "main")
    search = opened(workspace).ready()
    search.finds("onlymain", "a.py")
    git("checkout", "-q", "other")
    search.finds("onlyother", "a.py")
    search.finds("addedthere", "b.py")
    git("checkout", "-q", "main")
    search.finds("onlymain", "a.py")
    assert search.paths("addedthere") == []
    search.loses("onlyother")


def test_a_deleted_file_that_git_brings_back_is_found_again(
    workspace: Path, opened: Open, git: Callable[..., str]
) -> None:
    write(workspace, {"a.py": "def returning(): pass\n", "b.py": "x = 1\n"})
    git("add", ".")
    git("commit", "-qm", "one")
    search = opened(workspace).ready()
    (workspace / "a.py").unlink()
    search.loses("returning")
    git("checkout", "--", "a.py")
    search.finds("returning", "a.py")


def test_ignore_rules_changed_live_take_effect(workspace: Path, opened: Open, git: Callable[..., str]) -> None:
    write(workspace, {"gen/out.py": "generatedword = 1\n", "a.py": "x = 1\n"})
    search = opened(workspace).ready()
    search.finds("generatedword", "gen/out.py")
    write(workspace, {".gitignore": "gen/\n"})
    search.loses("generatedword")
    (workspace / ".gitignore").unlink()
    search.finds("generatedword", "gen/out.py")


def test_unsaved_text_wins_over_the_disk(workspace: Path, opened: Open) -> None:
    write(workspace, {"a.py": "diskword = 1\n"})
    search = opened(workspace).ready()
    search.gate.buffers.set(workspace / "a.py", "bufferword = 2\n", 1)
    search.finds("bufferword", "a.py")
    search.loses("diskword")
    search.gate.buffers.drop(workspace / "a.py")
    search.finds("diskword", "a.py")


def test_secrets_are_neither_found_nor_shown(workspace: Path, opened: Open) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    write(workspace, {"a.py": f'before = 1\ntoken = "{secret}"\nafterword = 2\n'})
    search = opened(workspace).ready()
    hit = search.ask("afterword").hits[0]
    assert secret not in hit.snippet
    assert "redacted" in hit.snippet
    assert len(hit.snippet.split("\n")) == 3
    assert verify(parse(hit.reference), search.gate).verdict is Verdict.VALID
    assert search.paths(secret) == []
    everything = b"".join(file.read_bytes() for file in search.search.home.rglob("*") if file.is_file())
    assert secret.encode() not in everything
    assert secret.lower().encode() not in everything


NASTY = list("([{*?~^:\\'\"!|<>/+-&%$#@é😀")
NASTY += [
    "foo(",
    "std::vec",
    '"unclosed',
    "C:\\x",
    "a:b",
    "path:x",
    "/re/",
    "^2",
    "登录",
    "%s %d",
    "a|b",
    "+x -y",
    "foo()",
]
NASTY += ["a AND", "a OR", "NOT", "a\nb", "\t x", "\u202e", "\x00x", "\ud800x", "x" * 1000]


def test_queries_may_hold_any_characters_and_filters_restrict_inside(workspace: Path, opened: Open) -> None:
    many = {f"a/match{n}.py": f"def needle_{n}(): return 'needle needle'\n" for n in range(120)}
    write(
        workspace,
        {
            **many,
            "b/one.py": "x = 'needle'\n",
            "docs/guide.md": "# Guide\n\nThe needle.\n",
            "web/app.ts": "export const x = 'needle';\n",
            "cjk.py": "# 用户登录校验\nx = 1\n",
            "emoji.py": 's = "😀"; foo_call()\n',
        },
    )
    search = opened(workspace).ready()
    for text in NASTY:
        search.ask(text)
    assert search.paths("登录") == ["cjk.py"]
    assert search.ask("foo_call").hits[0].match == Match(1, 9, 17)

    assert search.paths("needle", paths=("b/",), limit=5) == ["b/one.py"]
    assert search.paths("needle", paths=("*.ts",)) == ["web/app.ts"]
    assert set(search.paths("needle", paths=("!a/", "!docs"), limit=50)) == {"b/one.py", "web/app.ts"}
    assert search.paths("needle", languages=("ts",)) == ["web/app.ts"]
    assert search.paths("needle", content=ContentClass.DOCS) == ["docs/guide.md"]
    assert "docs/guide.md" not in search.paths("needle", content=ContentClass.CODE, limit=50)
    with pytest.raises(InvalidField, match="paths"):
        search.ask("needle", paths=("[",))
    with pytest.raises(InvalidField, match="languages"):
        search.ask("needle", languages=("klingon",))

    pages: list[str] = []
    offset: int | None = 0
    while offset is not None:
        answer = search.ask("needle", limit=7, offset=offset)
        assert answer.generation == search.search.status().generation
        pages += [hit.reference for hit in answer.hits]
        offset = answer.next_offset
    assert len(pages) == len(set(pages)) == 123
    assert search.ask("needle", offset=5000).hits == ()

    short = search.ask("needle", token_budget=20)
    assert 1 <= len(short.hits) < 10
    assert NoticeKind.TRUNCATED in {notice.kind for notice in short.notices}
    rest = search.ask("needle", offset=short.next_offset or 0, limit=1)
    assert rest.hits[0].reference == search.ask("needle").hits[len(short.hits)].reference

    cancel = Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        search.search.query(Query(text="needle"), cancel)


def test_one_file_does_not_fill_an_answer_and_nothing_overlaps(workspace: Path, opened: Open) -> None:
    body = "".join(f"def widget_{n}():\n" + "".join(f"    widget = {i}\n" for i in range(20)) for n in range(12))
    write(workspace, {"big.py": body, **{f"small{n}.py": "def gadget():\n    return widget\n" for n in range(4)}})
    hits = opened(workspace, weights=Weights(per_file=2)).ready().ask("widget", limit=6).hits
    assert len({hit.path for hit in hits}) >= 4
    lines = [(hit.path, line) for hit in hits for line in range(hit.start, hit.end + 1)]
    assert len(lines) == len(set(lines))


def test_a_question_about_the_whole_that_no_word_answers_finds_what_introduces_it(
    workspace: Path, opened: Open
) -> None:
    write(
        workspace,
        {
            "README.md": "# Shop\n\nSells teapots.\n",
            "docs/architecture.md": "# Layers\n\nThree of them.\n",
            "kettle.py": "def boil():\n    return 100\n",
        },
    )
    search = opened(workspace).ready()
    for question in ("how does the app work", "what tech stack is used", "How do I get started?", "这个项目是做什么的"):
        answer = search.ask(question)
        assert {hit.path for hit in answer.hits} == {"README.md", "docs/architecture.md"}, question
    first = search.ask("how does the app work", limit=1)
    rest = search.ask("how does the app work", limit=1, offset=first.next_offset or 0)
    assert {first.hits[0].path, rest.hits[0].path} == {"README.md", "docs/architecture.md"}
    assert search.ask("how does the app work", paths=("src/**",)).hits == ()
    assert search.ask("how does the zeppelin work").hits == (), "about something that is not here"
    assert [hit.path for hit in search.ask("boil app").hits] == ["kettle.py"], "words that are here have the say"


def test_what_is_skipped_says_why(workspace: Path, opened: Open) -> None:
    write(
        workspace, {"a.py": "x = 1\n", "node_modules/m/index.js": "x\n", ".env": "A=1\n", "one.min.js": "x" * 200_000}
    )
    (workspace / "b.bin").write_bytes(b"\0" * 10)
    search = opened(workspace).ready()
    page = search.search.skipped(0, 10)
    assert {item.path: item.reason for item in page.items} == {
        ".env": "secretName",
        "b.bin": "binary",
        "node_modules": "dependency",
        "one.min.js": "minified",
    }
    assert page.total == 4
    assert [item.path for item in search.search.skipped(1, 1).items] == ["b.bin"]


def test_a_reopened_folder_is_answered_at_once_and_not_read_again(workspace: Path, opened: Open) -> None:
    write(workspace, {f"f{n}.py": f"def word_{n}(): pass\n" for n in range(30)})
    first = opened(workspace).settled()
    first.search.close()
    again = opened(workspace)
    assert again.paths("word_7")[0] == "f7.py"
    again.ready()
    assert again.search.status().files_read == 0


def test_reindexing_tells_what_it_did(workspace: Path, opened: Open) -> None:
    write(workspace, {f"f{n}.py": f"def word_{n}(): pass\n" for n in range(10)})
    search = opened(workspace).ready()
    told: list[tuple[int, int | None]] = []
    done = search.search.reindex(False, Cancel(), lambda d, t, m: told.append((d, t)))
    assert (done.files, done.chunks) == (10, 10)
    assert told[-1] == (10, 10)
    before = search.search.status().generation
    assert search.search.reindex(True, Cancel()).files == 10
    eventually(lambda: search.search.status().generation > before, "a newer generation")
    assert search.paths("word_3")[0] == "f3.py"
    assert len([*search.search.home.glob("build-*")]) == 1


def test_a_reindex_can_be_stopped(workspace: Path, opened: Open) -> None:
    # So much that it takes a fast machine far longer than telling it to stop.
    write(workspace, {f"f{n}.py": f"def word_{n}(): pass\n" * 400 for n in range(300)})
    search = opened(workspace).ready()
    cancel = Cancel()

    def stop(done: int, total: int | None, message: str) -> None:
        cancel.set()

    with pytest.raises(Cancelled):
        search.search.reindex(True, cancel, stop)
    assert search.paths("word_3")[0] == "f3.py"


def test_a_query_during_the_first_index_says_that_it_is_partial(workspace: Path, opened: Open) -> None:
    # So much that no machine has all of it when the first piece is there.
    write(workspace, {f"d{n % 20}/f{n}.py": f"def word_{n}():\n    return common\n" * 60 for n in range(1500)})
    search = opened(workspace)
    answer = search.ask("common")
    assert answer.partial
    assert NoticeKind.PARTIAL in {notice.kind for notice in answer.notices}
    assert answer.state is not IndexState.READY
    search.ready()
    assert not search.ask("common").partial
    assert search.ask("common").hits


def test_switched_off_means_nothing_is_done(workspace: Path, tmp_path: Path, opened: Open) -> None:
    write(workspace, {"a.py": "word = 1\n"})
    search = opened(workspace, settings=SearchSettings(enabled=False))
    answer = search.ask("word")
    assert answer.hits == ()
    assert [notice.kind for notice in answer.notices] == [NoticeKind.DISABLED]
    assert not search.search.home.exists()
    with pytest.raises(VademecumError) as caught:
        search.search.reindex(False, Cancel())
    assert caught.value.kind is ErrorKind.BUSY


def test_a_cache_that_cannot_be_written_is_said(workspace: Path, tmp_path: Path, opened: Open) -> None:
    write(workspace, {"a.py": "word = 1\n"})
    search = opened(workspace)
    search.search.close()
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "code").write_text("a file where a folder should be")
    other = opened(workspace, cache=blocked)
    assert re.search("cannot be written", other.search.status().refusal or "")
    answer = other.ask("word")
    assert answer.hits == ()
    assert NoticeKind.INDEXER_FAILED in {notice.kind for notice in answer.notices}
