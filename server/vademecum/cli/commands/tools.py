"""`vademecum tools`: what a model may call here."""

import argparse
import json

from vademecum.api import wire
from vademecum.api.types.tools import ToolItem, ToolList
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit, Failed

_EPILOG = """\
examples:
  vademecum tools
  vademecum tools search_workspace
  vademecum tools --json

These are the tools that agents are offered over MCP (`vademecum mcp`) and chat panels in editors. Those for documents
are offered where the task sees one; names of other systems by the setting tools.aliases. `vademecum tool` calls one.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Which tool, and for which task."""
    add = parser.add_argument
    add("name", nargs="?", metavar="NAME", help="show this tool whole, with the schema of its arguments")
    add("--task", metavar="TASK", help="whose documents the tools read (default)")
    add("--json", action="store_true", help="print the result of tools/list")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Print a line a tool, or one of them whole."""
    with job.opened() as asking:
        offered: ToolList = asking.ask("tools/list", {"task": job.options.task})
    if job.options.name is not None:
        found = [tool for tool in offered.items if tool.name == job.options.name]
        if not found:
            raise Failed(f"There is no tool {job.options.name!r} here; there are: {_names(offered)}")
        _show(job, found[0])
    elif job.options.json:
        job.output.json(offered)
    else:
        job.output.table(("tool", "access", "what it does"), [_row(tool) for tool in offered.items])
    return Exit.DONE


def _names(offered: ToolList) -> str:
    return ", ".join(tool.name for tool in offered.items)


def _show(job: Job, tool: ToolItem) -> None:
    if job.options.json:
        job.output.json(tool)
        return
    job.output.line(f"{tool.name}: {tool.title} ({_access(tool)})")
    job.output.line()
    job.output.line(tool.description)
    job.output.line()
    job.output.line(json.dumps(wire.unstructure(tool.input_schema), ensure_ascii=False, indent=2))


def _row(tool: ToolItem) -> tuple[str, str, str]:
    return (tool.name, _access(tool), tool.title)


def _access(tool: ToolItem) -> str:
    if tool.hints.read_only:
        return "reads"
    return "changes" if tool.hints.destructive else "adds"
