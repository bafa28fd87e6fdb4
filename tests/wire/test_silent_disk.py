"""A disk that is mounted in an open folder and does not answer holds up neither the index nor a request."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from unit.files.hanging import hung_mount
from wire.client import Client, RequestError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="where disks are mounted, Linux alone tells")


def test_all_else_is_indexed_and_the_status_names_the_folder(
    start: Callable[..., Client], repository: Path, home: Path
) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text('[search]\nmodel = "none"\n')
    (repository / "share").mkdir()
    with hung_mount(repository / "share"):
        client = start()
        client.initialize(repository)
        status = client.indexed()
        assert status["files"] == 4
        assert status["notice"].startswith("What lies in share is not searched")
        assert ".vademecumignore" in status["notice"]
        skipped = client.request("search/skipped")["items"]
        assert {"path": "share", "reason": "silent"} in skipped
        (repository / "src/new.py").write_text("def while_it_is_silent():\n    return 1\n")
        found = lambda: client.request("search/query", {"query": "while_it_is_silent"})["items"]  # noqa: E731
        client.wait_for(lambda: [item for item in found() if item["path"] == "src/new.py"], "the new file")
        position = {"line": 0, "character": 0}
        with pytest.raises(RequestError, match="does not answer"):
            client.request("search/related", {"uri": (repository / "share/a.py").as_uri(), "position": position})
