"""Which folders are no workspace, and which names mean the same folder."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.files.roots import normal_root, refuse_root


def test_the_home_directory_and_what_holds_it_are_refused(tmp_path: Path) -> None:
    home = tmp_path / "people" / "ada"
    home.mkdir(parents=True)
    assert refuse_root(home, home)
    assert refuse_root(home.parent, home)
    assert refuse_root(home / "project", home) is None


def test_a_link_to_the_home_directory_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "ada"
    home.mkdir()
    (tmp_path / "link").symlink_to(home)
    assert refuse_root(tmp_path / "link", home)


@pytest.mark.parametrize("path", ["/", "/tmp", "/usr", "/etc", "/proc/1", "/sys"])
def test_system_folders_are_refused(path: str, tmp_path: Path) -> None:
    reason = refuse_root(Path(path), tmp_path)
    assert reason
    assert "Open a project's folder" in reason


def test_a_project_may_be_anywhere_else(tmp_path: Path) -> None:
    assert refuse_root(tmp_path / "work", tmp_path / "home") is None


@pytest.mark.parametrize(
    "names",
    [
        ("file:///c%3A/x", "file:///C:/x", "C:\\x", "c:/x/", "c:\\X\\.", "/c:/x", "FILE:///c:/x"),
        ("C:\\", "c:/", "file:///c:/"),
        ("\\\\Server\\Share\\x", "file://server/share/x", "\\\\server\\share\\x\\"),
        ("/t/Foo", "/t/Foo/", "file:///t/Foo", "file://localhost/t/Foo", "//t/Foo", "/t/x/../Foo"),
        ("/t/a b", "file:///t/a%20b"),
        ("/", "file:///"),
        ("/t/x#y?z", "file:///t/x%23y%3Fz"),
    ],
)
def test_names_of_one_folder_have_one_key(names: tuple[str, ...]) -> None:
    assert len({normal_root(name) for name in names}) == 1


@pytest.mark.parametrize(("one", "other"), [("/t/foo", "/t/foo-api"), ("/t/Foo", "/t/foo"), ("C:\\x", "D:\\x")])
def test_names_of_two_folders_have_two(one: str, other: str) -> None:
    assert normal_root(one) != normal_root(other)


@given(st.text(max_size=30))
def test_a_key_is_its_own_key(text: str) -> None:
    key = normal_root("/" + text.replace("%", "").replace("\\", ""))
    assert normal_root(key) == key
