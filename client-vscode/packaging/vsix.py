"""Builds the extension as users get it: `python client-vscode/packaging/vsix.py [TARGET…]`, or `make vsix TARGET=…`.

A target is one of `wheels.PLATFORMS`, `universal` (no wheels but the server's own and the installer; what else it
needs comes from the package index once), or `all`; without one, it is what this machine is.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import wheels

CLIENT = Path(__file__).parents[1]
UNIVERSAL = "universal"
NOTICES = "ThirdPartyNotices.txt"
#: The parts of the sources that are not shipped, and would only cost time to copy. `.vscodeignore` has the last word.
NOT_COPIED = shutil.ignore_patterns("node_modules", "src", "test", "packaging", "wheel", "*.vsix", "*.map")


def this_machine() -> str:
    """The target for this machine; `universal` where there is no better one."""
    system = {"linux": "linux", "darwin": "darwin", "win32": "win32"}.get(sys.platform, sys.platform)
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine().lower())
    target = f"{system}-{machine}"
    on_musl = sys.platform == "linux" and platform.libc_ver()[0] != "glibc"
    return target if target in wheels.PLATFORMS and not on_musl else UNIVERSAL


def notices() -> str:
    """The licences of what the bundle holds of others, as they ask for. The wheels have their own inside."""
    packages = json.loads((CLIENT / "package-lock.json").read_text("utf-8"))["packages"]
    parts = []
    for place, package in sorted(packages.items()):
        if place and not package.get("dev"):
            (licence,) = [path for path in (CLIENT / place).iterdir() if path.name.lower().startswith("licen")]
            name = f"{place.removeprefix('node_modules/')} {package['version']}"
            parts.append(f"{name}\n{'-' * len(name)}\n\n{licence.read_text('utf-8').strip()}\n")
    return "\n\n".join(parts)


def build(target: str, out: Path, environment: Mapping[str, str] | None = None) -> None:
    """Write the `.vsix` for `target` to `out`.

    It is put together in a folder of its own, so that builds of several targets, and tests, do not meet.
    Raises CalledProcessError when a part cannot be built.
    """
    variables = dict(environment or os.environ)
    node = shutil.which("node", path=variables.get("PATH")) or "node"
    subprocess.run([node, "esbuild.mjs"], cwd=CLIENT, env=variables, check=True)
    with tempfile.TemporaryDirectory(prefix="vademecum-vsix-") as place:
        folder = Path(place) / "extension"
        shutil.copytree(CLIENT, folder, ignore=NOT_COPIED)
        manifest = json.loads((folder / "package.json").read_text("utf-8"))
        del manifest["scripts"]["vscode:prepublish"]  # done above, where the sources are
        (folder / "package.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", "utf-8")
        (folder / NOTICES).write_text(notices(), "utf-8")
        (folder / "wheel").mkdir()
        wheels.collect(target, folder / "wheel")
        out.parent.mkdir(parents=True, exist_ok=True)
        pack = [node, str(CLIENT / "node_modules" / "@vscode" / "vsce" / "vsce"), "package", "--no-dependencies"]
        platform_of = [] if target == UNIVERSAL else ["--target", target]
        where = ["--allow-missing-repository", "--out", str(out)]
        subprocess.run([*pack, *platform_of, *where], cwd=folder, env=variables, check=True)


def main(arguments: Sequence[str]) -> int:
    known = [*wheels.PLATFORMS, UNIVERSAL]
    parser = argparse.ArgumentParser(description="Build the VS Code extension, with the wheels that it needs.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join([*known, "all"]))
    parser.add_argument("--out", type=Path, default=CLIENT / "dist", help="the folder for what is built")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.targets) - {*known, "all"}:
        parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(known)} and all")
    for target in known if "all" in asked.targets else asked.targets or [this_machine()]:
        out = asked.out.absolute() / f"vademecum-{target}.vsix"
        build(target, out)
        sys.stdout.write(f"{os.path.relpath(out)}: {out.stat().st_size / 1e6:.1f} MB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
