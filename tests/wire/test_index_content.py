"""What of a folder is indexed, through the pipe: each kind of file that others were reported to get wrong."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from wire.client import Client
from wire.conftest import git

posix = pytest.mark.skipif(sys.platform == "win32", reason="names and links of POSIX")
WORD = "common_word"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder


def put(folder: Path, *names: str, text: str = f"{WORD} = 1\n") -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def indexed(client: Client, folder: Path) -> Client:
    client.initialize(folder)
    client.indexed()
    return client


def found(client: Client, word: str = WORD) -> set[str]:
    items, offset = [], 0
    while offset is not None:
        page = client.request("search/query", {"query": word, "limit": 50, "offset": offset})
        items += page["items"]
        offset = page.get("nextOffset")
    return {item["path"] for item in items if word in item["snippet"]}


def skipped(client: Client) -> dict[str, str]:
    return {item["path"]: item["reason"] for item in client.request("search/skipped", {"limit": 2000})["items"]}


def test_nested_anchored_and_negated_rules_are_gits(start: Callable[..., Client], project: Path) -> None:
    # DeusData/codebase-memory-mcp#178, #1987 (nested), #1205 (anchored)
    put(project, "web/.gitignore", text=".output\n*.gen.js\n!kept.gen.js\n")
    put(project, ".gitignore", text="/coverage\n*.log\n!important.log\n")
    put(project, "web/.output/x.js", "web/a.gen.js", "web/kept.gen.js", "a.gen.js", ".output/root.js")
    put(project, "coverage/report.js", "src/routes/coverage/page.ts", "x.log", "deep/important.log")
    (project / ".git/info/exclude").write_text("private/\n")
    put(project, "private/notes.py")
    listed = set(git(project, "ls-files", "-co", "--exclude-standard").split())
    client = indexed(start(), project)
    assert found(client) == {name for name in listed if not name.endswith(".gitignore")}
    assert found(client) == {
        "web/kept.gen.js", "a.gen.js", ".output/root.js", "src/routes/coverage/page.ts", "deep/important.log",
    }  # fmt: skip
    assert skipped(client)["coverage"] == skipped(client)["web/a.gen.js"] == "ignored"


def test_rules_do_not_cross_into_a_nested_repository(start: Callable[..., Client], project: Path) -> None:
    # forloopcodes/contextplus#38, BurntSushi/ripgrep#1226
    put(project, ".gitignore", text="repos/\n*.tmp.py\n")
    put(project, "mine.py", "repos/lib/code.py", "repos/lib/x.tmp.py", "vendor/in.py", "vendor/in.tmp.py")
    for nested in ("repos/lib", "vendor"):
        git(project / nested, "init", "-q")
    client = indexed(start(), project)
    assert found(client) == {"mine.py", "vendor/in.py", "vendor/in.tmp.py"}
    opened = indexed(start(), project / "repos/lib")
    assert found(opened) == {"code.py", "x.tmp.py"}


def test_version_control_and_our_own_folders_are_never_indexed(start: Callable[..., Client], project: Path) -> None:
    # BeaconBay/ck PR#42
    put(project, ".git/hooks/hook.py", ".hg/store.py", ".jj/repo.py", ".svn/a.py", ".vademecum/memory/a.md", "a.py")
    client = indexed(start(home=project / "cache of vademecum"), project)
    assert found(client) == {"a.py"}
    assert not any("state" in path for path in found(client, "generation"))
    for name in (".git/hooks/hook.py", ".hg/store.py", ".vademecum/memory/a.md"):
        uri = (project / name).as_uri()
        span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}
        assert client.fails("evidence/cite", {"uri": uri, "range": span}).kind is not None


def test_an_unsplittable_line_is_skipped_and_costs_no_memory(start: Callable[..., Client], project: Path) -> None:
    # cocoindex-io/cocoindex-code PR#273, #53
    put(project, "small.py")
    client = start()
    # A model that is loaded between the two looks would be measured with them.
    client.initialize(project, options={"settings": {"search": {"model": "none"}}})
    client.indexed()
    before = memory(client)
    (project / "app.min.js").write_text(f"var {WORD}=1;" * 400_000)
    (project / "line.json").write_text('{"a":"' + "x" * 900_000 + '"}')
    put(project, "later.py")
    client.wait_for(lambda: "later.py" in found(client), "the small file")
    client.wait_for(lambda: skipped(client).get("app.min.js") == "tooLarge", "the reason")
    client.wait_for(lambda: skipped(client).get("line.json") == "minified", "the reason")
    assert found(client) == {"small.py", "later.py"}
    assert memory(client) - before < 150_000_000


def memory(client: Client) -> int:
    """Resident bytes of the server and all its children."""
    server = psutil.Process(client.process.pid)
    return sum(process.memory_info().rss for process in (server, *server.children(recursive=True)))


@posix
def test_links_that_loop_break_or_lead_out_are_not_followed(
    start: Callable[..., Client], project: Path, tmp_path: Path
) -> None:
    # oracle/opengrok#1477, #233, richterger/Perl-LanguageServer#205, BeaconBay/ck#112
    outside = tmp_path / "outside"
    put(outside, "secret.py", text=f"{WORD} = 'outside'\n")
    put(project, "a.py", "sub/b.py")
    for name, target in (
        ("loop", "."), ("sub/up", ".."), ("broken", "nowhere"), ("out", outside), ("out.py", outside / "secret.py"),
        ("self", "self"), ("twin.py", "a.py"),
    ):  # fmt: skip
        (project / name).symlink_to(target)
    os.mkfifo(project / "pipe.py")
    client = indexed(start(), project)
    assert found(client) == {"a.py", "sub/b.py"}
    reasons = skipped(client)
    assert {reasons[name] for name in ("loop", "sub/up", "broken", "out", "out.py", "self", "twin.py")} == {"symlink"}
    assert reasons["pipe.py"] == "special"
    (project / "sub/b.py").unlink()
    (project / "sub/b.py").symlink_to(outside / "secret.py")
    assert found(client) <= {"a.py"}


@pytest.mark.parametrize(
    "path", ["../outside/secret.py", "/etc/passwd", "sub/../../outside/secret.py", "out/secret.py", "C:/x", "a\0b"]
)
def test_no_request_reads_outside(start: Callable[..., Client], project: Path, tmp_path: Path, path: str) -> None:
    # BeaconBay/ck#112
    put(tmp_path / "outside", "secret.py", text=f"{WORD} = 'outside'\n")
    put(project, "a.py")
    (project / "out").symlink_to(tmp_path / "outside")
    client = indexed(start(), project)
    answer: Any = None
    try:
        answer = client.request("search/query", {"query": WORD, "paths": [path]})
    except Exception as error:
        assert "outside" not in str(error.args).replace(path, "")
    assert answer is None or answer["items"] == []
    reference = f"{path}:1-1@0123456789abcdef"
    try:
        verified = client.request("evidence/verify", {"references": [reference]})
        assert verified["allValid"] is False
        assert verified["items"][0]["verdict"] not in ("valid", "changed", "relocated")
    except Exception as error:
        assert "secret" not in str(error).replace(path, "")


@posix
def test_every_name_is_found(start: Callable[..., Client], project: Path) -> None:
    # colbymchenry/codegraph#661, #541
    names = {
        "src/日本語.py", "naïve file.py", "na\u0308ive.py", 'quo"te.py', "new\nline.py", "tab\t.py", "back\\slash.py",
        "-dash.py", ":(glob)magic.py", "st*r?.py", "[id].py", "😀.py", "#hash.py", "!bang.py", "trail .py", "%41.py",
    }  # fmt: skip
    put(project, *names)
    client = indexed(start(), project)
    assert found(client) == names
    git(project, "add", "-A")
    put(project, *names, text="another_word = 1\n")
    for name in names:
        client.wait_for(lambda name=name: name in found(client, "another_word"), name)
    items = client.request("search/query", {"query": "another_word", "limit": 50})["items"]
    assert {item["uri"] for item in items} == {(project / name).as_uri() for name in names}
    references = [item["reference"] for item in items]
    verified = client.request("evidence/verify", {"references": references})["items"]
    assert [item for item in verified if item["verdict"] != "valid"] == []


SECRETS = {
    "aws": "AKIA" + "Q3EXAMPLE7ABCDEF",
    "github": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "property": "hunter2secretword",
    "token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "url": "zqxwvutsecretpart",
    "key": "MIIEowIBAAKCAQEAxyzzyQvorbiddenZqbodyx",
}


def test_secrets_in_source_are_nowhere_on_the_disk_or_in_logs(
    start: Callable[..., Client], project: Path, home: Path
) -> None:
    # rohitg00/agentmemory#911, NousResearch/hermes-agent#113901
    text = (
        f"def connect_cloud():\n    a = '{SECRETS['aws']}'\n    b = '{SECRETS['github']}'\n"
        f"# db.password={SECRETS['property']}\n# Authorization: Bearer {SECRETS['token']}\n"
        f"# https://user:{SECRETS['url']}@nowhere.invalid/x\n"
        f"# -----BEGIN RSA PRIVATE KEY-----\n# {SECRETS['key']}\n# -----END RSA PRIVATE KEY-----\n    return a\n"
    )
    put(project, "cloud.py", text=text)
    client = indexed(start(), project)
    (item,) = client.request("search/query", {"query": "connect_cloud"})["items"]
    assert item["snippet"].count("\n") == text.count("\n") - 1
    for name, secret in SECRETS.items():
        assert secret not in item["snippet"], name
        if secret.isalnum():  # others fall into parts such as `9`, which stand elsewhere too
            assert client.request("search/query", {"query": secret})["items"] == [], name
    client.shut_down()
    kept = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file() and "grammars" not in file.parts)
    kept += client.log().encode()
    for name, secret in SECRETS.items():
        assert secret.encode() not in kept, name
        assert secret.lower().encode() not in kept, name
