"""`--judgments` for commands whose judgments are arguments, and a word where runs and judgments look exchanged."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from dissensus.errors import DissensusError, InputError

MISSING = "no judgments were given."


def _option(
    more_judgments: Annotated[
        list[str] | None,
        typer.Option("--judgments", "-j", metavar="FILE", help="The same as JUDGMENTS, as other commands take them."),
    ] = None,
) -> None:
    """The option itself."""


def add_judgments_option(command: Any) -> None:
    """Let `agree labels.csv` be written `agree --judgments labels.csv`, too."""
    own = next((p for p in command.params if p.name == "judgments" and p.param_type_name == "argument"), None)
    if own is None or own.nargs != -1:
        return
    own.required = False
    program = typer.Typer(add_completion=False)
    program.command()(_option)
    command.params.append(next(p for p in typer.main.get_command(program).params if p.name == "more_judgments"))
    run = command.callback

    def together(**options: Any) -> Any:
        more = options.pop("more_judgments") or []
        options["judgments"] = [*(options["judgments"] or []), *more]
        if not options["judgments"]:
            raise InputError(MISSING, f"Name a file: dissensus {command.name} labels.csv")
        return run(**options)

    command.callback = together


def without_judgments(command: str, files: Sequence[str]) -> InputError:
    """The error of a command that was given no judgments; files among its runs that look like some are named."""
    from dissensus.data.check.recognise import recognise

    labels = []
    for file in files[:8]:
        with contextlib.suppress(DissensusError, OSError):
            found = recognise(file)
            labels += [file] if found and all(f.what in ("labels", "audit") for f in found) else []
    runs = [file for file in files if file not in labels]
    if not labels:
        return InputError(MISSING, f"Name them: dissensus {command} {shlex.join(files[:2]) or 'RUNS'} --judgments FILE")
    right = f"dissensus {command} {shlex.join(runs) or 'RUNS'} --judgments {shlex.quote(labels[0])}"
    return InputError(
        f"no judgments were given, and {labels[0]} looks like judgments, not like a run.",
        f"trec_eval takes the qrels first; here they follow --judgments: {right}",
    )
