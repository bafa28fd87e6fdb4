"""What Vademecum is measured beside: plain BM25, ripgrep, and the `semble` package, on the same files."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import tantivy

from bench.quality.metric import DEPTH, Place
from bench.quality.sources import Tree
from vademecum.search.asking import STOP_WORDS
from vademecum.search.entry import make
from vademecum.search.settings import SearchSettings

_WORD = re.compile(r"\w{2,}")


def bm25(tree: Tree, texts: Sequence[str]) -> list[list[Place]]:
    """tantivy as it comes: its default tokens, any word of the query, over chunks cut as the product cuts them."""
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("path", stored=True, tokenizer_name="raw")
    schema.add_integer_field("start", stored=True)
    schema.add_integer_field("end", stored=True)
    schema.add_text_field("body")
    index = tantivy.Index(schema.build())
    writer = index.writer(heap_size=50_000_000, num_threads=1)
    for name in tree.files:
        data = (tree.folder / name).read_bytes()
        lines = data.decode("utf-8", "replace").split("\n")
        for row in make(name, data, SearchSettings().chunk_lines).rows:
            body = "\n".join(lines[row.start - 1 : row.end])
            writer.add_document(tantivy.Document(path=name, start=row.start, end=row.end, body=body))
    writer.commit()
    index.reload()
    searcher = index.searcher()
    found: list[list[Place]] = []
    for text in texts:
        query, _ = index.parse_query_lenient(text, ["body"])
        documents = [searcher.doc(address) for _, address in searcher.search(query, DEPTH).hits]
        found.append([Place(each["path"][0], each["start"][0], each["end"][0]) for each in documents])
    return found


def ripgrep(tree: Tree, texts: Sequence[str]) -> list[list[Place]] | None:
    """Files by how many of the query's words they hold in any case, then by lines that hold one; None without `rg`.

    Words that only ask (how, the, where) are left out, as a person would.
    """
    program = shutil.which("rg")
    if program is None:
        return None

    @cache
    def counts(word: str) -> dict[str, int]:
        command = [
            program,
            "--no-config",
            "--no-ignore",
            "--count",
            "--with-filename",
            "--null",
            "-i",
            "-F",
            "-e",
            word,
        ]
        done = subprocess.run([*command, "."], cwd=tree.searched, capture_output=True, check=False)
        told: dict[str, int] = {}
        for line in done.stdout.decode("utf-8", "replace").splitlines():
            path, _, count = line.partition("\0")
            told[(tree.searched / path).relative_to(tree.folder).as_posix()] = int(count)
        return told

    found: list[list[Place]] = []
    for text in texts:
        words = dict.fromkeys(word.lower() for word in _WORD.findall(text))
        held: Counter[str] = Counter()
        lines: Counter[str] = Counter()
        for word in [each for each in words if each not in STOP_WORDS] or words:
            held.update(dict.fromkeys(counts(word), 1))
            lines.update(counts(word))
        order = sorted(held, key=lambda path: (-held[path], -lines[path], path))
        found.append([Place(path) for path in order[:DEPTH]])
    return found


def semble(tree: Tree, texts: Sequence[str], model: Path, python: str = sys.executable) -> list[list[Place]] | None:
    """The `semble` package with the static vectors of `wordllama`; None where they are not installed.

    :param model: a folder for these vectors in the form that it loads; made when it is not there.
    :param python: an interpreter that has both packages.
    """
    with tempfile.TemporaryDirectory() as temporary:
        asked = Path(temporary) / "queries.json"
        asked.write_text(json.dumps(list(texts)), "utf-8")
        command = [python, "-m", "bench.quality.semble_run", str(model), str(tree.searched), str(asked), str(DEPTH)]
        here = Path(__file__).parents[2]
        done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(f"semble could not be measured: {done.stderr.strip().splitlines()[-1:]}\n")
        return None
    prefix = tree.searched.relative_to(tree.folder)
    return [
        [Place((prefix / path).as_posix(), start, end) for path, start, end in hits]
        for hits in json.loads(done.stdout.splitlines()[-1])
    ]
