"""What a session saves on a repository's own history. In tests/, `python -m bench.evidence.replay --repository CLONE`.

Each task is a commit that changed code: its subject is asked as a query while the tree is that of the commit's parent,
as somebody about to make that commit would. The tree goes on from task to task, and so does a session: of five tasks,
of ten, of all. Every answer is held against the files by a caller of its own (`conversation`), and against the answer
without a session, byte for byte.

Beside it a naive scheme is played on the same answers: it withholds what was shown before at the same lines of a file.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from bench.evidence.conversation import Conversation, Lines, lines_of
from bench.speed.asking import ready, size_of
from bench.speed.tables import Table, commit, markdown, put, spread
from wire.client import Client, running

#: Tasks a session; 0 stands for one session of all tasks.
SIZES = (1, 5, 10, 0)
#: Commits whose subjects say little of any code.
_DULL = ("merge", "bump", "release", "version", "update dep", "build(deps", "[pre-commit", "typo", "fix typo")
_CODE = (".py", ".js", ".ts", ".go", ".java", ".rs", ".c", ".h", ".rb", ".php", ".kt", ".swift", ".scala", ".ex")
_CHARACTERS_A_TOKEN = 4
_REFERENCES = 1_000

BEGIN, END = "<!-- evidence: begin -->", "<!-- evidence: end -->"


@frozen
class Task:
    """A commit: what is asked, and the tree it is asked of."""

    query: str
    parent: str


@define
class Sum:
    """What sessions of one size came to."""

    size: int
    snippets: int = 0
    snippets_left: int = 0
    answers: int = 0
    answers_left: int = 0
    naive_left: int = 0
    naive_stale: int = 0
    added: list[float] = field(factory=list)
    """Seconds that each answer took longer than the one without a session right before it."""
    conversations: list[Conversation] = field(factory=list)
    shown: dict[tuple[str, int, int], str] = field(factory=dict)
    """The naive scheme's: what was shown at some lines of a file."""

    def total(self, name: str) -> int:
        """A count of all conversations."""
        return sum(getattr(each.tally, name) for each in self.conversations)


def git(folder: Path, *arguments: str) -> str:
    """What git says; whoever runs this has no hand in it."""
    environment = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def tasks(tree: Path, count: int, until: str) -> list[Task]:
    """The last `count` commits that changed code and say in some words what they are about, oldest first."""
    found: list[Task] = []
    log = git(tree, "log", "--no-merges", "--first-parent", "-m", "--name-only", "--format=%x01%P%x02%s", until, "--")
    for entry in log.split("\x01")[1:]:
        head, _, rest = entry.partition("\n")
        parents, _, subject = head.partition("\x02")
        files = rest.split()
        words = [word for word in subject.split() if word[:1].isalpha()]
        if not parents or len(words) < 3 or subject.lower().startswith(_DULL) or not 1 <= len(files) <= 20:
            continue
        if any(name.endswith(_CODE) for name in files):
            found.append(Task(subject[:1_000], parents.split()[0]))
        if len(found) == count:
            break
    return found[::-1]


class Replay:
    """One server on one tree, asked with and without sessions."""

    def __init__(self, client: Client, tree: Path, params: Mapping[str, Any]) -> None:
        self._client, self._tree, self._params = client, tree, params
        self.sums = [Sum(size) for size in SIZES]
        self.plain: list[float] = []
        self.different = 0
        self.references: list[str] = []

    def run(self, chosen: list[Task]) -> None:
        """Ask everything."""
        for number, task in enumerate(chosen):
            git(self._tree, "checkout", "-q", "--force", task.parent)
            self._client.request("search/reindex", {})
            ready(self._client)
            self._ask(number, task)
            sys.stderr.write(f"\r{number + 1} of {len(chosen)} ")
        sys.stderr.write("\n")

    def verify(self) -> float:
        """Seconds that judging `_REFERENCES` of the references that were minted takes."""
        known = list(dict.fromkeys(self.references))
        asked = (known * (_REFERENCES // max(1, len(known)) + 1))[-_REFERENCES:]
        began = time.perf_counter()
        items = self._client.request("evidence/verify", {"references": asked})["items"]
        seconds = time.perf_counter() - began
        assert len(items) == _REFERENCES
        return seconds

    def _ask(self, number: int, task: Task) -> None:
        params = {"query": task.query, **self._params}
        plain = self._client.request("search/query", params)  # from here on all files and terms are in caches
        # In turn, and each time in another order, so that no kind of answer is always the first after a checkout.
        turn = number % len(self.sums)
        for sum_ in (*self.sums[turn:], *self.sums[:turn]):
            began = time.perf_counter()
            again = self._client.request("search/query", params)
            between = time.perf_counter()
            session = f"{sum_.size}-{number // sum_.size if sum_.size else 0}"
            answer = self._client.request("search/query", {**params, "session": session})
            self.plain.append(between - began)
            sum_.added.append(time.perf_counter() - between - self.plain[-1])
            assert again == plain, "answers of a tree at rest differ"
            self._judge(number, sum_, plain, answer)
        self.references += [item["reference"] for item in plain["items"]]

    def _judge(self, number: int, sum_: Sum, plain: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        if not sum_.conversations or (sum_.size and number % sum_.size == 0):
            sum_.conversations.append(Conversation(self._lines))
            sum_.shown = {}
        items = [dict(item) for item in answer["items"]]
        put_back = sum_.conversations[-1].take(answer, items)
        for item in items:
            if item["snippet"] is None:
                item["snippet"] = put_back.get(item["reference"])
                item.pop("reused", None)
        whole = {key: value for key, value in answer.items() if key != "memory"} | {"items": items}
        self.different += json.dumps(whole, sort_keys=True) != json.dumps(plain, sort_keys=True)
        sum_.snippets += _tokens(*(item["snippet"] for item in plain["items"]))
        sum_.snippets_left += _tokens(*(item["snippet"] or "" for item in answer["items"]))
        sum_.answers += _tokens(_wire(plain))
        sum_.answers_left += _tokens(_wire(answer))
        for item in plain["items"]:
            place = (item["path"], item["range"]["start"]["line"], item["range"]["end"]["line"])
            before = sum_.shown.setdefault(place, item["snippet"])
            if before is item["snippet"]:
                sum_.naive_left += _tokens(item["snippet"])
            elif before != item["snippet"]:
                sum_.naive_stale += 1

    def _lines(self, path: str) -> Lines | None:
        try:
            return lines_of((self._tree / path).read_bytes())
        except OSError:
            return None


def _tokens(*texts: str) -> int:
    return sum(-(-len(text) // _CHARACTERS_A_TOKEN) for text in texts)


def _wire(answer: Mapping[str, Any]) -> str:
    """As it goes over the pipe."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def _saved(left: int, whole: int) -> str:
    return f"{100 * (1 - left / whole):.1f} %" if whole else "-"


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def table(replay: Replay, name: str, count: int) -> Table:
    """The figures of one repository."""
    told = Table(name)
    plain, _ = spread(replay.plain)
    told.add("tasks", f"{count}", tasks=count)
    told.add("query without a session", f"p50 {1000 * plain:.1f} ms", plain_p50=plain)
    for sum_ in replay.sums:
        size = f"{sum_.size} a session" if sum_.size else "one session"
        key = f"k{sum_.size or 'all'}"
        right, wrong, missed = (sum_.total(each) for each in ("right", "wrong", "missed"))
        precision, recall = _share(right, right + wrong), _share(right, right + missed)
        added = statistics.median(sum_.added)
        told.add(
            f"{size}: tokens saved, snippets / whole answer",
            f"{_saved(sum_.snippets_left, sum_.snippets)} / {_saved(sum_.answers_left, sum_.answers)}",
            "",
            **{
                f"{key}_snippets": 1 - sum_.snippets_left / sum_.snippets,
                f"{key}_answers": 1 - sum_.answers_left / sum_.answers,
            },
        )
        told.add(
            f"{size}: stale snippets withheld",
            f"**{sum_.total('stale')}** of {sum_.total('withheld')} withheld",
            "0",
            **{f"{key}_stale": sum_.total("stale"), f"{key}_withheld": sum_.total("withheld")},
        )
        told.add(
            f"{size}: naive, by location: tokens saved, stale withheld",
            f"{_saved(sum_.naive_left, sum_.snippets)}, {sum_.naive_stale}",
            "",
            **{f"{key}_naive": 1 - sum_.naive_left / sum_.snippets, f"{key}_naive_stale": sum_.naive_stale},
        )
        told.add(
            f"{size}: notices of change, precision / recall",
            f"{precision:.3f} / {recall:.3f} ({right} told)",
            "1.000 / ≥ 0.97" if sum_.size == 5 else "",
            **{f"{key}_precision": precision, f"{key}_recall": recall, f"{key}_told": right},
        )
        told.add(
            f"{size}: time added, p50",
            f"{1000 * added:.1f} ms",
            "≤ 10 ms" if sum_.size == 5 else "",
            **{f"{key}_added": added},
        )
    told.add("answers that differ once put back", str(replay.different), "0", different=replay.different)
    return told


def measure(repository: Path, count: int, until: str, params: Mapping[str, Any]) -> Table:
    """Replay a clone's history in a copy of it."""
    with tempfile.TemporaryDirectory() as folder:
        tree, home = Path(folder) / repository_name(repository), Path(folder) / "home"
        git(Path(folder), "clone", "-q", "--no-checkout", str(repository.resolve()), str(tree))
        chosen = tasks(tree, count, until)
        if not chosen:
            raise SystemExit(f"{repository} has no commits that say what code they are about")
        git(tree, "checkout", "-q", "--force", chosen[0].parent)
        with running(home, env={"VADEMECUM_SEARCH_MODEL": "none"}) as client:
            client.initialize(tree)
            ready(client)
            replay = Replay(client, tree, params)
            replay.run(chosen)
            told = table(replay, tree.name, len(chosen))
            seconds = replay.verify()
            told.add(f"verifying {_REFERENCES:,} references", f"{seconds:.2f} s", "≤ 1 s", verify=seconds)
            kept = client.request("search/status")["evidence"]
            client.shut_down()
            size = size_of(home / "state" / "evidence")
            what = f"{kept['sessions']} sessions, {kept['deliveries']:,} snippets, {size / 1000:.0f} kB"
            told.add("ledger on disk, at rest", what, ledger=size)
        for line in faults(replay):
            sys.stdout.write(f"{line}\n")
        return told


def faults(replay: Replay) -> Iterator[str]:
    """What was wrong, in words; a few of each size."""
    for sum_ in replay.sums:
        yield from [fault for each in sum_.conversations for fault in each.tally.faults][:5]


def repository_name(repository: Path) -> str:
    """What a clone is called: by its own name, or that of the folder it lies in."""
    whole = repository.resolve()
    name = whole.parent.name if whole.name in ("repo", ".git") else whole.name
    return name.removesuffix(".git").rpartition("+")[2]


def main() -> None:
    """Print a table for each repository."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--repository", type=Path, action="append", required=True, help="a git clone, bare or not; again for more")
    add("--tasks", type=int, default=87, help="commits to replay (87)")
    add("--until", default="HEAD", help="the last commit looked at (HEAD)")
    add("--keep", type=Path, help="a folder to write the figures to, as evidence-COMMIT.json")
    add("--document", type=Path, help="a Markdown file whose marked part becomes these tables")
    options = parser.parse_args()
    when = datetime.now(UTC).date().isoformat()
    machine = f"{os.cpu_count()} processors ({platform.machine()}), Python {platform.python_version()}"
    names = [repository_name(each) for each in options.repository]
    head = f"{when}, commit {commit() or 'unknown'}, {machine}; in `tests/`: `python -m bench.evidence.replay"
    sys.stdout.write(f"{head}`\n")
    params = {"limit": 10, "mode": "lexical"}  # vectors that come meanwhile would change answers
    tables = [measure(repository, options.tasks, options.until, params) for repository in options.repository]
    if options.document is not None:
        asked = " ".join(f"--repository {name}" for name in names)
        text = f"{head} {asked} --tasks {options.tasks}`\n"
        put(options.document, "\n".join([text, *map(markdown, tables)]), BEGIN, END)
    if options.keep is not None:
        kept = {"date": when, "commit": commit(), "machine": machine, **{each.corpus: each.figures for each in tables}}
        path = options.keep / f"evidence-{commit() or when}.json"
        path.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
