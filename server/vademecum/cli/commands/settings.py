"""`vademecum settings`: what holds, and where it comes from."""

import argparse
import os
import tomllib
from collections.abc import Mapping
from enum import Enum
from typing import Any

import attrs
from attrs import frozen

from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit
from vademecum.settings import ENVIRONMENT_PREFIX, Problem, Settings, camel, fold, settable

_EPILOG = """\
The later wins: defaults, config.toml in Vademecum's home, the editor, the environment. What an editor sets holds in
that editor alone and is not shown here.
"""


@frozen
class Effective:
    """A setting, its value, and its source: `default`, the path of the file, or the name of a variable."""

    name: str
    value: object
    source: str


@frozen
class Report:
    """Every setting, and what could not be used."""

    file: str
    items: tuple[Effective, ...]
    problems: tuple[str, ...]


def describe(parser: argparse.ArgumentParser) -> None:
    """Nothing but the form."""
    parser.add_argument("--json", action="store_true", help="print {file, items: [{name, value, source}], problems}")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Print a line a setting."""
    report = effective(job)
    if job.options.json:
        job.output.json(report)
        return Exit.DONE
    job.output.table(("setting", "value", "from"), [(one.name, _shown(one.value), one.source) for one in report.items])
    for problem in report.problems:
        job.output.note(problem)
    return Exit.DONE


def effective(job: Job) -> Report:
    """The settings that hold without an editor."""
    config = job.places.config
    settings, problems = fold(config, [], job.environment)
    in_file = _tables(job)
    items = []
    for section in attrs.fields(Settings):
        values = getattr(settings, section.name)
        for leaf in settable(type(values)):
            name = f"{camel(section.name)}.{camel(leaf.name)}"
            source = _source(name, leaf.name, section.name, str(config), in_file, job.environment, problems)
            items.append(Effective(name, _plain(getattr(values, leaf.name)), source))
    return Report(str(config), tuple(items), tuple(map(str, problems)))


def _source(
    name: str,
    leaf: str,
    section: str,
    config: str,
    in_file: Mapping[str, Any],
    environment: Mapping[str, str],
    problems: tuple[Problem, ...],
) -> str:
    """The last of the sources that names the setting with a value that could be used."""
    unusable = {problem.source for problem in problems if problem.name == name}
    variables = [f"{ENVIRONMENT_PREFIX}{section}_{leaf}".upper()]
    if name == "memory.enabled":
        variables.append("VADEMECUM_MEMORY")
    for variable in variables:
        if environment.get(variable) and variable not in unusable:
            return variable
    first, last = name.split(".")
    table = in_file.get(first)
    if isinstance(table, Mapping) and table.get(last) is not None and config not in unusable:
        return config
    return "default"


def _tables(job: Job) -> Mapping[str, Any]:
    try:
        return tomllib.loads(job.places.config.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    return list(value) if isinstance(value, tuple) else value


def _shown(value: object) -> str:
    """As it is written in config.toml, or nearly."""
    if value is None:
        return "(not set)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return os.pathsep.join(map(str, value)) or "(none)"
    return str(value)
