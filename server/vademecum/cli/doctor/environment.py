"""The machine: Python, the libraries, git."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata

from vademecum.cli.doctor.check import Check, fail, ok, warn

_OLDEST_PYTHON = (3, 11)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_BOUND = re.compile(r"(>=|<)\s*([0-9][0-9.]*)")
_AGENTS = re.compile(r"mcp\s*[<>=(]")
_GIT_SECONDS = 10.0


def python() -> Iterator[Check]:
    """Whether this Python is new enough."""
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < _OLDEST_PYTHON:
        yield fail("Python", version, "Install Python 3.11 or newer, and Vademecum into it.")
    else:
        yield ok("Python", f"{version} ({sys.executable})")


def dependencies() -> Iterator[Check]:
    """Whether every library is there, in a version that Vademecum was made for."""
    versions = []
    for requirement in metadata.requires("vademecum") or []:
        name = _NAME.match(requirement)
        if name is None or ";" in requirement:  # of an extra, or for another system
            continue
        try:
            version = metadata.version(name.group())
        except metadata.PackageNotFoundError:
            yield fail("dependencies", f"{name.group()} is missing", "Install Vademecum again with pip.")
            continue
        if not within(version, requirement):
            yield warn(
                "dependencies", f"{requirement} is wanted, {version} is here", "Install Vademecum again with pip."
            )
        versions.append(f"{name.group()} {version}")
    yield ok("dependencies", ", ".join(versions))


def agents() -> Iterator[Check]:
    """Whether agents can be served: the library that `vademecum mcp` needs is an extra."""
    wanted = next((line.partition(";")[0] for line in metadata.requires("vademecum") or [] if _AGENTS.match(line)), "")
    try:
        version = metadata.version("mcp")
    except metadata.PackageNotFoundError:
        yield ok("agents", "the extra mcp is not there; only `vademecum mcp` needs it: pip install 'vademecum[mcp]'")
        return
    if within(version, wanted):
        yield ok("agents", f"mcp {version}")
    else:
        yield warn("agents", f"{wanted.strip()} is wanted, {version} is here", "pip install --upgrade 'vademecum[mcp]'")


def within(version: str, requirement: str) -> bool:
    """Whether a version number meets the `>=` and `<` bounds of a requirement."""
    for sign, bound in _BOUND.findall(requirement):
        is_less = _numbers(version) < _numbers(bound)
        if is_less != (sign == "<"):
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    """Its release number, without trailing zeros, so that 2.0 and 2 are equal."""
    found = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    numbers = [int(part) for part in found.group().split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def git() -> Iterator[Check]:
    """Whether git is there; ignore rules and projects rest on it."""
    program = shutil.which("git")
    if program is None:
        yield warn(
            "git",
            "is not on the PATH; ignore rules are imitated, and a project is known by its folder alone",
            "Install git.",
        )
        return
    try:
        answer = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=_GIT_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        yield warn("git", f"{program} does not run ({error})", "Repair the installation of git.")
    else:
        yield ok("git", answer.stdout.strip().removeprefix("git version ") + f" ({program})")
