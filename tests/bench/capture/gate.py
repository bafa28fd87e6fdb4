"""How well the cue gate tells what is worth a look. `python -m tests.bench.capture.gate [--wrong dev]`

Prints precision and recall for both halves of the lines (data/README.md), over all and by language.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from vademecum.memory.capture.cues import cues

DATA = Path(__file__).parent / "data"


@frozen
class Line:
    """One message, and whether it is worth showing to a model."""

    language: str
    kind: str
    text: str

    @property
    def is_wanted(self) -> bool:
        """Whether the gate should let it through."""
        return self.kind != "none"


@frozen
class Quality:
    """What the gate did with some lines."""

    lines: int
    precision: float
    recall: float


def lines(half: str) -> list[Line]:
    """The lines of `dev` or `test`."""
    rows = (DATA / f"{half}.tsv").read_text("utf-8").splitlines()
    return [Line(*row.split("\t")) for row in rows]


def measure(given: Sequence[Line]) -> Quality:
    """Precision and recall over these lines."""
    passed = [line for line in given if cues(line.text)]
    right = sum(line.is_wanted for line in passed)
    wanted = sum(line.is_wanted for line in given)
    return Quality(len(given), right / len(passed) if passed else 1.0, right / wanted if wanted else 1.0)


def strangers(name: str, key: str, types: Sequence[str] = ()) -> list[Line]:
    """Sentences that another hand wrote for another benchmark (../recall/data), of which the gate was not made.

    Every second one was looked at when the gate was widened; these are the others.
    """
    rows = map(json.loads, (DATA.parents[1] / "recall" / "data" / name).read_text("utf-8").splitlines()[1::2])
    kind = "none" if key == "prompt" else "memory"
    return [Line(row["language"], kind, row[key]) for row in rows if not types or row["type"] in types]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--wrong", choices=("dev", "test"), help="show the lines of this half that it got wrong")
    wrong = parser.parse_args().wrong
    for half in ("dev", "test"):
        all_lines = lines(half)
        groups = {
            "all": all_lines,
            "en": [line for line in all_lines if line.language == "en"],
            "zh": [line for line in all_lines if line.language == "zh"],
            "other": [line for line in all_lines if line.language not in ("en", "zh")],
        }
        for name, group in groups.items():
            q = measure(group)
            sys.stdout.write(
                f"{half:4} {name:5} {q.lines:3} lines  precision {q.precision:.3f}  recall {q.recall:.3f}\n"
            )
        if half == wrong:
            for line in all_lines:
                if bool(cues(line.text)) != line.is_wanted:
                    sys.stdout.write(f"  {line.kind:10} {line.text}  -> {sorted(cues(line.text))}\n")
    told = strangers("memories.jsonl", "content", ("user", "feedback"))
    asked = [*strangers("dev.jsonl", "prompt"), *strangers("test.jsonl", "prompt")]
    for what, group in (("facts about a person, as notes tell them", told), ("questions and requests", asked)):
        for language in ("en", "zh"):
            some = [line for line in group if line.language == language]
            passed = sum(bool(cues(line.text)) for line in some)
            sys.stdout.write(f"by another hand, {language}: {passed} of {len(some)} {what} pass\n")
    begun = time.perf_counter()
    texts = [line.text for half in ("dev", "test") for line in lines(half)]
    for text in texts:
        cues(text)
    sys.stdout.write(f"{(time.perf_counter() - begun) / len(texts) * 1e6:.0f} µs a line\n")


if __name__ == "__main__":
    main()
