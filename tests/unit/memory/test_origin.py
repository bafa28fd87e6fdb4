"""Every way of writing a remote's address names one project, and different projects stay apart."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.memory.origin import normalise_origin


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/Acme/app.git",
        "https://github.com/Acme/app",
        "https://github.com/Acme/app/",
        "https://github.com/Acme/app.git/",
        "https://GitHub.com/Acme/app",
        "https://user:token@github.com/Acme/app.git",
        "https://github.com:443/Acme/app",
        "http://github.com/Acme/app",
        "git://github.com/Acme/app.git",
        "git@github.com:Acme/app.git",
        "github.com:Acme/app",
        "git@github.com:/Acme/app.git",
        "ssh://git@github.com/Acme/app.git",
        "ssh://git@github.com:22/Acme/app.git",
        "git+ssh://git@github.com/Acme/app.git",
        "ssh+git://git@github.com/Acme/app.git",
        "ssh://git@ssh.github.com:443/Acme/app.git",
        "  https://github.com//Acme/app.git\n",
        "https://github.com/%41cme/app",
    ],
)
def test_all_forms_are_one(address: str, tmp_path: Path) -> None:
    assert normalise_origin(address, tmp_path) == "github.com/Acme/app"


def test_what_differs_stays_apart(tmp_path: Path) -> None:
    addresses = [
        "https://github.com/acme/app",
        "https://github.com/acme/app-api",
        "https://github.com/acme2/app",
        "https://gitlab.com/acme/app",
        "https://github.com:8443/acme/app",
        "https://github.com/acme/app/sub",
        "/srv/git/app.git",
        "/srv/git/app2.git",
    ]
    assert len({normalise_origin(address, tmp_path) for address in addresses}) == len(addresses)


def test_local_remotes_are_one_however_they_are_written(tmp_path: Path) -> None:
    target = tmp_path / "origin.git"
    target.mkdir()
    forms = [str(target), f"{target}/", f"file://{target}", "../origin.git"]
    (tmp_path / "clone").mkdir()
    assert len({normalise_origin(form, tmp_path / "clone") for form in forms}) == 1


def test_a_drive_letter_is_no_host(tmp_path: Path) -> None:
    assert str(normalise_origin("C:/git/app.git", tmp_path)).startswith("file:")


@given(st.text(max_size=80))
def test_never_fails_and_is_stable(text: str) -> None:
    once = normalise_origin(text, Path("/nowhere"))
    assert once is None or once.strip() == once or "\n" not in once
    assert once == normalise_origin(text, Path("/nowhere"))


@given(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.from_regex(r"[A-Za-z0-9:!$&]{1,12}", fullmatch=True))
def test_credentials_never_stay(user: str, password: str) -> None:
    assert normalise_origin(f"https://{user}:{password}@host.example/a/b", Path("/x")) == "host.example/a/b"
