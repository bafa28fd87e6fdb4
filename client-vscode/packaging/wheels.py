"""The wheels that the extension carries: what memory and search by words need, for one platform and all its Pythons.

`wheels.txt` beside this file says which, by version and hash; it is written anew by

    python client-vscode/packaging/wheels.py

which asks the package index for the newest that `pyproject.toml` allows. The models for search by meaning are not
among them: they are ten times as large, and everything else works without them.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LOCK = Path(__file__).with_name("wheels.txt")
#: Newest first is how they are looked for; 3.11 is the oldest that the server runs on.
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
#: What VS Code itself asks of a Linux machine: glibc 2.28. pip takes a tag to mean itself alone, so all are named.
GLIBC = [f"manylinux_2_{minor}" for minor in range(28, 4, -1)] + ["manylinux2014", "manylinux2010", "manylinux1"]
#: VS Code's name of a platform, and pip's. Alpine and Windows on ARM are not here, since no grammars
#: (semble-grammars) nor tantivy are built for them: they take the extension that carries the server alone.
PLATFORMS: dict[str, Sequence[str]] = {
    "linux-x64": [f"{glibc}_x86_64" for glibc in GLIBC],
    "linux-arm64": [f"{glibc}_aarch64" for glibc in GLIBC if glibc not in ("manylinux2010", "manylinux1")],
    "darwin-x64": ["macosx_12_0_x86_64"],
    "darwin-arm64": ["macosx_12_0_arm64"],
    "win32-x64": ["win_amd64"],
}
#: The installer itself, since many a Linux has Python without one (Debian and Ubuntu package it apart).
INSTALLER = "pip"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet")
HEADER = """\
# The wheels that the VS Code extension carries beside the server's own, for all platforms and Pythons.
# Written by client-vscode/packaging/wheels.py; change pyproject.toml, not this file.
"""


def server_wheel(folder: Path) -> Path:
    """Build the server's own wheel into `folder`."""
    subprocess.run([*PIP, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT)], check=True)
    (built,) = folder.glob("vademecum-*.whl")
    return built


def collect(target: str, folder: Path) -> None:
    """Put the wheels for the platform `target` into `folder`, or for `universal` those that are of no platform.

    Raises CalledProcessError when one cannot be had, or has other bytes than `wheels.txt` says.
    """
    server_wheel(folder)
    locked = ["--require-hashes", "--no-deps", "--only-binary", ":all:", "--dest", str(folder)]
    if target == "universal":
        with tempfile.TemporaryDirectory() as place:
            installer = Path(place) / "installer.txt"
            (entry,) = [entry for entry in LOCK.read_text("utf-8").split("\n\n") if entry.startswith(f"{INSTALLER}==")]
            installer.write_text(entry, "utf-8")
            subprocess.run([*PIP, "download", *locked, "-r", str(installer)], check=True)
        return
    for python in PYTHONS:
        subprocess.run([*PIP, "download", *locked, "-r", str(LOCK), *_for(target, python)], check=True)


def lock() -> None:
    """Write `wheels.txt`."""
    versions: dict[str, str] = {}
    hashes: dict[str, set[str]] = {}
    with tempfile.TemporaryDirectory() as place:
        server, constraints = server_wheel(Path(place)), Path(place) / "constraints.txt"
        for target in PLATFORMS:
            for python in PYTHONS:
                # One version for all, so that everybody runs the same.
                constraints.write_text("".join(f"{name}=={version}\n" for name, version in versions.items()), "utf-8")
                for wheel in _resolved(server, constraints, target, python):
                    name = wheel["metadata"]["name"].lower().replace("_", "-").replace(".", "-")
                    versions[name] = wheel["metadata"]["version"]
                    hashes.setdefault(name, set()).add(wheel["download_info"]["archive_info"]["hashes"]["sha256"])
    entries = [
        " \\\n".join([f"{name}=={versions[name]}", *(f"    --hash=sha256:{digest}" for digest in sorted(found))])
        for name, found in sorted(hashes.items())
    ]
    LOCK.write_text(HEADER + "\n" + "\n\n".join(entries) + "\n", "utf-8")


def _resolved(server: Path, constraints: Path, target: str, python: str) -> Iterator[dict[str, Any]]:
    """What pip would install beside the server, as its report tells it."""
    report = constraints.with_name("report.json")
    asked = ["install", "--dry-run", "--ignore-installed", "--target", str(constraints.with_name("nowhere"))]
    only = ["--only-binary", ":all:", "--constraint", str(constraints), "--report", str(report)]
    subprocess.run([*PIP, *asked, *only, *_for(target, python), str(server), INSTALLER], check=True)
    for wheel in json.loads(report.read_text("utf-8"))["install"]:
        # pip judges these by the machine that it runs on, whatever platform it is asked for.
        for needed in wheel["metadata"].get("requires_dist", []):
            marker = needed.partition(";")[2]
            if "extra" not in marker and any(word in marker for word in ("platform", "os_name", "implementation")):
                raise SystemExit(f"{wheel['metadata']['name']} needs other packages elsewhere: {needed}")
        if wheel["metadata"]["name"] != "vademecum":
            yield wheel


def _for(target: str, python: str) -> list[str]:
    platforms = [part for platform in PLATFORMS[target] for part in ("--platform", platform)]
    return [*platforms, "--python-version", python, "--implementation", "cp"]


if __name__ == "__main__":
    lock()
