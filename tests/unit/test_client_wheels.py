"""The wheels that the VS Code extension carries are those that the package asks for."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "client-vscode" / "packaging" / "wheels.txt"


def test_every_dependency_is_locked_at_a_version_that_the_package_allows() -> None:
    entries = re.findall(
        r"^(\S+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", LOCK.read_text("utf-8"), re.M
    )
    locked = {canonicalize_name(name): version for name, version, _ in entries}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = [Requirement(line) for line in project["dependencies"]]
    assert len(needed) > 10
    unmet = [str(each) for each in needed if not each.specifier.contains(locked.get(canonicalize_name(each.name), "0"))]
    assert unmet == [], "write wheels.txt anew: make locked-wheels"
    assert "pip" in locked  # many a Linux has Python without it


def test_nothing_large_is_locked_by_accident() -> None:
    models = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    names = {canonicalize_name(Requirement(line).name) for extra in models.values() for line in extra}
    locked = {
        canonicalize_name(line.partition("==")[0]) for line in LOCK.read_text("utf-8").splitlines() if "==" in line
    }
    assert names & locked == set()
