"""Real source trees to measure on: released packages, unpacked from their wheels, at fixed versions."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from attrs import frozen


@frozen
class Corpus:
    """A tree made of the wheels of some packages."""

    name: str
    wheels: tuple[str, ...]


CORPORA = {
    corpus.name: corpus
    for corpus in (
        Corpus("small", ("flask==3.1.2", "werkzeug==3.1.3", "jinja2==3.1.6", "click==8.3.0")),
        Corpus("medium", ("django==5.2.8",)),
        Corpus(
            "large",
            (
                "django==5.2.8",
                "sympy==1.14.0",
                "sqlalchemy==2.0.44",
                "networkx==3.6",
                "scikit-learn==1.7.2",
                "pandas==2.3.3",
                "mypy==1.18.2",
                "salt==3007.8",
            ),
        ),
    )
}


def unpacked(corpus: Corpus, cache: Path) -> Path:
    """The folder that holds the tree; fetched and unpacked once.

    Two thousand files and more, most of them Python, with stubs, C headers, templates and translations among them.
    """
    folder = cache / corpus.name
    done = folder / ".unpacked"
    if done.exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    wheels = cache / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    for requirement in corpus.wheels:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, "--dest", str(wheels), requirement], check=True)
        name, _, version = requirement.partition("==")
        (wheel,) = wheels.glob(f"{name.replace('-', '_')}-{version}-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    done.touch()
    return folder
