"""The libraries of this room bear each other in one process, in whichever order they are needed."""

import itertools
import subprocess
import sys

import pytest

STEPS = {
    "graph": "from vademecum.embedding.graph import Graph\n"
    "Graph.make(Path(sys.argv[1]) / 'g', np.arange(9, dtype=np.uint64), rows, 1, Cancel())\n",
    "compared": "from vademecum.embedding.compare import best_rows\nassert len(best_rows(rows, rows[0], 3)) == 3\n",
    "transformer": "from vademecum.embedding.transformer import runtime\nassert runtime().__name__ == 'onnxruntime'\n",
}


@pytest.mark.parametrize("order", list(itertools.permutations(STEPS)), ids="-".join)
def test_no_order_of_loading_ends_the_process(order: tuple[str, ...], tmp_path: object) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nimport numpy as np\nfrom vademecum.work import Cancel\n"
        "rows = np.random.default_rng(1).integers(-127, 127, (9, 16)).astype(np.int8)\n"
    ) + "".join(STEPS[step] for step in order)
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
