"""What happens to a working tree: edits, moves, reverts, branches and ignore rules, one step at a time, by chance."""

import contextlib
import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from wire.conftest import git

#: In a file of their own, and never to be shown: what stands in files that nobody may read, and a key in one that may.
FORBIDDEN = "forbidden_text"
SECRET = "AKIA" + "Q3EXAMPLE7ABCDEF"
_CLOSED = frozenset({".git", ".ssh", ".vademecum", "node_modules", "__pycache__"})

_SUFFIXES = (".py", ".py", ".js", ".md", ".txt", ".go")
_FOLDERS = ("src", "src/deep/er", "lib", "docs", "gen", "web/app")
_PATTERNS = ("*.txt", "gen/", "/lib/", "*.md", "app", "!keep.md", "*.log", "er/")
_SECOND = 1_000_000_000


class Tree:
    """A repository to which things happen.

    :param root: its top folder, made here.
    :param outside: a folder beside it, made here, that symlinks lead to.
    """

    def __init__(self, root: Path, outside: Path, chance: random.Random) -> None:
        self.root = root
        self.chance = chance
        self.own_patterns: list[str] = []
        self._outside = outside
        self._count = 0
        self._before: list[tuple[Path, bytes, int]] = []
        self._branches = ["main"]
        root.mkdir(parents=True)
        outside.mkdir(parents=True)
        (outside / "secret.py").write_text(f"def {FORBIDDEN}():\n    common = 1\n")
        git(root, "init", "-q", "-b", "main")
        for _ in range(30):
            self.create()
        self._forbidden()
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "First")

    def files(self) -> list[Path]:
        """Every regular file of the tree that ordinary steps may touch."""
        found: list[Path] = []
        for parent, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name not in (".git", ".vademecum", "node_modules"))
            paths = (Path(parent, name) for name in sorted(names) if not name.startswith((".", "id_rsa", "tls.key")))
            found += [path for path in paths if not path.is_symlink()]
        return found

    def text(self) -> str:
        """The text of a file as it was never before; its first line holds a word that is nowhere else."""
        self._count += 1
        lines = [f"def mark_{self._count}():"]
        for number in range(self.chance.choice((1, 3, 12, 60))):
            lines.append(f"    common = value_{self.chance.randrange(40)} + {number}")
            if self.chance.random() < 0.1:
                lines.append("")
            if self.chance.random() < 0.05:
                lines.append(f"def helper_{self.chance.randrange(20)}(one, two): \f # é 日本語 \u2028 end")
        if self.chance.random() < 0.05:
            lines.insert(1, f'    key = "{SECRET}"')
        return self.chance.choice(("\n", "\n", "\n", "\r\n")).join(lines) + self.chance.choice(("\n", ""))

    def step(self) -> str:
        """Let one thing happen; returns its name."""
        steps: dict[Callable[[], None], float] = {
            self.edit: 24, self.insert: 10, self.same_size: 8, self.save_by_renaming: 5, self.create: 8,
            self.delete: 5, self.rename: 6, self.move_folder: 4, self.copy_folder: 1, self.delete_folder: 1,
            self.revert: 7, self.touch: 2, self.become_something_else: 4, self.commit: 3, self.switch_branch: 3,
            self.stash: 2, self.check_out: 3, self.reset: 0.5, self.delete_everything: 0.1,
            self.change_gitignore: 3, self.change_exclude: 1, self.change_own_rules: 2,
        }  # fmt: skip
        (step,) = self.chance.choices(list(steps), list(steps.values()))
        with contextlib.suppress(OSError, IndexError):
            step()  # what it wanted to touch may be gone, or in the way
        return step.__name__

    # Files ----------------------------------------------------------------------------------------------------------

    def create(self) -> None:
        """A new file, perhaps in a new folder."""
        folder = self.root / self.chance.choice((*_FOLDERS, f"new{self.chance.randrange(6)}/in"))
        folder.mkdir(parents=True, exist_ok=True)
        name = self.chance.choice((f"f{self.chance.randrange(60)}", "keep", "日本語", "a b", "q'uote"))
        (folder / f"{name}{self.chance.choice(_SUFFIXES)}").write_bytes(self.text().encode())

    def edit(self) -> None:
        """Another text in place of the old one."""
        path = self._some_file()
        self._remember(path)
        path.write_bytes(self.text().encode())

    def insert(self) -> None:
        """Lines above the others, so that those move."""
        path = self._some_file()
        self._remember(path)
        path.write_bytes(b"# moved\n" * self.chance.randrange(1, 9) + path.read_bytes())

    def same_size(self) -> None:
        """One digit becomes another, and the times are put back."""
        path = self._some_file()
        self._remember(path)
        status, data = path.stat(), path.read_bytes()
        digits = [place for place, byte in enumerate(data) if chr(byte).isdigit()]
        if digits:
            place = self.chance.choice(digits)
            with path.open("r+b") as file:
                file.seek(place)
                file.write(str((data[place] - 48 + 1) % 10).encode())
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def save_by_renaming(self) -> None:
        """As most editors save: a temporary file takes the old one's place."""
        path = self._some_file()
        self._remember(path)
        temporary = path.with_name(f".{path.name}.tmp")
        temporary.write_bytes(self.text().encode())
        temporary.replace(path)

    def delete(self) -> None:
        """A file goes."""
        path = self._some_file()
        self._remember(path)
        path.unlink()

    def rename(self) -> None:
        """A file gets another name, or that of another one."""
        path = self._some_file()
        target = path.with_name(f"r{self.chance.randrange(40)}{self.chance.choice(_SUFFIXES)}")
        if self.chance.random() < 0.3:
            target = self._some_file()
        path.replace(target)

    def revert(self) -> None:
        """A file gets back what it held before, with the time it had then."""
        if self._before:
            path, data, time = self.chance.choice(self._before)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            os.utime(path, ns=(time, time))

    def touch(self) -> None:
        """Another time, the same bytes; perhaps one that lies in the future."""
        path = self._some_file()
        time = path.stat().st_mtime_ns + self.chance.choice((-3600, 3600)) * _SECOND
        os.utime(path, ns=(time, time))

    def become_something_else(self) -> None:
        """A readable file becomes one that may not be read, or the other way round."""
        path = self._some_file()
        self._remember(path)
        match self.chance.randrange(7):
            case 0:
                path.write_bytes(b"\0" + path.read_bytes())
            case 1:
                path.write_bytes(f"{FORBIDDEN} common value_1 ".encode() * 60_000)
            case 2:
                path.unlink()
                path.symlink_to(self._outside / "secret.py")
            case 3:
                path.unlink()
                (path / "below").mkdir(parents=True)
                (path / "below" / "one.py").write_text(self.text())
            case 4:
                path.replace(path.with_name(self.chance.choice((".env", "id_rsa", "server.pem"))))
            case 5:
                folder = self.chance.choice([each for each in self.root.iterdir() if each.name in ("src", "lib")])
                folder.rename(self._outside / f"away{self._count}")
                folder.symlink_to(self._outside / f"away{self._count}")
            case _:
                for link in (self.root / "src", self.root / "lib"):
                    if link.is_symlink():
                        target = link.readlink()
                        link.unlink()
                        target.rename(link)

    # Folders --------------------------------------------------------------------------------------------------------

    def move_folder(self) -> None:
        """A folder goes somewhere else with all that is in it."""
        self._some_folder().rename(self.root / f"moved{self.chance.randrange(8)}")

    def copy_folder(self) -> None:
        """A folder is there twice."""
        if len(self.files()) < 200:
            shutil.copytree(self._some_folder(), self.root / f"copy{self.chance.randrange(4)}", symlinks=True)

    def delete_folder(self) -> None:
        """A folder goes with all that is in it."""
        shutil.rmtree(self._some_folder())

    def delete_everything(self) -> None:
        """The last file goes, too."""
        for path in self.files():
            path.unlink()

    # Git ------------------------------------------------------------------------------------------------------------

    def commit(self) -> None:
        """What there is becomes a commit."""
        self._git("add", "-A")
        self._git("commit", "-q", "-m", "Next", "--allow-empty")

    def switch_branch(self) -> None:
        """Another branch, a new or a known one, by force or not at all."""
        if len(self._branches) < 5 and self.chance.random() < 0.3:
            self._branches.append(f"branch{len(self._branches)}")
            self._git("checkout", "-q", "-b", self._branches[-1])
        else:
            self._git("checkout", "-q", *self.chance.choice(((), ("-f",))), self.chance.choice(self._branches), "--")

    def stash(self) -> None:
        """What is not committed goes away, and sometimes comes back."""
        self._git("stash", "push", "-q", "-u")
        if self.chance.random() < 0.7:
            self._git("stash", "pop", "-q")

    def check_out(self) -> None:
        """Files are as they were committed, also deleted ones."""
        if self.chance.random() < 0.5:
            self._git("checkout", "-q", "--", ".")
        else:
            self._git("checkout", "-q", "--", str(self._some_file()))

    def reset(self) -> None:
        """Everything is as it was some commits ago, and nothing else is there."""
        self._git("reset", "-q", "--hard", f"HEAD~{self.chance.randrange(3)}")
        self._git("clean", "-q", "-f", "-d")

    # Rules ----------------------------------------------------------------------------------------------------------

    def change_gitignore(self) -> None:
        """Git's rules change, in some folder; sometimes for a single file."""
        folder = self.root if self.chance.random() < 0.6 else self._some_file().parent
        self._change_rules(folder / ".gitignore")

    def change_exclude(self) -> None:
        """The rules of this clone alone change."""
        self._change_rules(self.root / ".git" / "info" / "exclude")

    def change_own_rules(self) -> None:
        """`.vademecumignore` at the top says something else."""
        known = [f"{path.name}" for path in self.files()]
        patterns = [self.chance.choice(("gen/", "docs/", "er/"))] if self.chance.random() < 0.5 else []
        if known:
            patterns += [self.chance.choice(("", "!")) + self.chance.choice(known) for _ in range(2)]
        self.own_patterns = patterns
        (self.root / ".vademecumignore").write_text("".join(f"{pattern}\n" for pattern in patterns), "utf-8")

    def _change_rules(self, file: Path) -> None:
        patterns = [self.chance.choice(_PATTERNS) for _ in range(self.chance.randrange(3))]
        if self.chance.random() < 0.4:
            patterns.append(self._some_file().name)
        if not patterns and file.name == ".gitignore":
            file.unlink(missing_ok=True)
        else:
            file.write_text("".join(f"{pattern}\n" for pattern in patterns), "utf-8")

    def _forbidden(self) -> None:
        text = f"def {FORBIDDEN}():\n    common = value_1\n"
        for name in (
            ".env", "config/id_rsa", "config/tls.key", ".vademecum/memory/note.md", "node_modules/pkg/index.js",
            ".git/hooks/common.py", ".ssh/config.py", "src/__pycache__/x.py",
        ):  # fmt: skip
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.root / "link.py").symlink_to(self._outside / "secret.py")
        (self.root / "loop").symlink_to(".")
        (self.root / "broken.py").symlink_to("nowhere")

    def _git(self, *arguments: str) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):  # it refuses to lose what is not committed, rightly
            git(self.root, *arguments)
        own = self.root / ".vademecumignore"
        self.own_patterns = own.read_text("utf-8").split("\n") if own.is_file() else []

    def _remember(self, path: Path) -> None:
        self._before = [*self._before[-30:], (path, path.read_bytes(), path.stat().st_mtime_ns)]

    def _some_file(self) -> Path:
        files = self.files()
        if not files:
            self.create()
            files = self.files()
        return self.chance.choice(files)

    def _some_folder(self) -> Path:
        # What is closed by its folder's name would be open under another one, and rightly so.
        inside = [
            path.parent
            for path in self.files()
            if path.parent != self.root and _CLOSED.isdisjoint(path.relative_to(self.root).parts)
        ]
        if not inside:
            raise FileNotFoundError
        folder = self.chance.choice(inside)
        while folder.parent != self.root and self.chance.random() < 0.5:
            folder = folder.parent
        return folder
