"""`vademecum tool`: call a tool as a model would."""

import argparse
import json
import sys
from typing import Any

from vademecum.api.errors import InvalidParams
from vademecum.api.tools.table import TOOLS
from vademecum.api.tools.tool import Need
from vademecum.api.types.tools import ToolAnswer
from vademecum.cli.asking import Asking
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit, Usage
from vademecum.cli.printable import printable
from vademecum.cli.waiting import settled, soon_embedded, until_ready
from vademecum.errors import InvalidField

_EPILOG = """\
examples:
  vademecum tool search_workspace '{"query": "where are sessions expired"}'
  vademecum tool remember '{"note": "Deploys go out on Tuesdays."}'
  echo '{"references": ["src/shapes.py:1-5@632a6c6dcfc78296"]}' | vademecum tool verify_evidence -

Prints the text that a model is given; with --json that and the same as values. `vademecum tools` lists the tools.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Which tool, with what."""
    add = parser.add_argument
    add("name", metavar="NAME", help="a tool, as `vademecum tools` lists them")
    add("arguments", nargs="?", default="{}", metavar="JSON", help="its arguments, an object; - reads them")
    add("--task", metavar="TASK", help="whose documents the tool reads (default)")
    add("--json", action="store_true", help="print the result of tools/call")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Call the tool and print what it answers."""
    options = job.options
    arguments = _read(options.arguments)
    with job.opened() as asking:
        tool = TOOLS.get(options.name)
        if tool is not None and tool.need is Need.SEARCH and asking.workspaces.settings.search.enabled:
            until_ready(asking, job.output)
            soon_embedded(asking, job.output)
        elif tool is not None and "search/status" in tool.requests:
            settled(asking)
        answer = _called(asking, {"name": options.name, "arguments": arguments, "task": options.task})
    if options.json:
        job.output.json(answer)
    else:
        for line in answer.text.split("\n"):
            job.output.line(printable(line))
    return Exit.DONE


def _called(asking: Asking, params: dict[str, Any]) -> ToolAnswer:
    """The answer; a wrong argument is told by the name that it has in the JSON."""
    try:
        answer: ToolAnswer = asking.ask("tools/call", params)
    except InvalidParams as error:
        raise Usage(str(error)) from error
    except InvalidField as error:
        raise Usage(f"{'NAME' if error.field == 'name' else error.field}: {error.message}") from error
    return answer


def _read(text: str) -> dict[str, Any]:
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Usage(f"JSON: cannot be read ({error})") from error
    if not isinstance(arguments, dict):
        raise Usage('JSON: must be an object, such as \'{"query": "circle"}\'')
    return arguments
