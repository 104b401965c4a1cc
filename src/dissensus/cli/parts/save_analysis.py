"""`--save-analysis FILE`: the command that runs, written down as an analysis that `dissensus run` does again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from dissensus.cli.parts.analysis import INPUTS, SCHEMA, SHARED, file_of
from dissensus.errors import OutputError

ALWAYS = ("measure", "seed")  # written down also where they have their defaults, which a later version may change
NEVER = ("output", "save", "json")


def check_analysis_file(path: Path | None) -> None:
    """Refuse a file that is not a .toml or has no folder, before the work is done."""
    if path is None:
        return
    if path.suffix.lower() != ".toml":
        raise OutputError(
            f"--save-analysis {path}: an analysis is a TOML file.", f"Name it {path.with_suffix('.toml')}."
        )
    if not path.parent.is_dir():
        raise OutputError(f"--save-analysis {path}: there is no folder {path.parent}.", "Make the folder first.")


def save_analysis(context: typer.Context, path: Path | None, output: Path) -> None:
    """Write the running command as an analysis with one output."""
    if path is None:
        return
    from dissensus.cli.terminal.messages import say
    from dissensus.work.atomic import atomic

    given = {
        name: value
        for name, value in context.params.items()
        if name not in NEVER and value is not None
        and (name in ALWAYS or getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE")
    }  # fmt: skip
    with atomic(path) as file:
        file.write(analysis_text(str(context.info_name), given, output.name, path.parent))
    say("note", f"wrote {path}; dissensus run {path} does it again")


def analysis_text(command: str, given: Mapping[str, Any], file: str, folder: Path) -> str:
    """The analysis as TOML; paths of inputs are relative to `folder`.

    >>> print(analysis_text("report", {"runs": ["r/a.run"], "measure": ["AP"], "title": "T"}, "r.html", Path(".")))
    schema = 1
    runs = ["r/a.run"]
    measures = ["AP"]
    results = "results"
    <BLANKLINE>
    [outputs.report]
    file = "r.html"
    title = "T"
    <BLANKLINE>
    """
    named = {"measures" if name == "measure" else name: value for name, value in given.items()}
    top = [f"schema = {SCHEMA}"]
    top += [f"{k} = {_value(_relative(k, named[k], folder))}" for k in SHARED if k in named]
    own = [f"{k} = {_value(_relative(k, v, folder))}" for k, v in named.items() if k not in SHARED]
    lines = [*top, 'results = "results"', "", f"[outputs.{command}]", f"file = {_value(file)}", *own]
    return "\n".join(lines) + "\n"


def _relative(name: str, value: Any, folder: Path) -> Any:
    """Paths as they are seen from the folder of the analysis."""
    if name not in INPUTS:
        return value
    if isinstance(value, list | tuple):
        return [_relative(name, v, folder) for v in value]
    file = file_of(str(value))
    seen = file if os.path.isabs(file) else os.path.relpath(file, folder)
    return str(value)[: len(str(value)) - len(file)] + seen


def _value(value: Any) -> str:
    """A TOML value; strings are written as JSON writes them, which TOML reads equally."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
