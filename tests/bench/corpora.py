"""Real source trees to measure on: released packages, unpacked from their wheels, at fixed versions.

Only wheels that are the same on every platform, and of them only text that every system measured here reads, so that
all read the same files: code, prose and settings, none of them empty.
"""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath

from attrs import frozen

KEPT = frozenset({".py", ".pyi", ".c", ".h", ".js", ".css", ".html", ".md", ".rst", ".txt", ".toml", ".json", ".xml"})
"""Endings of the files that are unpacked."""

MAX_BYTES = 1_000_000
"""Larger files are left out; each system has a limit of its own near this one."""


@frozen
class Corpus:
    """A tree made of the wheels of some packages.

    :param folders: what is unpacked of them; everything when empty.
    """

    name: str
    wheels: tuple[str, ...]
    folders: tuple[str, ...] = ()


CORPORA = {
    corpus.name: corpus
    for corpus in (
        # About 1,000, 10,000 and 50,000 chunks.
        Corpus("small", ("flask==3.1.2", "jinja2==3.1.6")),
        Corpus("medium", ("django==5.2.8", "mypy==1.18.2"), ("django/", "mypy/typeshed/")),
        Corpus("large", ("django==5.2.8", "mypy==1.18.2", "networkx==3.6", "sympy==1.14.0", "werkzeug==3.1.3")),
    )
}


def unpacked(corpus: Corpus, cache: Path) -> Path:
    """The folder that holds the tree; fetched and unpacked once."""
    folder = cache / corpus.name
    done = cache / f"{corpus.name}.unpacked"
    recipe = repr((corpus, sorted(KEPT)))
    if done.exists() and done.read_text("utf-8") == recipe:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    wheels = cache / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    for requirement in corpus.wheels:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        command += ["--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.11"]
        subprocess.run([*command, "--dest", str(wheels), requirement], check=True)
        name, _, version = requirement.partition("==")
        (wheel,) = wheels.glob(f"{name.replace('-', '_')}-{version}-py*-none-any.whl")
        with zipfile.ZipFile(wheel) as archive:
            for item in archive.infolist():
                path = PurePosixPath(item.filename)
                wanted = path.suffix in KEPT and 0 < item.file_size <= MAX_BYTES and ".dist-info" not in path.parts[0]
                if wanted and (not corpus.folders or item.filename.startswith(corpus.folders)):
                    archive.extract(item, folder)
    done.write_text(recipe, "utf-8")
    return folder
