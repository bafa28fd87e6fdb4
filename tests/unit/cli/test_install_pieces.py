"""What is put into a file of TOML stands behind what is there, and is taken out again to the byte."""

import tomllib
from pathlib import Path

import pytest

from vademecum.cli.install.pieces import toml_table

ENTRY = {"command": "vademecum", "args": ["mcp"]}
PIECE = toml_table(Path("config.toml"), "its tools", "mcp_servers", "vademecum", ENTRY)


@pytest.mark.parametrize(
    "text",
    [
        "[mcp_servers.a]\nx = 1\n\n# about b\n[b]\ny = 2\n\n[mcp_servers.c]\nz = 1\n# end\n",
        "# top\r\nmcp_servers.foo.command = 'a' # c\r\n[other]\r\nx = 1\r\n",
        "[mcp_servers.foo.env]\nA = '1'",
        "model = 'x'\n\n",
    ],
    ids=["tables apart", "dotted keys, CRLF", "no last newline", "no tables"],
)
def test_a_table_stands_behind_what_is_there_and_goes_to_the_byte(text: str) -> None:
    written = PIECE.put(text)
    assert written is not None and written.startswith(text)
    assert tomllib.loads(written)["mcp_servers"]["vademecum"] == ENTRY
    assert ("\r\n" in text) == ("\n" not in written.replace("\r\n", ""))
    assert PIECE.put(written) == written
    assert PIECE.take(written) == text
