"""`--describe`: every command and its parameters as JSON, for programs that call dissensus.

    dissensus --describe    all commands; behind the name of a command, that one

The description is read off the commands themselves, so it cannot fall behind them.
"""

from __future__ import annotations

from typing import Any

import click

from dissensus import __version__
from dissensus.cli.commands import COMMANDS, group_of, load, names, verb_of
from dissensus.windows.json import SCHEMA, plain

EXIT_STATUS = {
    "0": "done; of gate: pass",
    "1": "a bug in dissensus; of gate: fail",
    "2": "the input was refused, and the message says why and what to do",
    "3": "of gate: cannot tell",
    "130": "interrupted",
}


def everything() -> dict[str, Any]:
    """All commands."""
    return {
        "dissensus": __version__,
        "schema": SCHEMA,
        "exit_status": EXIT_STATUS,
        "commands": [command for name in names() for command in _of(load(name), name)],
    }


def one(command: click.Command, path: str) -> dict[str, Any]:
    """One command, or the commands below it: `path` is what is typed."""
    words = path.split()[1:]
    return {"dissensus": __version__, "schema": SCHEMA, "commands": _of(command, " ".join(words))}


def _of(command: click.Command, name: str) -> list[dict[str, Any]]:
    if isinstance(command, click.Group):
        return [found for word, sub in command.commands.items() for found in _of(sub, f"{name} {word}")]
    top = name.split()[0]
    verb = verb_of(name.replace(" ", "_"))
    return [
        {
            "name": name,
            "section": next(section for section, found in COMMANDS.items() if top in found),
            "what": (command.help or "").split("\n\n", maxsplit=1)[0].strip(),
            "python": None if verb is None else f"ds.{name.replace(' ', '_')}",
            "parameters": [_parameter(p) for p in command.params],
        }
    ]


def _parameter(parameter: click.Parameter) -> dict[str, Any]:
    kind = parameter.type
    flag = isinstance(parameter, click.Option) and parameter.is_flag
    words = str(getattr(parameter, "help", None) or getattr(parameter, "text", ""))
    what, _, default = words.partition("[default: ")
    return {
        "name": parameter.name,
        "flags": [*parameter.opts, *parameter.secondary_opts] if isinstance(parameter, click.Option) else [],
        "kind": "flag" if flag else parameter.param_type_name,
        "type": "flag" if flag else kind.name,
        "choices": list(kind.choices) if isinstance(kind, click.Choice) else None,
        "range": [kind.min, kind.max] if isinstance(kind, click.IntRange | click.FloatRange) else None,
        "required": parameter.required,
        "repeatable": bool(getattr(parameter, "multiple", False)) or parameter.nargs == -1,
        "words": max(parameter.nargs, 1),
        "default": plain(default.rstrip("] ")) if default else None,
        "group": "Arguments" if isinstance(parameter, click.Argument) else group_of(parameter.name),
        "what": what.strip(),
    }
