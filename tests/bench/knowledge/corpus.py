"""The documentation that is measured on: of two projects, as their source distributions carry it.

Nobody here wrote it, and none of it is kept in this repository; `questions.tsv` names its sections by path and anchor.
"""

import subprocess
import sys
import tarfile
from pathlib import Path, PurePosixPath

from attrs import frozen


@frozen
class Manual:
    """The documentation of one release.

    :param folder: where in the archive it lies.
    :param without: folders in it that hold the same texts for older releases.
    """

    package: str
    version: str
    folder: str
    without: tuple[str, ...] = ()

    @property
    def archive(self) -> str:
        """The name of the source distribution."""
        return f"{self.package}-{self.version}.tar.gz"


MANUALS = (
    # A hand-written manual in English (the archive has translations of parts of it, too).
    Manual("fastapi", "0.103.2", "docs/en/docs"),
    # A hand-written manual, and a reference that was generated from the code.
    Manual("fastmcp", "4.2.3", "docs", ("v2", "v3")),
)


def unpacked(cache: Path) -> Path:
    """The folder that holds the Markdown of all manuals, each in a folder of its name; fetched and unpacked once."""
    folder = cache / "manuals"
    done = cache / "manuals.unpacked"
    if done.exists() and done.read_text("utf-8") == repr(MANUALS):
        return folder
    archives = cache / "sdists"
    archives.mkdir(parents=True, exist_ok=True)
    for manual in MANUALS:
        if not (archives / manual.archive).exists():
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
            requirement = f"{manual.package}=={manual.version}"
            subprocess.run([*command, "--dest", str(archives), requirement], check=True)
        top = PurePosixPath(f"{manual.package}-{manual.version}", manual.folder)
        with tarfile.open(archives / manual.archive) as archive:
            for member in archive:
                path = PurePosixPath(member.name)
                if not member.isfile() or path.suffix not in (".md", ".mdx") or not path.is_relative_to(top):
                    continue
                inside = path.relative_to(top)
                if inside.parts[0] in manual.without:
                    continue
                read = archive.extractfile(member)
                assert read is not None
                target = folder / manual.package / inside
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(read.read())
    done.write_text(repr(MANUALS), "utf-8")
    return folder
