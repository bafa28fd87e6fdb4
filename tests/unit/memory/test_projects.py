"""Which folder is which project: names, moves, worktrees, clones, and folders that only claim to be one."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from unit.memory.conftest import run_git
from vademecum.memory.places import Places, ProjectMemory
from vademecum.memory.registry import Project, look, resolve
from vademecum.memory.state import State

Make = Callable[..., Path]


class Registry:
    """Resolves folders as a server that was just started does."""

    def __init__(self, places: Places) -> None:
        self._places = places

    def project(self, folder: Path, *, trusted: bool = False) -> Project:
        state = State(self._places.state)
        try:
            place = look(folder, self._places.home)
            return resolve(place, trusted=trusted, state=state, home=self._places.home, now="2026-01-01T00:00:00.000Z")
        finally:
            state.close()

    def key(self, folder: Path, *, trusted: bool = False) -> str:
        return self.project(folder, trusted=trusted).key


@pytest.fixture
def registry(places: Places) -> Registry:
    return Registry(places)


def test_every_way_to_open_a_folder_is_one_project(registry: Registry, repository: Make, tmp_path: Path) -> None:
    folder = repository("Foo")
    (folder / "sub" / "deep").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(folder)
    ways = [folder, Path(f"{folder}/"), folder / "sub", folder / "sub" / "deep", link, link / "sub", folder / "."]
    assert len({registry.key(way) for way in ways}) == 1
    assert {registry.project(way).root for way in ways} == {folder.resolve()}


def test_names_that_look_alike_are_two_projects(registry: Registry, tmp_path: Path) -> None:
    names = ["foo", "foo-api", "Foo2", "foo.api", "foo_api"]
    for name in names:
        (tmp_path / name).mkdir()
    projects = [registry.project(tmp_path / name) for name in names]
    assert len({project.key for project in projects}) == len(names)
    assert len({project.folders[0] for project in projects}) == len(names)


def test_a_folder_with_shared_memory_is_the_top_of_a_plain_project(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "plain" / ".vademecum").mkdir(parents=True)
    (tmp_path / "plain" / "sub").mkdir()
    assert registry.key(tmp_path / "plain" / "sub") == registry.key(tmp_path / "plain")


def test_the_home_marks_no_project(tmp_path: Path) -> None:
    places = Places(tmp_path / ".vademecum", tmp_path / "state")
    places.home.mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    registry = Registry(places)
    assert registry.key(tmp_path / "a") != registry.key(tmp_path / "b")


def test_the_folder_name_is_readable_and_unique(registry: Registry, repository: Make) -> None:
    project = registry.project(repository("app", "git@github.com:acme/Nice_App.git"))
    assert project.folders[0].name == f"nice-app-{project.key}"
    assert len(project.key) == 16


def test_worktrees_share_at_once(registry: Registry, repository: Make, tmp_path: Path) -> None:
    main = repository("main")
    run_git(main, "worktree", "add", "-q", str(tmp_path / "linked"))
    linked = registry.project(tmp_path / "linked")
    assert linked.key == registry.key(main)
    assert linked.root == (tmp_path / "linked").resolve()


def test_a_folder_that_only_points_at_a_repository_is_not_a_worktree(
    registry: Registry, repository: Make, tmp_path: Path
) -> None:
    victim = repository("victim")
    run_git(victim, "worktree", "add", "-q", str(tmp_path / "real"))
    key = registry.key(victim)
    for name, pointer in [("one", victim / ".git"), ("two", victim / ".git" / "worktrees" / "real")]:
        stranger = tmp_path / name
        stranger.mkdir()
        (stranger / ".git").write_text(f"gitdir: {pointer}\n")
        assert registry.key(stranger) != key
    linked = tmp_path / "three"
    linked.mkdir()
    (linked / ".git").symlink_to(victim / ".git")
    assert registry.key(linked) != key


def test_a_submodule_is_its_own_project(registry: Registry, repository: Make, tmp_path: Path) -> None:
    inner = repository("inner", commit="inner")
    outer = repository("outer", commit="outer")
    run_git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
    assert registry.key(outer / "lib", trusted=True) != registry.key(outer)


def test_moving_keeps_the_project(registry: Registry, repository: Make, tmp_path: Path) -> None:
    for name, origin in [("local", None), ("remote", "https://example.org/a/b.git")]:
        folder = repository(name, origin)
        key = registry.key(folder)
        folder.rename(tmp_path / f"moved-{name}")
        assert registry.key(tmp_path / f"moved-{name}") == key


def test_gaining_a_remote_keeps_the_project(registry: Registry, repository: Make) -> None:
    folder = repository()
    key = registry.key(folder)
    run_git(folder, "remote", "add", "origin", "https://example.org/a/b.git")
    assert registry.key(folder) == key
    run_git(folder, "remote", "set-url", "origin", "https://example.org/renamed/b.git")
    assert registry.key(folder) == key
    run_git(folder, "remote", "remove", "origin")
    assert registry.key(folder) == key


def test_a_plain_folder_that_becomes_a_repository_keeps_the_project(registry: Registry, project: Path) -> None:
    key = registry.key(project)
    run_git(project, "init", "-q")
    assert registry.key(project) == key


def test_another_clone_joins_only_when_trusted(registry: Registry, repository: Make) -> None:
    first = repository("first", "https://example.org/a/b.git")
    second = repository("second", "git@example.org:a/b")
    key = registry.key(first)
    apart = registry.project(second)
    assert apart.key != key
    joined = registry.project(second, trusted=True)
    assert joined.key == key
    # What was remembered while it stood apart is still read.
    assert apart.folders[0] in joined.folders and joined.folders[0] != apart.folders[0]
    assert registry.key(second) == key


def test_a_copy_without_remote_joins_only_when_trusted(registry: Registry, repository: Make, tmp_path: Path) -> None:
    folder = repository()
    key = registry.key(folder)
    shutil.copytree(folder, tmp_path / "copy")
    assert registry.key(tmp_path / "copy") != key
    assert registry.key(tmp_path / "copy", trusted=True) == key


def test_a_fork_is_another_project(registry: Registry, repository: Make, tmp_path: Path) -> None:
    parent = repository("parent", "https://example.org/parent/app.git")
    key = registry.key(parent)
    shutil.copytree(parent, tmp_path / "fork")
    run_git(tmp_path / "fork", "remote", "set-url", "origin", "https://example.org/fork/app.git")
    assert registry.key(tmp_path / "fork", trusted=True) != key


def test_another_repository_at_the_same_path_is_another_project(registry: Registry, repository: Make) -> None:
    folder = repository("app", "https://example.org/a/one.git", commit="one")
    key = registry.key(folder)
    shutil.rmtree(folder)
    again = repository("app", "https://example.org/a/two.git", commit="two")
    assert again == folder
    assert registry.key(again) != key


def test_a_fresh_clone_at_the_same_path_is_the_same_project(registry: Registry, repository: Make) -> None:
    folder = repository("app", "https://example.org/a/one.git")
    key = registry.key(folder)
    shutil.rmtree(folder)
    assert registry.key(repository("app", "git@example.org:a/one.git")) == key


def test_a_lost_state_directory_does_not_lose_the_folder(
    registry: Registry, repository: Make, places: Places, tmp_path: Path
) -> None:
    folder = repository("app")
    private = registry.project(folder).folders[0]
    private.mkdir(parents=True)
    shutil.rmtree(places.state)
    folder.rename(tmp_path / "other-name")
    assert registry.project(tmp_path / "other-name").folders[0] == private


def test_no_program_of_the_repository_runs(registry: Registry, repository: Make, tmp_path: Path) -> None:
    folder = repository()
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "diff.external", "credential.helper"):
        run_git(folder, "config", key, str(trap))
    run_git(folder, "config", "core.hooksPath", str(tmp_path))
    run_git(folder, "config", "remote.x.promisor", "true")
    run_git(folder, "config", "remote.x.url", f"ext::{trap}")
    run_git(folder, "config", "remote.x.partialclonefilter", "tree:0")
    shutil.rmtree(folder / ".git" / "objects")
    (folder / ".git" / "objects").mkdir()
    registry.key(folder)
    assert not (tmp_path / "ran").exists()


def test_strange_files_named_git_do_no_harm(registry: Registry, tmp_path: Path) -> None:
    for name, content in [("a", b""), ("b", b"gitdir: \0\n"), ("c", b"\xff\xfe"), ("d", b"gitdir: /nowhere\n")]:
        folder = tmp_path / name
        folder.mkdir()
        (folder / ".git").write_bytes(content)
        registry.key(folder)
    fifo = tmp_path / "e"
    fifo.mkdir()
    os.mkfifo(fifo / ".git")
    registry.key(fifo)


def test_quoted_configuration_is_read_as_git_reads_it(registry: Registry, repository: Make) -> None:
    plain = repository("plain", "https://example.org/a/b.git")
    key = registry.key(plain)
    other = repository("other")
    with (other / ".git" / "config").open("a") as config:
        config.write('[Remote "origin"]\n\tURL = "https://example.org/a/b.git" ; comment\n')
    assert registry.key(other, trusted=True) == key
    included = repository("included")
    (included / "extra").write_text('[remote "origin"]\n\turl = https://example.org/a/b.git\n')
    with (included / ".git" / "config").open("a") as config:
        config.write(f"[include]\n\tpath = {included}/extra\n")
    assert registry.key(included, trusted=True) == key


def test_opening_again_writes_nothing(registry: Registry, repository: Make, places: Places) -> None:
    folder = repository()
    registry.key(folder)
    before = (places.state / "memory.sqlite").stat().st_mtime_ns
    registry.key(folder)
    assert (places.state / "memory.sqlite").stat().st_mtime_ns == before


def test_the_editor_may_open_the_home_directory(tmp_path: Path) -> None:
    from vademecum.memory.service import Memories

    places = Places(tmp_path / ".vademecum", tmp_path / "state")
    memories = Memories(places, [ProjectMemory(tmp_path, trusted=True)])
    memory = memories.remember("A note for everywhere").memory
    assert memories.list().total == 1
    assert memories.get(memory.id) == memory
    memories.close()
